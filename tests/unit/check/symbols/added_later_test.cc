// DLLs that a fresh Windows does not have: CUD115.

#include <doctest/doctest.h>

#include <cudald/windows_host_file.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

PeSpec asking_for(const std::vector<std::string>& dlls) {
  PeSpec spec;
  for (const auto& dll : dlls) spec.imports.push_back({dll, {{"f"}}});
  return spec;
}

const std::string runtime = "CUD115 warning C:\\Windows\\System32\\MSVCP140.dll: MSVCP140.dll\n";
const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";

Report of_wheel(const std::vector<std::pair<std::string, std::string>>& members) {
  TestWorld world;
  world.files.add_file(wheel, wheel_file(members));
  return world.explain({wheel});
}

TEST_CASE("a DLL that code opens is needed by the code, not by python.exe") {
  const auto report = of_wheel({{"pkg/__init__.py", "import ctypes\nctypes.CDLL('msvcp140.dll')\n"},
                                {"pkg/_C.pyd", pe(asking_for({"kernel32.dll"}))}});
  REQUIRE(report.findings.size() == 1);
  CHECK(says(report.findings[0], "msvcp140.dll is needed by C:\\Python311\\Lib\\site-packages\\pkg\\__init__.py:2"));
}

TEST_CASE("DLLs that a fresh Windows lacks are a risk, with what brings them") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(asking_for({"VCRUNTIME140.dll", "MSVCP140.dll", "VCOMP140.DLL"})));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(findings(report) == "CUD115 warning C:\\Windows\\System32\\VCRUNTIME140.dll: VCRUNTIME140.dll\n");
  CHECK(in_full(report) ==
        R"(CUD115 | warning | C:\Windows\System32\VCRUNTIME140.dll | VCRUNTIME140.dll
  VCRUNTIME140.dll, MSVCP140.dll and VCOMP140.DLL come with the Visual C++ redistributable, which is not part of )"
        R"(Windows
  - VCRUNTIME140.dll is needed by a.dll | /d/a.dll | proven
  - MSVCP140.dll is needed by a.dll | /d/a.dll | proven
  - VCOMP140.DLL is needed by a.dll | /d/a.dll | proven
  - not among the DLLs of a fresh Windows | table
  = On a machine without it the load fails with error 126. It is assumed to be installed.
  > if it is not installed | winget install Microsoft.VCRedist.2015+.x64
)");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message ==
        "VCRUNTIME140.dll, MSVCP140.dll and VCOMP140.DLL come with the Visual C++ redistributable, which is not part "
        "of Windows");
  CHECK(report.findings[0].evidence[1].text == "MSVCP140.dll is needed by a.dll");
  CHECK(report.findings[0].fixes[0].command == "winget install Microsoft.VCRedist.2015+.x64");
  world.files.add_file("/d/a.dll", pe(asking_for({"KERNEL32.dll"})));
  CHECK(findings(world.explain({"/d/a.dll"})) == "");
}

TEST_CASE("of what no wheel proves it is told as likely who brings it") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(asking_for({"MSVCP140.dll", "mfc140u.dll"})));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(report.findings.size() == 1);
  REQUIRE_FALSE(report.resolution.notes.empty());
  CHECK(report.resolution.notes[0].find("; likely: known DLLs, API sets, the directory of python.exe)") !=
        std::string::npos);
  std::string likely;
  for (const auto& evidence : report.findings[0].evidence)
    if (evidence.text.ends_with("is likely")) likely += evidence.text + ", " + evidence.source.substr(0, 10) + "\n";
  CHECK(likely == "that mfc140u.dll comes with the Visual C++ redistributable is likely, likely, by\n");
}

TEST_CASE("a process of 32 bit needs the redistributable for 32 bit") {
  TestWorld world;
  auto spec = asking_for({"MSVCP140.dll"});
  spec.wide = false;
  spec.machine = 0x14c;
  world.files.add_file("/d/a.dll", pe(spec));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].fixes[0].command == "winget install Microsoft.VCRedist.2015+.x86");
}

