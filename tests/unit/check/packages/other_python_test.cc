// A module that is there, compiled for another Python.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("a module that is there for another Python is installed anew with this one") {
  const std::string folder = "/venv/lib/python3.11/site-packages/", core = "_core.cpython-39-x86_64-linux-gnu.so";
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(folder + "pkg/__init__.py", "from ._core import x\n");
  world.files.add_file(folder + "pkg/" + core, "");
  world.files.add_file(folder + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\npkg/" + core + ",,\n");
  world.files.add_file(folder + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg._core\n");
  CHECK(report.findings[0].message == "the module pkg._core is there, compiled for CPython 3.9: " + core);
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install --force-reinstall --no-deps pkg==1\n");
}

TEST_CASE("a name that a package lacks of itself may be there for another Python or another machine") {
  const auto message = [](const std::string& file) {
    const std::string folder = "/venv/lib/python3.11/site-packages/pkg/";
    TestWorld world;
    world.query.prefix = "/venv";
    world.files.add_file(folder + "__init__.py", "from pkg import _core\n");
    world.files.add_file(folder + file, "");
    const auto report = world.explain({"py:pkg"});
    REQUIRE(findings(report) == "CUD114 error pkg\n");
    return report.findings[0].message;
  };
  CHECK(message("_core.pypy310-pp73-x86_64-linux-gnu.so") ==
        "the module pkg._core is there, compiled for PyPy 3.10: _core.pypy310-pp73-x86_64-linux-gnu.so");
  CHECK(message("_core.cpython-311-aarch64-linux-gnu.so") ==
        "the module pkg._core is there, compiled for another machine: _core.cpython-311-aarch64-linux-gnu.so");
}

}  // namespace
}  // namespace cudald
