// What helps against a missing DLL.

#include <doctest/doctest.h>

#include "check/fixes/windows_fixes.h"
#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

const std::string find_site =
    "for /f \"usebackq delims=\" %i in (`python -c \"import sysconfig; print(sysconfig.get_path('purelib'))\"`) "
    "do set \"site=%i\"\n";

/// The commands that are offered, one after another, each ended by a line.
PeSpec needing(const std::vector<std::string>& dlls, bool program = false) {
  PeSpec spec;
  for (const auto& dll : dlls) spec.imports.push_back({dll, {{"f"}}});
  if (program) spec.characteristics = 0x22;
  return spec;
}

PeSpec having(const std::string& name) { return {.name = name, .exports = {{"f", 1, ""}}}; }

/// The report on a wheel whose module needs these DLLs.
Report on_module(const std::vector<std::string>& dlls,
                 const std::vector<std::pair<std::string, std::string>>& more = {}) {
  TestWorld world;
  std::vector<std::pair<std::string, std::string>> members = {{"pkg/_C.pyd", pe(needing(dlls))},
                                                              {"pkg/__init__.py", ""}};
  members.insert(members.end(), more.begin(), more.end());
  const std::string wheel = "/w/pkg-1.0-cp311-cp311-win_amd64.whl";
  world.files.add_file(wheel, wheel_file(members));
  return world.explain({wheel});
}

TEST_CASE("an extension module's folder is added in Python, a program's to PATH") {
  const auto module = on_module({"b.dll"}, {{"pkg/lib/b.dll", pe(having("b.dll"))}});
  REQUIRE(module.findings.size() == 1);
  REQUIRE(module.findings[0].code == "CUD111");
  CHECK(commands(module.findings[0])
            .starts_with("import os, sysconfig; site = sysconfig.get_path(\"purelib\"); os.add_dll_directory(site + "
                         "r\"\\pkg\\lib\")"));
  CHECK(says(module.findings[0], "not: adding the directory to PATH: Python 3.8 and later do not search PATH"));
}

TEST_CASE("the package that carries a DLL is installed, and its folder made known") {
  const auto module = on_module({"cudart64_12.dll"});
  REQUIRE(module.findings.size() == 1);
  CHECK(commands(module.findings[0])
            .starts_with("pip install nvidia-cuda-runtime-cu12\nRequires-Dist: nvidia-cuda-runtime-cu12>=12."));
  CHECK(says(module.findings[0],
             "it lands in site-packages\\nvidia\\cuda_runtime\\bin, where this load does not look; before "
             "the import: import os, sysconfig; site = "));

  TestWorld world;
  world.files.add_file("/app/app.exe", pe(needing({"cudart64_12.dll"}, true)));
  const auto program = world.explain({"/app/app.exe"});
  REQUIRE(program.findings.size() == 1);
  CHECK(commands(program.findings[0]) ==
        R"(pip install nvidia-cuda-runtime-cu12
)" + find_site +
            R"(set "PATH=%site%\nvidia\cuda_runtime\bin;%PATH%"
)");
}

TEST_CASE("against an API set that Windows does not have no folder helps") {
  const auto module = on_module({"api-ms-win-core-nothing-l1-1-0.dll"});
  REQUIRE(module.findings.size() == 1);
  CHECK(commands(module.findings[0]) == "\n");
  CHECK(module.findings[0].fixes[0].title.starts_with("a release of Windows that has the API set api-ms-win-core-n"));
  CHECK(all_words(module.findings[0]).find("add_dll_directory") == std::string::npos);
  CHECK(all_words(module.findings[0]).find("--dll-path") == std::string::npos);
}

TEST_CASE("of several packages that for the CUDA of the process is taken") {
  const auto twelve = on_module({"cudnn64_9.dll", "cudart64_12.dll"});
  REQUIRE(twelve.findings.size() == 2);
  CHECK(twelve.findings[0].fixes[0].title == "provides all 2 DLLs that _C.pyd misses");
  CHECK(commands(twelve.findings[0]).starts_with("pip install nvidia-cuda-runtime-cu12 nvidia-cudnn-cu12\n"));
  CHECK_FALSE(twelve.findings[1].fixes[0].title.starts_with("against"));
}

