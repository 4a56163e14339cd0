#include <doctest/doctest.h>

#include "lock/lock_file.h"

namespace cudald {
namespace {

Result<LockFile> read_uv(std::string_view text) { return read_lock(LockKind::uv_lock, text, nullptr); }

TEST_CASE("the project, what it needs by extra and group, and the wheels") {
  const auto lock = read_uv(R"(version = 1
requires-python = ">=3.11"
[[package]]
name = "app"
version = "1.0"
source = { virtual = "." }
dependencies = [{ name = "torch", extra = ["cuda"], marker = "sys_platform == 'linux'" }]
[package.optional-dependencies]
gpu = [{ name = "cupy-cuda12x", version = "13.6.0" }]
[package.dev-dependencies]
dev = [{ name = "pytest" }]
[[package]]
name = "torch"
version = "2.9.1"
source = { registry = "https://files.example/simple" }
sdist = { url = "https://files.example/torch-2.9.1.tar.gz" }
[[package.wheels]]
url = "https://files.example/torch-2.9.1-cp311-cp311-manylinux_2_28_x86_64.whl"
hash = "sha256:abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789"
size = 900
)");
  REQUIRE(lock);
  CHECK(lock->is_graph);
  const auto& app = lock->packages.at(0);
  CHECK(app.is_root);
  REQUIRE(app.needs.size() == 3);
  CHECK(app.needs[0].extras == std::vector<std::string>{"cuda"});
  CHECK(app.needs[0].marker == "sys_platform == 'linux'");
  CHECK(app.needs[1].for_extra == "gpu");
  CHECK(app.needs[1].version == "13.6.0");
  CHECK(app.needs[2].for_group == "dev");
  const auto& torch = lock->packages.at(1);
  CHECK_FALSE(torch.is_root);
  CHECK(torch.from_source);
  CHECK(torch.wheels.at(0).name == "torch-2.9.1-cp311-cp311-manylinux_2_28_x86_64.whl");
  CHECK(torch.wheels.at(0).size == 900);
  CHECK(torch.wheels.at(0).sha256.starts_with("abcdef"));
}

TEST_CASE("another version of the format is refused") {
  CHECK(read_uv("version = 2\n").error().message == "version 2 is not known; 1 is");
  CHECK(read_uv("").error().message == "it has no version");
}

TEST_CASE("where a package of uv comes from: the project, another folder or checkout, or an index") {
  struct Row {
    std::string source;
    bool root, from_source;
  };
  for (const Row& row :
       {Row{"source = { virtual = '.' }", true, true}, Row{"source = { editable = '.' }", true, true},
        Row{"source = { directory = '../b' }", false, true}, Row{"source = { git = 'https://x/b' }", false, true},
        Row{"source = { registry = 'https://x' }", false, false}, Row{"", false, false}}) {
    CAPTURE(row.source);
    const auto lock = read_uv("version = 1\n\n[[package]]\nname = 'B_1'\nversion = '1'\n" + row.source + "\n");
    REQUIRE(lock);
    CHECK(lock->kind == LockKind::uv_lock);
    const auto& package = lock->packages.at(0);
    CHECK(package.name == "b-1");
    CHECK(package.line == 3);
    CHECK(package.needs_known);
    CHECK(package.is_root == row.root);
    CHECK(package.from_source == row.from_source);
  }
}

TEST_CASE("a wheel of uv has its name, its address or its path; a package has a name; a lock is TOML") {
  const auto lock = read_uv(
      "version = 1\n[[package]]\nname = 'a'\nversion = '1'\nwheels = [\n"
      "  { url = 'https://x/1', filename = 'a-1-py3-none-any.whl' }, { path = 'w/a-1-py2-none-any.whl' },\n"
      "  { url = 'https://x/a-1-py4-none-any.whl', size = 123456789012345678 },\n"
      "  { url = 'https://x/a-1-py5-none-any.whl', size = 1234567890123456789 }]\n");
  REQUIRE(lock);
  const auto& wheels = lock->packages.at(0).wheels;
  REQUIRE(wheels.size() == 4);
  CHECK(wheels[0].name == "a-1-py3-none-any.whl");
  CHECK(wheels[1].name == "a-1-py2-none-any.whl");
  CHECK(wheels[1].path == "w/a-1-py2-none-any.whl");
  CHECK(wheels[2].name == "a-1-py4-none-any.whl");
  CHECK(wheels[2].size == 123456789012345678);
  CHECK(wheels[3].size == 0);
  const auto nameless = read_uv("version = 1\n[[package]]\nversion = '1'\n");
  REQUIRE_FALSE(nameless);
  CHECK(nameless.error().code == ErrorCode::malformed);
  CHECK(nameless.error().message == "line 2: a package without a name");
  CHECK(read_uv("version = \n").error().message.starts_with("line 1: "));
}

TEST_CASE("a package with a source to build is built where no wheel fits, and what is needed has its place") {
  const auto lock = read_uv(
      "version = 1\nrequires-python = '>=3.9'\n[[package]]\nname = 'a'\nversion = '1'\n"
      "source = { registry = 'https://x' }\nsdist = { url = 'https://x/a-1.tar.gz' }\n"
      "dependencies = [{ name = 'B_c', version = '2', marker = 'm', extra = ['x', 'y'] }]\n"
      "[package.optional-dependencies]\ne = [{ name = 'd' }]\n[package.dev-dependencies]\ng = [{ name = 'f' }]\n");
  REQUIRE(lock);
  CHECK(lock->requires_python == ">=3.9");
  CHECK(lock->is_graph);
  const auto& package = lock->packages.at(0);
  CHECK(package.from_source);
  CHECK_FALSE(package.is_root);
  std::string needs;
  for (const auto& need : package.needs)
    needs += need.name + "|" + need.version + "|" + need.marker + "|" + std::to_string(need.extras.size()) + "|" +
             need.for_extra + "|" + need.for_group + "\n";
  CHECK(needs == "b-c|2|m|2||\nd|||0|e|\nf|||0||g\n");
  CHECK(read_uv("version = 1\n")->packages.empty());
  CHECK(read_uv("version = 2\n").error().code == ErrorCode::malformed);
  CHECK(read_uv("").error().code == ErrorCode::malformed);
}

}  // namespace
}  // namespace cudald
