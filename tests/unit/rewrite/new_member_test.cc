#include "rewrite/new_member.h"

#include <sstream>

#include "archive/zip_directory.h"
#include "base/crc32.h"
#include "base/sha256.h"
#include "unit/rewrite/edited.h"

namespace cudald {
namespace {

std::shared_ptr<ScratchStore> scratch() {
  auto made = ScratchStore::make();
  REQUIRE(made);
  return *made;
}

TEST_CASE("a text is deflated, and stored, with its checksums") {
  const std::string text(100'000, 'x');
  const auto store = scratch();
  const auto deflated = make_new_member(text, zip_deflated, store);
  REQUIRE(deflated);
  CHECK(deflated->size == text.size());
  CHECK(deflated->data.size < 1000);
  CHECK(deflated->crc32 == crc32_after(0, text));
  CHECK(deflated->sha256 == sha256(text));
  const auto stored = make_new_member(text, zip_stored, store);
  REQUIRE(stored);
  CHECK(bytes_of(NewFile(store, {stored->data})) == text);
  CHECK(stored->crc32 == deflated->crc32);
}

TEST_CASE("members of one scratch file do not disturb one another, and the same bytes are compressed alike") {
  const auto store = scratch();
  const auto first = make_new_member("first", zip_deflated, store);
  const auto other = make_new_member("other", zip_deflated, store);
  const auto again = make_new_member("first", zip_deflated, store);
  const auto packed = [&](const NewMember& member) { return bytes_of(NewFile(store, {member.data})); };
  CHECK(packed(*first) == packed(*again));
  CHECK(packed(*first) != packed(*other));
  CHECK(make_new_member("", zip_deflated, store)->size == 0);
}

TEST_CASE("a file that cannot be read is an error") {
  CHECK_FALSE(make_new_member(std::make_shared<FaultyFile>("0123456789", 5, true), zip_deflated, scratch()));
}

TEST_CASE("a scratch file is read while it grows, and past its end there is nothing") {
  const auto store = scratch();
  ScratchBuffer buffer(*store);
  std::ostream out(&buffer);
  out << "abc" << 'd';
  CHECK(bytes_of(*store) == "abcd");
  CHECK_FALSE(store->append(*file_of("efg")));
  CHECK(bytes_of(*store) == "abcdefg");
  std::string part(4, 'x');
  CHECK(*store->read(5, std::as_writable_bytes(std::span(part))) == 2);
  CHECK(*store->read(7, std::as_writable_bytes(std::span(part))) == 0);
  CHECK_FALSE(buffer.fault());
  CHECK(store->append(FaultyFile("0123456789", 5, true)));
}

}  // namespace
}  // namespace cudald
