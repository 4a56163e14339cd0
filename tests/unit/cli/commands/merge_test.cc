#include "cli/commands/merge.h"

#include <algorithm>
#include <filesystem>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "scan/parts.h"
#include "unit/cli/command_line.h"

namespace cudald {
namespace {

/// A scan of a library that loads, one that lacks another, and a text.
struct Scanned {
  explicit Scanned(std::vector<std::string> words = {}) {
    root.add_file("out/x.so", elf({}));
    root.add_file("out/y.so", elf({.needed = {"libnone.so"}}));
    root.add_file("out/bad.so", "text");
    words.insert(words.begin(), {"--state", "state", "out"});
    CHECK(scan_of(root, words).status == 0);
  }

  CommandAnswer merge(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"merge", "state"});
    return answer_to(words, "", root.path());
  }

  ScratchFolder root;
};

TEST_CASE("the records of a scan are one answer, in each form that is asked for") {
  const Scanned scanned;
  const auto text = scanned.merge();
  CHECK(text.status == 0);
  CHECK(text.complaints.empty());
  CHECK(text.answer ==
        "3 targets: 1 FAILS, 1 UNKNOWN, 1 LOADS.\n  error[CUD101] library-not-found: 1 in 1 target\n"
        "  error[CUD901] malformed: 1 in 1 target\nFAILS     y.so\nUNKNOWN   bad.so\n");
  const auto path = [&](const std::string& name) { return scanned.root / name; };
  const auto all = scanned.merge({"-o", "ndjson=" + path("a.ndjson"), "-o", "ndjson=" + path("a.ndjson.gz"), "-o",
                                  "ndjson=" + path("a.ndjson.zst"), "-o", "sarif=" + path("a.sarif"), "-o",
                                  "html=" + path("a.html")});
  CHECK(all.status == 0);
  CHECK(all.answer == text.answer);
  const auto lines = text_of(path("a.ndjson"));
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 3);
  CHECK(lines.find("out/bad.so") < lines.find("out/x.so"));
  CHECK(text_of(path("a.ndjson.gz")).starts_with("\x1f\x8b"));
  CHECK(text_of(path("a.ndjson.zst")).starts_with("\x28\xb5\x2f\xfd"));
  CHECK(text_of(path("a.sarif")).find("\"CUD101\"") != std::string::npos);
  CHECK(text_of(path("a.sarif")).find("libnone.so") != std::string::npos);
  CHECK(text_of(path("a.html")).starts_with("<!"));
  CHECK(scanned.merge({"-f", "ndjson"}).answer == lines);
}

TEST_CASE("a part that is missing is told, and the answer is incomplete") {
  const ScratchFolder root;
  root.add_file("out/x.so", elf({}));
  root.add_file("out/y.so", elf({}));
  CHECK(scan_of(root, {"--state", "state", "--shard", "1/2", "out"}).status == 0);
  const auto partial = answer_to({"merge", "state"}, "", root.path());
  CHECK(partial.status == 3);
  CHECK(partial.complaints == "cudald: no record of: out/y.so\n");
  CHECK(answer_to({"merge", "state", "-f", "sarif"}, "", root.path()).answer.find("\"executionSuccessful\": false") !=
        std::string::npos);
  CHECK(scan_of(root, {"--state", "state", "--shard", "2/2", "out"}).status == 0);
  CHECK(answer_to({"merge", "state"}, "", root.path()).status == 0);
}

