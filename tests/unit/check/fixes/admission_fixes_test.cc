#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// A library with code.
ElfSpec library_with_code() {
  return {.soname = "liba.so",
          .segments = {{.type = PT_LOAD, .flags = PF_R | PF_X, .address = 0x200000, .alignment = 4096}}};
}

TEST_CASE("code on a file system that is mounted noexec is not mapped") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.files.add_file("/lib/liba.so", elf(library_with_code()), {.no_exec = true});
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) == "liba.so: failed to map segment from shared object\n");
  CHECK(findings(report) == "CUD112 error app: liba.so\n");
  CHECK(says(report.findings.front(), "mounted noexec"));
  CHECK(commands(report.findings.front()) == "sudo mount -o remount,exec \"$(findmnt -n -o TARGET -T /lib)\"\n\n");
  // The library itself, as a target.
  CHECK(outcome(world.explain({"/lib/liba.so"})) == "/lib/liba.so: failed to map segment from shared object\n");
  // A program the kernel refuses.
  world.files.add_file("/bin/noexec", elf(program({})), {.no_exec = true});
  CHECK(outcome(world.explain({"/bin/noexec"})) == "/bin/noexec: Permission denied\n");
}

TEST_CASE("a library that needs an executable stack is not opened since glibc 2.41") {
  TestWorld world;
  world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader("2.41"));
  auto app = program({});
  app.executable_stack = false;
  world.add("/bin/app", app);
  world.add("/lib/liba.so", {.executable_stack = true});
  world.query.dlopens = {{.name = "liba.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) ==
        "loads\nliba.so: cannot enable executable stack as shared object requires: Invalid argument\n");
  CHECK(findings(report) == "CUD112 error app: liba.so\n");
  CHECK(commands(report.findings.front()) ==
        "patchelf --clear-execstack /lib/liba.so\nexport GLIBC_TUNABLES=glibc.rtld.execstack=2\n\n");
  world.set("GLIBC_TUNABLES", "glibc.rtld.execstack=2");
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\nloads\n");
}

}  // namespace
}  // namespace cudald