TEST_CASE("python.org's Python has vcruntime140.dll, and no other of them") {
  const auto module = [](const std::string& dll) {
    return of_wheel({{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.pyd", pe(asking_for({dll}))}});
  };
  for (const auto* there : {"VCRUNTIME140.dll", "VCRUNTIME140_1.dll", "api-ms-win-crt-heap-l1-1-0.dll"})
    CHECK(findings(module(there)) == "");
  for (const std::string dll : {"MSVCP140.dll", "MSVCP140_1.dll", "VCOMP140.DLL", "CONCRT140.dll", "mfc140u.dll"}) {
    CAPTURE(dll);
    const auto report = module(dll);
    CHECK(findings(report) == "CUD115 warning C:\\Windows\\System32\\" + dll + ": " + dll + "\n");
    CHECK(report.verdict == Verdict::risk);
    CHECK(report.findings[0].fixes.back().command == "delvewheel repair WHEEL");
  }
}

TEST_CASE("the worst of the requests counts, not the first") {
  const auto needs = pe(asking_for({"MSVCP140.dll"}));
  // Caught, and required afterwards.
  CHECK(findings(of_wheel(
            {{"pkg/__init__.py", "try:\n    from . import _a\nexcept ImportError:\n    pass\nfrom . import _b\n"},
             {"pkg/_a.pyd", needs},
             {"pkg/_b.pyd", needs}})) == runtime);
  CHECK(in_full(of_wheel(
            {{"pkg/__init__.py", "try:\n    from . import _a\nexcept ImportError:\n    pass\nfrom . import _b\n"},
             {"pkg/_a.pyd", needs},
             {"pkg/_b.pyd", needs}})) ==
        R"(CUD115 | warning | C:\Windows\System32\MSVCP140.dll | MSVCP140.dll
  MSVCP140.dll comes with the Visual C++ redistributable, which is not part of Windows
  - MSVCP140.dll is needed by _a.pyd, _b.pyd | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_a.pyd | proven
  - not among the DLLs of a fresh Windows | table
  = On a machine without it the load fails with error 126. It is assumed to be installed.
  > if it is not installed | winget install Microsoft.VCRedist.2015+.x64
  > maintainer fix: put it into the wheel | delvewheel repair WHEEL
)");
  // Caught, kept, and raised afterwards; or caught by one who goes another way, and fails there.
  for (const std::string code :
       {"try:\n    from . import _a\n    error = None\nexcept ImportError as e:\n    error = e\n"
        "if error:\n    raise error\n",
        "try:\n    from . import _a\nexcept ImportError:\n    from . import _b\n"}) {
    CAPTURE(code);
    CHECK(findings(of_wheel({{"pkg/__init__.py", code}, {"pkg/_a.pyd", needs}, {"pkg/_b.pyd", needs}})) == runtime);
  }
  // A module that the import does not come to.
  CHECK(findings(of_wheel({{"pkg/__init__.py", ""}, {"pkg/_a.pyd", needs}})) == runtime);
  // A module that the package does without is no loss for the import; of the wheel it is one.
  const std::string note = "CUD115 note C:\\Windows\\System32\\MSVCP140.dll: MSVCP140.dll\n";
  TestWorld world;
  world.files.add_file(wheel,
                       wheel_file({{"pkg/__init__.py", "try:\n    from . import _a\nexcept ImportError:\n    pass\n"},
                                   {"pkg/_a.pyd", needs}}));
  CHECK(findings(world.explain({wheel})) == runtime);
  world.query.packages = {wheel};
  CHECK(findings(world.explain({"py:pkg"})) == note);
  // A DLL beside modules that nobody is seen to load.
  CHECK(findings(of_wheel(
            {{"pkg/__init__.py", "from . import _a\n"}, {"pkg/_a.pyd", pe({})}, {"pkg/extra.dll", needs}})) == note);
}

TEST_CASE("a DLL for whose sake a wheel without modules is made is no less than a module") {
  const auto report =
      of_wheel({{"pkg/__init__.py", "find_it_somehow()\n"}, {"pkg/lib/lib_pkg.dll", pe(asking_for({"MSVCP140.dll"}))}});
  CHECK(findings(report) == runtime);
  const auto missing =
      of_wheel({{"pkg/__init__.py", "find_it_somehow()\n"}, {"pkg/lib/lib_pkg.dll", pe(asking_for({"none.dll"}))}});
  CHECK(missing.verdict == Verdict::risk);
  REQUIRE(missing.findings.size() == 1);
  CHECK(missing.findings[0].consequence.starts_with("No caller is known; a caller gets: "));
}

TEST_CASE("what is missing beside them does not hide them") {
  const auto report = of_wheel(
      {{"pkg/__init__.py", "from . import _C\n"}, {"pkg/_C.pyd", pe(asking_for({"none.dll", "MSVCP140.dll"}))}});
  CHECK(findings(report) == "CUD501 error _C.pyd: none.dll\n" + runtime);
  CHECK(in_full(report) ==
        R"(CUD501 | error | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_C.pyd | none.dll
  none.dll is not part of win_amd64 and not provided by any declared dependency
  - also needed by _C.pyd | proven
  = ImportError: DLL load failed while importing _C: The specified module could not be found. (the message does not )"
        R"(name none.dll)
  > install a package that provides none.dll, and give it to cudald as well: --with WHEEL, or --dll-path DIR )"
        R"(for a directory of PATH
CUD115 | warning | C:\Windows\System32\MSVCP140.dll | MSVCP140.dll
  MSVCP140.dll comes with the Visual C++ redistributable, which is not part of Windows
  - MSVCP140.dll is needed by _C.pyd | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_C.pyd | proven
  - not among the DLLs of a fresh Windows | table
  = On a machine without it the load fails with error 126. It is assumed to be installed.
  > if it is not installed | winget install Microsoft.VCRedist.2015+.x64
  > maintainer fix: put it into the wheel | delvewheel repair WHEEL
)");
}

TEST_CASE("on a machine that a file describes the DLLs are there or not") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(asking_for({"MSVCP140.dll"})));
  CHECK(findings(world.explain({"/d/a.dll"})) == runtime);
  auto host = std::make_shared<WindowsHostFile>();
  host->folders["c:\\windows\\system32"] = {"msvcp140.dll"};
  world.query.windows_host = host;
  CHECK(in_full(world.explain({"/d/a.dll"}), "CUD115") == "");
}

