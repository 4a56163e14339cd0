// DLLs that are missing, refused or taken for granted: CUD101, 102, 103, 111, 112, 116, 201 and 203.

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "unit/check/finding_text.h"

namespace cudald {
namespace {

PeSpec importing(const std::vector<std::string>& dlls) {
  PeSpec spec;
  for (const auto& dll : dlls) spec.imports.push_back({dll, {{"f"}}});
  return spec;
}

PeSpec exporting(const std::string& name, const std::string& forwarder = "") {
  return {.name = name, .exports = {{"f", 1, forwarder}}};
}

TEST_CASE("a DLL that is missing is one finding, which names all who ask") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(importing({"b.dll", "c.dll"})));
  for (const std::string name : {"b.dll", "c.dll"}) {
    auto spec = importing({"None.dll"});
    spec.exports = {{"f", 1, ""}};
    spec.name = name;
    world.files.add_file("/d/" + name, pe(spec));
  }
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(findings(report) == "CUD101 error b.dll: None.dll\n");
  CHECK(in_full(report) ==
        R"(CUD101 | error | /d/b.dll | None.dll
  None.dll is nowhere this load looks
  - also asked by c.dll | proven
  = LoadLibrary of Z:\d\a.dll fails with error 126: The specified module could not be found. (the message does not )"
        R"(name None.dll)
  > install what carries None.dll, and give it to cudald as well: --with WHEEL, or --dll-path DIR for a folder of PATH
)");
  CHECK(report.findings[0].message == "None.dll is nowhere this load looks");
  CHECK(says(report.findings[0], "also asked by c.dll"));
  CHECK(says(report.findings[0], "(the message does not name None.dll)"));
}

TEST_CASE("a file in the DLL's place that is none, or is for another machine, is told by its path") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(importing({"b.dll"})));
  world.files.add_file("/d/b.dll", "text");
  const auto refused = world.explain({"/d/a.dll"});
  REQUIRE(findings(refused) == "CUD112 error a.dll: b.dll\n");
  CHECK(in_full(refused) ==
        R"(CUD112 | error | /d/a.dll | b.dll
  b.dll is found at Z:\d\b.dll, but that is no file to load
  - LoadLibrary of b.dll fails with error 193: %1 is not a valid Win32 application. | rule | Microsoft, System Error )"
        R"(Codes
  = LoadLibrary of Z:\d\a.dll fails with error 193: %1 is not a valid Win32 application. (the message does not name )"
        R"(b.dll)
  > put a build for this machine in its place, or take the file out of the search
  ! another copy later in the search: the loader stops at the first bad file
)");
  CHECK(refused.findings[0].message.starts_with("b.dll is found at Z:\\d\\b.dll, but that is no file to load"));
  world.files.add_file("/d/b.dll", pe({.wide = false, .machine = 0x14c}));
  const auto other = world.explain({"/d/a.dll"});
  REQUIRE(findings(other) == "CUD103 error a.dll: b.dll\n");
  CHECK(in_full(other) ==
        R"(CUD103 | error | /d/a.dll | b.dll
  b.dll exists only for another machine (Z:\d\b.dll is for i386 (pe32))
  - LoadLibrary of b.dll fails with error 193: %1 is not a valid Win32 application. | rule | Microsoft, System Error )"
        R"(Codes
  = LoadLibrary of Z:\d\a.dll fails with error 193: %1 is not a valid Win32 application. (the message does not name )"
        R"(b.dll)
  > put a build for this machine in its place, or take the file out of the search
)");
  CHECK(other.findings[0].message.starts_with("b.dll exists only for another machine (Z:\\d\\b.dll is for "));
}

TEST_CASE("a copy in a folder that this load does not search, and one of another ABI, are shown") {
  TestWorld world;
  world.files.add_file("/app/app.exe", pe([] {
                         auto spec = importing({"b.dll", "cudart64_110.dll"});
                         spec.characteristics = 0x22;
                         return spec;
                       }()));
  world.query.dlopens = {};
  world.files.add_file("/app/cudart64_12.dll", pe(exporting("cudart64_12.dll")));
  const auto report = world.explain({"/app/app.exe"});
  REQUIRE(findings(report) == "CUD101 error app.exe: b.dll\nCUD102 error app.exe: cudart64_110.dll\n");
  CHECK(report.findings[1].message == "cudart64_110.dll is not there; cudart64_12.dll is, which is another ABI");
  CHECK(says(report.findings[1], "cudart64_110.dll serves every CUDA 11.x"));
  CHECK(says(report.findings[1], "cudart64_12.dll serves every CUDA 12.x"));
}

