// System32 answers for a DLL that others bring: CUD122.

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("onnxruntime.dll of Windows answers for that of a package, whose directory is not searched") {
  TestWorld world;
  const std::string module = pe({.imports = {{"onnxruntime.dll", {{"OrtGetApiBase"}}}}});
  world.files.add_file("/w/pkg-1.0-cp311-cp311-win_amd64.whl",
                       wheel_file({{"pkg/_C.pyd", module}, {"pkg/__init__.py", "from . import _C\n"}}));
  world.files.add_file(
      "/w/ort-1.0-cp311-cp311-win_amd64.whl",
      wheel_file({{"ort/capi/onnxruntime.dll", pe({.name = "onnxruntime.dll", .exports = {{"OrtGetApiBase", 1, ""}}})}},
                 "", "ort"));
  world.query.packages = {"/w/ort-1.0-cp311-cp311-win_amd64.whl"};
  const auto report = world.explain({"/w/pkg-1.0-cp311-cp311-win_amd64.whl"});
  CHECK(report.verdict == Verdict::risk);
  REQUIRE(findings(report) == "CUD122 warning _C.pyd: onnxruntime.dll\n");
  CHECK(report.findings[0].message ==
        "_C.pyd needs onnxruntime.dll, and Windows' own copy is loaded: C:\\Windows\\System32\\onnxruntime.dll");
  CHECK(report.findings[0].fixes[0].command ==
        "import os; os.add_dll_directory(r\"C:\\Python311\\Lib\\site-packages\\ort\\capi\")");
}

TEST_CASE("a copy that is found before System32 is the one that is meant") {
  TestWorld world;
  world.files.add_file("/d/a.dll", pe({.imports = {{"onnxruntime.dll", {{"OrtGetApiBase"}}}}}));
  world.files.add_file("/d/onnxruntime.dll", pe({.name = "onnxruntime.dll", .exports = {{"OrtGetApiBase", 1, ""}}}));
  CHECK(findings(world.explain({"/d/a.dll"})) == "");
}

}  // namespace
}  // namespace cudald
