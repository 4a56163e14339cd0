// Programs of packages, in wheels and in environments.

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

const std::string programs_site = "/venv/lib/python3.11/site-packages/";

/// An environment with a package of one program, and one of a module.
TestWorld with_environment(const ElfSpec& tool) {
  TestWorld world;
  world.query.prefix = "/venv";
  world.query.environment.cwd = "/work";
  world.files.add_file("/venv/pyvenv.cfg", "version = 3.11.2\n");
  world.add("/venv/bin/python3.11", program({}));
  world.add("/venv/bin/the-tool", program(tool));
  const auto info = programs_site + "the_tool-1.0.dist-info/";
  world.files.add_file(info + "METADATA", "Name: the-tool\nVersion: 1.0\n");
  world.files.add_file(info + "RECORD", "../../../bin/the-tool,,\nthe_tool-1.0.dist-info/METADATA,,\n");
  world.files.add_file(programs_site + "plain.py", "");
  return world;
}

TEST_CASE("a program of an environment is started, whatever else is asked, and is no library that Python opens") {
  auto world = with_environment({});
  for (const auto& targets :
       {std::vector<std::string>{"the-tool"}, {"py:plain", "the-tool"}, {"the-tool", "py:plain"}}) {
    const auto report = world.explain(targets);
    CHECK(findings(report) == "");
    CHECK(report.verdict == Verdict::loads);
  }
}

TEST_CASE("one that does not start is told, beside other targets as a risk") {
  auto world = with_environment({.needed = {"libgone.so.1"}});
  CHECK(world.explain({"the-tool"}).verdict == Verdict::fails);
  const auto report = world.explain({"py:plain", "the-tool"});
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings.at(0).message ==
        "the program the-tool does not start: libgone.so.1 is not found in any directory the loader searches");
}

TEST_CASE("commands of a wheel that has modules are started as well") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_28_x86_64.whl";
  const auto command = elf(program({.runpath = "$ORIGIN/../../pkg.libs", .needed = {"libg-4c97ab12.so.1"}}));
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", "from . import a\n"},
                                         {"pkg/a.abi3.so", elf({})},
                                         {"pkg.libs/libg-4c97ab12.so.1", elf({})},
                                         {"pkg-1.0.data/scripts/command", command}}));
  const auto report = world.explain({path});
  CHECK(report.verdict == Verdict::risk);
  REQUIRE(report.findings.size() >= 1);
  CHECK(report.findings[0].message.find("the program command does not start: libg-4c97ab12.so.1") == 0);
  CHECK(commands(report.findings[0]).find("$site/pkg.libs") != std::string::npos);
}

}  // namespace
}  // namespace cudald
