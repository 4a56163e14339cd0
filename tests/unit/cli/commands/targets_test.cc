// What check and explain judge as a whole, and what becomes of directories.

#include "cli/commands/targets.h"

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "unit/cli/command_line.h"

namespace cudald {
namespace {

using Words = std::vector<std::string>;

struct Taken {
  std::string lock, error;
  Words targets;
};

Taken taken(const Words& arguments, const std::string& typed = "", const std::string& command = "check") {
  auto options = *parse_options({command, "x"});
  options.arguments = arguments;
  std::istringstream input(typed);
  std::ostringstream complaints;
  const Host host{{}, {}, input, complaints};
  const auto targets = read_targets(options, host);
  if (!targets) return {"", targets.error().message, {}};
  const auto whole = whole_target(*targets, options, host);
  if (!whole) return {"", whole.error().message, {}};
  Taken result;
  if (*whole != nullptr) result.lock = (*whole)->given + ": " + std::get<LockTarget>((*whole)->target).text;
  for (const auto& target : *targets) result.targets.push_back(target.given);
  return result;
}

TEST_CASE("standard input is a lock by itself, else its lines are targets among the others") {
  for (const auto* command : {"check", "explain"})
    CHECK(taken({"-"}, "a==1.0\nb==2\n", command).lock == "-: a==1.0\nb==2\n");
  CHECK(taken({"-"}, "a==1.0\nb==2\n", "tree").targets == Words{"a==1.0", "b==2"});
  const auto lines = taken({"first", "-", "last"}, "/a.so\n\n/b.so");
  CHECK(lines.lock.empty());
  CHECK(lines.targets == Words{"first", "/a.so", "/b.so", "last"});
  CHECK(taken({"-"}, "\n").error == "standard input names no target");
  CHECK(taken({"-"}, "").error == "standard input names no target");
  CHECK(taken({"/nosuch/requirements.txt", "/a.so"}).targets == Words{"/nosuch/requirements.txt", "/a.so"});
}

TEST_CASE("an import statement stands for its modules") {
  CHECK(taken({"import torch"}).targets == Words{"py:torch"});
  CHECK(taken({"import a.b as c, d", "x.so"}).targets == Words{"py:a.b", "py:d", "x.so"});
  CHECK(taken({"import", "torch"}).targets == Words{"py:torch"});
  CHECK(taken({"import", "a,", "b"}).targets == Words{"py:a", "py:b"});
  CHECK(taken({"import", "a", "b"}).targets == Words{"py:a", "py:b"});
  CHECK(taken({"import"}).targets == Words{"import"});
  CHECK(taken({"import x.y/z"}).targets == Words{"import x.y/z"});
  CHECK(taken({"import", "./a.so"}).targets == Words{"import", "./a.so"});
  CHECK(taken({"important"}).targets == Words{"important"});
}

TEST_CASE("programs of a directory have a process each, what else it holds shares one") {
  const auto options = *parse_options({"explain", "x"}), check = *parse_options({"check", "x"});
  const MemoryFileSystem none;
  const auto targets = open_directories({{"first", NameTarget{}},
                                         {"d", DirectoryTarget{{{"d/a", true}, {"d/b.so", false}, {"d/c", true}}}},
                                         {"empty", DirectoryTarget{}}},
                                        none);
  CHECK(targets.names == Words{"first", "d/a", "d/b.so", "d/c", "empty"});
  const auto asked = [&](const Options& of) {
    std::vector<Words> result;
    for (const auto& query : questions_about(targets, of, {})) result.push_back(query.targets);
    return result;
  };
  CHECK(asked(options) == std::vector<Words>{{"first", "d/b.so", "empty"}, {"d/a"}, {"d/c"}});
  CHECK(asked(check) == std::vector<Words>{{"first"}, {"d/a"}, {"d/b.so"}, {"d/c"}, {"empty"}});
}

/// A directory with a program that lacks a library, and with a library that loads.
struct Build {
  Build() {
    root.add_file("bdir/train", elf(program({.needed = {"libnone.so.9"}})));
    root.add_file("bdir/libfoo.so.1", elf({}));
    std::filesystem::permissions(root / "bdir/train", std::filesystem::perms::owner_all);
  }
  ScratchFolder root;
};

TEST_CASE("a directory with a program that does not start is no success") {
  const Build build;
  for (const Words& words : {Words{"check", "bdir"}, {"explain", "bdir"}, {"bdir/"}, {"bdir"}}) {
    const auto answer = answer_to(words, "", build.root.path());
    CAPTURE(words.back());
    CHECK(answer.status == 1);
    CHECK(answer.answer.find("train does not load") != std::string::npos);
    CHECK(answer.answer.find("libfoo.so.1") != std::string::npos);
  }
}

}  // namespace
}  // namespace cudald