TEST_CASE("a file that cannot be loaded has to go; another ABI does not serve; what nobody knows is to be given") {
  TestWorld world;
  world.files.add_file("/app/app.exe", pe(needing({"b.dll"}, true)));
  world.files.add_file("/app/b.dll", "text");
  CHECK(world.explain({"/app/app.exe"}).findings[0].fixes[0].title ==
        "put a build for x86_64 (64-bit) in its place, or take the file out of the search");
  world.files.add_file("/app/app.exe", pe(needing({"b_2.dll"}, true)));
  world.files.add_file("/app/b_1.dll", pe(having("b_1.dll")));
  const auto other = world.explain({"/app/app.exe"});
  CHECK(says(other.findings[0], "not: copying b_1.dll to b_2.dll: it is another ABI"));
  CHECK(other.findings[0].fixes[0].title.starts_with(
      "install what app.exe belongs to again, as a whole: b_2.dll belongs beside it"));
}

TEST_CASE("what helps against a missing DLL, in full: for a module of Python and for a program") {
  CHECK(in_full(on_module({"b.dll"}, {{"pkg/lib/b.dll", pe(having("b.dll"))}})) ==
        R"(CUD111 | warning | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_C.pyd | b.dll
  b.dll is in C:\Python311\Lib\site-packages\pkg\lib, which this load does not search
  - is in pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/lib/b.dll | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/lib/b.dll | )"
        R"(proven
  = `import pkg` works; importing pkg._C raises ImportError.
  > in Python, before the import | import os, sysconfig; site = sysconfig.get_path("purelib"); )"
        R"(os.add_dll_directory(site + r"\pkg\lib"))"
        R"(
  ! adding the directory to PATH: Python 3.8 and later do not search PATH for what extension modules need
)");
  TestWorld world;
  world.files.add_file("/app/app.exe", pe(needing({"b.dll"}, true)));
  world.files.add_file("/app/other.dll", "");
  CHECK(in_full(world.explain({"/app/app.exe"})) == R"(CUD101 | error | /app/app.exe | b.dll
  b.dll is not found in any directory this load searches
  = The code execution cannot proceed because b.dll was not found. (0xc0000135)
  > install what app.exe belongs to again, as a whole: b.dll belongs beside it or in a directory of PATH )"
                                                    R"((--dll-path DIR names one to cudald)
)");
}

/// A module for Windows that lacks these DLLs, and what helps against the first one, made by hand.
struct MadeModule {
  explicit MadeModule(const std::vector<std::string>& dlls) {
    Object object;
    object.path = object.load_name = "/app/_C.pyd";
    for (const auto& dll : dlls) {
      Edge edge;
      edge.name = dll;
      object.edges.push_back(edge);
      Finding finding;
      finding.object = 0;
      finding.edge = report.findings.size();
      finding.subject = dll;
      report.findings.push_back(finding);
    }
    report.resolution.windows = true;
    report.resolution.objects = {object};
  }

  Edge& edge(std::size_t index) { return report.resolution.objects[0].edges[index]; }

  /// PATH is not searched, as by Python's imports.
  void limit(std::size_t index) {
    edge(index).search.skipped = {{SearchRule::path_variable, {}, "", "not used: the flags of the load", 0}};
  }
  void look_in(std::size_t index, const std::string& folder) {
    edge(index).search.probes.push_back(
        {folder + edge(index).name, SearchRule::user_folder, {}, ProbeResult::absent, ""});
  }

  std::string told(const std::vector<std::vector<NearDll>>& found = {}) {
    const MemoryFileSystem files;
    WindowsFixes fixes(report, "C:\\site-packages", files);
    for (std::size_t i = 0; i < report.findings.size(); ++i)
      if (report.findings[i].object)
        fixes.add_fixes(edge(i), nullptr, i < found.size() ? found[i] : std::vector<NearDll>(), report.findings[i]);
    fixes.add_common_fixes();
    std::string text;
    for (const auto& fix : report.findings.at(0).fixes)
      text += fix.title + " | " + fix.command + " | " + fix.side_effect + "\n";
    return text;
  }

  Report report;
};

TEST_CASE("where a package's DLL lands is searched or not, by PATH or only by what Python names") {
  const std::string name = "cudart64_12.dll", folder = "C:\\site-packages\\nvidia\\cuda_runtime\\bin\\";
  CHECK(MadeModule({name}).told() ==
        R"(nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
)" + find_site +
            R"(set "PATH=%site%\nvidia\cuda_runtime\bin;%PATH%" | it lands in )"
            R"(site-packages\nvidia\cuda_runtime\bin, where this load does not look
)");
  MadeModule limited({name});
  limited.limit(0);
  CHECK(limited.told() ==
        "nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12 | it lands in "
        "site-packages\\nvidia\\cuda_runtime\\bin, where this load does not look; before the import: import os, "
        "sysconfig; site = sysconfig.get_path(\"purelib\"); os.add_dll_directory(site + "
        "r\"\\nvidia\\cuda_runtime\\bin\")\n");
  MadeModule searched({name});
  searched.look_in(0, "C:\\SITE-packages\\nvidia\\cuda_runtime\\bin\\");
  const auto looks = searched.told();
  CHECK(looks ==
        "nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12 | it lands in "
        "site-packages\\nvidia\\cuda_runtime\\bin, where this load looks\n");
  MadeModule both({name});
  both.limit(0);
  both.look_in(0, folder);
  CHECK(both.told() == looks);
  // Passed over for another reason, it is no limit.
  MadeModule unset({name});
  unset.limit(0);
  unset.edge(0).search.skipped[0].reason = "not set";
  CHECK(unset.told() == MadeModule({name}).told());
  MadeModule other({name});
  other.limit(0);
  other.edge(0).search.skipped[0].rule = SearchRule::current_folder;
  CHECK(other.told() == MadeModule({name}).told());
}

