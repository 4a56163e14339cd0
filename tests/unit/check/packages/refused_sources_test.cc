// What CUD114 says of a source that this Python does not compile.
#include "check/packages/refused_sources.h"

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

const std::string refusing_site = "/venv/lib/python3.11/site-packages/";

/// `import pkg` with this code, which RECORD lists by `row`; none if that is empty.
Report report_of(const std::string& code, const std::string& row) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  world.files.add_file(refusing_site + "pkg/__init__.py", code);
  if (!row.empty()) {
    world.files.add_file(refusing_site + "pkg-1.dist-info/RECORD", row);
    world.files.add_file(refusing_site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
  }
  return world.explain({"py:pkg"});
}

const std::string recorded = "pkg/__init__.py,,\n";

}  // namespace

TEST_CASE("a line that no Python compiles is shown; of one's own file it is to be corrected") {
  const auto report = report_of("x = 1\n  MODE = 0777\n", "");
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  const auto& found = report.findings[0];
  CHECK(found.message == "IndentationError: unexpected indent");
  CHECK(says(found, "line 2 is `MODE = 0777`"));
  CHECK(found.fixes.at(0).title == "correct line 2 of __init__.py");
  CHECK(found.fixes.at(0).command.empty());
}

TEST_CASE("a file that is not as it was installed is to be installed again") {
  const auto report = report_of("def f(\n", "pkg/__init__.py,,4000\n");
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(report.findings[0].message == "SyntaxError: '(' was never closed");
  CHECK(says(report.findings[0], "__init__.py is not as pkg 1 has installed it: RECORD states another size"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install --force-reinstall --no-deps pkg==1\n");
}

TEST_CASE("code of a later Python, and code of Python 2") {
  const auto later = report_of("def f[T](x: T): pass\n", recorded);
  REQUIRE(findings(later) == "CUD114 error pkg\n");
  CHECK(says(later.findings[0], "it is of the grammar of Python 3.12; this is Python 3.11"));
  CHECK(later.findings[0].fixes.at(0).title == "use Python 3.12 or newer");
  CHECK(later.findings[0].fixes.at(1).command == "/venv/bin/python -m pip install 'pkg<1'");
  const auto earlier = report_of("exec 'x'\n", recorded);
  REQUIRE(findings(earlier) == "CUD114 error pkg\n");
  CHECK(commands(earlier.findings[0]) == "/venv/bin/python -m pip install --upgrade pkg\n");
}

TEST_CASE("a damaged source is to be written again") {
  const auto report = report_of(std::string("x = 1\0\n", 7), recorded);
  REQUIRE(findings(report) == "CUD114 error pkg\n");
  CHECK(says(report.findings[0], "the file has bytes that are zero, as after a full disk or a broken copy"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install --force-reinstall --no-deps pkg==1\n");
}

}  // namespace cudald
