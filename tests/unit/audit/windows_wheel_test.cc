#include "audit/windows_wheel.h"

#include "common/pe_builder.h"
#include "unit/audit/audited.h"

namespace cudald {
namespace {

std::string importing(const std::vector<std::string>& dlls, bool delayed = false) {
  PeSpec spec;
  for (const auto& dll : dlls) spec.imports.push_back({dll, {{"f"}}, delayed});
  return pe(spec);
}

/// "b.dll undeclared a.pyd", a line for each DLL from outside; what brings it in brackets.
std::string outside(const WheelReport& report) {
  std::string text;
  for (const auto& library : report.external) {
    text += library.name + " " + std::string(to_string(library.standing));
    for (const auto& package : library.packages) text += " [" + package + "]";
    for (const auto& member : library.members) text += " " + member;
    text += "\n";
  }
  return text;
}

TEST_CASE("DLLs from outside are told with who brings them, imported now or later") {
  const auto report =
      audit("win_amd64",
            {{"pkg/a.pyd", importing({"KERNEL32.dll", "python311.dll", "b.dll", "cudart64_12.dll", "none.dll"})},
             {"pkg/B.dll", importing({"kernel32.dll", "MSVCP140.dll", "api-ms-win-crt-heap-l1-1-0.dll"})},
             {"pkg/c.pyd", importing({"nvcuda.dll", "VCRUNTIME140.dll", "api-ms-win-none-l1-1-0.dll"}, true)},
             {"pkg/other.pyd", importing({"python310.dll"})}},
            "Requires-Dist: nvidia-cuda-runtime-cu12\nRequires-Dist: nvidia-cudnn-cu12; sys_platform == 'linux'\n");
  CHECK(outside(report) ==
        "api-ms-win-crt-heap-l1-1-0.dll promised pkg/B.dll\n"
        "api-ms-win-none-l1-1-0.dll undeclared pkg/c.pyd\n"
        "cudart64_12.dll required [nvidia-cuda-runtime-cu12] pkg/a.pyd\n"
        "kernel32.dll promised pkg/B.dll pkg/a.pyd\n"
        "MSVCP140.dll redistributable pkg/B.dll\n"
        "none.dll undeclared pkg/a.pyd\n"
        "nvcuda.dll driver pkg/c.pyd\n"
        "python310.dll python pkg/other.pyd\n"
        "python311.dll promised pkg/a.pyd\n"
        "VCRUNTIME140.dll promised pkg/c.pyd\n");
}

TEST_CASE("programs alone do not lie beside Python, whose DLLs are of no use to them") {
  PeSpec program{.characteristics = 0x22, .imports = {{"VCRUNTIME140.dll", {{"f"}}}, {"USER32.dll", {{"f"}}}}};
  const std::string script = "pkg-1.0.data/scripts/p.exe";
  CHECK(outside(audit("win_amd64", {{script, pe(program)}})) ==
        "USER32.dll promised " + script + "\nVCRUNTIME140.dll redistributable " + script + "\n");
  CHECK(outside(audit("win_amd64", {{script, pe(program)}, {"a.pyd", pe({})}})) ==
        "USER32.dll promised " + script + "\nVCRUNTIME140.dll promised " + script + "\n");
}

TEST_CASE("files for another machine than the tag's are left out, and a requirement that nobody knows may bring all") {
  PeSpec narrow;
  narrow.wide = false;
  narrow.machine = 0x14c;
  narrow.imports = {{"narrow.dll", {{"f"}}}};
  const Members members = {{"a.pyd", importing({"wide.dll"})}, {"helper.dll", pe(narrow)}};
  CHECK(outside(audit("win_amd64", members)) == "wide.dll undeclared a.pyd\n");
  CHECK(outside(audit("win32", members)) == "narrow.dll undeclared helper.dll\n");
  CHECK(outside(audit("win_amd64", members, "Requires-Dist: nobody-knows-this\n")) == "wide.dll possible a.pyd\n");
}

}  // namespace
}  // namespace cudald
