// Functions that a DLL lacks: CUD201 and 203 for PE files.

#include <algorithm>

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

PeSpec importer_of(const std::vector<std::string>& dlls) {
  PeSpec spec;
  for (const auto& dll : dlls) spec.imports.push_back({dll, {{"f"}}});
  return spec;
}

PeSpec exporter_of(const std::string& name, const std::string& forwarder = "") {
  return {.name = name, .exports = {{"f", 1, forwarder}}};
}

TEST_CASE("functions that a DLL lacks are one finding for each DLL, counted") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"b.dll", {{"g"}, {"h"}, {"f"}}}}}));
  world.files.add_file("/d/b.dll", pe(exporter_of("b.dll")));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(findings(report) == "CUD201 error a.dll: g\n");
  CHECK(in_full(report) ==
        R"(CUD201 | error | /d/a.dll | g
  a.dll imports g and 1 more function from b.dll, and the one that answers, Z:\d\b.dll, does not have it
  - g | /d/a.dll | proven
  - h | /d/a.dll | proven
  - the b.dll that answers is Z:\d\b.dll, found in the directory of the program | /d/b.dll | proven
  = LoadLibrary of Z:\d\a.dll fails with error 127: The specified procedure could not be found.
  > take builds of a.dll and b.dll that belong together
)");
  CHECK(report.findings[0].message.starts_with("a.dll imports g and 1 more function from b.dll, "));
  CHECK(report.findings[0].evidence.size() == 3);
  world.files.add_file("/d/a.dll", pe(importer_of({"b.dll"})));
  world.files.add_file("/d/b.dll", pe(exporter_of("b.dll", "none.f")));
  REQUIRE(findings(world.explain({"/d/a.dll"})) == "CUD203 error a.dll: f\n");
  CHECK(in_full(world.explain({"/d/a.dll"})) ==
        R"(CUD203 | error | /d/a.dll | f
  a.dll imports f from b.dll: b.dll forwards it to none.f, and none.dll is not found
  - f | /d/a.dll | proven
  = LoadLibrary of Z:\d\a.dll fails with error 127: The specified procedure could not be found.
  > take builds of a.dll and b.dll that belong together
)");
}

TEST_CASE("a function that only the DLL of an assembly has is one for the program's manifest") {
  TestWorld world;
  world.query.sysroot = "/copy";
  world.files.add_file("/Windows/System32/kernel32.dll", pe({.name = "kernel32.dll", .exports = {{"f", 1, ""}}}));
  world.files.add_file("/Windows/System32/comctl32.dll", pe({.name = "comctl32.dll", .exports = {{"f", 1, ""}}}));
  world.files.add_file("/d/a.exe",
                       pe({.characteristics = 0x22, .imports = {{"comctl32.dll", {{"TaskDialogIndirect"}}}}}));
  const auto report = world.explain({"/d/a.exe"});
  REQUIRE(findings(report) == "CUD201 error a.exe: TaskDialogIndirect\n");
  CHECK(report.findings[0].message.find("Microsoft.Windows.Common-Controls 6.0.0.0") != std::string::npos);
  CHECK(report.findings[0].fixes.at(0).command.find("a.exe.manifest' '<assembly xmlns=''urn:") != std::string::npos);
  world.files.add_file("/d/a.exe", pe({.characteristics = 0x22, .imports = {{"comctl32.dll", {{"other"}}}}}));
  CHECK(world.explain({"/d/a.exe"}).findings.at(0).message.find("Common-Controls") == std::string::npos);
}

TEST_CASE("two files of one MSYS2 are brought to one release, where it is one") {
  TestWorld world;
  const auto told = [&](const std::string& importer, const std::string& provider) {
    world.files.add_file(importer, pe({.characteristics = 0x22, .imports = {{"b.dll", {{"g"}}}}}));
    world.files.add_file(provider, pe(exporter_of("b.dll")));
    return commands(world.explain({importer}).findings.at(0));
  };
  CHECK(told("/m/mingw64/bin/a.exe", "/m/mingw64/bin/b.dll") == "\n");  // by the name alone it is none
  world.files.add_file("/m/var/lib/pacman/local/x/desc", "");
  CHECK(told("/m/mingw64/bin/a.exe", "/m/mingw64/bin/b.dll") == "pacman -Syu\n\n");
  CHECK(told("/m/mingw64/own/a.exe", "/m/mingw64/own/b.dll") == "pacman -Syu\n\n");
  CHECK(told("/m/other/bin/a.exe", "/m/other/bin/b.dll") == "\n");
}

