// Editable installations whose sources are gone.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string editable_site = "/venv/lib/python3.11/site-packages/";

/// The first finding of `import toolx`, which a file of site-packages places.
Finding told_of_editable(const std::string& name, const std::string& text) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(editable_site + "toolx-0.3.0.dist-info/METADATA", "Name: toolx\nVersion: 0.3.0\n");
  world.files.add_file(editable_site + name, text);
  const auto report = world.explain({"py:toolx"});
  REQUIRE(report.findings.size() >= 1);
  return report.findings[0];
}

TEST_CASE("a .pth file, or a finder, that leads to sources which are gone is named with their directory") {
  for (const auto& [name, text] :
       {std::pair("__editable__.toolx-0.3.0.pth", "/home/me/toolx/src\n"),
        {"__editable___toolx_0_3_0_finder.py", "import sys\nMAPPING = {'toolx': '/home/me/toolx/src/toolx'}\n"}}) {
    const auto finding = told_of_editable(name, text);
    CHECK(finding.code == "CUD114");
    CHECK(says(finding, "the sources of its editable installation are gone"));
    CHECK(says(finding, "leads to /home/me/toolx/src"));
    CHECK(says(finding, "-e DIRECTORY"));
  }
}

TEST_CASE("a .pth file of another project says nothing of a module that is missing") {
  CHECK_FALSE(says(told_of_editable("other.pth", "/home/me/other/src\n"), "editable installation"));
}

TEST_CASE("a directory without code is reported, with the editable installation that it hides") {
  TestWorld world;
  world.query.prefix = "/venv";
  world.query.environment.cwd = "/home/me";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(editable_site + "tool_x-0.3.0.dist-info/METADATA", "Name: tool-x\nVersion: 0.3.0\n");
  world.files.add_file(editable_site + "tool_x-0.3.0.dist-info/direct_url.json",
                       R"({"url": "file:///home/me/toolx", "dir_info": {"editable": true}})");
  world.files.add_file(editable_site + "__editable___tool_x_0_3_0_finder.py",
                       "import sys\nMAPPING = {'toolx': '/home/me/toolx/toolx'}\n");
  world.files.add_file("/home/me/toolx/toolx/__init__.py", "def hello(): pass\n");
  world.files.add_file("/home/me/main.py", "from toolx import hello\n");
  const auto report = world.explain({"/home/me/main.py"});
  REQUIRE(report.findings.size() >= 1);
  CHECK(says(report.findings[0], "toolx is the directory /home/me/toolx, which has no __init__.py"));
  REQUIRE(report.findings[0].fixes.size() >= 1);
  CHECK(report.findings[0].fixes[0].command.ends_with(
      "pip install -e /home/me/toolx --config-settings editable_mode=compat"));
}

}  // namespace
}  // namespace cudald
