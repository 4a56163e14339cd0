// What helps against a missing DLL.

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/finding_text.h"

namespace cudald {
namespace {

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
  CHECK(commands(module.findings[0]).starts_with("import os; os.add_dll_directory(r\"C:\\"));
  CHECK(says(module.findings[0], "not: adding the folder to PATH: Python 3.8 and later do not search PATH"));
}

TEST_CASE("the package that carries a DLL is installed, and its folder made known") {
  const auto module = on_module({"cudart64_12.dll"});
  REQUIRE(module.findings.size() == 1);
  CHECK(commands(module.findings[0]) == "pip install nvidia-cuda-runtime-cu12\n");
  CHECK(says(module.findings[0], "where this load does not look; before the import, call os.add_dll_directory(r\""));

  TestWorld world;
  world.files.add_file("/app/app.exe", pe(needing({"cudart64_12.dll"}, true)));
  const auto program = world.explain({"/app/app.exe"});
  REQUIRE(program.findings.size() == 1);
  CHECK(commands(program.findings[0]).starts_with("pip install nvidia-cuda-runtime-cu12\nset \"PATH="));
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
  CHECK(twelve.findings[0].fixes[0].title == "against all 2 DLLs that _C.pyd misses");
  CHECK(commands(twelve.findings[0]).starts_with("pip install nvidia-cuda-runtime-cu12 nvidia-cudnn-cu12\n"));
  CHECK_FALSE(twelve.findings[1].fixes[0].title.starts_with("against"));
}

TEST_CASE("a file that cannot be loaded has to go; another ABI does not serve; what nobody knows is to be given") {
  TestWorld world;
  world.files.add_file("/app/app.exe", pe(needing({"b.dll"}, true)));
  world.files.add_file("/app/b.dll", "text");
  CHECK(world.explain({"/app/app.exe"}).findings[0].fixes[0].title ==
        "put a build for this machine in its place, or take the file out of the search");
  world.files.add_file("/app/app.exe", pe(needing({"b_2.dll"}, true)));
  world.files.add_file("/app/b_1.dll", pe(having("b_1.dll")));
  const auto other = world.explain({"/app/app.exe"});
  CHECK(says(other.findings[0], "not: copying b_1.dll to b_2.dll: it is another ABI"));
  CHECK(other.findings[0].fixes[0].title.starts_with("install what carries b_2.dll, and give it to cudald as well"));
}

TEST_CASE("what helps against a missing DLL, in full: for a module of Python and for a program") {
  CHECK(in_full(on_module({"b.dll"}, {{"pkg/lib/b.dll", pe(having("b.dll"))}})) ==
        R"(CUD111 | warning | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/_C.pyd | b.dll
  b.dll lies in C:\Python311\Lib\site-packages\pkg\lib, which this load does not search
  - lies in pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/lib/b.dll | pkg-1.0-cp311-cp311-win_amd64.whl!/pkg/lib/b.dll | )"
        R"(proven
  = `import pkg` does not come to pkg._C; whoever imports that module gets ImportError.
  > in Python, before the import | import os; os.add_dll_directory(r"C:\Python311\Lib\site-packages\pkg\lib")
  ! adding the folder to PATH: Python 3.8 and later do not search PATH for what extension modules need
)");
  TestWorld world;
  world.files.add_file("/app/app.exe", pe(needing({"b.dll"}, true)));
  world.files.add_file("/app/lib/b.dll", pe(having("b.dll")));
  CHECK(in_full(world.explain({"/app/app.exe"})) == R"(CUD101 | error | /app/app.exe | b.dll
  b.dll is nowhere this load looks
  = The code execution cannot proceed because b.dll was not found. (0xc0000135)
  > install what carries b.dll, and give it to cudald as well: --with WHEEL, or --dll-path DIR for a folder of PATH
)");
}

}  // namespace
}  // namespace cudald
