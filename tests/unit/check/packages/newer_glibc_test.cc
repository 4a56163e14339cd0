// CUD124: what loads with the glibc of a tag, and not with newer ones.

#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

Report judged(const ElfSpec& module, std::optional<LibcVersion> libc = {}) {
  TestWorld world;
  const std::string wheel = "/w/demo-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  world.files.add_file(wheel, wheel_file({{"demo/__init__.py", "from . import m\n"},
                                          {"demo/m.cpython-311-x86_64-linux-gnu.so", elf(module)}},
                                         "", "demo"));
  world.query.environment.libc = libc;
  return world.explain({wheel});
}

TEST_CASE("a module that needs an executable stack does not load on every machine of its tag") {
  ElfSpec module{.defines = {{"PyInit_m"}}, .executable_stack = true};
  const auto report = judged(module);
  CHECK(report.verdict == Verdict::risk);
  CHECK(findings(report).find("CUD124 warning") != std::string::npos);
  CHECK(judged(module, LibcVersion{LibcKind::glibc, 2, 41}).verdict == Verdict::fails);
  module.executable_stack = false;
  CHECK(judged(module).verdict == Verdict::loads);
}

}  // namespace
}  // namespace cudald
