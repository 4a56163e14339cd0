#include "cache/cached_records.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "unit/tree/scratch_folder.h"

namespace cudald {

TEST_CASE("a record is found by its kind and key in a later run, and takes the place of the one before") {
  const ScratchFolder folder;
  KeptRecords records(folder / "below/it", "kind");
  REQUIRE(records);
  CHECK_FALSE(records.has_kept());
  CHECK_FALSE(records.find("a"));
  records.keep("a", "first");
  CHECK(records.has_kept());
  const KeptRecords later(folder / "below/it", "kind"), other(folder / "below/it", "other kind");
  CHECK(later.find("a") == "first");
  CHECK_FALSE(later.has_kept());
  CHECK_FALSE(later.find("b"));
  CHECK_FALSE(other.find("a"));
  records.keep("a", "second");
  CHECK(later.find("a") == "second");
}

TEST_CASE("a byte that was changed in the cache makes a record another one: nothing") {
  const ScratchFolder folder;
  KeptRecords records(folder.path(), "kind");
  records.keep("a", "text");
  const auto entry = std::filesystem::directory_iterator(folder.path())->path();
  const auto size = std::filesystem::file_size(entry);
  const auto flip = [&](std::uintmax_t at) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 1));
  };
  for (std::uintmax_t at = 0; at < size; at += 3) {
    flip(at);
    CHECK_FALSE(records.find("a"));
    flip(at);
  }
  CHECK(records.find("a") == "text");
}

TEST_CASE("without a folder no record is kept, nor where none can be made, nor one that is too long") {
  KeptRecords none("", "kind");
  CHECK_FALSE(none);
  none.keep("a", "text");
  CHECK_FALSE(none.has_kept());
  CHECK_FALSE(none.find("a"));
  KeptRecords refused("/proc/cudald", "kind");
  refused.keep("a", "text");
  CHECK_FALSE(refused.has_kept());
  const ScratchFolder folder;
  KeptRecords records(folder.path(), "kind");
  records.keep("a", std::string((std::size_t{64} << 20) + 1, 'x'));
  CHECK_FALSE(records.has_kept());
}

}  // namespace cudald
