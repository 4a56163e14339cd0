#include "net/range_store.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

namespace cudald {
namespace {

std::string text_at(const RangeStore& store, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  return store.copy(offset, std::as_writable_bytes(std::span(text))) ? text : "none";
}

std::string make_folder() {
  std::string path = "/tmp/cudald-ranges-XXXXXX";
  REQUIRE(::mkdtemp(path.data()) != nullptr);
  return path;
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

TEST_CASE("what was saved is read again, and nothing that is not whole") {
  const auto folder = make_folder();
  const auto path = folder + "/kept";
  RangeStore store;
  store.add(3, "abc");
  store.add(100, "xyz");
  REQUIRE(store.save(path, {200, "\"1\""}));
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  RangeStore again;
  const auto facts = again.load(path);
  REQUIRE(facts);
  CHECK(facts->size == 200);
  CHECK(facts->etag == "\"1\"");
  CHECK(text_at(again, 3, 3) == "abc");
  CHECK(text_at(again, 100, 3) == "xyz");
  const auto size = std::filesystem::file_size(path);
  for (const auto cut : {std::uintmax_t{0}, std::uintmax_t{10}, size / 2, size - 1}) {
    std::filesystem::copy_file(path, folder + "/cut", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder + "/cut", cut);
    RangeStore half;
    CHECK_FALSE(half.load(folder + "/cut"));
    CHECK(half.bytes() == 0);
  }
  std::ofstream(path, std::ios::app) << "more";
  CHECK_FALSE(RangeStore().load(path));
  CHECK_FALSE(RangeStore().load(folder + "/none"));
  CHECK_FALSE(store.save(folder + "/no/such/folder", {200, ""}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cudald
