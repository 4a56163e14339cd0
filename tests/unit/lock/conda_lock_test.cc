#include <doctest/doctest.h>

#include "lock/lock_file.h"

namespace cudald {
namespace {

Result<LockFile> read_conda(std::string_view text) { return read_lock(LockKind::conda_lock, text, nullptr); }

TEST_CASE("the form that conda-lock writes") {
  const auto lock = read_conda(R"(version: 1
metadata:
  content_hash:
    linux-64: abc
  channels:
  - url: conda-forge
package:
- name: cuda-cudart
  version: '12.8.90'
  manager: conda
  platform: linux-64
  dependencies:
    libgcc: '>=12'
    __glibc: '>=2.17'
  url: https://conda.example/forge/linux-64/cuda-cudart-12.8.90-h5_1.conda
  hash:
    md5: '0123'
    sha256: abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789
  category: main
  optional: false
- name: six
  version: 1.16.0
  platform: win-64
  dependencies: {}
  url: https://conda.example/forge/noarch/six-1.16.0-py_0.conda
)");
  REQUIRE(lock);
  REQUIRE(lock->packages.size() == 2);
  const auto& first = lock->packages[0];
  CHECK(first.name == "cuda-cudart");
  CHECK(first.version == "12.8.90");
  CHECK(first.line == 8);
  REQUIRE(first.needs.size() == 2);
  CHECK(first.needs[0].name == "libgcc");
  CHECK(first.wheels.at(0).name == "cuda-cudart-12.8.90-h5_1.conda");
  CHECK(first.wheels.at(0).sha256.starts_with("abcdef"));
  CHECK(lock->packages[1].platform == "win-64");
  CHECK(lock->packages[1].needs.empty());
}

TEST_CASE("other YAML is told by its line") {
  CHECK(read_conda("version: 2\npackage:\n").error().message == "line 1: version 2 is not known; 1 is");
  CHECK(read_conda("version: 1\npackage:\n- name: x\n  !!weird\n").error().message ==
        "line 4: not in the form that conda-lock writes");
  CHECK(read_conda("version: 1\npackage:\n- name: x\n  url: y\n").error().message ==
        "line 3: a package without a name or version");
}

}  // namespace
}  // namespace cudald
