#include <doctest/doctest.h>

#include "lock/lock_file.h"

namespace cudald {
namespace {

Result<LockFile> read_pylock(std::string_view text) { return read_lock(LockKind::pylock, text, nullptr); }

constexpr std::string_view head = "lock-version = \"1.0\"\nrequires-python = \">=3.11\"\n";

TEST_CASE("packages with their wheels, hashes and markers") {
  const auto lock = read_pylock(std::string(head) + R"(default-groups = ["gpu"]
[[packages]]
name = "Torch_Vision"
version = "0.20"
marker = "sys_platform == 'linux'"
[[packages.wheels]]
name = "x-1-py3-none-any.whl"
url = "https://files.example/x-1-py3-none-any.whl"
size = 12
hashes = { sha256 = "ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef0123456789" }
[[packages.wheels]]
path = "w/y%2Bcpu.whl"
[[packages]]
name = "tool"
version = "1"
sdist = { name = "tool-1.tar.gz" }
dependencies = [{ name = "torch-vision" }]
)");
  REQUIRE(lock);
  CHECK(lock->requires_python == ">=3.11");
  CHECK(lock->default_groups == std::vector<std::string>{"gpu"});
  REQUIRE(lock->packages.size() == 2);
  const auto& first = lock->packages[0];
  CHECK(first.name == "torch-vision");
  CHECK(first.marker == "sys_platform == 'linux'");
  CHECK(first.line == 4);
  REQUIRE(first.wheels.size() == 2);
  CHECK(first.wheels[0].sha256 == "abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789");
  CHECK(first.wheels[0].size == 12);
  CHECK(first.wheels[1].name == "y+cpu.whl");
  CHECK_FALSE(first.from_source);
  CHECK_FALSE(first.needs_known);
  const auto& second = lock->packages[1];
  CHECK(second.from_source);
  CHECK(second.needs_known);
  CHECK(second.needs.at(0).name == "torch-vision");
}

TEST_CASE("the version may stand in the name of the wheel alone; without one nothing is pinned") {
  const auto named = read_pylock(std::string(head) +
                                 "[[packages]]\nname = \"x\"\narchive = { url = \"https://files.example/"
                                 "x-2.5-py3-none-any.whl\" }\n");
  REQUIRE(named);
  CHECK(named->packages[0].version == "2.5");
  const auto open = read_pylock(std::string(head) + "[[packages]]\nname = \"x\"\n");
  REQUIRE_FALSE(open);
  CHECK(open.error().code == ErrorCode::usage);
  CHECK(open.error().message.starts_with("line 3: x is not pinned to one version; `uv export"));
}

TEST_CASE("another version of the format, a nameless package and no TOML at all are faults") {
  CHECK(read_pylock("lock-version = \"2.0\"\n").error().message == "lock-version 2.0 is not known; 1.0 is");
  CHECK(read_pylock("created-by = \"me\"\n").error().message == "it has no lock-version");
  CHECK(read_pylock(std::string(head) + "[[packages]]\nversion = \"1\"\n").error().message ==
        "line 3: a package without a name");
  CHECK(read_pylock("lock-version = \n").error().message.starts_with("line 1: "));
}

TEST_CASE("what is built from: a checkout, a folder, an archive that is no wheel") {
  for (const auto* source : {"vcs = { url = 'x' }", "directory = { path = '.' }", "sdist = { name = 'a-1.tar.gz' }",
                             "archive = { url = 'https://x/a-1.tar.gz' }"}) {
    CAPTURE(source);
    const auto lock = read_pylock(std::string(head) + "[[packages]]\nname = 'a'\n" + source + "\n");
    REQUIRE(lock);
    CHECK(lock->kind == LockKind::pylock);
    CHECK_FALSE(lock->is_graph);
    CHECK(lock->packages.at(0).from_source);
    CHECK(lock->packages[0].wheels.empty());
    CHECK_FALSE(lock->packages[0].needs_known);
  }
}

TEST_CASE("a name that is none of a wheel tells no version, and one that does is asked only where none stands") {
  const auto version = [](const std::string& rest) {
    const auto lock = read_pylock(std::string(head) + "[[packages]]\nname = 'x'\n" + rest);
    return lock ? lock->packages.at(0).version : lock.error().message.substr(0, 38);
  };
  const std::string open = "line 3: x is not pinned to one version";
  CHECK(version("wheels = [{ name = 'odd.whl' }]\n") == open);
  CHECK(version("wheels = [{ name = 'odd.whl' }, { name = 'x-2-py3-none-any.whl' }]\n") == "2");
  CHECK(version("version = '1'\nwheels = [{ name = 'x-2-py3-none-any.whl' }]\n") == "1");
  CHECK(version("archive = { path = 'w/x-3-py3-none-any.whl' }\n") == "3");
  CHECK(version("") == open);
  CHECK(version("vcs = { url = 'x' }\n").empty());
}

TEST_CASE("sizes are numbers of at most eighteen digits, and what is needed has its version") {
  const auto lock =
      read_pylock(std::string(head) +
                  "[[packages]]\nname = 'x'\nversion = '1'\nwheels = [{ name = 'a', size = '12x' },"
                  " { name = 'b', size = 999999999999999999 }, { name = 'c', size = '1000000000000000000' "
                  "}, { name = 'd' }]\ndependencies = [{ name = 'Y_z', version = '2' }]\n");
  REQUIRE(lock);
  const auto& package = lock->packages.at(0);
  REQUIRE(package.wheels.size() == 4);
  CHECK(package.wheels[0].size == 0);
  CHECK(package.wheels[1].size == 999'999'999'999'999'999U);
  CHECK(package.wheels[2].size == 0);
  CHECK(package.wheels[3].size == 0);
  REQUIRE(package.needs.size() == 1);
  CHECK(package.needs[0].name == "y-z");
  CHECK(package.needs[0].version == "2");
  CHECK(read_pylock(head)->packages.empty());
}

TEST_CASE("of packages in TOML a lock has ten thousand at most") {
  std::string text(head);
  for (int i = 0; i < 10'000; ++i) text += "[[packages]]\nname='a'\nversion='1'\n";
  const auto lock = read_pylock(text);
  REQUIRE(lock);
  CHECK(lock->packages.size() == 10'000);
  const auto more = read_pylock(text + "[[packages]]\nname='a'\nversion='1'\n");
  REQUIRE_FALSE(more);
  CHECK(more.error().code == ErrorCode::limit);
  CHECK(more.error().message == "line 3: more packages than any lock has");
}

TEST_CASE("a file has its address, its path, its name, its size and its hash, each where it stands") {
  const std::string hash(64, 'a');
  const auto lock =
      read_pylock(std::string(head) + "[[packages]]\nname = 'x'\nversion = '1'\nwheels = [{ name = 'n', " +
                  "url = 'https://x/u', path = 'w/p', size = 7, hashes = { sha256 = '" + hash +
                  "' } }, { url = 'https://x/u', path = 'w/p' }, { path = 'w/p' }]\n");
  REQUIRE(lock);
  const auto& wheels = lock->packages.at(0).wheels;
  REQUIRE(wheels.size() == 3);
  CHECK(wheels[0].name == "n");
  CHECK(wheels[0].url == "https://x/u");
  CHECK(wheels[0].path == "w/p");
  CHECK(wheels[0].size == 7);
  CHECK(wheels[0].sha256 == hash);
  CHECK(wheels[1].name == "u");
  CHECK(wheels[2].name == "p");
  CHECK(wheels[2].url.empty());
  CHECK(wheels[2].sha256.empty());
  CHECK(read_pylock("").error().code == ErrorCode::malformed);
  CHECK(read_pylock("lock-version = '2.0'\n").error().code == ErrorCode::malformed);
  CHECK(read_pylock(std::string(head) + "[[packages]]\n").error().code == ErrorCode::malformed);
}

}  // namespace
}  // namespace cudald
