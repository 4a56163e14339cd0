#include "net/range_store.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

std::string text_at(const RangeStore& store, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  return store.copy(offset, std::as_writable_bytes(std::span(text))) ? text : "none";
}

TEST_CASE("parts are kept, joined where they touch") {
  RangeStore store;
  CHECK(store.there(0) == 0);
  CHECK(store.add(10, "abc"));
  CHECK(store.add(20, "xyz"));
  CHECK(store.there(11) == 2);
  CHECK(store.there(13) == 0);
  CHECK(store.next(0) == 10u);
  CHECK(store.next(12) == 12u);
  CHECK(store.next(14) == 20u);
  CHECK_FALSE(store.next(23));
  CHECK(text_at(store, 10, 4) == "none");
  CHECK(store.add(12, "CDEFGHIJ"));
  CHECK(store.there(10) == 13);
  CHECK(text_at(store, 10, 13) == "abCDEFGHIJxyz");
  CHECK(store.bytes() == 13);
}

TEST_CASE("parts that overlap, touch or lie within others are one, and others stay apart") {
  RangeStore store;
  CHECK(store.add(5, ""));
  CHECK(store.bytes() == 0);
  CHECK_FALSE(store.next(0));
  CHECK(store.add(10, "abcde"));
  CHECK(store.add(11, "BC"));
  CHECK(store.bytes() == 5);
  CHECK(text_at(store, 10, 5) == "aBCde");
  CHECK(store.add(8, "xyz"));
  CHECK(store.there(8) == 7);
  CHECK(store.add(15, "f"));
  CHECK(store.there(8) == 8);
  CHECK(store.add(17, "h"));
  CHECK(store.there(8) == 8);
  CHECK(store.there(16) == 0);
  CHECK(store.next(16) == 17u);
  CHECK(store.next(8) == 8u);
  CHECK(store.next(15) == 15u);
  CHECK(store.there(7) == 0);
  CHECK(store.there(17) == 1);
  CHECK(store.there(18) == 0);
  CHECK(text_at(store, 8, 8) == "xyzBCdef");
  CHECK(text_at(store, 8, 9) == "none");
  CHECK(store.add(0, std::string(30, '-')));
  CHECK(store.bytes() == 30);
  CHECK(store.there(0) == 30);
  CHECK(store.there(29) == 1);
}

}  // namespace
}  // namespace cudald
