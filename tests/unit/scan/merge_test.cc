#include "scan/merge.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include "scan/parts.h"
#include "unit/scan/temporary_folder.h"

namespace cudald {
namespace {

using Lines = std::vector<std::string>;

ScanRecord judged(const WorkItem& item, const std::string& report = R"({"verdict":"loads"})") {
  return {item, Outcome::judged, 0, "", report};
}

ScanRecord crashed(const WorkItem& item) { return {item, Outcome::crashed, 11, "signal 11", ""}; }

void keep(const std::string& folder, const std::vector<ScanRecord>& records, bool sealed = true) {
  PartWriter writer(folder);
  for (const auto& record : records) REQUIRE_FALSE(writer.add(record));
  if (sealed) REQUIRE_FALSE(writer.finish());
}

struct Merged {
  MergeResult result;
  std::string text;
};

Merged merged(const TemporaryFolder& folder, const std::vector<WorkItem>& items) {
  Merged all;
  WorkList list;
  list.items = items;
  const auto result = merge_records(folder.path(), list, [&all](const std::string& line) { all.text += line; });
  REQUIRE(result);
  all.result = *result;
  return all;
}

TEST_CASE("however the records are divided, the result is the same") {
  std::vector<WorkItem> items;
  std::vector<ScanRecord> records;
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    items.push_back({fmt::format("t{:03}", i), 1, ""});
    records.push_back(i % 7 == 0 ? crashed(items.back()) : judged(items.back()));
    expected += line_of(records.back());
  }
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    const TemporaryFolder folder;
    for (std::size_t shard = 0; shard < count; ++shard) {
      std::vector<ScanRecord> own;
      for (std::size_t i = 0; i < records.size(); ++i)
        if (i * 31 % count == shard) own.insert(own.begin(), records[i]);
      // One worker was killed before it sealed its part.
      keep(folder / fmt::format("shard-{}-of-{}", shard + 1, count), own, shard != 1);
    }
    const auto all = merged(folder, items);
    CHECK(all.text == expected);
    CHECK(all.result.taken == 100);
    CHECK(all.result.twice == 0);
    CHECK(all.result.foreign == 0);
  }
}

TEST_CASE("missing targets are named") {
  const TemporaryFolder folder;
  keep(folder / "shard-1-of-1", {judged({"b", 1, ""})});
  CHECK(merged(folder, {{"a", 1, ""}, {"b", 1, ""}, {"c", 1, ""}}).result.missing == Lines{"a", "c"});
}

TEST_CASE("a target that two workers have done counts once, and a report goes before a crash") {
  const TemporaryFolder folder;
  const WorkItem a{"a", 1, ""}, b{"b", 1, ""};
  keep(folder / "shard-1-of-1", {judged(a), crashed(b)});
  keep(folder / "worker-h@1", {judged(a), judged(b)});
  const auto all = merged(folder, {a, b});
  CHECK(all.text == line_of(judged(a)) + line_of(judged(b)));
  CHECK(all.result.twice == 2);
  CHECK(all.result.contradictory.empty());
}

TEST_CASE("two reports that differ are told, whatever their order") {
  const WorkItem a{"a", 1, ""};
  for (const bool turned : {false, true}) {
    const TemporaryFolder folder;
    keep(folder / (turned ? "shard-1-of-2" : "shard-2-of-2"), {judged(a)});
    keep(folder / (turned ? "shard-2-of-2" : "shard-1-of-2"), {judged(a, R"({"verdict":"fails"})")});
    const auto all = merged(folder, {a});
    CHECK(all.result.contradictory == Lines{"a"});
    CHECK(all.text == line_of(judged(a, R"({"verdict":"fails"})")));
  }
}

TEST_CASE("records of files that have changed, or are in no list, do not count") {
  const TemporaryFolder folder;
  keep(folder / "shard-1-of-1", {judged({"a", 1, ""}), judged({"b", 1, ""}), judged({"z", 1, ""})});
  const auto all = merged(folder, {{"a", 2, ""}, {"b", 1, ""}});
  CHECK(all.result.missing == Lines{"a"});
  CHECK(all.result.foreign == 2);
  CHECK(all.text == line_of(judged({"b", 1, ""})));
}

TEST_CASE("a damaged part ends the merge") {
  const TemporaryFolder folder;
  keep(folder / "shard-1-of-1", {judged({"a", 1, ""})});
  const auto part = parts_in(folder / "shard-1-of-1")[0];
  write_file(part.path, bytes_of_file(part.path).substr(0, 30));
  WorkList list;
  list.items = {{"a", 1, ""}};
  const auto result = merge_records(folder.path(), list, [](const std::string&) {});
  REQUIRE_FALSE(result);
  CHECK(result.error().path == part.path);
}

TEST_CASE("records of other bytes, another hash or another name are none of a target's") {
  const TemporaryFolder folder;
  keep(folder / "shard-1-of-1",
       {judged({"a", 1, "ff"}), judged({"a", 2, "aa"}), judged({"a0", 1, "aa"}), judged({"b", 1, ""})});
  const auto all = merged(folder, {{"a", 1, "aa"}, {"b", 1, ""}});
  CHECK(all.result.missing == Lines{"a"});
  CHECK(all.result.foreign == 3);
  CHECK(all.result.taken == 1);
  CHECK(all.text == line_of(judged({"b", 1, ""})));
}

TEST_CASE(
    "a report counts, whatever came before or after; of crashes the first by its bytes, without a contradiction") {
  const WorkItem a{"a", 1, ""};
  const ScanRecord other{a, Outcome::crashed, 6, "signal 6", ""};
  for (const bool turned : {false, true}) {
    const TemporaryFolder folder;
    keep(folder / (turned ? "shard-1-of-3" : "shard-3-of-3"), {judged(a)});
    keep(folder / "shard-2-of-3", {crashed(a)});
    keep(folder / (turned ? "shard-3-of-3" : "shard-1-of-3"), {other});
    const auto all = merged(folder, {a});
    CHECK(all.text == line_of(judged(a)));
    CHECK(all.result.twice == 2);
    CHECK(all.result.contradictory.empty());
    const TemporaryFolder crashes;
    keep(crashes / (turned ? "shard-1-of-2" : "shard-2-of-2"), {crashed(a)});
    keep(crashes / (turned ? "shard-2-of-2" : "shard-1-of-2"), {other});
    const auto none = merged(crashes, {a});
    CHECK(none.text == std::min(line_of(crashed(a)), line_of(other)));
    CHECK(none.result.contradictory.empty());
  }
}

}  // namespace
}  // namespace cudald
