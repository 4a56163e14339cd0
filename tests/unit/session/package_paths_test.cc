#include <sstream>

#include <doctest/doctest.h>

#include <cudald/writers.h>

#include "common/wheel_file.h"
#include "common/world.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

TEST_CASE("what lies in a wheel is shown as its member, in every text of a report") {
  TestWorld world;
  const std::string wheel = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl",
                    shown = "pkg-1.0-cp311-cp311-linux_x86_64.whl!/";
  world.files.add_file(
      wheel,
      wheel_file({{"pkg/__init__.py", "try:\n  import absent\nexcept ImportError:\n  pass\nfrom . import _C\n"},
                  {"pkg/_C.so", elf({.runpath = "$ORIGIN/lib",
                                     .needed = {"liba.so", "libnone.so.1"},
                                     .needs_versions = {{"liba.so", {{"V1"}}}}})},
                  {"pkg/lib/liba.so", elf({.soname = "liba.so", .defines_versions = {"V2"}, .uses = {{"no_f"}}})},
                  {"other/libnone.so.1", elf({})}}));
  const auto report = world.explain({wheel});
  CHECK(objects(report).find("(a neutral Python)") == std::string::npos);
  CHECK(requests(report, shown + "pkg/_C.so").starts_with("liba.so: loaded by runpath\n"));
  CHECK(report.verdict == Verdict::fails);
  std::ostringstream text;
  write_json(report, false, text);
  CHECK(text.str().find(shown + "pkg/lib/liba.so") != std::string::npos);
  CHECK(text.str().find(shown + "pkg/__init__.py:2") != std::string::npos);
  CHECK(text.str().find(PackageTree::prefix) == std::string::npos);
}

TEST_CASE("a command that would have to reach into a wheel is not offered") {
  TestWorld world;
  const std::string wheel = "/dist/pkg-1.0-cp311-cp311-linux_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{"pkg/__init__.py", "from . import _C\n"},
                                          {"pkg/_C.so", elf({.needed = {"libx.so.1"}})},
                                          {"pkg/lib/libx.so.1", elf({})}}));
  const auto report = world.explain({wheel});
  REQUIRE(report.findings.size() == 1);
  for (const auto& fix : report.findings[0].fixes) CHECK(fix.command.find("patchelf") == std::string::npos);

  world.add("/opt/_C.so", {.needed = {"libx.so.1"}});
  world.add("/usr/local/cuda/lib64/libx.so.1", {});
  bool offered = false;
  const auto outside = world.explain({"/opt/_C.so"});
  REQUIRE(outside.findings.size() == 1);
  for (const auto& fix : outside.findings[0].fixes) offered |= fix.command.find("patchelf") != std::string::npos;
  CHECK(offered);
}

}  // namespace
}  // namespace cudald
