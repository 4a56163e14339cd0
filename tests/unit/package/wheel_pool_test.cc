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
  // A step for a wheel, and four for each of its members.
  files.add_file("/first/aaa-1.0-py3-none-any.whl", wheel_file({{"first/__init__.py", ""}}));
  WheelPool one(files);
  one.add_folder("/first");
  for (const std::uint64_t steps : {std::uint64_t{0}, std::uint64_t{16}, std::uint64_t{17}}) {
    Budget exact({.steps = steps});
    CHECK(one.distribution_of("first", exact) == (steps == 17 ? "aaa" : ""));
    CHECK(exact.exhausted() == (steps != 17));
  }
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

TEST_CASE("a wheel may hold a module in one file, of Python or of machine code") {
  MemoryFileSystem files;
  files.add_file("/pool/aaa-1.0-py3-none-any.whl", wheel_file({{"single.py", ""}}));
  files.add_file("/pool/bbb-1.0-py3-none-any.whl", wheel_file({{"fast.cpython-311-x86_64-linux-gnu.so", ""}}));
  files.add_file("/pool/ccc-1.0-py3-none-any.whl", wheel_file({{"folder/part.abi3.so", ""}}));
  WheelPool pool(files);
  pool.add_folder("/pool");
  Budget budget;
  CHECK(pool.distribution_of("single", budget) == "aaa");
  CHECK(pool.distribution_of("fast", budget) == "bbb");
  CHECK(pool.distribution_of("folder.part", budget) == "ccc");
  CHECK(pool.distribution_of("sing", budget) == "");
}

TEST_CASE("what is no wheel or cannot be read is passed over in a pool") {
  MemoryFileSystem files;
  files.add_file("/pool/bad.whl", "");
  files.add_file("/pool/plain-2.0-py3-none-any.txt", "");
  files.add_file("/pool/plain-2.0-py3-none-any.zip", "");
  files.add_file("/pool/a-1.0-py3-none-any.whl", wheel_file({{"wanted/__init__.py", ""}}), {.readable = false});
  files.add_file("/pool/b-1.0-py3-none-any.whl", wheel_file({{"wanted/__init__.py", ""}}), {.broken_disk = true});
  files.add_file("/pool/c-1.0-py3-none-any.whl", "<!DOCTYPE html>");
  files.add_file("/pool/D_d-1.0-py3-none-any.whl", wheel_file({{"wanted/__init__.py", ""}}));
  files.add_file("/pool/d.d-1.1-py3-none-any.whl", "");
  WheelPool pool(files);
  pool.add_folder("/none");
  CHECK(pool.count("a") == 0);
  pool.add_folder("/pool");
  Budget budget;
  CHECK(pool.distribution_of("wanted", budget) == "d-d");
  CHECK(pool.count("d-d") == 2);
  CHECK(pool.count("a") == 1);
  CHECK(pool.has("c"));
  for (const auto* none : {"plain", "bad", "D_d"}) {
    CHECK(pool.count(none) == 0);
    CHECK_FALSE(pool.has(none));
    CHECK(pool.choose(none, {}, {"3.11", "x86_64"}) == "");
  }
}

TEST_CASE("of wheels that fit the newest is chosen that all specifiers allow, then the one made for this Python") {
  MemoryFileSystem files;
  for (const auto* name :
       {"a-1.9-py3-none-any.whl", "a-1.10-py3-none-any.whl", "a-1.10-cp311-cp311-linux_x86_64.whl",
        "a-1.10-cp38-abi3-linux_x86_64.whl", "a-2.0-py3-none-any.whl", "a-3.0-cp312-cp312-linux_x86_64.whl"})
    files.add_file(std::string("/pool/") + name, "");
  WheelPool pool(files);
  pool.add_folder("/pool");
  const auto chosen = [&](const std::vector<std::string>& specifiers) {
    return pool.choose("a", specifiers, {"3.11", "x86_64"});
  };
  CHECK(chosen({}) == "/pool/a-2.0-py3-none-any.whl");
  CHECK(chosen({"<2"}) == "/pool/a-1.10-cp311-cp311-linux_x86_64.whl");
  CHECK(chosen({">1", "<1.10"}) == "/pool/a-1.9-py3-none-any.whl");
  CHECK(chosen({"<1.10", ">=1.10"}) == "");
  CHECK(chosen({">=3"}) == "");
}

TEST_CASE("a release before the final one is chosen where nothing else is allowed") {
  MemoryFileSystem files;
  for (const auto* name : {"a-1.0-py3-none-any.whl", "a-2.0rc1-py3-none-any.whl", "b-1.0.dev3-py3-none-any.whl"})
    files.add_file("/pool/" + std::string(name), "");
  WheelPool pool(files);
  pool.add_folder("/pool");
  CHECK(pool.choose("a", {}, {"3.11", "x86_64", std::nullopt}) == "/pool/a-1.0-py3-none-any.whl");
  CHECK(pool.choose("a", {">1"}, {"3.11", "x86_64", std::nullopt}) == "/pool/a-2.0rc1-py3-none-any.whl");
  CHECK(pool.choose("b", {}, {"3.11", "x86_64", std::nullopt}) == "/pool/b-1.0.dev3-py3-none-any.whl");
}

TEST_CASE("the newest Python that wheels are made for") {
  const auto newest = [](const std::vector<std::string>& wheels) {
    MemoryFileSystem files;
    for (const auto& name : wheels) files.add_file("/pool/" + name + ".whl", "");
    WheelPool pool(files);
    pool.add_folder("/pool");
    return pool.newest_python();
  };
  CHECK(newest({}) == "");
  CHECK(newest({"a-1-py3-none-any", "a-1-cp313-abi3-any", "a-1-cp27-cp27mu-any"}) == "");
  CHECK(newest({"a-1-cp39-cp39-any", "a-1-cp311-cp311-any", "b-1-cp310-cp310-any"}) == "3.11");
  CHECK(newest({"a-1-cp30-cp30-any"}) == "3.0");
}

}  // namespace
}  // namespace cudald
