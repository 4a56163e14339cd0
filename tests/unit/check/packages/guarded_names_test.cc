// What CUD114 says of a name whose import stands under a condition on a release.
#include "check/packages/guarded_names.h"

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// `import user` with this code, beside torchx in a release.
Report report_beside(const std::string& release, const std::string& code) {
  const std::string site = "/venv/lib/python3.11/site-packages/";
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python", "");
  world.files.add_file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  world.files.add_file("/venv/lib/python3.11/os.py", "");
  world.files.add_file(site + "torchx/__init__.py", "__version__ = '" + release + "'\nclass Replicate: pass\n");
  world.files.add_file(site + "torchx-" + release + ".dist-info/METADATA", "Name: torchx\nVersion: " + release + "\n");
  world.files.add_file(site + "user.py", code);
  return world.explain({"py:user"});
}

}  // namespace

TEST_CASE("a condition on a newer release than the installed one explains the name") {
  const auto report = report_beside("2.4.0",
                                    "import torchx\n"
                                    "if torchx.__version__ == \"2.5\":\n"
                                    "    # of torchx.tensor before\n"
                                    "    from torchx import Other, Replicate\n"
                                    "x = Replicate()\n");
  REQUIRE(findings(report) == "CUD114 error user\n");
  CHECK(report.findings[0].message ==
        "NameError: name 'Replicate' is not defined; it is imported with torchx 2.5 and later, and 2.4.0 is installed");
  CHECK(says(report.findings[0], "line 4 imports Replicate under `if torchx.__version__ == \"2.5\":`"));
  CHECK(commands(report.findings[0]) == "/venv/bin/python -m pip install 'torchx>=2.5'\n");
}

TEST_CASE("a condition on something else, or on an older release, explains nothing") {
  for (const std::string condition : {"False", "torchx.__version__ == \"2.3\"", "\"2.4\" == \"2.5\""}) {
    const auto report =
        report_beside("2.4.0", "import torchx\nif " + condition + ":\n    from torchx import Replicate\nReplicate()\n");
    REQUIRE(findings(report) == "CUD114 error user\n");
    CHECK(report.findings[0].message == "NameError: name 'Replicate' is not defined");
    CHECK(report.findings[0].fixes.empty());
  }
}

}  // namespace cudald
