// A C++ runtime that is older than a compiler: CUD121.

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

constexpr std::uint64_t version_of(std::uint64_t minor) { return (std::uint64_t{14} << 48) | (minor << 32); }

/// The file, as a linker of this version writes it.
std::string linked(const PeSpec& spec, char major, char minor) {
  auto built = build_pe(spec);
  const auto at = built.at.at("optional header");
  built.bytes[at + 2] = major;
  built.bytes[at + 3] = minor;
  return built.bytes;
}

/// The findings on a DLL that locks mutexes, beside an msvcp140.dll of this version.
Report locking(char major, char minor, std::uint64_t runtime, bool sets_up = false) {
  TestWorld world;
  PeImportSpec import{"MSVCP140.dll", {{"_Mtx_lock"}}};
  if (sets_up) import.functions.push_back({"_Mtx_init_in_situ"});
  world.files.add_file("/d/a.dll", linked({.imports = {import}}, major, minor));
  world.files.add_file("/d/msvcp140.dll",
                       pe({.name = "msvcp140.dll",
                           .exports = {{"_Mtx_init_in_situ", 1, ""}, {"_Mtx_lock", 2, ""}},
                           .resources = {{16, 1, version_resource(version_of(runtime), version_of(runtime))}}}));
  return world.explain({"/d/a.dll"});
}

TEST_CASE("std::mutex of toolset 14.40 and later needs an msvcp140.dll of its time") {
  const auto report = locking(14, 44, 29);
  REQUIRE(findings(report) == "CUD121 warning a.dll: msvcp140.dll\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message ==
        "a.dll is built with Visual C++ 14.44, and the msvcp140.dll that is loaded, "
        R"(Z:\d\MSVCP140.dll, is 14.29.0.0: std::mutex crashes)");
  CHECK(says(report.findings[0], "the msvcp140.dll that answers is Z:\\d\\MSVCP140.dll"));
  CHECK(commands(report.findings[0]) ==
        "ren \"Z:\\d\\MSVCP140.dll\" \"MSVCP140.dll.off\"\nwinget install Microsoft.VCRedist.2015+.x64\n\n");
}

TEST_CASE("an older compiler, a newer runtime, another linker, and mutexes that are set up are no reason") {
  CHECK(findings(locking(14, 39, 29)) == "");
  CHECK(findings(locking(14, 44, 40)) == "");
  CHECK(findings(locking(2, 44, 29)) == "");
  CHECK(findings(locking(14, 44, 29, true)) == "");
}

}  // namespace
}  // namespace cudald
