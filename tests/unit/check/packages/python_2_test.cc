// Modules of Python 2 that Python 3 opens.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("a module of Python 2 in PYTHONPATH is reported as such, with what it hides") {
  const auto report_of = [](const std::string& entry, bool hides) {
    const std::string site = "/venv/lib/python3.11/site-packages/";
    TestWorld world;
    world.query.prefix = "/venv";
    world.add("/venv/bin/python", program({}));
    world.files.add_folder(site);
    if (hides) world.files.add_file(site + "cv2/__init__.py", "");
    world.add("/ros/dist-packages/cv2.so", {.defines = {{entry}}, .uses = {{"PyCObject_Type"}}});
    world.query.environment.variables = {{"PYTHONPATH", "/ros/dist-packages"}};
    world.query.environment.stated = world.query.environment.variables;
    return world.explain({"py:cv2"});
  };
  const auto hiding = report_of("initcv2", true);
  REQUIRE(findings(hiding).starts_with("CUD201 error cv2.so: PyCObject_Type\n"));
  CHECK(hiding.findings[0].message.ends_with(": it is a module of Python 2"));
  CHECK(says(hiding.findings[0], "is imported from /ros/dist-packages, which PYTHONPATH names"));
  CHECK(commands(hiding.findings[0]) == "unset PYTHONPATH\n\n");
  CHECK(commands(report_of("initcv2", false).findings.at(0)) == "\n");
  CHECK_FALSE(report_of("PyInit_cv2", false).findings.at(0).message.ends_with("Python 2"));
}

}  // namespace
}  // namespace cudald