TEST_CASE("one command against all DLLs that a file misses, by what each needs") {
  const std::string cudart = "cudart64_12.dll", cublas = "cublas64_12.dll";
  CHECK(MadeModule({cudart, cublas, "none.dll"}).told() ==
        R"(provides 2 of the 3 DLLs that _C.pyd misses | pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12
)" + find_site +
            R"(set "PATH=%site%\nvidia\cublas\bin;%site%\nvidia\cuda_runtime\bin;%PATH%" | PATH counts for )"
            R"(this console only
nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12
)" + find_site +
            R"(set "PATH=%site%\nvidia\cuda_runtime\bin;%PATH%" | it lands in )"
            R"(site-packages\nvidia\cuda_runtime\bin, where this load does not look
)");
  MadeModule limited({cudart, cublas});
  limited.limit(1);
  CHECK(limited.told().starts_with(
      "provides all 2 DLLs that _C.pyd misses | pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12 | before the "
      "import: import os, sysconfig; site = sysconfig.get_path(\"purelib\"); os.add_dll_directory(site + "
      "r\"\\nvidia\\cublas\\bin\"); os.add_dll_directory(site + r\"\\nvidia\\cuda_runtime\\bin\")\n"));
  // All in folders that are searched: nothing is said of folders.
  MadeModule searched({cudart, cublas});
  searched.look_in(0, "C:\\site-packages\\nvidia\\cuda_runtime\\bin\\");
  searched.look_in(1, "C:\\site-packages\\nvidia\\cublas\\bin\\");
  CHECK(searched.told() ==
        R"(provides all 2 DLLs that _C.pyd misses | pip install nvidia-cublas-cu12 nvidia-cuda-runtime-cu12 | 
nvidia-cuda-runtime-cu12 provides exactly this file | pip install nvidia-cuda-runtime-cu12 | it lands in )"
        R"(site-packages\nvidia\cuda_runtime\bin, where this load looks
)");
  // What is there is only to be found.
  MadeModule there({"a.dll", "b.dll", "c.dll"});
  CHECK(there.told({{{"/x/a.dll", "C:\\x", true}}, {{"/x/b.dll", "C:\\x", true}}, {{"/y/c.dll", "C:\\y", true}}}) ==
        R"(finds all 3 DLLs that _C.pyd misses | set "PATH=C:\x;C:\y;%PATH%" | PATH counts for this console only
for this console only | set "PATH=C:\x;%PATH%" | 
)");
  MadeModule one({"a.dll"});
  MadeModule closed({"a.dll", "b.dll"});
  closed.limit(0);
  closed.limit(1);
  CHECK(closed.told({{{"/x/a.dll", "C:\\x", true}}, {{"/y/b.dll", "C:\\y", true}}})
            .starts_with("in Python, before the import: finds all 2 DLLs that _C.pyd misses | import os; "
                         "os.add_dll_directory(r\"C:\\x\"); os.add_dll_directory(r\"C:\\y\") | \n"));
  CHECK(one.told({{{"/x/a.dll", "C:\\x", true}}}) == "for this console only | set \"PATH=C:\\x;%PATH%\" | \n");
}

TEST_CASE("findings that are about no search are none of the DLLs that a file misses") {
  MadeModule made({"cudart64_12.dll", "cublas64_12.dll"});
  for (const bool of_it : {true, false}) {
    Finding other;
    if (of_it) other.object = 0;
    if (!of_it) other.edge = 0;
    made.report.findings.push_back(other);
  }
  const MemoryFileSystem files;
  WindowsFixes fixes(made.report, "C:\\site-packages", files);
  for (std::size_t i = 0; i < 2; ++i) fixes.add_fixes(made.edge(i), nullptr, {}, made.report.findings[i]);
  fixes.add_common_fixes();
  CHECK(made.report.findings[0].fixes.at(0).title == "provides all 2 DLLs that _C.pyd misses");
}

