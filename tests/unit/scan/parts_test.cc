#include "scan/parts.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cerrno>

#include "archive/compressing_stream.h"
#include "base/crc32.h"

#include "unit/scan/temporary_folder.h"

namespace cudald {
namespace {

using Rows = std::vector<std::string>;

ScanRecord record(const std::string& target, const std::string& report = "{}") {
  return {{target, 1, ""}, Outcome::judged, 0, "", report};
}

/// The targets of a part in their order; "damaged" at its end if it is.
Rows targets_in(const PartFile& part) {
  auto reader = PartReader::open(part);
  REQUIRE(reader);
  Rows targets;
  for (;;) {
    const auto line = reader->next();
    if (!line) targets.emplace_back("damaged");
    if (!line || line->empty()) return targets;
    const auto head = head_of(*line);
    targets.push_back(head ? head->item.target : "no record");
  }
}

TEST_CASE("a record is there at once, and by target when the part is sealed") {
  const TemporaryFolder folder;
  PartWriter writer(folder / "shard-1-of-1");
  for (const auto* target : {"b", "c", "a"}) REQUIRE_FALSE(writer.add(record(target)));
  auto parts = parts_in(folder / "shard-1-of-1");
  REQUIRE(parts.size() == 1);
  CHECK_FALSE(parts[0].sealed);
  CHECK(targets_in(parts[0]) == Rows{"b", "c", "a"});
  REQUIRE_FALSE(writer.finish());
  parts = parts_in(folder / "shard-1-of-1");
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].sealed);
  CHECK(targets_in(parts[0]) == Rows{"a", "b", "c"});
  CHECK(part_folders(folder.path()) == Rows{folder / "shard-1-of-1"});
}

TEST_CASE("a part whose name is there already has the next number") {
  const TemporaryFolder folder;
  const auto own = own_name();
  const auto at = own.rfind('@') + 1;
  const auto next = [&](int more) { return own.substr(0, at) + std::to_string(std::stoi(own.substr(at)) + more); };
  write_file(folder / ("part-0002@" + next(1) + ".ndjson"), "");
  PartWriter writer(folder.path());
  REQUIRE_FALSE(writer.add(record("a")));
  const auto parts = parts_in(folder.path());
  REQUIRE(parts.size() == 2);
  CHECK(targets_in(parts[0]).empty());
  CHECK(parts[1].path == folder / ("part-0003@" + next(2) + ".ndjson"));
  CHECK(targets_in(parts[1]) == Rows{"a"});
}

TEST_CASE("a part that has grown is sealed, and the next one begun") {
  const TemporaryFolder folder;
  PartWriter writer(folder / "shard-1-of-1", 10'000);
  const std::string report = "{\"x\":\"" + std::string(3000, 'y') + "\"}";
  for (int i = 0; i < 10; ++i) REQUIRE_FALSE(writer.add(record(fmt::format("t{}", i), report)));
  std::size_t sealed = 0, records = 0;
  for (const auto& part : parts_in(folder / "shard-1-of-1")) {
    sealed += part.sealed ? 1 : 0;
    records += targets_in(part).size();
  }
  CHECK(sealed == 2);
  CHECK(records == 10);
}

TEST_CASE("lines longer than what is read at a time are whole") {
  const TemporaryFolder folder;
  PartWriter writer(folder / "shard-1-of-1");
  const std::string report = "{\"x\":\"" + std::string(1'500'000, 'y') + "\"}";
  for (const auto* target : {"a", "b"}) REQUIRE_FALSE(writer.add(record(target, report)));
  REQUIRE_FALSE(writer.finish());
  auto reader = PartReader::open(parts_in(folder / "shard-1-of-1")[0]);
  REQUIRE(reader);
  CHECK(report_in(*reader->next()) == report);
  CHECK(report_in(*reader->next()) == report);
  CHECK(reader->next()->empty());
}

TEST_CASE("what was cut off at the end of an open part is left out") {
  const TemporaryFolder folder;
  PartWriter writer(folder / "shard-1-of-1");
  for (const auto* target : {"a", "b"}) REQUIRE_FALSE(writer.add(record(target)));
  const auto part = parts_in(folder / "shard-1-of-1")[0];
  const auto bytes = bytes_of_file(part.path);
  write_file(part.path, bytes.substr(0, bytes.size() - 5));
  CHECK(targets_in(part) == Rows{"a"});
  // Blocks that a machine that went down never wrote are zeros.
  write_file(part.path, line_of(record("a")) + std::string(40, '\0') + "\n" + line_of(record("c")));
  CHECK(targets_in(part) == Rows{"a", "c"});
}

TEST_CASE("a sealed part that is not what was written is told so") {
  const TemporaryFolder folder;
  PartWriter writer(folder / "shard-1-of-1");
  for (int i = 0; i < 100; ++i) REQUIRE_FALSE(writer.add(record(fmt::format("t{:03}", i))));
  REQUIRE_FALSE(writer.finish());
  const auto part = parts_in(folder / "shard-1-of-1")[0];
  const auto bytes = bytes_of_file(part.path);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    auto damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    write_file(part.path, damaged);
    CHECK(targets_in(part).back() == "damaged");
  }
  write_file(part.path, bytes.substr(0, bytes.size() / 2));
  CHECK(targets_in(part).back() == "damaged");
  write_file(part.path, bytes);
  CHECK(targets_in(part).size() == 100);
}

TEST_CASE("files with other names are no parts") {
  const TemporaryFolder folder;
  for (const auto* name : {"part-0001@h@1@1-00000000.ndjson.zst.damaged", "part-0001@h@1@1.ndjson.h@1@2.tmp", "notes"})
    write_file(folder / name, "");
  CHECK(parts_in(folder.path()).empty());
}

