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

TEST_CASE("of conda-lock's YAML quotes belong to no value, and what stands elsewhere is no package") {
  const auto names = [](const std::string& text) {
    const auto lock = read_conda(text);
    if (!lock) return lock.error().message;
    CHECK(lock->kind == LockKind::conda_lock);
    std::string all;
    for (const auto& package : lock->packages) {
      CHECK(package.needs_known);
      all += package.name + " " + package.version + " " + package.wheels.at(0).sha256 + "\n";
    }
    return all;
  };
  const std::string head = "version: 1\npackage:\n";
  for (const auto& [written, read] : std::vector<std::pair<std::string, std::string>>{
           {"'1.0'", "1.0"}, {"\"1.0\"", "1.0"}, {"'1.0\"", "'1.0\""}, {"'", "'"}, {"1.0", "1.0"}, {"1 1", "1 1"}})
    CHECK(names(head + "- name: a\n  version: " + written + "\n") == "a " + read + " \n");
  CHECK(names("- name: x\n  version: 1\n" + head) == "");
  CHECK(names(head + "- name: a\n  version: 1\nmetadata:\n- name: b\n  version: 2\n") == "a 1 \n");
  // Keys of one level below belong to `hash` and `dependencies`.
  CHECK(names(head + "- name: a\n  version: 1\n  hash:\n    name: b\n    sha256: " + std::string(64, 'c') +
              "\n    md5: " + std::string(32, 'd') + "\n") == "a 1 " + std::string(64, 'c') + "\n");
  CHECK(names(head + "  - name: a\n    version: 1\n    hash:\n      version: 2\n  - name: b\n    version: 1\n") ==
        "a 1 \nb 1 \n");
  CHECK(names(head + "- name: a\n  version: 1\n    - odd: 1\n") == "line 5: not in the form that conda-lock writes");
  for (const auto* text : {"version: 2\n", "version: 1\npackage:\n- name: x\n  !!weird\n",
                           "version: 1\npackage:\n- name\n", "version: 1\npackage:\n- name: x\n"})
    CHECK_MESSAGE(read_conda(text).error().code == ErrorCode::malformed, text);
}

TEST_CASE("comments and other words at the top are passed over, a key that belongs to no package is a fault") {
  const auto lock = read_conda(
      "# made by conda-lock\nversion: 1\n  # indented\nwords\npackage:\n# x\n- name: a\n"
      "  # y\n  version: 1\n");
  REQUIRE(lock);
  REQUIRE(lock->packages.size() == 1);
  CHECK(lock->packages[0].name == "a");
  CHECK(lock->packages[0].line == 7);
  CHECK(read_conda("package:\n  name: a\n").error().message == "line 2: not in the form that conda-lock writes");
  CHECK(read_conda("package:\n- version: 1\n").error().message == "line 2: a package without a name or version");
  CHECK(read_conda("package:\nwords\n- name: a\n")->packages.empty());
}

TEST_CASE("what a package needs stands below that word alone") {
  const auto lock = read_conda(
      "package:\n- name: a\n  version: 1\n  other:\n    x: 1\n  dependencies:\n    b: '1'\n  hash:\n    c: 1\n"
      "    sha256: " +
      std::string(64, 'a') + "\n  more:\n    sha256: " + std::string(64, 'b') + "\n");
  REQUIRE(lock);
  REQUIRE(lock->packages.size() == 1);
  REQUIRE(lock->packages[0].needs.size() == 1);
  CHECK(lock->packages[0].needs[0].name == "b");
  CHECK(lock->packages[0].wheels.at(0).sha256 == std::string(64, 'a'));
}

TEST_CASE("what stands deeper than the keys of a package belongs to the key above it, however deep") {
  const auto told = [](const std::string& text) {
    const auto lock = read_conda("package:\n" + text);
    if (!lock) return lock.error().message;
    std::string all;
    for (const auto& package : lock->packages) {
      all += package.name + " " + package.version + " " + package.platform + " " + package.wheels.at(0).url;
      for (const auto& need : package.needs) all += " >" + need.name;
    }
    return all;
  };
  const std::string package = "- name: a\n  version: 1\n  platform: linux-64\n  url: https://x/a\n";
  CHECK(told(package + "  dependencies:\n   b: 1\n") == "a 1 linux-64 https://x/a >b");
  CHECK(told(package + "  dependencies:\n      b: 1\n") == "a 1 linux-64 https://x/a >b");
  CHECK(told(package + "  dependencies:\n    name: 1\n    version: 2\n    url: 3\n    platform: 4\n") ==
        "a 1 linux-64 https://x/a >name >version >url >platform");
  CHECK(told(package + "  dependencies: {}\n    b: 1\n") == "a 1 linux-64 https://x/a");
  CHECK(told("  - name: a\n    version: 1\n    platform: p\n    url: u\n    dependencies:\n     b: 1\n") ==
        "a 1 p u >b");
}

}  // namespace
}  // namespace cudald