TEST_CASE("one command that brings several DLLs is printed once") {
  MadeModule made({"d3dx9_43.dll", "msvcr120.dll", "xinput1_3.dll"});
  made.told();
  const auto& fixes = made.report.findings[0].fixes;
  CHECK(fixes.at(0).serves == std::vector<std::string>{"d3dx9_43.dll", "xinput1_3.dll"});
  CHECK(made.report.findings[1].fixes.at(0).serves.empty());
  MadeModule alone({"d3dx9_43.dll", "msvcr120.dll"});
  alone.told();
  CHECK(alone.report.findings[0].fixes.at(0).serves.empty());
}

TEST_CASE("who asks for several DLLs is named by its file and line") {
  for (const std::string folder : {"/venv/site-packages/torch/", "C:\\site-packages\\torch\\", ""}) {
    MadeModule made({"cudart64_12.dll", "cublas64_12.dll"});
    made.edge(0).asked_at = folder + "__init__.py:305";
    CHECK(made.told().starts_with("provides all 2 DLLs that __init__.py:305 misses | pip install "));
  }
}

TEST_CASE("a DLL of a program of its own kind comes with what the tables know, or with the program") {
  const auto title = [](const std::string& dll) {
    TestWorld world;
    world.files.add_file("/app/app.exe", pe(needing({dll}, true)));
    world.files.add_file("/app/mine2410.dll", "");
    return world.explain({"/app/app.exe"}).findings.at(0).fixes.at(0).title;
  };
  CHECK(title("mine2411.dll") == "take a package of app.exe whose DLLs are of the release that it was made with");
  CHECK(title("wpcap.dll").starts_with("install Npcap"));
  CHECK(title("libgcc_s_seh-1.dll").starts_with("copy it, with the other DLLs of the runtime"));
  CHECK(title("nvinfer_10.dll").starts_with("install it with pip"));
  CHECK(title("mine.dll") ==
        "install what app.exe belongs to again, as a whole: mine.dll belongs beside it or in a directory of PATH "
        "(--dll-path DIR names one to cudald)");
}

TEST_CASE("a program without any DLL beside it was taken out of what it came in") {
  TestWorld world;
  world.files.add_file("/Users/n/app.exe", pe(needing({"Qt5Core.dll"}, true)));
  const auto finding = world.explain({"/Users/n/app.exe"}).findings.at(0);
  CHECK(finding.message.ends_with("; no DLL at all is beside app.exe"));
  CHECK(finding.fixes.at(0).title ==
        "unpack or install all of what app.exe came in, and start it there: its DLLs belong beside it");
}

TEST_CASE("a runtime for another machine that was copied beside the program makes way for the installer's") {
  TestWorld world;
  world.query.sysroot = "/copy";
  world.files.add_file("/Windows/System32/kernel32.dll", pe(having("kernel32.dll")));
  world.files.add_file("/k/a.exe", pe(needing({"vcruntime140_1.dll"}, true)));
  auto other = having("vcruntime140_1.dll");
  other.machine = 0x14c;
  other.wide = false;
  world.files.add_file("/k/vcruntime140_1.dll", pe(other));
  CHECK(world.explain({"/k/a.exe"}).findings.at(0).fixes.at(0).command ==
        "ren \"C:\\k\\vcruntime140_1.dll\" \"vcruntime140_1.dll.off\"\nwinget install Microsoft.VCRedist.2015+.x64");
  // What a program brings along is put there again, for the machine of the program.
  world.files.add_file("/s/a.exe", pe(needing({"libeay32.dll"}, true)));
  world.files.add_file("/s/libeay32.dll", pe(other));
  const auto command = world.explain({"/s/a.exe"}).findings.at(0).fixes.at(0).command;
  CHECK(command.starts_with("ren \"C:\\s\\libeay32.dll\" \"libeay32.dll.off\"\ncurl -LO "));
  CHECK(command.ends_with("-x64_86-win64.zip\ncopy *eay32.dll \"C:\\s\""));
}

TEST_CASE("words of commands for Windows stand between double quotes") {
  const auto quoted = [](const std::string& command) {
    Report report;
    report.findings.emplace_back().fixes.push_back({"", command, ""});
    quote_for_windows(report);
    return report.findings[0].fixes[0].command;
  };
  CHECK(quoted("pip install 'numpy<2' 'a b'") == "pip install \"numpy<2\" \"a b\"");
  CHECK(quoted("python -c \"print('x')\" 'y'") == "python -c \"print('x')\" \"y\"");
  CHECK(quoted("Rscript -e 'f(\"x\")'") == "Rscript -e 'f(\"x\")'");
  CHECK(quoted("echo it's") == "echo it's");
}

}  // namespace
}  // namespace cudald