TEST_CASE("what is no scan, of another version or damaged is refused") {
  const Scanned scanned;
  const auto none = answer_to({"merge", "none"}, "", scanned.root.path());
  CHECK(none.status == 2);
  CHECK(none.complaints.starts_with("cudald: none: no scan was begun here: "));
  const auto unwritable = scanned.merge({"-o", "sarif=" + (scanned.root / "none/x")});
  CHECK(unwritable.status == 2);
  CHECK(unwritable.complaints.starts_with("cudald: cannot write " + (scanned.root / "none/x") + ": "));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scanned.root / "state")) {
    if (!entry.is_regular_file()) continue;
    auto text = text_of(entry.path());
    const std::string version = "\"" CUDALD_VERSION "\"";
    if (const auto at = text.find(version); at != std::string::npos && entry.path().filename() != "x")
      std::ofstream(entry.path()) << text.replace(at, version.size(), "\"0.0.9\"");
  }
  const auto other = scanned.merge();
  CHECK(other.status == 2);
  CHECK(other.complaints.starts_with("cudald: state holds a scan of cudald 0.0.9; merge it with that one\n"));
}

TEST_CASE("what was not judged is told with its reason, and what was judged twice and differently as well") {
  const ScratchFolder root;
  std::vector<std::string> names;
  for (int i = 10; i < 32; ++i) names.push_back("out/x" + std::to_string(i) + ".so");
  for (const auto& name : names) root.add_file(name, elf({}));
  CHECK(scan_of(root, {"--state", "state", "--shard", "1/1000", "out"}).status == 0);
  const auto first = answer_to({"merge", "state", "-f", "ndjson"}, "", root.path());
  CHECK(first.complaints.find("cudald: no record of: out/x31.so\n") != std::string::npos);
  const auto bytes = elf({}).size();
  PartWriter writer(root / "state/shard-2-of-1000");
  for (const auto& name : names)
    if (name != "out/x10.so")
      REQUIRE_FALSE(writer.add({{name, bytes, ""}, Outcome::timed_out, std::nullopt, "longer than <1> s", ""}));
  REQUIRE_FALSE(writer.finish());
  const auto merged = answer_to({"merge", "state"}, "", root.path());
  CHECK(merged.status == 0);
  CHECK(merged.complaints.empty());
  CHECK(merged.answer.starts_with("1 target: 1 LOADS.\n21 not judged:\n  out/x11.so: timed-out: longer than <1> s\n"));
  CHECK(merged.answer.ends_with("  out/x30.so: timed-out: longer than <1> s\n  and 1 more\n"));
  CHECK(answer_to({"merge", "state", "-q"}, "", root.path()).answer.find("not judged") == std::string::npos);

  PartWriter other(root / "state/shard-3-of-1000");
  auto report = first.answer.substr(0, first.answer.find('\n'));
  const auto at = report.find("\"verdict\":\"loads\"");
  REQUIRE(at != std::string::npos);
  report.replace(at, 17, "\"verdict\":\"fails\"");
  REQUIRE_FALSE(other.add({{"out/x10.so", bytes, ""}, Outcome::judged, 1, "", report}));
  REQUIRE_FALSE(other.finish());
  const auto twice = answer_to({"merge", "state"}, "", root.path());
  CHECK(twice.status == 3);
  CHECK(twice.complaints == "cudald: two reports that differ of: out/x10.so\n");
}

TEST_CASE("a record that is none is told with its target, and nothing is written") {
  const ScratchFolder root;
  root.add_file("out/x.so", elf({}));
  CHECK(scan_of(root, {"--state", "state", "--shard", "1/1", "out"}).status == 0);
  PartWriter writer(root / "state/shard-2-of-9");
  // Of two reports the one that comes first by its bytes is taken.
  REQUIRE_FALSE(writer.add({{"out/x.so", elf({}).size(), ""}, Outcome::judged, 0, "", "[]"}));
  REQUIRE_FALSE(writer.finish());
  const auto merged = answer_to({"merge", "state", "-o", "sarif=" + (root / "a.sarif")}, "", root.path());
  CHECK(merged.status == 2);
  CHECK(merged.complaints.starts_with(
      "cudald: the record of out/x.so is damaged; run the same scan again to repair it\n"));
  CHECK_FALSE(std::filesystem::exists(root / "a.sarif"));
}

