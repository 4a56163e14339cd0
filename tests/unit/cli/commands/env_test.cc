#include "cli/commands/env.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "unit/cli/command_line.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

TEST_CASE("what a tree has of CUDA is told; a prefix is a folder of it") {
  const Tree tree;
  const auto plain = tree.ask("env", {});
  CHECK(plain.status == 0);
  CHECK(plain.answer.find("driver") != std::string::npos);
  const auto stated = tree.ask("env", {"--driver", "550.54.14", "--gpu", "sm_80"});
  CHECK(stated.answer.find("550.54.14") != std::string::npos);
  CHECK(stated.answer.find("sm_80") != std::string::npos);
  const auto none = tree.ask("env", {"--prefix", "/none"});
  CHECK(none.status == 2);
  CHECK(none.complaints.starts_with("cudald: --prefix /none: no such directory\n"));
  CHECK(tree.ask("env", {"--prefix", "/bin"}).status == 0);
  CHECK(tree.ask("env", {"-f", "json"}).answer.starts_with("{\n  \"schema\": \"cudald/env\""));
}

TEST_CASE("folders of CUDA are printed for the variable that is named, and none is a finding") {
  const Tree tree;
  const auto none = tree.ask("env", {"--print", "ld-library-path"});
  CHECK(none.status == 1);
  CHECK(none.answer == "\n");
  tree.root.add_file("usr/local/cuda/lib64/libcudart.so.12", cuda_runtime("libcudart.so.12", 12080));
  const auto one = tree.ask("env", {"--print", "ld-library-path"});
  CHECK(one.status == 0);
  CHECK(one.answer == "/usr/local/cuda/lib64\n");
}

TEST_CASE(
    "a description of a machine is saved, compressed where its name says so, and is a world for other questions") {
  const Tree tree;
  for (const std::string name : {"host.json", "host.json.gz"}) {
    CAPTURE(name);
    const auto path = tree.root / name;
    const auto saved = tree.ask("env", {"--save", path, "--driver", "550.54.14"});
    CHECK(saved.status == 0);
    CHECK(saved.answer.find("driver") != std::string::npos);
    const auto text = text_of(path);
    CHECK(text.starts_with(name.ends_with(".gz") ? "\x1f\x8b" : "{"));
    const auto asked = answer_to({"check", "--host", path, tree.root / "bin/bad"});
    CHECK(asked.status == 1);
    CHECK(asked.answer.find("libx.so.1 is not found in any directory the loader searches") != std::string::npos);
  }
  const auto unwritable = tree.ask("env", {"--save", tree.root / "none/x"});
  CHECK(unwritable.status == 2);
  CHECK(unwritable.complaints.starts_with("cudald: cannot write " + (tree.root / "none/x") + ": "));
}

TEST_CASE("the environment that is active is told of, if it is named by a whole path, unless another is named") {
  const Tree tree;
  const std::string below = "/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12";
  for (const auto& [folder, release] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"venv", 12010}, {"conda", 12020}, {"other", 12030}})
    tree.root.add_file(folder + below, cuda_runtime("libcudart.so.12", release));
  const auto folder_in = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"--print", "ld-library-path"};
    all.insert(all.end(), words.begin(), words.end());
    return tree.ask("env", all).answer;
  };
  CHECK(folder_in({}) == "\n");
  const auto line = [](const std::string& folder) {
    return "/" + folder + "/lib/python3.11/site-packages/nvidia/cuda_runtime/lib\n";
  };
  CHECK(folder_in({"--env", "VIRTUAL_ENV=/venv"}) == line("venv"));
  CHECK(folder_in({"--env", "CONDA_PREFIX=/conda"}) == line("conda"));
  CHECK(folder_in({"--env", "VIRTUAL_ENV=/venv", "--env", "CONDA_PREFIX=/conda"}) == line("venv"));
  CHECK(folder_in({"--env", "VIRTUAL_ENV=venv", "--env", "CONDA_PREFIX=/conda"}) == line("conda"));
  CHECK(folder_in({"--env", "VIRTUAL_ENV=/venv", "--prefix", "/other"}) == line("other"));
}

TEST_CASE("folders are apart as the variable wants them, in the order in which they were found") {
  const Tree tree;
  for (const std::string folder : {"cuda_runtime", "cuda_old"})
    tree.root.add_file("venv/lib/python3.11/site-packages/nvidia/" + folder + "/lib/libcudart.so.12",
                       cuda_runtime("libcudart.so.12", 12080));
  const std::string nvidia = "/venv/lib/python3.11/site-packages/nvidia/", first = nvidia + "cuda_old/lib",
                    second = nvidia + "cuda_runtime/lib";
  CHECK(tree.ask("env", {"--prefix", "/venv", "--print", "ld-library-path"}).answer == first + ":" + second + "\n");
  CHECK(tree.ask("env", {"--prefix", "/venv", "--print", "dll-path"}).answer == first + ";" + second + "\n");
}

TEST_CASE("a description that cannot be written to the end, and a tree that is not there, are faults") {
  const Tree tree;
  const auto full = tree.ask("env", {"--save", "/dev/full"});
  CHECK(full.status == 2);
  CHECK(full.answer.empty());
  CHECK(full.complaints == "cudald: cannot write /dev/full: No space left on device\nTry `cudald env --help`.\n");
  const auto none = answer_to({"env", "--sysroot", tree.root / "none"});
  CHECK(none.status == 2);
  CHECK(none.complaints ==
        "cudald: --sysroot " + (tree.root / "none") + ": No such file or directory\nTry `cudald env --help`.\n");
}

}  // namespace
}  // namespace cudald
