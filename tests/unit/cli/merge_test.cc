#include "cli/merge.h"

#include <algorithm>
#include <filesystem>

#include <string>
#include <vector>

#include <doctest/doctest.h>

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
        "\n3 targets: 1 FAILS, 1 UNKNOWN, 1 LOADS.\n  error[CUD101] library-not-found: 1 in 1 target\n"
        "  error[CUD901] malformed: 1 in 1 target\n");
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

}  // namespace
}  // namespace cudald
