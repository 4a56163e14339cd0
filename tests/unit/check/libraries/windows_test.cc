// DLLs that are missing, refused or taken for granted: CUD101, 102, 103, 111, 112, 116, 201 and 203.

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

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
  None.dll is not found in any directory this load searches
  - also needed by c.dll | proven
  = LoadLibrary of Z:\d\a.dll fails with error 126: The specified module could not be found. (the message does not )"
        R"(name None.dll)
  > install what b.dll belongs to again, as a whole: None.dll belongs beside it or in a directory of PATH )"
        R"((--dll-path DIR names one to cudald)
)");
  CHECK(report.findings[0].message == "None.dll is not found in any directory this load searches");
  CHECK(says(report.findings[0], "also needed by c.dll"));
  CHECK(says(report.findings[0], "(the message does not name None.dll)"));
}

TEST_CASE("no redistributable is offered where there is no Windows Installer") {
  const auto offered = [](int others, const std::string& installer) {
    TestWorld world;
    world.query.sysroot = "/copy";
    PeSpec kernel{.name = "kernel32.dll", .exports = {{"k", 1, ""}}};
    world.files.add_file("/Windows/System32/kernel32.dll", pe(kernel));
    if (!installer.empty()) world.files.add_file("/Windows/System32/" + installer, "");
    for (int i = 0; i < others; ++i) world.files.add_file("/Windows/System32/p" + std::to_string(i) + ".nls", "");
    PeSpec app{.characteristics = 0x22, .imports = {{"VCRUNTIME140_1.dll", {{"f"}}}}};
    world.files.add_file("/d/app.exe", pe(app));
    return world.explain({"/d/app.exe"}).findings.at(0).fixes.at(0);
  };
  constexpr int whole = 250, some = 3;
  CHECK(offered(whole, "").command == "");
  CHECK(offered(whole, "").title.find("COPY --from") != std::string::npos);
  CHECK(offered(whole, "MsiExec.exe").command.starts_with("winget install "));
  CHECK(offered(some, "").command.starts_with("winget install "));
  // Windows Server has an installer and no winget.
  CHECK(offered(some, "ServerManager.exe").command == "start https://aka.ms/vs/17/release/vc_redist.x64.exe");
}

TEST_CASE("a file in the DLL's place that is none, or is for another machine, is told by its path") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe(importing({"b.dll"})));
  world.files.add_file("/d/b.dll", "text");
  const auto refused = world.explain({"/d/a.dll"});
  REQUIRE(findings(refused) == "CUD112 error a.dll: b.dll\n");
  CHECK(in_full(refused) ==
        R"(CUD112 | error | /d/a.dll | b.dll
  b.dll is found at Z:\d\b.dll, but that is not a loadable file: it is a text that begins with "text"
  - LoadLibrary of b.dll fails with error 193: %1 is not a valid Win32 application. | rule | Microsoft, System Error )"
        R"(Codes
  = LoadLibrary of Z:\d\a.dll fails with error 193: %1 is not a valid Win32 application. (the message does not name )"
        R"(b.dll)
  > put a build for x86_64 (64-bit) in its place, or take the file out of the search
  ! another copy later in the search: the loader stops at the first bad file
)");
  CHECK(refused.findings[0].message.starts_with("b.dll is found at Z:\\d\\b.dll, but that is not a loadable file"));
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
  > put a build for x86_64 (64-bit) in its place, or take the file out of the search
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
  const auto told = in_full(report, "CUD102");
  CHECK(told.substr(0, told.find("  = ")) == R"(CUD102 | error | /app/app.exe | cudart64_110.dll
  cudart64_110.dll is not found; cudart64_12.dll is, which has a different ABI
  - cudart64_110.dll serves every CUDA 11.x, from 11.0 to 11.8 | table
  - found instead: /app/cudart64_12.dll | /app/cudart64_12.dll | proven
  - cudart64_12.dll serves every CUDA 12.x | table
  - nvidia-cuda-runtime-cu11 11.8.89 provides cudart64_110.dll | table
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
  none.dll is not found in any directory this load searches
  = LoadLibrary of Z:\d\a.dll fails with error 126: The specified module could not be found. (the message does not )"
        R"(name none.dll)
  > install what a.dll belongs to again, as a whole: none.dll belongs beside it or in a directory of PATH )"
        R"((--dll-path DIR names one to cudald)
