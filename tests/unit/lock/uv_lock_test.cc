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

}  // namespace
}  // namespace cudald
