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

}  // namespace
}  // namespace cudald