TEST_CASE("a worker does not write into a part that is there, and says what is in its way") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  PartWriter below(folder / "file/x");
  const auto fault = below.add(record("a"));
  REQUIRE(fault);
  CHECK(fault->system_error == ENOTDIR);
  CHECK_FALSE(below.finish());
  // Sealed names with another number than one of eight hexadecimal digits are no parts.
  for (const auto* name : {"part-0001@h-xyz.ndjson.zst", "part-0001@h-0000001x.ndjson.zst", "part-0001@h-.ndjson.zst",
                           "part-0001@h-fffffffff.ndjson.zst"})
    write_file(folder / name, "");
  CHECK(parts_in(folder.path()).empty());
  write_file(folder / "part-0001@h-0000001f.ndjson.zst", "");
  write_file(folder / "part-0002@h.ndjson", "");
  const auto parts = parts_in(folder.path());
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].sealed);
  CHECK(parts[0].crc32 == 31);
  CHECK(parts[0].path == folder / "part-0001@h-0000001f.ndjson.zst");
  CHECK_FALSE(parts[1].sealed);
  CHECK_FALSE(PartReader::open({folder / "none", true, 0}));
  CHECK_FALSE(PartReader::open({folder / "none", false, 0}));
}

TEST_CASE("a part ends when its bytes reach the limit, not before") {
  const TemporaryFolder folder;
  const auto bytes = line_of(record("a")).size();
  for (const bool below : {false, true}) {
    PartWriter writer(folder / (below ? "shard-1-of-2" : "shard-2-of-2"), 2 * bytes + (below ? 1 : 0));
    for (const auto* target : {"a", "b"}) REQUIRE_FALSE(writer.add(record(target)));
    const auto parts = parts_in(folder / (below ? "shard-1-of-2" : "shard-2-of-2"));
    REQUIRE(parts.size() == 1);
    CHECK(parts[0].sealed != below);
  }
}

TEST_CASE("a sealed part that has no end, or the sum of other bytes, is damaged") {
  const TemporaryFolder folder;
  PartWriter writer(folder / "shard-1-of-1");
  REQUIRE_FALSE(writer.add(record("a")));
  REQUIRE_FALSE(writer.finish());
  auto part = parts_in(folder / "shard-1-of-1")[0];
  CHECK(targets_in(part) == Rows{"a"});
  part.crc32 ^= 1;
  auto reader = PartReader::open(part);
  REQUIRE(reader);
  REQUIRE(reader->next());
  const auto end = reader->next();
  REQUIRE_FALSE(end);
  CHECK(end.error().code == ErrorCode::malformed);
  CHECK(end.error().message == "it is damaged");
  CHECK(end.error().path == part.path);
  const std::string half = line_of(record("a")) + "{\"half\":";
  write_file(part.path, *compressed(half, Compression::zstd));
  part.crc32 = crc32_after(0, half);
  CHECK(targets_in(part) == Rows{"a", "damaged"});
}

TEST_CASE("a part is named by its number, its writer and, when it is sealed, its sum") {
  const TemporaryFolder folder;
  const auto shard = folder / "shard-1-of-1";
  std::size_t number = 1;
  for (; number < 4; ++number) {
    PartWriter writer(shard);
    REQUIRE_FALSE(writer.add(record("b")));
    REQUIRE_FALSE(writer.add(record("a")));
    const auto begin = fmt::format("{}/part-{:04}@{}@", shard, number, host_name());
    const auto open = parts_in(shard).back();
    CHECK(open.path.starts_with(begin));
    CHECK(open.path.ends_with(".ndjson"));
    CHECK(open.crc32 == 0);
    REQUIRE_FALSE(writer.finish());
    const auto sealed = parts_in(shard).back();
    const auto sum = crc32_after(0, line_of(record("a")) + line_of(record("b")));
    CHECK(sealed.crc32 == sum);
    CHECK(sealed.path == fmt::format("{}-{:08x}.ndjson.zst", open.path.substr(0, open.path.size() - 7), sum));
    CHECK(parts_in(shard).size() == number);
    CHECK_FALSE(writer.finish());  // there is nothing more to seal
  }
  CHECK(parts_in(folder / "none").empty());
}

TEST_CASE("folders of parts are those of shards and of workers, in order") {
  const TemporaryFolder folder;
  for (const auto* name : {"worker-b@1", "shard-1-of-1", "shards", "tickets", "a-shard-1", "worker-a@2", "worker"})
    REQUIRE_FALSE(make_folders(folder / name));
  CHECK(part_folders(folder.path()) == Rows{folder / "shard-1-of-1", folder / "worker-a@2", folder / "worker-b@1"});
  CHECK(part_folders(folder / "none").empty());
}

TEST_CASE("a part is damaged where its lines are not those that were summed up, whatever comes first") {
  const TemporaryFolder folder;
  const auto text = line_of(record("a")) + line_of(record("b"));
  write_file(folder / "x", *compressed(text, Compression::zstd));
  for (const auto& [sum, end] : {std::pair(crc32_after(0, text), "b"), std::pair(crc32_after(0, ""), "damaged")}) {
    const auto targets = targets_in({folder / "x", true, sum});
    REQUIRE(targets.size() >= 2);
    CHECK(targets.back() == end);
    CHECK(targets[1] == "b");
  }
  // Of an open part no sum is known.
  write_file(folder / "y", text);
  CHECK(targets_in({folder / "y", false, 7}) == Rows{"a", "b"});
  write_file(folder / "empty", "");
  CHECK(targets_in({folder / "empty", false, 0}).empty());
}

}  // namespace
}  // namespace cudald
