#include "cli/commands/scan.h"

#include <algorithm>
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

  /// What a worker names as the next step.
  std::string next(const std::string& state = "state") const { return "Next: cudald merge " + (root / state) + "\n"; }

  ScratchFolder root;
};

TEST_CASE("a scan judges each target once, however often it is called") {
  const Targets targets;
  CHECK(targets.told({}) == "-1: a list, directory or file is missing: nothing was begun here yet");
  CHECK(targets.told({"out"}) == "scan: 3 targets.\n" + targets.next());
  CHECK(targets.told({"out"}) == "scan: 0 targets; 3 done before.\n" + targets.next());
  CHECK(targets.told({}) == "scan: 0 targets; 3 done before.\n" + targets.next());
  targets.root.add_file("out/z.so", elf({}));
  CHECK(targets.told({"out"}) == "scan: 0 targets; 3 done before.\n" + targets.next());
  CHECK(targets.told({"out", "--relist"}) == "scan: 1 target; 3 done before.\n" + targets.next());
}

TEST_CASE("a folder goes on with what it was begun with, by the same version") {
  const Targets targets;
  CHECK(targets.told({"out", "--driver", "550.54"}) == "scan: 3 targets.\n" + targets.next());
  CHECK(targets.told({"out/x.so", "--driver", "550.54"}) ==
        "-1: state holds a scan of out; name another directory with --state, or add --relist");
  CHECK(
      targets.told({"out"}).starts_with("-1: state holds a scan with driver=550.54, and this is one with no options; "
                                        "name another directory with --state"));
  for (const auto& entry : std::filesystem::directory_iterator(targets.root / "state")) {
    if (!entry.is_regular_file()) continue;
    auto text = text_of(entry.path());
    const std::string version = "\"" CUDALD_VERSION "\"";
    if (const auto at = text.find(version); at != std::string::npos)
      std::ofstream(entry.path()) << text.replace(at, version.size(), "\"0.0.9\"");
  }
  CHECK(targets.told({"out", "--driver", "550.54"}) ==
        "-1: state holds a scan of cudald 0.0.9; name another directory with --state");
}

TEST_CASE("shards divide a list, as stated or as the launcher says") {
  const Targets targets;
  CHECK(targets.told({"out", "--shard", "2/2"}).starts_with("shard 2 of 2: "));
  CHECK(targets.told({"out", "--shard", "1/2"}).starts_with("shard 1 of 2: "));
  CHECK(targets.told({"out"}) == "scan: 0 targets; 3 done before.\n" + targets.next());
  const auto launched = targets.told({"out"}, "other", {{"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_COUNT", "2"}});
  CHECK(launched.starts_with("shard 2 of 2: "));
  CHECK(targets.told({"out", "--dynamic"}, "tickets") == "scan: 3 targets.\n" + targets.next("tickets"));
  CHECK(targets.told({"out", "--dynamic"}, "tickets").starts_with("scan: 0 targets"));
}

TEST_CASE("addresses are asked for only with --online, and a state folder is a folder") {
  const Targets targets;
  targets.root.add_file("list.txt", "https://127.0.0.1:9/x-1-py3-none-any.whl\nout/x.so\n");
  CHECK(targets.told({"list.txt"}) ==
        "-1: 1 of 2 targets are addresses, such as https://127.0.0.1:9/x-1-py3-none-any.whl; add --online");
  CHECK(targets.told({"out"}, "list.txt") == "-1: " + (targets.root / "list.txt") + ": Not a directory");
}

TEST_CASE("what could not be judged is named with the reason, twenty of many, and judged once more with --retry") {
  const ScratchFolder root;
  std::string list = "a.so\n";
  root.add_file("a.so", elf({}));
  for (int i = 10; i < 32; ++i) {
    const auto name = "x" + std::to_string(i) + ".tar";
    root.add_file(name, "no tar");
    list += name + "\n";
  }
  root.add_file("list.txt", list);
  const auto ask = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--state", "state", "list.txt"});
    return scan_of(root, words);
  };
  const auto next = "Next: cudald merge " + (root / "state") + "\n";
  const auto first = ask({});
  CHECK(first.status == 3);
  CHECK(first.complaints.empty());
  CHECK(first.answer.starts_with("scan: 23 targets, "));
  CHECK(first.answer.find(".\n22 not judged:\n  x1") != std::string::npos);
  CHECK(first.answer.find(".tar: failed: x1") != std::string::npos);
  CHECK(first.answer.ends_with(".tar: not a directory, nor a tar that can be read\n  and 2 more\n" + next));
  CHECK(std::count(first.answer.begin(), first.answer.end(), '\n') == 24);
  const auto again = ask({});
  CHECK(again.status == 0);
  CHECK(again.answer.starts_with("scan: 0 targets, "));
  CHECK(again.answer.ends_with("; 23 done before.\n" + next));
  const auto retried = ask({"--retry", "-q"});
  CHECK(retried.status == 3);
  CHECK(retried.answer.starts_with("scan: 22 targets, "));
  CHECK(retried.answer.ends_with("/s); 1 done before.\n"));
}

