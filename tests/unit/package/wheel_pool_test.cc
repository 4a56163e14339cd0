#include "package/wheel_pool.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "common/wheel_file.h"

namespace cudald {
namespace {

constexpr std::string_view names[] = {
    "tiny-1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "tiny-1.1-cp311-cp311-musllinux_1_1_x86_64.whl",
    "tiny-1.2-cp311-cp311-musllinux_1_2_x86_64.whl",
    "tiny-1.3-cp311-cp311-musllinux_1_2_aarch64.whl",
    "tiny-1.4-cp311-cp311-win_amd64.whl",
    "plain-2.0-py3-none-any.whl",
    "local-1.0-cp311-cp311-linux_x86_64.whl",
};

TEST_CASE("a wheel is chosen for the C library as well as for the machine") {
  MemoryFileSystem files;
  for (const auto name : names) files.add_file("/pool/" + std::string(name), "");
  WheelPool pool(files);
  pool.add_folder("/pool");
  const auto chosen = [&](const std::string& distribution, std::optional<LibcVersion> musl,
                          const std::string& machine = "x86_64") {
    const auto path = pool.choose(distribution, {}, {"3.11", machine, musl});
    return path.empty() ? path : path.substr(6, path.find("-cp") == path.npos ? path.npos : path.find("-cp") - 6);
  };
  const auto musl = [](int minor) { return LibcVersion{LibcKind::musl, 1, minor}; };
  CHECK(chosen("tiny", std::nullopt) == "tiny-1.0");
  CHECK(chosen("tiny", musl(2)) == "tiny-1.2");
  CHECK(chosen("tiny", musl(1)) == "tiny-1.1");  // 1.2 is made for a newer one
  CHECK(chosen("tiny", musl(0)).empty());
  CHECK(chosen("tiny", musl(2), "aarch64") == "tiny-1.3");
  CHECK(chosen("tiny", std::nullopt, "aarch64").empty());
  CHECK(chosen("plain", musl(2)) == "plain-2.0-py3-none-any.whl");
  CHECK(chosen("local", musl(2)) == "local-1.0");
  CHECK(chosen("local", std::nullopt) == "local-1.0");
}

TEST_CASE("the wheel that holds a module is looked for as long as the budget lasts") {
  MemoryFileSystem files;
  files.add_file("/pool/aaa-1.0-py3-none-any.whl", wheel_file({{"first/__init__.py", ""}}));
  files.add_file("/pool/bbb-1.0-py3-none-any.whl", wheel_file({{"second/__init__.py", ""}}));
  WheelPool pool(files);
  pool.add_folder("/pool");
  Budget enough;
  CHECK(pool.distribution_of("second", enough) == "bbb");
  CHECK(pool.distribution_of("none", enough).empty());
  Budget little({.steps = 3});
  CHECK(pool.distribution_of("second", little).empty());
  CHECK(little.exhausted());
  CHECK(pool.distribution_of("bbb", little) == "bbb");  // by its name alone
}

TEST_CASE("of wheels that share a namespace the one is taken that has most of a dotted name") {
  MemoryFileSystem files;
  const auto add = [&](const std::string& distribution, const std::vector<std::string>& members) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& member : members) all.emplace_back(member, "");
    files.add_file("/pool/" + distribution + "-1.0-py3-none-any.whl", wheel_file(all));
  };
  add("cuda_bindings", {"cuda/bindings/__init__.py", "cuda/bindings/driver.py"});
  add("cuda_core", {"cuda/core/__init__.py"});
  add("kernels", {"cuda/tile/ops.py"});
  add("plain", {"plain/__init__.py", "plain/parts/one.py"});
  add("several", {"google/cloud/storage.abi3.so"});
  WheelPool pool(files);
  pool.add_folder("/pool");
  Budget budget;
  CHECK(pool.distribution_of("cuda.core", budget) == "cuda-core");
  CHECK(pool.distribution_of("cuda.core.experimental", budget) == "cuda-core");
  CHECK(pool.distribution_of("cuda.bindings.driver", budget) == "cuda-bindings");
  CHECK(pool.distribution_of("cuda.tile", budget) == "kernels");
  CHECK(pool.distribution_of("cuda.none", budget) == "cuda-bindings");
  CHECK(pool.distribution_of("plain.parts.two", budget) == "plain");
  CHECK(pool.distribution_of("google.cloud.storage", budget) == "several");
  CHECK(pool.distribution_of("googleapis", budget).empty());
  // Older releases of some bring the namespace's own file.
  add("api", {"google/__init__.py", "google/api/http.py"});
  WheelPool with_older(files);
  with_older.add_folder("/pool");
  CHECK(with_older.distribution_of("google.cloud.storage", budget) == "several");
  CHECK(with_older.distribution_of("google.api", budget) == "api");
}

}  // namespace
}  // namespace cudald
