// Modules that another directory of sys.path hides.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string hiding_site = "/venv/lib/python3.11/site-packages/";

TestWorld with_hiding(const std::string& code) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file(hiding_site + "pkg/__init__.py", code);
  world.files.add_file(hiding_site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
  world.files.add_file(hiding_site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  world.files.add_file(hiding_site + "near/__init__.py", "");
  world.files.add_file(hiding_site + "near-2.5.dist-info/METADATA", "Name: near\nVersion: 2.5\n");
  return world;
}

TEST_CASE("a module that PYTHONPATH puts before the one that is installed") {
  const auto report_of = [](const std::map<std::string, std::string>& variables) {
    auto world = with_hiding("from near import newer\n");
    world.files.add_file(hiding_site + "near/__init__.py", "newer = 1\n");
    world.files.add_file("/old/near/__init__.py", "");
    world.files.add_file("/old/near-1.0.dist-info/METADATA", "Name: near\nVersion: 1.0\n");
    world.query.environment.variables = variables;
    world.query.environment.stated = variables;
    return world.explain({"py:pkg"});
  };
  const auto report = report_of({{"PYTHONPATH", "/other:/old"}});
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(says(report.findings[0], "near 1.0 is imported from /old, which PYTHONPATH names"));
  CHECK(says(report.findings[0], "it hides near 2.5"));
  CHECK(report.findings[0].fixes.at(0).command == "unset PYTHONPATH");
  CHECK(findings(report_of({})) == "");
}

TEST_CASE("sources beside a script hide the package that is installed") {
  auto world = with_hiding("from . import part\n");
  world.files.add_file(hiding_site + "pkg/part.py", "");
  world.files.add_file("/src/clone/pkg/__init__.py", "from . import part\n");
  world.files.add_file("/src/clone/example.py", "import pkg\n");
  const auto report = world.explain({"/src/clone/example.py"});
  REQUIRE(report.findings.at(0).code == "CUD114");
  CHECK(says(report.findings[0], "is imported from /src/clone, which is the directory of the script"));
  CHECK(says(report.findings[0], "it hides pkg 1"));
  CHECK(report.findings[0].fixes.at(0).command == "mv /src/clone/example.py /src/");
}

TEST_CASE("an ordinary package that hides a part of a namespace") {
  auto world = with_hiding("import space.part\n");
  world.files.add_file(hiding_site + "space/part/__init__.py", "");
  world.files.add_file("/old/space/__init__.py", "");
  world.query.environment.variables = {{"PYTHONPATH", "/old"}};
  world.query.environment.stated = world.query.environment.variables;
  const auto report = world.explain({"py:pkg"});
  REQUIRE(findings(report) == "CUD114 error space.part\n");
  CHECK(says(report.findings[0], "the module space is imported from /old, which PYTHONPATH names"));
  CHECK(report.findings[0].fixes.at(0).command == "unset PYTHONPATH");
}

TEST_CASE("a file of one's own that is called like an installed package hides its parts") {
  const auto report_of = [](const std::string& own, const std::string& part) {
    auto world = with_hiding("");
    world.files.add_file("/own/" + own, "");
    world.files.add_file("/own/main.py", "import near.part\n");
    if (!part.empty()) world.files.add_file(hiding_site + "near/" + part, "");
    return world.explain({"/own/main.py"});
  };
  const auto report = report_of("near.py", "part/__init__.py");
  REQUIRE(findings(report) == "CUD114 error near.part\n");
  CHECK(report.findings[0].message.starts_with("near is the file /own/near.py, which has no parts"));
  CHECK(report.findings[0].fixes.at(0).command == "mv /own/near.py /own/own_near.py");
  CHECK_FALSE(says(report_of("near.py", "").findings.at(0), "comes first in the search"));
  CHECK(findings(report_of("other.py", "part.py")) == "");
}

}  // namespace
}  // namespace cudald
