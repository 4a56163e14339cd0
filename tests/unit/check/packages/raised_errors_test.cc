// What an exception of a package says of releases and files, and what CUD114 makes of it.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string raising_site = "/venv/lib/python3.11/site-packages/";

TestWorld with_raising(const std::string& code) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(raising_site + "pkg/__init__.py", code);
  world.files.add_file(raising_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
  world.files.add_file(raising_site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  return world;
}

void install(TestWorld& world, const std::string& name, const std::string& version) {
  const auto folder = raising_site + name + "-" + version + ".dist-info/";
  world.files.add_file(raising_site + name + "/__init__.py", "");
  world.files.add_file(folder + "RECORD", name + "/__init__.py,,\n");
  world.files.add_file(folder + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
}

TEST_CASE("the first release that an exception asks for, and that is not installed, is the fix") {
  const auto fix = [](const std::string& message) {
    auto world = with_raising("raise ImportError('" + message + "')\n");
    install(world, "near", "2.2.0");
    const auto report = world.explain({"py:pkg"});
    REQUIRE(findings(report) == "CUD114 error pkg\n");
    CHECK(says(report.findings[0], "raised at " + raising_site + "pkg/__init__.py:1"));
    return commands(report.findings[0]);
  };
  CHECK(fix("NEAR==2.2.0 is used but incompatible. Please install near>=2.0.0rc4, <2.2.0.") ==
        "/venv/bin/python -m pip install 'near>=2.0.0rc4,<2.2.0'\n");
  CHECK(fix("needs near >= 3") == "/venv/bin/python -m pip install 'near>=3'\n");
  CHECK(fix("needs near>=1") == "");   // it has that
  CHECK(fix("needs other>=1") == "");  // it is not there
  CHECK(fix("a <= b, == near>=") == "");
}

TEST_CASE("files beside one that is missing tell which release there is one for") {
  auto world = with_raising(
      "import os, near\npath = os.path.join(os.path.dirname(__file__), 'libx_2.4.1.so')\n"
      "if not os.path.exists(path): raise FileNotFoundError('no ' + path)\n");
  install(world, "near", "2.4.1");
  world.files.add_file(raising_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\npkg/libx_2.4.0.so,,\n");
  world.files.add_file(raising_site + "pkg/libx_2.3.1.so", "");
  world.files.add_file(raising_site + "pkg/libx_2.4.0.so", "");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(says(report.findings[0], "beside it are libx_2.4.0.so, libx_2.3.1.so"));
  CHECK(commands(report.findings[0]) ==
        "/venv/bin/python -m pip install near==2.4.0\n/venv/bin/python -m pip install --upgrade pkg\n");
}

}  // namespace
}  // namespace cudald
