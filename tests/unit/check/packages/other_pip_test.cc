// The pip on PATH, where it is of another Python.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// What is said of shop, which the Python of /other has, with this first line of the pip on PATH.
Finding ask_with_pip(const std::string& first_line) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python3", "");
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.8.10\n");
  world.files.add_file("/venv/lib/python3.8/site-packages/numpy/__init__.py", "");
  world.files.add_file("/other/bin/python3", "");
  world.files.add_file("/other/lib/python3.9/site-packages/shop/__init__.py", "");
  world.files.add_file("/tools/pip", first_line + "\nfrom pip import main\n");
  world.query.environment.variables["PATH"] = "/none:/tools:/other/bin";
  const auto report = world.explain({"py:shop"});
  REQUIRE(findings(report) == "CUD114 error shop\n");
  return report.findings[0];
}

TEST_CASE("a module that the pip on PATH has installed for another Python") {
  const auto finding = ask_with_pip("#!/other/bin/python3");
  CHECK(finding.message == "the module shop is not installed in this Python, and is in that of /tools/pip");
  CHECK(says(finding, "/tools/pip, the first on PATH, installs for /other/bin/python3, which has shop"));
}

TEST_CASE("a pip of the same Python, and one that starts through another program, say nothing") {
  for (const auto* line : {"#!/venv/bin/python3", "#!/usr/bin/env python3", "#!/gone/bin/python3", "text"})
    CHECK(ask_with_pip(line).message == "the module shop is not installed");
}

}  // namespace
}  // namespace cudald
