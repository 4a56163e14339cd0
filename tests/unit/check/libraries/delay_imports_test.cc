// A DLL that is imported with delay and would not be found: CUD404.

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

PeSpec importing_later(const std::vector<std::string>& dlls) {
  PeSpec spec;
  for (const auto& dll : dlls) spec.imports.push_back({dll, {{"f"}}, true});
  return spec;
}

std::string called(const std::string& name) { return pe({.name = name, .exports = {{"f", 1, ""}}}); }

TEST_CASE("a DLL of a delay import that is nowhere is noted once, and nothing fails") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(importing_later({"None.dll"})));
  world.files.add_file("/d/b.dll", pe(importing_later({"none.dll"})));
  const auto report = world.explain({"/d/a.dll", "/d/b.dll"});
  CHECK(report.verdict == Verdict::loads);
  REQUIRE(findings(report) == "CUD404 note a.dll: None.dll\n");
  CHECK(in_full(report) ==
        R"(CUD404 | note | /d/a.dll | None.dll
  a.dll imports None.dll with delay, and it would not be found
  - also imported by b.dll | proven
  = a.dll loads. The first call of a function of None.dll raises the exception 0xC06D007E, which ends a process )"
        R"(that does not handle it.
  > install what a.dll belongs to again, as a whole: None.dll belongs beside it or in a directory of PATH )"
        R"((--dll-path DIR names one to cudald)
)");
}

TEST_CASE("what a delay import finds, or what is loaded by then under that name, is not noted") {
  const auto found = [](const std::string& place, const std::vector<std::string>& targets) {
    TestWorld world;
    world.files.add_file("/d/a.dll", pe(importing_later({"b.dll"})));
    world.files.add_file(place, called("b.dll"));
    return findings(world.explain(targets));
  };
  CHECK(found("/d/b.dll", {"/d/a.dll"}) == "");
  CHECK(found("/e/b.dll", {"/d/a.dll", "/e/b.dll"}) == "");
  CHECK(found("/e/b.dll", {"/d/a.dll"}) == "CUD404 note a.dll: b.dll\n");
}

TEST_CASE("absent API sets and the program of the process are what delay imports are for") {
  for (const std::string name : {"ext-ms-win-none-l1-1-0.dll", "api-ms-win-none-l1-1-0.dll", "node.exe"}) {
    TestWorld world;
    world.files.add_file("/d/a.dll", pe(importing_later({name})));
    CHECK_MESSAGE(findings(world.explain({"/d/a.dll"})) == "", name);
  }
}

TEST_CASE("a file that cannot be loaded is named with its path and what is wrong with it") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(importing_later({"b.dll"})));
  world.files.add_file("/d/b.dll", pe({.wide = false, .machine = 0x14c}));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(findings(report) == "CUD404 note a.dll: b.dll\n");
  CHECK(report.findings[0].message == "a.dll imports b.dll with delay, and the file of that name cannot be loaded");
  CHECK(says(report.findings[0], "Z:\\d\\b.dll: i386"));
}

TEST_CASE("a DLL that was refused has no delay imports to speak of, and neither have those of Windows") {
  TestWorld world;
  auto spec = importing_later({"none.dll"});
  spec.imports.push_back({"absent.dll", {{"f"}}});
  world.files.add_file("/d/a.dll", pe(spec));
  CHECK(findings(world.explain({"/d/a.dll"})) == "CUD101 error a.dll: absent.dll\n");
  world.files.add_file("/d/b.dll", pe({.imports = {{"version.dll", {{"f"}}}}}));
  auto own = importing_later({"none.dll"});
  own.name = "version.dll";
  own.exports = {{"f", 1, ""}};
  world.files.add_file("/Windows/System32/version.dll", pe(own));
  CHECK(findings(world.explain({"/d/b.dll"})) == "");
}

TEST_CASE("of a wheel it is noted where nothing that it may count on brings the DLL") {
  const auto found = [](const std::string& dll, const std::string& besides) {
    TestWorld world;
    std::vector<std::pair<std::string, std::string>> members{{"pkg/_C.pyd", pe(importing_later({dll}))},
                                                             {"pkg/__init__.py", "from . import _C\n"}};
    if (!besides.empty()) members.push_back({besides, called(dll)});
    world.files.add_file("/w/pkg-1.0-cp311-cp311-win_amd64.whl", wheel_file(members));
    return findings(world.explain({"/w/pkg-1.0-cp311-cp311-win_amd64.whl"}));
  };
  CHECK(found("none.dll", "") == "CUD404 note _C.pyd: none.dll\n");
  CHECK(found("nvcuda.dll", "") == "");
  CHECK(found("version.dll", "") == "");
  // Which of its files a wheel has loaded before is not known.
  CHECK(found("other.dll", "pkg/other.dll") == "");
}

}  // namespace
}  // namespace cudald
