#include "audit/windows_wheel.h"

#include <cstdint>
#include <string>
#include <vector>

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

TEST_CASE("the machine of the tag counts, of several the first that is of Windows, else that of the first file") {
  const auto of = [](std::uint16_t machine, bool wide) {
    PeSpec spec;
    spec.wide = wide;
    spec.machine = machine;
    spec.imports = {{"m" + std::to_string(machine) + ".dll", {{"f"}}}};
    return pe(spec);
  };
  const Members members = {{"a.pyd", of(0x8664, true)}, {"b.pyd", of(0xaa64, true)}, {"c.pyd", of(0x14c, false)}};
  CHECK(outside(audit("win_amd64", members)) == "m34404.dll undeclared a.pyd\n");
  CHECK(outside(audit("win_arm64", members)) == "m43620.dll undeclared b.pyd\n");
  CHECK(outside(audit("win32", members)) == "m332.dll undeclared c.pyd\n");
  CHECK(outside(audit("win_arm64.win_amd64", members)) == "m43620.dll undeclared b.pyd\n");
  CHECK(outside(audit("win_amd64.win_arm64", members)) == "m34404.dll undeclared a.pyd\n");
  CHECK(outside(audit("linux_x86_64.win32", members)) == "m332.dll undeclared c.pyd\n");
  CHECK(outside(audit("any", members)) == "m34404.dll undeclared a.pyd\n");
  CHECK(audit("win_arm64", members).windows_tag == "win_arm64");
  CHECK(audit("any", members).windows_tag == "win_amd64");
  CHECK(audit("any", members).windows_files == std::vector<std::string>{"a.pyd", "b.pyd", "c.pyd"});
  CHECK(audit("win_arm64", members).fitting_tag() == "win_arm64");
  CHECK(audit("any", {{"c.pyd", of(0x14c, false)}}).windows_tag == "win32");
  CHECK(audit("any", {{"d.pyd", of(0x1c4, false)}}).fitting_tag() == "win_arm");
}

TEST_CASE("a wheel is for another machine if none of its modules fits its tags; programs and other DLLs do not count") {
  const auto of = [](std::uint16_t machine, bool wide) {
    PeSpec spec;
    spec.wide = wide;
    spec.machine = machine;
    return pe(spec);
  };
  const auto amd64 = of(0x8664, true), arm64 = of(0xaa64, true), x86 = of(0x14c, false);
  CHECK(audit("win_arm64", {{"a.pyd", amd64}}).is_for_other_machine());
  CHECK(audit("win_arm64", {{"a.pyd", amd64}}).windows_module_tags == std::vector<std::string>{"win_amd64"});
  CHECK(audit("win_amd64", {{"A.PYD", x86}, {"b.dll", amd64}}).is_for_other_machine());
  CHECK_FALSE(audit("win_arm64", {{"a.pyd", amd64}, {"b.pyd", arm64}}).is_for_other_machine());
  CHECK_FALSE(audit("win_arm64", {{"a.dll", amd64}, {"p.exe", amd64}}).is_for_other_machine());
  CHECK_FALSE(audit("win_amd64.win_arm64", {{"a.pyd", amd64}}).is_for_other_machine());
  CHECK_FALSE(audit("any", {{"a.pyd", amd64}}).is_for_other_machine());
  CHECK_FALSE(audit("win32.linux_x86_64", {{"a.pyd", amd64}}).is_for_other_machine());
}

TEST_CASE("requirements for a machine count for its tag") {
  const std::string metadata = "Requires-Dist: nvidia-cuda-runtime-cu12; platform_machine == 'ARM64'\n";
  const auto standing = [&](const std::string& tag, std::uint16_t machine, bool wide) {
    PeSpec spec;
    spec.wide = wide;
    spec.machine = machine;
    spec.imports = {{"cudart64_12.dll", {{"f"}}}};
    return outside(audit(tag, {{"a.pyd", pe(spec)}}, metadata));
  };
  CHECK(standing("win_arm64", 0xaa64, true) == "cudart64_12.dll required [nvidia-cuda-runtime-cu12] a.pyd\n");
  CHECK(standing("win_amd64", 0x8664, true) == "cudart64_12.dll undeclared a.pyd\n");
  CHECK(standing("win32", 0x14c, false) == "cudart64_12.dll undeclared a.pyd\n");
}

