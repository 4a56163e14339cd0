// Commands that install a release name what is installed and does not allow it.

#include "session/kept_requirements.h"

#include <doctest/doctest.h>

#include <cudald/session.h>

#include "unit/session/python_world.h"

namespace cudald {
namespace {

/// The first fix of `import app`, where app asks two, in 3.0, for a name of 2, and these lines are in METADATA of
/// third.
std::string fix_beside(const std::string& requires_dist) {
  auto world = world_with_python();
  world.files.add_file("/venv/bin/python", elf(program({})), {.executable = true});
  const auto add_package = [&](const std::string& name, const std::string& version, const std::string& text,
                               const std::string& lines) {
    const auto info = name + "-" + version + ".dist-info/";
    world.files.add_file(python_packages + name + "/__init__.py", text);
    world.files.add_file(python_packages + info + "METADATA", "Name: " + name + "\nVersion: " + version + "\n" + lines);
    world.files.add_file(python_packages + info + "RECORD", name + "/__init__.py,,\n");
  };
  add_package("app", "1.0", "import numpy\nnumpy.sctypes\n", "");
  add_package("numpy", "2.1.0", "", "");
  add_package("third", "5.0", "", requires_dist);
  world.query.targets = {"py:app"};
  world.query.fixes = true;
  const auto report = Session(world.files).explain(world.query);
  REQUIRE(report.findings.size() == 1);
  REQUIRE(!report.findings[0].fixes.empty());
  const auto& fix = report.findings[0].fixes[0];
  return fix.title + ": " + fix.command;
}

TEST_CASE("what requires another release than a command installs is named by it") {
  const std::string alone = "use a numpy that has it: /venv/bin/python -m pip install 'numpy<2.0'";
  CHECK(fix_beside("") == alone);
  CHECK(fix_beside("Requires-Dist: numpy>=1.20\n") == alone);
  CHECK(fix_beside("Requires-Dist: numpy>=2; python_version < '3.8'\n") == alone);
  CHECK(fix_beside("Requires-Dist: numpy>=2; extra == 'x'\n") == alone);
  CHECK(fix_beside("Requires-Dist: numpy>=2\n") ==
        "use a numpy that has it, and the release of third that goes with it: "
        "/venv/bin/python -m pip install 'numpy<2.0' third");
}

}  // namespace
}  // namespace cudald
