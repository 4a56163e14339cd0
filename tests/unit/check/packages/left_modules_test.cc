// A missing module that Python had before.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("a module that left Python comes with the distribution that has it since, or a newer release does without") {
  const auto report_of = [](const std::string& python, const std::string& module) {
    const auto site = "/venv/lib/python" + python + "/site-packages/";
    TestWorld world;
    world.query.prefix = "/venv";
    world.files.add_file("/venv/bin/python", "");
    world.files.add_file(site + "pkg/__init__.py", "import " + module + "\n");
    world.files.add_file(site + "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\n");
    world.files.add_file(site + "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n");
    return world.explain({"py:pkg"});
  };
  const auto imghdr = report_of("3.13", "imghdr");
  REQUIRE(findings(imghdr) == "CUD114 error imghdr\n");
  CHECK(imghdr.findings[0].message == "Python 3.13 no longer has the module imghdr");
  CHECK(says(imghdr.findings[0], "imghdr was part of Python up to 3.12"));
  CHECK(commands(imghdr.findings[0]) ==
        "/venv/bin/python -m pip install standard-imghdr\n/venv/bin/python -m pip install --upgrade pkg\n\n");
  const auto distutils = report_of("3.12", "distutils.version");
  REQUIRE(findings(distutils) == "CUD114 error distutils\n");
  CHECK(commands(distutils.findings[0]).starts_with("/venv/bin/python -m pip install setuptools\n"));
  const auto none = report_of("3.13", "crypt");
  CHECK(commands(none.findings[0]) == "/venv/bin/python -m pip install --upgrade pkg\n\n");
  const auto other = report_of("3.13", "imghdr2");
  CHECK(other.findings[0].message == "the module imghdr2 is not installed");
}

}  // namespace
}  // namespace cudald
