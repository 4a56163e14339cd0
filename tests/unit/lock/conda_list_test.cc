#include <doctest/doctest.h>

#include "lock/lock_file.h"

namespace cudald {
namespace {

Result<LockFile> read_list(std::string_view text) { return read_lock(LockKind::conda_explicit, text, nullptr); }

TEST_CASE("an explicit list names each package by its address") {
  const std::string hash(64, 'c');
  const auto lock = read_list(
      "# platform: linux-64\n@EXPLICIT\nhttps://conda.example/forge/linux-64/cuda-cudart-12.8.90-h5_1.conda#" + hash +
      "\nhttps://conda.example/forge/noarch/a-b-1.0-py_0.tar.bz2#0123\n");
  REQUIRE(lock);
  REQUIRE(lock->packages.size() == 2);
  CHECK(lock->packages[0].name == "cuda-cudart");
  CHECK(lock->packages[0].version == "12.8.90");
  CHECK(lock->packages[0].platform == "linux-64");
  CHECK(lock->packages[0].wheels.at(0).sha256 == hash);
  CHECK(lock->packages[1].name == "a-b");
  CHECK(lock->packages[1].wheels.at(0).sha256 == "");
}

TEST_CASE("a line that names no package is a fault") {
  CHECK(read_list("@EXPLICIT\nnumpy>=1\n").error().code == ErrorCode::usage);
  CHECK(read_list("@EXPLICIT\nhttps://conda.example/x.conda\n").error().message.starts_with("line 2: "));
  CHECK(read_list("numpy\n@EXPLICIT\n").error().message == "line 1: appears before @EXPLICIT");
}

TEST_CASE("the name of a file is name, version and build, of which none is empty but the build") {
  const auto told = [](const std::string& file) {
    const auto lock = read_list("@EXPLICIT\n" + file + "\n");
    return lock ? lock->packages.at(0).name + " " + lock->packages.at(0).version : lock.error().message;
  };
  CHECK(told("a-1-0.conda") == "a 1");
  CHECK(told("a-b-1-.conda") == "a-b 1");
  CHECK(told("a--0.conda") == "a ");
  for (const auto* file : {"a-1.conda", "-1-0.conda", "-0.conda", "a.conda", "a-1-0.zip"})
    CHECK_MESSAGE(told(file).starts_with("line 2: "), file);
}

TEST_CASE("what an explicit list names is taken by its address or its path, with the platform of its folder") {
  struct Row {
    std::string line, url, path, platform;
  };
  for (const Row& row :
       {Row{"https://c.example/f/linux-64/a-1-0.conda", "https://c.example/f/linux-64/a-1-0.conda", "", "linux-64"},
        Row{"https://c.example/f/win-64/a-1-0.conda#12", "https://c.example/f/win-64/a-1-0.conda", "", "win-64"},
        Row{"https://c.example/osx-arm64/a-1-0.tar.bz2", "https://c.example/osx-arm64/a-1-0.tar.bz2", "", "osx-arm64"},
        Row{"https://c.example/noarch/a-1-0.conda", "https://c.example/noarch/a-1-0.conda", "", "noarch"},
        Row{"pkgs/a-1-0.conda", "", "pkgs/a-1-0.conda", ""}}) {
    CAPTURE(row.line);
    const auto lock = read_list("@EXPLICIT\r\n  " + row.line + " \r\n");
    REQUIRE(lock);
    CHECK(lock->kind == LockKind::conda_explicit);
    REQUIRE(lock->packages.size() == 1);
    CHECK(lock->packages[0].wheels.at(0).url == row.url);
    CHECK(lock->packages[0].wheels.at(0).path == row.path);
    CHECK(lock->packages[0].platform == row.platform);
  }
}

TEST_CASE("faults of an explicit list have their kind, their line and what helps") {
  const auto error = [](std::string_view text) { return read_list(text).error(); };
  CHECK(error("\n# c\nnumpy\n@EXPLICIT\n").code == ErrorCode::malformed);
  CHECK(error("\n# c\nnumpy\n@EXPLICIT\n").message == "line 3: appears before @EXPLICIT");
  CHECK(error("@EXPLICIT\n\nnumpy>=1\n").code == ErrorCode::usage);
  CHECK(error("@EXPLICIT\n\nnumpy>=1\n").message ==
        "line 3: names no conda package; `conda list --explicit --sha256` writes a list in which every line does");
  CHECK(read_list("")->packages.empty());
  const auto lock = read_list("@EXPLICIT\n@EXPLICIT\n# c\nx/a-1-0.conda\n");
  REQUIRE(lock);
  REQUIRE(lock->packages.size() == 1);
  CHECK(lock->packages[0].line == 4);
  CHECK(lock->packages[0].wheels.at(0).name == "a-1-0.conda");
  for (const auto& [folder, platform] :
       {std::pair("linux-", "linux-"), std::pair("linux", ""), std::pair("win-x", "win-x"), std::pair("osx-", "osx-"),
        std::pair("noarchs", ""), std::pair("forge", "")})
    CHECK(read_list("@EXPLICIT\n" + std::string(folder) + "/a-1-0.conda\n")->packages.at(0).platform == platform);
}

}  // namespace
}  // namespace cudald
