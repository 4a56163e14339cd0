// A submodule that a package lacks.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string lacking_site = "/venv/lib/python3.11/site-packages/";

TestWorld with_lacking(const std::string& code) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(lacking_site + "pkg/__init__.py", code);
  world.files.add_file(lacking_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
  world.files.add_file(lacking_site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  world.files.add_file(lacking_site + "near/__init__.py", "");
  world.files.add_file(lacking_site + "near-2.5.dist-info/RECORD", "near/__init__.py,,\n");
  world.files.add_file(lacking_site + "near-2.5.dist-info/METADATA", "Name: near\nVersion: 2.5\n");
  return world;
}

TEST_CASE("a submodule that an installed package lacks is one of another release") {
  const auto report = with_lacking("import near.removed\n").explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error near.removed\n");
  CHECK(report.findings[0].message == "near 2.5 has no module near.removed");
  CHECK(says(report.findings[0], "pkg 1 asks for it"));
  CHECK(commands(report.findings[0]) ==
        "/venv/bin/python -m pip install --upgrade pkg near\n/venv/bin/python -m pip install 'near<2.5'\n");
}

}  // namespace
}  // namespace cudald
