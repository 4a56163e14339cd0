// What a pasted message about a name proves amid packages: the release that has it, and sources that hide a package.

#include <doctest/doctest.h>

#include <cudald/message.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string name_site = "/venv/lib/python3.8/site-packages/";

/// fastsheet 2, whose compiled part asks NumPy for what the message says, beside NumPy of that release.
TestWorld with_numpy(const std::string& release, const std::string& message) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.8.10\n");
  for (const auto& [name, version] : {std::pair<std::string, std::string>{"fastsheet", "2"}, {"numpy", release}}) {
    world.files.add_file(name_site + name + "/__init__.py", "x = 1\n");
    const auto info = name_site + name + "-" + version + ".dist-info/";
    world.files.add_file(info + "METADATA", "Name: " + name + "\nVersion: " + version + "\n");
    world.files.add_file(info + "RECORD", name + "/__init__.py,,\n");
  }
  world.query.message = read_message(message, *built_in_knowledge());
  REQUIRE(world.query.message);
  return world;
}

TEST_CASE("a name that the installed release has removed, which compiled code asks for") {
  const auto report =
      with_numpy("1.24.4", "AttributeError: module 'numpy' has no attribute 'typeDict'").explain({"py:fastsheet"});
  REQUIRE(findings(report) == "CUD117 warning \n");
  CHECK(report.findings[0].message == "numpy removed typeDict in 1.24, and numpy 1.24.4 is installed");
  CHECK(commands(report.findings[0]) ==
        "/venv/bin/python -m pip install 'numpy<1.24'\n/venv/bin/python -m pip install --upgrade fastsheet numpy\n");
}

TEST_CASE("a release that has the name is no cause") {
  const auto report =
      with_numpy("1.23.5", "AttributeError: module 'numpy' has no attribute 'typeDict'").explain({"py:fastsheet"});
  REQUIRE(findings(report) == "CUD117 warning \n");
  CHECK(report.findings[0].message.find("removed") == std::string::npos);
  CHECK(commands(report.findings[0]).empty());
}

TEST_CASE("sources that the message names, in the directory in which Python was started") {
  auto world = with_numpy("1.23.5",
                          "ImportError: cannot import name '_sheet' from partially initialized module 'fastsheet' "
                          "(most likely due to a circular import) (/home/me/fastsheet/fastsheet/__init__.py)");
  world.files.add_file("/home/me/fastsheet/fastsheet/__init__.py", "from fastsheet import _sheet\n");
  const auto report = world.explain({"py:fastsheet"});
  REQUIRE(findings(report) == "CUD117 warning \n");
  CHECK(report.findings[0].message.find("Python was started in /home/me/fastsheet,") == 0);
  CHECK(commands(report.findings[0]) == "cd /home/me\n");
}

}  // namespace
}  // namespace cudald