CUD101 | error | /d/c.dll | nowhere.dll
  nowhere.dll is not found in any directory this load searches
  = LoadLibrary of Z:\d\a.dll fails with error 126: The specified module could not be found. (the message does not )"
        R"(name nowhere.dll)
  > install what c.dll belongs to again, as a whole: nowhere.dll belongs beside it or in a directory of PATH )"
        R"((--dll-path DIR names one to cudald)
CUD201 | error | /d/a.dll | g
  a.dll imports g from b.dll, and the one that answers, Z:\d\b.dll, does not have it
  - g | /d/a.dll | proven
  - the b.dll that answers is Z:\d\b.dll, found in the directory of the program | /d/b.dll | proven
  = After fixing the other causes, error 127: The specified procedure could not be found.
  > take builds of a.dll and b.dll that belong together
CUD201 | error | /d/a.dll | #7
  a.dll imports #7 from c.dll, and the one that answers, Z:\d\c.dll, does not have it
  - #7 | /d/a.dll | proven
  - the c.dll that answers is Z:\d\c.dll, found in the directory of the program | /d/c.dll | proven
  = After fixing the other causes, error 182: The operating system cannot run %1.
  > take builds of a.dll and c.dll that belong together
)");
  CHECK(report.resolution.targets.back().error.find("error 126") != std::string::npos);
  CHECK(report.findings[2].consequence ==
        "After fixing the other causes, error 127: The specified procedure could not be found.");
  CHECK(report.findings[3].consequence ==
        "After fixing the other causes, error 182: The operating system cannot run %1.");
}

/// What is told of one request of a DLL, made by hand.
std::string told_of_dll(const std::string& name, const std::vector<Probe>& probes, const std::string& error = "",
                        WorldKind world = WorldKind::here) {
  auto report = made_report({made_object("/app/a.dll")});
  report.resolution.windows = true;
  report.resolution.world.kind = world;
  report.resolution.world.name = "win_amd64";
  auto edge = made_edge(name, EdgeStatus::missing);
  edge.error = error;
  edge.search.probes = probes;
  report.resolution.objects[0].edges = {edge};
  report.resolution.targets[0].error = "the load fails";
  made_findings(check_windows, report);
  std::string text = std::string(report.findings.at(0).code) + " " + report.findings[0].message + "\n";
  for (const auto& each : report.findings[0].evidence) text += "- " + each.text + "\n";
  return text;
}

TEST_CASE("what stands in a DLL's place is told by the first file that was refused") {
  const auto probe = [](const std::string& path, ProbeResult result, const std::string& detail = "") {
    return Probe{path, SearchRule::application_folder, {}, result, detail};
  };
  const auto absent = probe("C:\\none\\b.dll", ProbeResult::absent), found = probe("C:\\x\\b.dll", ProbeResult::found);
  CHECK(told_of_dll("b.dll", {absent, found}) == "CUD101 b.dll is not found in any directory this load searches\n");
  CHECK(told_of_dll("b.dll", {absent, probe("C:\\x\\b.dll", ProbeResult::wrong_machine, "i386")}, "error 193") ==
        "CUD103 b.dll exists only for another machine (C:\\x\\b.dll is for i386)\n- error 193\n");
  CHECK(told_of_dll("b.dll", {probe("C:\\x\\b.dll", ProbeResult::wrong_class, "pe32")}) ==
        "CUD103 b.dll exists only for another machine (C:\\x\\b.dll is for pe32)\n");
  CHECK(told_of_dll("b.dll", {probe("C:\\x\\b.dll", ProbeResult::not_pe)}) ==
        "CUD112 b.dll is found at C:\\x\\b.dll, but that is not a loadable file\n");
  CHECK(told_of_dll("b.dll", {probe("C:\\x\\b.dll", ProbeResult::malformed, "cut"),
                              probe("C:\\y\\b.dll", ProbeResult::not_pe)}) ==
        "CUD112 b.dll is found at C:\\x\\b.dll, but that is not a loadable file: cut\n");
}

