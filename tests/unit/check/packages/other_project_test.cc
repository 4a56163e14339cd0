// Distributions of a name under which users expect another project.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string project_site = "/venv/lib/python3.11/site-packages/";

TestWorld with_project(const std::string& code) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(project_site + "pkg/__init__.py", code);
  world.files.add_file(project_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
  world.files.add_file(project_site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  return world;
}

TEST_CASE("a distribution of a name under which users expect another project") {
  auto world = with_project("import docx\n");
  world.files.add_file(project_site + "docx.py", "from exceptions import PendingDeprecationWarning\n");
  world.files.add_file(project_site + "docx-0.2.4.dist-info/RECORD", "docx.py,,\n");
  world.files.add_file(project_site + "docx-0.2.4.dist-info/METADATA", "Name: docx\nVersion: 0.2.4\n");
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error exceptions\n");
  CHECK(says(report.findings[0], "which is another project than python-docx"));
  CHECK(report.findings[0].fixes.at(0).command ==
        "/venv/bin/python -m pip uninstall -y docx\n/venv/bin/python -m pip install python-docx");
}

}  // namespace
}  // namespace cudald