TEST_CASE("each machine of Windows has its name in markers, and the first tag counts") {
  const auto packages = [](const std::string& tag, std::uint16_t machine, bool wide) {
    PeSpec spec;
    spec.wide = wide;
    spec.machine = machine;
    spec.imports = {{"cudart64_12.dll", {{"f"}}}, {"cudart64_110.dll", {{"f"}}}};
    return outside(audit(tag, {{"a.pyd", pe(spec)}},
                         "Requires-Dist: nvidia-cuda-runtime-cu12; platform_machine == 'AMD64'\n"
                         "Requires-Dist: nvidia-cuda-runtime-cu11; platform_machine == 'x86'\n"));
  };
  CHECK(packages("win_amd64", 0x8664, true) ==
        "cudart64_110.dll undeclared a.pyd\ncudart64_12.dll required [nvidia-cuda-runtime-cu12] a.pyd\n");
  CHECK(packages("win32", 0x14c, false) ==
        "cudart64_110.dll required [nvidia-cuda-runtime-cu11] a.pyd\ncudart64_12.dll undeclared a.pyd\n");
  CHECK(packages("win_arm64", 0xaa64, true) == "cudart64_110.dll undeclared a.pyd\ncudart64_12.dll undeclared a.pyd\n");
}

TEST_CASE("a DLL of Windows is promised, whether it is a known one or lies in System32 alone") {
  CHECK(outside(audit("win_amd64", {{"a.pyd", importing({"dbghelp.dll", "bcrypt.dll", "USER32.dll"})}})) ==
        "bcrypt.dll promised a.pyd\ndbghelp.dll promised a.pyd\nUSER32.dll promised a.pyd\n");
}

TEST_CASE("a DLL that only begins like Python's is nobody's, and a member is named once") {
  CHECK(outside(audit("win_amd64", {{"a.pyd", importing({"python3", "python3x.exe", "python39.dll", "x.dll", "X.dll"})},
                                    {"b.dll", importing({"x.dll", "A.PYD", "b.dll"})},
                                    {"c.pyd", "no file"}})) ==
        "python3 undeclared a.pyd\npython39.dll python a.pyd\npython3x.exe undeclared a.pyd\nx.dll undeclared a.pyd "
        "b.dll\n");
}

TEST_CASE("a wheel for several Pythons has the DLLs of each, one for one Python its own alone") {
  const auto standings = [](const std::string& python_and_abi) {
    TestWorld world;
    const auto path = "/dist/pkg-1.0-" + python_and_abi + "-win_amd64.whl";
    world.files.add_file(path,
                         wheel_file({{"pkg/a.pyd", importing({"python3.dll", "python39.dll", "python311.dll"})}}));
    Session session(world.files);
    const auto report = session.wheel(path);
    REQUIRE(report.has_value());
    std::string told;
    for (const auto& library : report->external) told += std::string(to_string(library.standing)) + " ";
    return told;
  };
  CHECK(standings("py3-none") == "promised promised promised ");
  CHECK(standings("cp311-abi3") == "promised promised promised ");
  CHECK(standings("cp311.cp312-none") == "promised promised promised ");
  CHECK(standings("cp311-cp311") == "promised promised python ");
  CHECK(standings("cp39-cp39") == "promised python promised ");
  CHECK(standings("pp311-pp311") == "promised promised promised ");
}

TEST_CASE("no requirement brings what looks like Windows' own") {
  CHECK(outside(audit("win_amd64", {{"a.pyd", importing({"api-ms-win-none-l1-1-0.dll", "other.dll"})}},
                      "Requires-Dist: nobody-knows-this\n")) ==
        "api-ms-win-none-l1-1-0.dll undeclared a.pyd\nother.dll possible a.pyd\n");
}

}  // namespace
}  // namespace cudald