TEST_CASE("twenty that could not be judged are all named") {
  const ScratchFolder root;
  std::string list;
  for (int i = 10; i < 30; ++i) {
    root.add_file("x" + std::to_string(i) + ".tar", "no tar");
    list += "x" + std::to_string(i) + ".tar\n";
  }
  root.add_file("list.txt", list);
  const auto told = scan_of(root, {"--state", "state", "--dynamic", "list.txt"}).answer;
  CHECK(told.find(".\n20 not judged:\n") != std::string::npos);
  CHECK(told.find("\n  x29.tar: failed: x29.tar: ") != std::string::npos);
  CHECK(told.find("more") == std::string::npos);
  // What is tried once more is judged by tickets of its own.
  CHECK(scan_of(root, {"--state", "state", "--dynamic", "list.txt"}).answer.starts_with("scan: 0 targets, "));
  CHECK(scan_of(root, {"--state", "state", "--dynamic", "--retry", "list.txt"}).answer.starts_with("scan: 20 "));
}

TEST_CASE("what is damaged in a state folder is told, as is what cannot be written there") {
  const Targets targets;
  CHECK(targets.told({"out"}) == "scan: 3 targets.\n" + targets.next());
  std::string part;
  for (const auto& entry : std::filesystem::directory_iterator(targets.root / "state/shard-1-of-1"))
    if (entry.is_regular_file()) part = entry.path();
  REQUIRE_FALSE(part.empty());
  std::ofstream(part) << "no part";
  const auto mended = targets.ask({"out"});
  CHECK(mended.status == 0);
  CHECK(mended.answer.starts_with("scan: 3 targets, "));
  CHECK(mended.complaints == "cudald: " + part + " is damaged; its targets are judged once more\n");
  targets.root.add_file("blocked/shard-1-of-1", "a file");
  const auto blocked = targets.ask({"out"}, "blocked");
  CHECK(blocked.status == 3);
  CHECK(blocked.answer.empty());
  CHECK(blocked.complaints == "cudald: " + (targets.root / "blocked/shard-1-of-1") + ": Not a directory\n");
  for (const auto& entry : std::filesystem::directory_iterator(targets.root / "state"))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "no list";
  CHECK(targets.told({"out"}) ==
        "-1: " + (targets.root / "state/list.ndjson") + ": it is not a list that `cudald scan` has written");
}

TEST_CASE("a launcher that tells too little is a fault before anything is listed") {
  const Targets targets;
  CHECK(targets.told({"out"}, "state", {{"SLURM_ARRAY_TASK_ID", "1"}}) ==
        "-1: Slurm says which one this is (SLURM_ARRAY_TASK_ID=1), but not of how many; add --shards N");
  CHECK_FALSE(std::filesystem::exists(targets.root / "state"));
}

TEST_CASE("a new list has new tickets, and what others are at work on is told") {
  const Targets targets;
  CHECK(targets.told({"none.txt"}) == "-1: none.txt: No such file or directory");
  CHECK(targets.told({"out", "--dynamic"}) == "scan: 3 targets.\n" + targets.next());
  targets.root.add_file("out/z.so", elf({}));
  CHECK(targets.told({"out", "--dynamic"}) == "scan: 0 targets.\n" + targets.next());
  CHECK(targets.told({"out", "--dynamic", "--relist"}) == "scan: 1 target.\n" + targets.next());
  std::filesystem::rename(targets.root / "state/tickets/finished/0000000",
                          targets.root / "state/tickets/taken/0000000@elsewhere@1");
  CHECK(targets.told({"out", "--dynamic"}) == "scan: 0 targets; others are at work on 1 ticket.\n" + targets.next());
}

}  // namespace
}  // namespace cudald
