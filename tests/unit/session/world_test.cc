#include "session/world.h"

#include <doctest/doctest.h>

#include "common/code_file.h"
#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

const std::string wheel = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";

TEST_CASE("packages alone are asked about in the world of their tag, all else here") {
  Query query;
  query.targets = {wheel};
  CHECK(world_of(query) == WorldKind::tag);
  query.targets = {wheel, "/bin/ls"};
  CHECK(world_of(query) == WorldKind::here);
  query.targets = {"/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl"};
  CHECK(world_of(query) == WorldKind::here);
  query.targets = {wheel};
  query.prefix = "/venv";
  CHECK(world_of(query) == WorldKind::here);
  query.world = WorldKind::tag;
  CHECK(world_of(query) == WorldKind::tag);
}

TEST_CASE("in the world of a tag nothing of this machine counts") {
  const MemoryFileSystem files;
  Query query;
  query.targets = {wheel};
  query.environment.variables = {{"LD_LIBRARY_PATH", "/opt/lib"}};
  query.environment.stated = {{"MINE", "{site}/x"}};
  query.environment.cwd = "/home/me";
  query.environment.cpu = x86_64_cpu(4);
  const auto own = in_its_world(query, files);
  CHECK(own.environment.variables ==
        std::map<std::string, std::string>{{"MINE", std::string(PackageTree::site_packages) + "/x"}});
  CHECK(own.environment.cwd == "/");
  CHECK(own.environment.cpu == x86_64_cpu(1));
  CHECK(own.folder == "/home/me");
}

TEST_CASE("the tag's libraries are there, and those of the machine are not") {
  TestWorld world;
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"},
                                          {"pkg/a.abi3.so", elf({.needed = {"libc.so.6", "libz.so.1"}})}}));
  const auto report = world.explain({wheel});
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.resolution.world.name == "manylinux_2_28_x86_64");
  CHECK(report.resolution.libc == LibcVersion{LibcKind::glibc, 2, 28});
  CHECK(report.headline.ends_with(" loads on any machine that manylinux_2_28_x86_64 promises"));
  CHECK(objects(report).find("(manylinux_2_28_x86_64)/libz.so.1") != std::string::npos);
}

TEST_CASE("the tag is that of the packages that are asked about; of a lock all of them count") {
  TestWorld world;
  const std::string beside = "/dist/app-1.0-py3-none-manylinux_2_17_x86_64.whl";
  const auto module = elf({.needed = {"libc.so.6"}});
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}}));
  world.files.add_file(beside, wheel_file({{"app/b.so", module}}, "", "app"));
  world.query.packages = {beside};
  CHECK(world.explain({wheel}).resolution.world.name == "manylinux_2_28_x86_64");
  CHECK(world.explain({beside}).resolution.world.name == "manylinux_2_17_x86_64");
  world.query.packages = {beside, wheel};
  world.query.lock = std::vector<LockedDistribution>();
  CHECK(world.explain({beside}).resolution.world.name == "manylinux_2_28_x86_64");
}

TEST_CASE("what a lock pins and is not at hand is there, by what is known of it, in any world") {
  TestWorld world;
  const auto module = elf({.runpath = "$ORIGIN/../nvidia/cuda_runtime/lib", .needed = {"libcudart.so.12"}});
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import a\n"}, {"pkg/a.abi3.so", module}},
                                         "Requires-Dist: nvidia-cuda-runtime-cu12\n"));
  world.query.world = WorldKind::here;
  world.query.lock = std::vector{LockedDistribution{"nvidia-cuda-runtime-cu12", "12.8.90"}};
  const auto with = world.explain({wheel});
  CHECK(with.verdict == Verdict::loads);
  CHECK(objects(with).find("nvidia/cuda_runtime/lib/libcudart.so.12") != std::string::npos);
  world.query.lock = std::vector<LockedDistribution>();
  CHECK(world.explain({wheel}).verdict == Verdict::fails);
}

TEST_CASE("a Python that is not at hand has its standard library, down to its modules") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-any.whl";
  const auto import = [&](const std::string& code) {
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", code}}));
    return world.explain({path});
  };
  CHECK(import("import concurrent.futures._base\n").verdict == Verdict::loads);
  const auto wrong = import("import concurent.futures\n");
  CHECK(wrong.verdict == Verdict::fails);
  CHECK(wrong.findings.at(0).message == "pkg imports the module concurent, which no requirement brings");
}

TEST_CASE("what is compiled with numpy 1 is refused by numpy 2") {
  const auto module = [](const std::string& name) {
    CodeFile file({"PyImport_ImportModule"});
    const auto text = file.text(name);
    file.function();
    file.address(CodeFile::rdi, text).call("PyImport_ImportModule");
    return file.bytes();
  };
  const auto outcome_of = [&](const std::string& asked, const std::vector<std::string>& parts_of_numpy) {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
    std::vector<std::pair<std::string, std::string>> members{
        {"pkg/__init__.py", "from . import made\n"}, {"pkg/made.so", module(asked)}, {"numpy/__init__.py", ""}};
    for (const auto& part : parts_of_numpy) {
      members.emplace_back("numpy/" + part.substr(0, part.find('/')) + "/__init__.py", "");
      members.emplace_back("numpy/" + part, part.ends_with(".so") ? elf({}) : "");
    }
    world.files.add_file(path, wheel_file(members));
    const auto report = world.explain({path});
    return report.verdict == Verdict::fails ? report.findings.at(0).message : "no failure";
  };
  const std::string older = "numpy.core._multiarray_umath", newer = "numpy._core._multiarray_umath";
  const std::string refused = "ImportError: numpy.core.multiarray failed to import";
  const std::string python_2 = "core/_multiarray_umath.py", compiled_2 = "_core/_multiarray_umath.so";
  const std::string compiled_1 = "core/_multiarray_umath.so", python_1 = "_core/_multiarray_umath.py";
  CHECK(outcome_of(older, {compiled_2}) == refused);
  CHECK(outcome_of(older, {compiled_2, python_2}) == refused);
  CHECK(outcome_of(older, {compiled_1}) == "no failure");
  // 1.26
  CHECK(outcome_of(older, {compiled_1, python_1}) == "no failure");
  CHECK(outcome_of(newer, {compiled_2, python_2}) == "no failure");
}

TEST_CASE("a wheel of Python code alone loads") {
  TestWorld world;
  const std::string plain = "/dist/pkg-1.0-py3-none-any.whl";
  world.files.add_file(plain, wheel_file({{"pkg/__init__.py", "import json\n"}}));
  CHECK(world.explain({plain}).verdict == Verdict::loads);
}

}  // namespace
}  // namespace cudald