TEST_CASE("a process for ARM needs the redistributable for ARM") {
  TestWorld world;
  auto spec = asking_for({"MSVCP140.dll"});
  spec.machine = 0xaa64;
  world.files.add_file("/d/a.dll", pe(spec));
  const auto report = world.explain({"/d/a.dll"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].fixes[0].command == "winget install Microsoft.VCRedist.2015+.arm64");
}

TEST_CASE("NVIDIA's driver is taken to be there where the question says so, and else as bad as what hangs on it") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(asking_for({"nvcuda.dll"})));
  const auto told = [&](bool any, const std::string& driver) {
    world.query.environment.any_driver = any;
    world.query.environment.driver = driver;
    return in_full(world.explain({"/d/a.dll"}), "CUD115");
  };
  const auto without = told(false, "");
  CHECK(without == R"(CUD115 | warning | C:\Windows\System32\nvcuda.dll | nvcuda.dll
  nvcuda.dll comes with NVIDIA's display driver, which is not part of Windows
  - nvcuda.dll is needed by a.dll | /d/a.dll | proven
  - not among the DLLs of a fresh Windows | table
  - that nvcuda.dll comes with NVIDIA's display driver is likely | table
  = On a machine without it the load fails with error 126. It is assumed to be installed.
  > if it is not installed
)");
  CHECK(told(true, "") == R"(CUD115 | note | C:\Windows\System32\nvcuda.dll | nvcuda.dll
  nvcuda.dll comes with NVIDIA's display driver, which is not part of Windows
  - nvcuda.dll is needed by a.dll | /d/a.dll | proven
  - not among the DLLs of a fresh Windows | table
  - that nvcuda.dll comes with NVIDIA's display driver is likely | table
  = On a machine without it the load fails with error 126. It is assumed to be installed.
  > if it is not installed
)");
  CHECK(told(false, "551.61") == R"(CUD115 | note | C:\Windows\System32\nvcuda.dll | nvcuda.dll
  nvcuda.dll comes with NVIDIA's display driver, which is not part of Windows
  - nvcuda.dll is needed by a.dll | /d/a.dll | proven
  - not among the DLLs of a fresh Windows | table
  - that nvcuda.dll comes with NVIDIA's display driver is likely | table
  = On a machine without it the load fails with error 126. It is assumed to be installed.
  > if it is not installed
)");
}

TEST_CASE("who asks is named once, by the first path; several DLLs of a wheel are put into it together") {
  const auto report = of_wheel({{"pkg/__init__.py", "from . import _a, _b\n"},
                                {"pkg/_a.pyd", pe(asking_for({"MSVCP140.dll", "msvcp140.dll", "VCOMP140.DLL"}))},
                                {"pkg/_b.pyd", pe(asking_for({"MSVCP140.dll"}))}});
  CHECK(in_full(report) == R"(CUD115 | warning | C:\Windows\System32\MSVCP140.dll | MSVCP140.dll
  MSVCP140.dll and VCOMP140.DLL come with the Visual C++ redistributable, which is not part of Windows
  - MSVCP140.dll is needed by _a.pyd, _b.pyd | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_a.pyd | proven
  - VCOMP140.DLL is needed by _a.pyd | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_a.pyd | proven
  - not among the DLLs of a fresh Windows | table
  = On a machine without it the load fails with error 126. It is assumed to be installed.
  > if it is not installed | winget install Microsoft.VCRedist.2015+.x64
  > maintainer fix: put them into the wheel | delvewheel repair WHEEL
)");
}

TEST_CASE("of a machine that is stated to be fresh, and where none was started, nothing is taken to be added later") {
  auto report = made_report({made_object("/d/a.dll")});
  auto later = made_object("C:\\Windows\\System32\\MSVCP140.dll");
  later.known_by_name = true;
  report.resolution.windows = true;
  report.resolution.objects.push_back(later);
  report.resolution.objects[0].edges = {made_edge("MSVCP140.dll", EdgeStatus::loaded, 1)};
  report.resolution.targets[0].search_list = {0, 1};
  const MemoryFileSystem files;
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  check_added_later({report, store});
  CHECK(report.findings.empty());
  CHECK_FALSE(asks_for_fresh_windows({report, store}));
}

}  // namespace
}  // namespace cudald
