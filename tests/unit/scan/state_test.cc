#include "scan/state.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <doctest/doctest.h>

#include "unit/scan/temporary_folder.h"

namespace cudald {
namespace {

using Targets = std::vector<std::string>;

void keep(const std::string& folder, const std::string& target, std::uint64_t bytes, Outcome outcome) {
  PartWriter writer(folder);
  REQUIRE_FALSE(writer.add({{target, bytes, ""}, outcome, 0, "", outcome == Outcome::judged ? "{}" : ""}));
  REQUIRE_FALSE(writer.finish());
}

TEST_CASE("the list of whoever comes first is that of all") {
  const TemporaryFolder folder;
  CHECK(read_list(folder.path()).error().code == ErrorCode::absent);
  WorkList first, second;
  first.items = {{"a", 1, ""}};
  second.items = {{"b", 2, ""}};
  CHECK(settle_list(folder / "s", first, false)->items == first.items);
  CHECK(settle_list(folder / "s", second, false)->items == first.items);
  CHECK(read_list(folder / "s")->items == first.items);
  CHECK(settle_list(folder / "s", second, true)->items == second.items);
  CHECK(read_list(folder / "s")->items == second.items);
  write_file(folder / "s/list.ndjson", "broken");
  CHECK(read_list(folder / "s").error().code == ErrorCode::malformed);
}

TEST_CASE("a target is done if just its bytes were judged") {
  const TemporaryFolder folder;
  keep(folder / "shard-1-of-2", "a", 10, Outcome::judged);
  keep(folder / "shard-1-of-2", "b", 20, Outcome::crashed);
  DoneTargets done;
  CHECK(done.read(folder / "shard-1-of-2").empty());
  CHECK(done.size() == 2);
  CHECK(done.has({"a", 10, ""}, true));
  CHECK(done.has({"a", 10, "ff"}, true));
  CHECK_FALSE(done.has({"a", 11, ""}, true));
  CHECK(done.has({"b", 20, ""}, false));
  CHECK_FALSE(done.has({"b", 20, ""}, true));
  CHECK_FALSE(done.has({"c", 0, ""}, false));
}

TEST_CASE("a damaged part is set aside, so that its targets are judged anew") {
  const TemporaryFolder folder;
  keep(folder / "shard-1-of-1", "a", 10, Outcome::judged);
  const auto part = parts_in(folder / "shard-1-of-1")[0];
  write_file(part.path, bytes_of_file(part.path).substr(0, 20));
  DoneTargets done;
  CHECK(done.read(folder / "shard-1-of-1") == Targets{part.path});
  CHECK(done.size() == 0);
  CHECK(parts_in(folder / "shard-1-of-1").empty());
}

TEST_CASE("a worker reads its own parts and those of other divisions") {
  const TemporaryFolder folder;
  for (const auto* name : {"shard-1-of-2", "shard-2-of-2", "shard-1-of-12", "shard-3-of-7", "worker-h@1", "tickets"})
    REQUIRE_FALSE(make_folders(folder / name));
  CHECK(folders_for(folder.path(), {0, 2}) ==
        Targets{folder / "shard-1-of-12", folder / "shard-1-of-2", folder / "shard-3-of-7", folder / "worker-h@1"});
}

TEST_CASE("where both hashes of a file are known they must be the same") {
  const TemporaryFolder folder;
  PartWriter writer(folder / "shard-1-of-1");
  for (const auto& [target, hash] : std::vector<std::pair<std::string, std::string>>{{"a", "aa"}, {"b", ""}})
    REQUIRE_FALSE(writer.add({{target, 10, hash}, Outcome::judged, 0, "", "{}"}));
  REQUIRE_FALSE(writer.finish());
  DoneTargets done;
  CHECK(done.read(folder / "shard-1-of-1").empty());
  CHECK(done.has({"a", 10, "aa"}, true));
  CHECK(done.has({"a", 10, ""}, true));
  CHECK_FALSE(done.has({"a", 10, "bb"}, true));
  CHECK_FALSE(done.has({"a", 9, "aa"}, true));
  CHECK(done.has({"b", 10, "bb"}, true));
}

TEST_CASE("a list that cannot be kept is a fault, and lines that are no records are passed over") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  WorkList list;
  list.items = {{"a", 1, ""}};
  for (const bool again : {false, true}) {
    const auto below = settle_list(folder / "file/s", list, again);
    REQUIRE_FALSE(below);
    CHECK(below.error().system_error == ENOTDIR);
    std::filesystem::create_directories(folder / "s/list.ndjson");
    CHECK_FALSE(settle_list(folder / "s", list, again));
  }
  REQUIRE_FALSE(make_folders(folder / "shard-1-of-1"));
  write_file(folder / "shard-1-of-1/part-0001@x.ndjson",
             "{\"no\":\"record\"}\n" + line_of({{"a", 1, ""}, Outcome::judged, 0, "", "{}"}));
  DoneTargets done;
  CHECK(done.read(folder / "shard-1-of-1").empty());
  CHECK(done.size() == 1);
  CHECK(done.has({"a", 1, ""}, true));
}

TEST_CASE("a part that is not sealed and cannot be read is left to who writes it, others are set aside") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "shard-1-of-1/part-0001@x.ndjson");
  keep(folder / "shard-1-of-1", "a", 10, Outcome::judged);
  DoneTargets done;
  CHECK(done.read(folder / "shard-1-of-1").empty());
  CHECK(done.size() == 1);
  CHECK(std::filesystem::is_directory(folder / "shard-1-of-1/part-0001@x.ndjson"));
  const auto sealed = folder / "shard-1-of-1/part-0009@x-00000001.ndjson.zst";
  std::filesystem::create_directories(sealed);
  CHECK(done.read(folder / "shard-1-of-1") == Targets{sealed});
  CHECK_FALSE(std::filesystem::exists(sealed));
  CHECK(std::filesystem::is_directory(sealed + ".damaged"));
}

}  // namespace
}  // namespace cudald