TEST_CASE("another file of the name that has the functions, and the one of Windows, are what to make way for") {
  TestWorld world;
  const auto program = [](const std::string& dll) {
    PeSpec spec{.characteristics = 0x22, .imports = {{dll, {{"g"}}}}};
    return pe(spec);
  };
  world.files.add_file("/app/app.exe", program("b.dll"));
  world.files.add_file("/app/b.dll", pe(exporter_of("b.dll")));
  world.files.add_file("/x/b.dll", pe({.name = "b.dll", .exports = {{"g", 1, ""}}}));
  world.files.add_file("/y/b.dll", pe(exporter_of("b.dll")));
  world.query.environment.dll_path = {"/x", "/y"};
  const auto other = world.explain({"/app/app.exe"});
  REQUIRE(findings(other) == "CUD201 error app.exe: g\n");
  CHECK(says(other.findings[0], "Z:\\x\\b.dll has what is missing"));
  CHECK(says(other.findings[0], "Z:\\y\\b.dll lacks it as well"));
  CHECK(other.findings[0].fixes[0].title == "move b.dll out of the way, so that Z:\\x\\b.dll is found");
  CHECK(other.findings[0].fixes[0].command == "ren \"Z:\\app\\b.dll\" \"b.dll.off\"");

  // What PATH leads to needs no file to be moved.
  world.files.add_file("/app/c.exe", program("c.dll"));
  world.files.add_file("/x/c.dll", pe(exporter_of("c.dll")));
  world.files.add_file("/y/c.dll", pe({.name = "c.dll", .exports = {{"g", 1, ""}}}));
  const auto path = world.explain({"/app/c.exe"}).findings.at(0);
  CHECK(path.fixes[0].command == "set \"PATH=Z:\\y;%PATH%\"");
  CHECK(path.fixes[1].side_effect == "what needs the moved file fails then");

  world.query.environment.dll_path = {};
  world.files.add_file("/app/app.exe", program("icuuc.dll"));
  world.files.add_file("/app/icuuc.dll", pe(exporter_of("icuuc.dll")));
  const auto system = world.explain({"/app/app.exe"});
  REQUIRE(findings(system) == "CUD201 error app.exe: g\n");
  CHECK(says(system.findings[0], "C:\\Windows\\System32\\icuuc.dll is part of Windows, and comes later in the search"));
}

TEST_CASE("who loaded the DLL that lacks functions is named, where another file asked for it first") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"c.dll", {{"f"}}}, {"b.dll", {{"g"}}}}}));
  world.files.add_file("/d/b.dll", pe(exporter_of("b.dll")));
  auto first = importer_of({"b.dll"});
  first.name = "c.dll";
  first.exports = {{"f", 1, ""}};
  world.files.add_file("/d/c.dll", pe(first));
  const auto report = world.explain({"/d/c.dll", "/d/a.dll"});
  REQUIRE(findings(report) == "CUD201 error a.dll: g\n");
  CHECK(says(report.findings[0], "found in the directory of the program before, for c.dll"));
}

TEST_CASE("a function that the runtime of a compiler lacks is of a newer compiler") {
  TestWorld world;
  world.files.add_file("/d/a.exe", pe({.imports = {{"libstdc++-6.dll", {{"_ZSt21ios_base_library_initv"}}}}}));
  world.files.add_file("/d/libstdc++-6.dll", pe(exporter_of("libstdc++-6.dll")));
  const auto finding = world.explain({"/d/a.exe"}).findings.at(0);
  CHECK(says(finding, "it is the runtime of an older GCC than the one that built the file"));
  CHECK(says(finding, "-static-libgcc -static-libstdc++"));
  CHECK(std::any_of(finding.fixes.begin(), finding.fixes.end(), [](const Fix& fix) {
    return fix.command.ends_with("copy C:\\msys64\\mingw64\\bin\\libstdc++-6.dll \"Z:\\d\"");
  }));
}

}  // namespace
}  // namespace cudald