TEST_CASE("functions that a DLL lacks are one finding for each DLL, counted") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"b.dll", {{"g"}, {"h"}, {"f"}}}}}));
  world.files.add_file("/d/b.dll", pe(exporting("b.dll")));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(findings(report) == "CUD201 error a.dll: g\n");
  CHECK(in_full(report) ==
        R"(CUD201 | error | /d/a.dll | g
  a.dll imports g and 1 more function from b.dll: b.dll does not have it
  - g | /d/a.dll | proven
  - h | /d/a.dll | proven
  = LoadLibrary of Z:\d\a.dll fails with error 127: The specified procedure could not be found.
  > take builds of a.dll and b.dll that belong together
)");
  CHECK(report.findings[0].message.starts_with("a.dll imports g and 1 more function from b.dll: "));
  CHECK(report.findings[0].evidence.size() == 2);
  world.files.add_file("/d/a.dll", pe(importing({"b.dll"})));
  world.files.add_file("/d/b.dll", pe(exporting("b.dll", "none.f")));
  REQUIRE(findings(world.explain({"/d/a.dll"})) == "CUD203 error a.dll: f\n");
  CHECK(in_full(world.explain({"/d/a.dll"})) ==
        R"(CUD203 | error | /d/a.dll | f
  a.dll imports f from b.dll: b.dll forwards it to none.f, and none.dll is not found
  - f | /d/a.dll | proven
  = LoadLibrary of Z:\d\a.dll fails with error 127: The specified procedure could not be found.
  > take builds of a.dll and b.dll that belong together
)");
}

TEST_CASE("a DLL that is missing hides neither another one nor a function that is missing") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"none.dll", {{"f"}}}, {"b.dll", {{"g"}}}, {"c.dll", {{"", 7}}}}}));
  world.files.add_file("/d/b.dll", pe(exporting("b.dll")));
  auto also = exporting("c.dll");
  also.imports.push_back({"nowhere.dll", {{"f"}}});
  world.files.add_file("/d/c.dll", pe(also));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(findings(report) ==
          "CUD101 error a.dll: none.dll\n"
          "CUD101 error c.dll: nowhere.dll\n"
          "CUD201 error a.dll: g\n"
          "CUD201 error a.dll: #7\n");
  CHECK(in_full(report) ==
        R"(CUD101 | error | /d/a.dll | none.dll
  none.dll is nowhere this load looks
  = LoadLibrary of Z:\d\a.dll fails with error 126: The specified module could not be found. (the message does not )"
        R"(name none.dll)
  > install what carries none.dll, and give it to cudald as well: --with WHEEL, or --dll-path DIR for a folder of PATH
CUD101 | error | /d/c.dll | nowhere.dll
  nowhere.dll is nowhere this load looks
  = LoadLibrary of Z:\d\a.dll fails with error 126: The specified module could not be found. (the message does not )"
        R"(name nowhere.dll)
  > install what carries nowhere.dll, and give it to cudald as well: --with WHEEL, or --dll-path DIR for a folder of )"
        R"(PATH
CUD201 | error | /d/a.dll | g
  a.dll imports g from b.dll: b.dll does not have it
  - g | /d/a.dll | proven
  = Once the other causes are mended, error 127: The specified procedure could not be found.
  > take builds of a.dll and b.dll that belong together
CUD201 | error | /d/a.dll | #7
  a.dll imports #7 from c.dll: c.dll does not have it
  - #7 | /d/a.dll | proven
  = Once the other causes are mended, error 182: The operating system cannot run %1.
  > take builds of a.dll and c.dll that belong together
)");
  CHECK(report.resolution.targets.back().error.find("error 126") != std::string::npos);
  CHECK(report.findings[2].consequence ==
        "Once the other causes are mended, error 127: The specified procedure could not be found.");
  CHECK(report.findings[3].consequence ==
        "Once the other causes are mended, error 182: The operating system cannot run %1.");
}

}  // namespace
}  // namespace cudald