TEST_CASE("in the world of a tag a DLL by name is promised or not, and one by a path is there or not") {
  CHECK(told_of_dll("b.dll", {}, "", WorldKind::tag) ==
        "CUD501 b.dll is not part of win_amd64 and not provided by any declared dependency\n");
  for (const std::string path : {"C:\\x\\b.dll", "/x/b.dll"})
    CHECK(told_of_dll(path, {}, "", WorldKind::tag) ==
          "CUD101 " + path + " is not found in any directory this load searches\n");
}

TEST_CASE("python3X.dll of another Python is blamed on the module that is built for it") {
  TestWorld world;
  world.query.python = "3.9";
  world.files.add_file("/w/pkg-1.0-py3-none-win_amd64.whl", wheel_file({{"pkg/_C.pyd", pe(importing({"python38.dll"}))},
                                                                        {"pkg/__init__.py", "from . import _C\n"}}));
  const auto absent = world.explain({"/w/pkg-1.0-py3-none-win_amd64.whl"});
  REQUIRE(findings(absent) == "CUD101 error _C.pyd: python38.dll\n");
  CHECK(absent.findings[0].message ==
        "python38.dll is not found: _C.pyd is built for Python 3.8, and this is Python 3.9");
  CHECK(absent.findings[0].fixes[0].title == "install a build of pkg for Python 3.9");

  world.files.add_file("/w/pkg-1.0-py3-none-win_amd64.whl",
                       wheel_file({{"pkg/_C.pyd", pe(importing({"python38.dll"}))},
                                   {"pkg/python38.dll", pe(exporting("python38.dll"))},
                                   {"pkg/__init__.py", "from . import _C\n"}}));
  const auto beside = world.explain({"/w/pkg-1.0-py3-none-win_amd64.whl"});
  CHECK(beside.verdict == Verdict::fails);
  REQUIRE(findings(beside) == "CUD114 error _C.pyd: _C.pyd\n");
  CHECK(beside.findings[0].consequence ==
        "ImportError: Module use of python38.dll conflicts with this version of Python.");
  CHECK(beside.findings[0].message.ends_with("_C.pyd is built for Python 3.8, and this is Python 3.9"));
}

TEST_CASE("a module for another build of its program asks for a DLL that this one has not") {
  const auto told = [](const std::string& wanted) {
    TestWorld world;
    world.query.sysroot = "/copy";
    world.files.add_file("/Windows/System32/kernel32.dll", pe(exporting("kernel32.dll")));
    auto php = importing({"php7ts.dll"});
    php.characteristics = 0x22;
    world.files.add_file("/php/php.exe", pe(php));
    world.files.add_file("/php/php7ts.dll", pe(exporting("php7ts.dll")));
    world.files.add_file("/php/ext/php_ast.dll", pe(importing({wanted})));
    world.query.dlopens = {{"C:\\php\\ext\\php_ast.dll"}};
    return world.explain({"/php/php.exe"}).findings.at(0);
  };
  const auto finding = told("php7.dll");
  CHECK(
      finding.message.ends_with("; php_ast.dll was built for a PHP with php7.dll, without thread safety (NTS), and "
                                "the one that runs has php7ts.dll, with thread safety (TS)"));
  CHECK(finding.fixes.at(0).title.starts_with("take the build of php_ast.dll for the PHP that runs, with php7ts.dll"));
  CHECK(told("perl532.dll").message.find("was built for") == std::string::npos);
}

