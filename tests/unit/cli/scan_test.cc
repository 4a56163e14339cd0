#include "cli/scan.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "unit/cli/command_line.h"

namespace cudald {
namespace {

/// A folder with three targets, of which one lacks a library and one is no library.
struct Targets {
  Targets() {
    root.add_file("out/x.so", elf({}));
    root.add_file("out/y.so", elf({.needed = {"libnone.so"}}));
    root.add_file("out/bad.so", "text");
  }

  ScanAnswer ask(std::vector<std::string> words, const std::string& state = "state",
                 const std::map<std::string, std::string>& variables = {}) const {
    words.insert(words.begin(), {"--state", state});
    return scan_of(root, words, variables);
  }

  /// What a worker did, without how long it took; or why it did nothing.
  std::string told(const std::vector<std::string>& words, const std::string& state = "state",
                   const std::map<std::string, std::string>& variables = {}) const {
    const auto answer = ask(words, state, variables);
    if (answer.status != 0) return std::to_string(answer.status) + ": " + answer.complaints;
    const auto comma = answer.answer.find(','), bracket = answer.answer.find("/s)");
    if (comma == std::string::npos || bracket == std::string::npos) return answer.answer;
    return answer.answer.substr(0, comma) + answer.answer.substr(bracket + 3);
  }

  ScratchFolder root;
};

TEST_CASE("a scan judges each target once, however often it is called") {
  const Targets targets;
  CHECK(targets.told({}) == "-1: a list, folder or file is missing: nothing was begun here yet");
  CHECK(targets.told({"out"}) == "scan: 3 targets.\n");
  CHECK(targets.told({"out"}) == "scan: 0 targets; 3 done before.\n");
  CHECK(targets.told({}) == "scan: 0 targets; 3 done before.\n");
  targets.root.add_file("out/z.so", elf({}));
  CHECK(targets.told({"out"}) == "scan: 0 targets; 3 done before.\n");
  CHECK(targets.told({"out", "--relist"}) == "scan: 1 target; 3 done before.\n");
}

TEST_CASE("a folder goes on with what it was begun with, by the same version") {
  const Targets targets;
  CHECK(targets.told({"out", "--driver", "550.54"}) == "scan: 3 targets.\n");
  CHECK(targets.told({"out/x.so", "--driver", "550.54"}) ==
        "-1: state holds a scan of out; name another folder with --state, or add --relist");
  CHECK(
      targets.told({"out"}).starts_with("-1: state holds a scan with driver=550.54, and this is one with no options; "
                                        "name another folder with --state"));
  for (const auto& entry : std::filesystem::directory_iterator(targets.root / "state")) {
    if (!entry.is_regular_file()) continue;
    auto text = text_of(entry.path());
    const std::string version = "\"" CUDALD_VERSION "\"";
    if (const auto at = text.find(version); at != std::string::npos)
      std::ofstream(entry.path()) << text.replace(at, version.size(), "\"0.0.9\"");
  }
  CHECK(targets.told({"out", "--driver", "550.54"}) ==
        "-1: state holds a scan of cudald 0.0.9; name another folder with --state");
}

TEST_CASE("shards divide a list, as stated or as the launcher says") {
  const Targets targets;
  CHECK(targets.told({"out", "--shard", "2/2"}).starts_with("shard 2 of 2: "));
  CHECK(targets.told({"out", "--shard", "1/2"}).starts_with("shard 1 of 2: "));
  CHECK(targets.told({"out"}) == "scan: 0 targets; 3 done before.\n");
  const auto launched = targets.told({"out"}, "other", {{"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_COUNT", "2"}});
  CHECK(launched.starts_with("shard 2 of 2: "));
  CHECK(targets.told({"out", "--dynamic"}, "tickets") == "scan: 3 targets.\n");
  CHECK(targets.told({"out", "--dynamic"}, "tickets").starts_with("scan: 0 targets"));
}

TEST_CASE("addresses are asked for only with --online, and a state folder is a folder") {
  const Targets targets;
  targets.root.add_file("list.txt", "https://127.0.0.1:9/x-1-py3-none-any.whl\nout/x.so\n");
  CHECK(targets.told({"list.txt"}) ==
        "-1: 1 of 2 targets are addresses, such as https://127.0.0.1:9/x-1-py3-none-any.whl; add --online");
  CHECK(targets.told({"out"}, "list.txt") == "-1: " + (targets.root / "list.txt") + ": Not a directory");
}

}  // namespace
}  // namespace cudald
