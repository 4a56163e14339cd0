#include "session/target_python.h"

#include <doctest/doctest.h>

#include "common/world.h"

namespace cudald {
namespace {

TEST_CASE("a Python that is not there brings libm along") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  world.add("/lib/libm.so.6", {.soname = "libm.so.6", .defines = {{"pow"}}});
  world.add(packages + "_links.so", {.needed = {"libm.so.6"}, .uses = {{"pow"}}});
  world.add(packages + "_leaves.so", {.uses = {{"pow"}, {"no_function"}}});
  const auto report = world.explain({"py:_links", "py:_leaves"});
  REQUIRE(report.symbols);
  REQUIRE(report.symbols->missing.size() == 1);
  CHECK(report.symbols->missing[0].name == "no_function");
}

/// What is said where nothing can be imported or loaded.
std::string said(TestWorld& world, const std::string& target) {
  const auto report = world.explain({target});
  return report.headline;
}

TEST_CASE("a distribution that is installed is asked about by its name; a name nearly like it is offered") {
  TestWorld world;
  world.query.prefix = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  world.files.add_file("/venv/bin/python3.11", elf(program({})), {.executable = true});
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  world.files.add_file(packages + "onnx_gpu-1.0.dist-info/RECORD", "onnxrt/__init__.py,,\n");
  world.files.add_file(packages + "onnx_gpu-1.0.dist-info/METADATA", "Name: onnx-gpu\nVersion: 1.0\n");
  world.files.add_file(packages + "onnxrt/__init__.py", "");
  CHECK(said(world, "onnx-gpu").starts_with("`import onnxrt` works"));
  CHECK(said(world, "onnxrt").starts_with("`import onnxrt` works"));
  CHECK(said(world, "onnx-gpv") ==
        "onnx-gpv: no such file here, and the loader finds no library of that name, nor has /venv/bin/python3.11 a "
        "module or package of that name; did you mean `onnx-gpu`?");
  const auto report = world.explain({"py:onnxrr"});
  CHECK(report.headline == "`import onnxrr` fails: the module onnxrr is not installed");
  REQUIRE(report.findings.front().fixes.size() == 1);
  CHECK(report.findings.front().fixes.front().command == "cudald --prefix /venv onnxrt");
}

TEST_CASE("a prefix that is no folder is told") {
  TestWorld world;
  world.query.prefix = "/gone";
  CHECK(said(world, "numpy") ==
        "numpy: no such file here, and the loader finds no library of that name; --prefix names /gone, which is no "
        "folder");
}

TEST_CASE("the tags of a wheel name its Python where they are for one alone") {
  const auto version = [](const std::vector<std::string>& tags) { return version_of_tags(tags); };
  CHECK(version({"cp310-cp310-manylinux_2_28_x86_64"}) == "3.10");
  CHECK(version({"cp39-cp39-win_amd64"}) == "3.9");
  CHECK(version({"py3-none-any", "cp311-cp311-linux_x86_64", "cp312-cp312-linux_x86_64"}) == "3.11");
  CHECK(version({"cp313-cp313t-linux_x86_64"}) == "3.13");
  for (const auto* other :
       {"py3-none-any", "cp38-abi3-linux_x86_64", "pp39-cp39-any", "cp27-cp27mu-linux_x86_64", ""}) {
    CAPTURE(other);
    CHECK(version({other}).empty());
  }
  CHECK(version({}).empty());
}

}  // namespace
}  // namespace cudald
