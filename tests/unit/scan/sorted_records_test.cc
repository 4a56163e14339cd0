#include "scan/sorted_records.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "archive/compressing_stream.h"
#include "base/crc32.h"

#include "unit/scan/temporary_folder.h"

namespace cudald {
namespace {

using Names = std::vector<std::string>;

void keep_targets(const std::string& folder, const Names& targets, bool sealed) {
  PartWriter writer(folder);
  for (const auto& target : targets) REQUIRE_FALSE(writer.add({{target, 1, ""}, Outcome::judged, 0, "", "{}"}));
  if (sealed) REQUIRE_FALSE(writer.finish());
}

Names targets_of(const std::vector<PartFile>& parts) {
  auto records = SortedRecords::open(parts);
  REQUIRE(records);
  Names targets;
  while (!records->at_end()) {
    CHECK(head_of(records->line())->item.target == records->target());
    targets.push_back(records->target());
    REQUIRE_FALSE(records->pop());
  }
  return targets;
}

TEST_CASE("open and sealed parts come as one, by target, and nothing twice is lost") {
  const TemporaryFolder folder;
  keep_targets(folder / "shard-1-of-1", {"c", "a", "d"}, true);
  keep_targets(folder / "shard-1-of-1", {"b", "a"}, false);
  CHECK(targets_of(parts_in(folder / "shard-1-of-1")) == Names{"a", "a", "b", "c", "d"});
}

TEST_CASE("many parts become few with the same records") {
  const TemporaryFolder folder;
  Names expected;
  for (int i = 0; i < 50; ++i) {
    keep_targets(folder / "shard-1-of-1", {fmt::format("t{:02}", 49 - i), fmt::format("u{:02}", i)}, i % 3 != 0);
    expected.push_back(fmt::format("t{:02}", i));
  }
  for (int i = 0; i < 50; ++i) expected.push_back(fmt::format("u{:02}", i));
  const auto parts = parts_in(folder / "shard-1-of-1");
  CHECK(parts.size() == 50);
  for (const std::size_t most : {std::size_t{3}, std::size_t{7}, std::size_t{49}, std::size_t{50}}) {
    const auto fewer = fewer_parts(parts, folder.path(), most);
    REQUIRE(fewer);
    CHECK(fewer->parts.size() <= most);
    CHECK(fewer->files.empty() == (most == 50));
    CHECK(targets_of(fewer->parts) == expected);
    CHECK(names_in(folder.path()) == Names{"shard-1-of-1"});
  }
}

TEST_CASE("a damaged part ends it, wherever it is read") {
  const TemporaryFolder folder;
  for (int i = 0; i < 5; ++i) keep_targets(folder / "shard-1-of-1", {fmt::format("t{}", i)}, true);
  const auto parts = parts_in(folder / "shard-1-of-1");
  write_file(parts[3].path, bytes_of_file(parts[3].path).substr(0, 40));
  const auto fewer = fewer_parts(parts, folder.path(), 2);
  CHECK((!fewer && fewer.error().path == parts[3].path));
}

TEST_CASE("lines that are no records are passed over in parts of either kind, and a part may have none") {
  const TemporaryFolder folder;
  const std::string none = "{\"no\":\"record\"}\n", a = line_of({{"a", 1, ""}, Outcome::judged, 0, "", "{}"});
  write_file(folder / "part-1@h.ndjson", none + a + none);
  write_file(folder / "part-2@h.ndjson", none);
  write_file(folder / "part-3@h.ndjson", "");
  const auto text = none + a;
  write_file(folder / fmt::format("part-4@h-{:08x}.ndjson.zst", crc32_after(0, text)),
             *compressed(text, Compression::zstd));
  const auto parts = parts_in(folder.path());
  REQUIRE(parts.size() == 4);
  CHECK(targets_of(parts) == Names{"a", "a"});
  CHECK(targets_of({}).empty());
}

TEST_CASE("a part that is gone is a fault") {
  const TemporaryFolder folder;
  CHECK_FALSE(SortedRecords::open({{folder / "none.ndjson", false, 0}}));
  CHECK_FALSE(
      fewer_parts({{folder / "a", false, 0}, {folder / "b", false, 0}, {folder / "c", false, 0}}, folder.path(), 2));
}

}  // namespace
}  // namespace cudald
