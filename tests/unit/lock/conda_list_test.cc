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
  CHECK(read_list("numpy\n@EXPLICIT\n").error().message == "line 1: stands before @EXPLICIT");
}

}  // namespace
}  // namespace cudald