TEST_CASE("copies of a DLL count by name without its version, in folders that are there, for the same machine") {
  const auto told = [](const std::string& wanted, const std::string& there, const PeSpec& spec = {}) {
    TestWorld world;
    auto app = importing({wanted});
    app.characteristics = 0x22;
    world.files.add_file("/app/app.exe", pe(app));
    world.files.add_file("/app/" + there, there == "text_1.dll" ? "text" : pe(spec));
    world.query.environment.dll_path = {"C:\\full", "/none", "/app"};
    return world.explain({"/app/app.exe"}).findings.at(0).message;
  };
  const std::string nowhere = " is not found in any directory this load searches";
  CHECK(told("cudart64_110.dll", "cudart64_12.dll") ==
        "cudart64_110.dll is not found; cudart64_12.dll is, which has a different ABI");
  CHECK(told("a_1_2.dll", "a_3.dll") == "a_1_2.dll is not found; a_3.dll is, which has a different ABI");
  CHECK(told("a_1.dll", "a.dll") == "a_1.dll is not found; a.dll is, which has a different ABI");
  CHECK(told("a.dll", "a_1.dll") == "a.dll" + nowhere);
  CHECK(told("a1.dll", "a2.dll") == "a1.dll" + nowhere);
  CHECK(told("a_.dll", "a_1.dll") == "a_.dll" + nowhere);
  CHECK(told("a_1.dll", "b_1.dll") == "a_1.dll" + nowhere);
  CHECK(told("12.dll", "13.dll") == "12.dll" + nowhere);
  CHECK(told("text_2.dll", "text_1.dll") == "text_2.dll" + nowhere);
  CHECK(told("a_1.dll", "a_2.dll", {.wide = false, .machine = 0x14c}) == "a_1.dll" + nowhere);
  CHECK(told("a_1.dll", "a_2.dll", {.machine = 0xaa64}) == "a_1.dll" + nowhere);
}

/// Two files that each ask for one DLL, the second for a target of its own.
struct MadeRequests {
  MadeRequests() : report(made_report({made_object("/app/a.dll"), made_object("/app/b.dll")})) {
    report.resolution.windows = true;
    report.resolution.targets.push_back(report.resolution.targets[0]);
    report.resolution.objects[1].target = 1;
    for (std::size_t i = 0; i < 2; ++i) {
      auto edge = made_edge("none.dll", EdgeStatus::missing);
      edge.error = "no none.dll";
      report.resolution.objects[i].edges = {edge};
      target(i).error = "none.dll is missed by " + std::to_string(i);
    }
  }
  Target& target(std::size_t i) { return report.resolution.targets[i]; }
  Edge& edge(std::size_t i) { return report.resolution.objects[i].edges[0]; }

  /// The level, who is told of, and what happens.
  std::string told() {
    report.findings.clear();
    made_findings(check_windows, report);
    std::string text;
    for (const auto& finding : report.findings)
      text += std::string(to_string(finding.level)) + " " + std::to_string(finding.object.value()) + ": " +
              finding.consequence + "\n";
    return text;
  }

  Report report;
};

TEST_CASE("of several requests for a DLL the one that fails worst decides, of equal ones the first") {
  MadeRequests made;
  CHECK(made.told() == "error 0: none.dll is missed by 0\n");
  made.target(0).traits.optional = true;
  CHECK(made.told() == "error 0: none.dll is missed by 1\n");
  made.target(0).traits.optional = false;
  made.target(1).traits.optional = true;
  CHECK(made.told() == "error 0: none.dll is missed by 0\n");
  made.target(0).traits.optional = true;
  CHECK(made.told() == "note 0: No caller is known; a caller gets: none.dll is missed by 0\n");
  made.target(0).traits.without = "It goes on.";
  CHECK(made.told() == "note 0: It goes on.\n");
}

TEST_CASE("what a file only may load is told where a load that was asked for fails by it") {
  MadeRequests made;
  made.report.resolution.objects[1].edges.clear();
  CHECK(made.told() == "error 0: none.dll is missed by 0\n");
  made.edge(0).hard = false;
  made.edge(0).kind = EdgeKind::dlopen;
  CHECK(made.told() == "");
  auto& asked = made.target(1);
  asked.kind = TargetKind::dlopen;
  asked.object.reset();
  asked.error = "no none.dll";
  CHECK(made.told() == "error 0: no none.dll\n");
  asked.error = "no other.dll";
  CHECK(made.told() == "");
  asked.error = "no none.dll";
  asked.object = 1;
  CHECK(made.told() == "");
  asked.object.reset();
  asked.kind = TargetKind::import;
  CHECK(made.told() == "");
  asked.kind = TargetKind::dlopen;
  made.edge(0).kind = EdgeKind::needed;
  CHECK(made.told() == "");
}