TEST_CASE("documents of a merge that cannot be written are told, and the answer is incomplete") {
  const Scanned scanned;
  for (const auto* format : {"ndjson", "html", "sarif"}) {
    CAPTURE(format);
    const auto full = scanned.merge({"-o", format + std::string("=/dev/full")});
    CHECK(full.status == 3);
    CHECK(full.complaints == "cudald: cannot write /dev/full: No space left on device\n");
    CHECK(full.answer.find("3 targets: 1 FAILS, 1 UNKNOWN, 1 LOADS.\n") != std::string::npos);
  }
}

TEST_CASE("suppressions that no target needed are told with the merge, if all were judged") {
  const ScratchFolder root;
  root.add_file("out/x.so", elf({}));
  root.add_file("out/y.so", elf({.needed = {"libnone.so"}}));
  root.add_file("a.toml", "ignore = [{code = \"CUD101\", reason = \"known\"}, {code = \"CUD102\", reason = \"x\"}]\n");
  const auto scan_shard = [&](const std::string& shard) {
    const auto scanned = said_to({"scan", "--state", "state", "--config", "a.toml", "--shard", shard, "out"}, root);
    CHECK(scanned.status == 0);
  };
  const auto told = [&] {
    const auto merged = answer_to({"merge", "state", "-o", "sarif=" + (root / "a.sarif")}, "", root.path());
    return merged.answer;
  };
  const auto is_in_sarif = [&] {
    return text_of(root / "a.sarif").find("\"ruleId\": \"CUD903\"") != std::string::npos;
  };
  scan_shard("1/2");
  CHECK(told().find("CUD903") == std::string::npos);
  CHECK_FALSE(is_in_sarif());
  scan_shard("2/2");
  CHECK(told() ==
        "2 targets: 1 FAILS, 1 LOADS.\nnote[CUD903]: the entry that ignores CUD102 ignored nothing in this scan\n"
        "FAILS     y.so\n");
  CHECK(is_in_sarif());
  CHECK(text_of(root / "a.sarif").find("\"executionSuccessful\": true") != std::string::npos);
}

TEST_CASE("of twenty that were not judged all are named, without a colon where there is no reason") {
  const ScratchFolder root;
  std::vector<std::string> names;
  for (int i = 10; i < 31; ++i) names.push_back("out/x" + std::to_string(i) + ".so");
  for (const auto& name : names) root.add_file(name, elf({}));
  CHECK(scan_of(root, {"--state", "state", "--shard", "1/1000", "out"}).status == 0);
  PartWriter writer(root / "state/shard-2-of-1000");
  for (const auto& name : names)
    if (name != "out/x10.so")
      REQUIRE_FALSE(writer.add({{name, elf({}).size(), ""}, Outcome::crashed, std::nullopt, "", ""}));
  REQUIRE_FALSE(writer.finish());
  const auto merged = answer_to({"merge", "state", "-o", "sarif=" + (root / "a.sarif")}, "", root.path());
  CHECK(
      merged.answer.starts_with("1 target: 1 LOADS.\n20 not judged:\n  out/x11.so: crashed\n  out/x12.so: crashed\n"));
  CHECK(merged.answer.ends_with("  out/x30.so: crashed\n"));
  CHECK(text_of(root / "a.sarif").find("\"executionSuccessful\": false") != std::string::npos);
}

TEST_CASE("a part that is damaged ends the merge, and no document is written") {
  const Scanned scanned;
  std::string part;
  for (const auto& entry : std::filesystem::directory_iterator(scanned.root / "state/shard-1-of-1"))
    if (entry.is_regular_file()) part = entry.path();
  REQUIRE_FALSE(part.empty());
  std::ofstream(part) << "no part";
  const auto merged = scanned.merge({"-o", "sarif=" + (scanned.root / "a.sarif")});
  CHECK(merged.status == 2);
  CHECK(merged.answer.empty());
  CHECK(merged.complaints.starts_with("cudald: " + part + " is damaged; run the same scan again to repair it\n"));
  CHECK_FALSE(std::filesystem::exists(scanned.root / "a.sarif"));
}

}  // namespace
}  // namespace cudald