TEST_CASE("what is known of a request is told with it, and an assembly that is not there with what installs it") {
  auto report = made_report({made_object("/app/a.dll")});
  report.resolution.windows = true;
  auto edge = made_edge("none.dll", EdgeStatus::missing);
  edge.known.facts = {{"a fact", "its source"}};
  report.resolution.objects[0].edges = {edge};
  report.resolution.targets[0].error = "none.dll is missing";
  report.resolution.targets[0].traits.optional = true;
  report.resolution.objections = {{0, "Microsoft.VC90.CRT"}, {0, "Contoso.Widgets"}};
  CHECK(made_findings(check_windows, report) == R"(CUD101 | note | /app/a.dll | none.dll
  none.dll is not found in any directory this load searches
  - a fact | table
  = No caller is known; a caller gets: none.dll is missing
  > install what a.dll belongs to again, as a whole: none.dll belongs beside it or in a directory of PATH )"
                                                R"((--dll-path DIR names one to cudald)
CUD116 | note | /app/a.dll | Microsoft.VC90.CRT
  the manifest of a.dll needs the side-by-side assembly Microsoft.VC90.CRT, which is not found
  - not among the assemblies of a fresh Windows, nor in the directory of the file or of the program | table
  = Error 14001: The application has failed to start because its side-by-side configuration is incorrect. Please see )"
                                                R"(the application event log or use the command-line sxstrace.exe )"
                                                R"(tool for more detail.
  > install it | winget install Microsoft.VCRedist.2008.x64
CUD116 | note | /app/a.dll | Contoso.Widgets
  the manifest of a.dll needs the side-by-side assembly Contoso.Widgets, which is not found
  - not among the assemblies of a fresh Windows, nor in the directory of the file or of the program | table
  = Error 14001: The application has failed to start because its side-by-side configuration is incorrect. Please see )"
                                                R"(the application event log or use the command-line sxstrace.exe )"
                                                R"(tool for more detail.
  > install a package that provides the assembly, or a build without that manifest
)");
}

TEST_CASE("of the copies of a DLL those of its very name come first, and four are shown") {
  MemoryFileSystem files;
  files.add_file("/two/a.dll", pe({}));
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  auto report = made_report({made_object("/two/a.dll", *store.images.open("/two/a.dll").image)});
  report.resolution.windows = true;
  report.resolution.objects[0].edges = {made_edge("b_1.dll", EdgeStatus::missing)};
  report.resolution.targets[0].error = "b_1.dll is missing";
  report.query.environment.dll_path = {"/one", "/none", "C:\\full"};
  const auto told = [&] {
    report.findings.clear();
    made_findings(check_windows, report, files);
    std::string text = report.findings.at(0).message + "\n";
    for (const auto& each : report.findings[0].evidence) text += "- " + each.text + "\n";
    return text;
  };
  files.add_file("/C:\\full/b_9.dll", pe({}));  // which is no folder of Windows
  CHECK(told() == "b_1.dll is not found in any directory this load searches\n");
  for (const std::string name : {"b_2", "b_3", "b_4", "b_5", "b_6"}) files.add_file("/one/" + name + ".dll", pe({}));
  const std::string three =
      "- found instead: /one/b_2.dll\n- found instead: /one/b_3.dll\n- found instead: /one/b_4.dll\n";
  CHECK(told() ==
        "b_1.dll is not found; b_2.dll is, which has a different ABI\n" + three + "- found instead: /one/b_5.dll\n");
  files.add_file("/two/b_1.dll", pe({}));
  CHECK(told() == "b_1.dll is in /two, which this load does not search\n- is in /two/b_1.dll\n" + three);
}

}  // namespace
}  // namespace cudald
