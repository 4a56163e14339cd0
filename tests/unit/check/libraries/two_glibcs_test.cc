// CUD201 of symbols that the parts of glibc have for one another.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// A program with a libc.so.6 of glibc 2.36 that opens a module, whose search leads to another system's libpthread.
TestWorld with_module(const std::string& missing, const ElfSpec& module) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libc.so.6"}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6",
                               .defines_versions = {"GLIBC_2.2.5", "GLIBC_2.36", "GLIBC_PRIVATE"},
                               .defines = {{"malloc", "GLIBC_2.2.5"}}});
  world.add("/snap/lib/libpthread.so.0", {.soname = "libpthread.so.0",
                                          .needed = {"libc.so.6"},
                                          .needs_versions = {{"libc.so.6", {{"GLIBC_PRIVATE"}}}},
                                          .defines_versions = {"GLIBC_2.2.5", "GLIBC_2.31"},
                                          .uses = {{missing, ElfUse::call, "GLIBC_PRIVATE"}}});
  world.add("/opt/module.so", module);
  world.query.dlopens = {{.name = "/opt/module.so"}};
  return world;
}

TEST_CASE("a part of another glibc ends the process, and its directory leaves the search path") {
  auto world = with_module("__libc_pthread_init", {.runpath = "$ORIGIN/x:/snap/lib", .needed = {"libpthread.so.0"}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error libpthread.so.0: __libc_pthread_init\n");
  CHECK(report.verdict == Verdict::fails);
  const auto& finding = report.findings[0];
  CHECK(finding.message ==
        "libpthread.so.0 (glibc 2.31) belongs to another glibc than libc.so.6 (glibc 2.36): parts of two glibcs do not "
        "work in one process");
  CHECK(says(finding, "module.so finds it in /snap/lib (runpath)"));
  CHECK(commands(finding) == "patchelf --set-rpath '$ORIGIN/x' /opt/module.so\n\n");
  CHECK(says(finding, "GTK_PATH"));
}

TEST_CASE("what a part calls later only is a risk, and LD_LIBRARY_PATH is unset where it leads there") {
  auto world = with_module("__libc_dlopen_mode", {.needed = {"libpthread.so.0"}});
  world.set("LD_LIBRARY_PATH", "/snap/lib");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.at(0).code == "CUD201");
  CHECK(report.verdict == Verdict::risk);
  CHECK(commands(report.findings[0]) == "unset LD_LIBRARY_PATH\n\n");
}

TEST_CASE("a variable that is set and leads to modules of the same system is the one to unset") {
  auto world = with_module("__libc_pthread_init", {.needed = {"libpthread.so.0"}});
  world.query.dlopens = {{.name = "/snap/lib/libpthread.so.0"}};
  world.set("GTK_PATH", "/usr/lib/gtk:/snap/code/1/gtk-3.0:/snap/code/1/gtk-2.0");
  world.set("GIO_MODULE_DIR", "/snap/code/1/gio");
  world.set("QT_PLUGIN_PATH", "/usr/lib/qt5/plugins");
  world.set("PATH", "/snap/bin");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.at(0).code == "CUD201");
  CHECK(commands(report.findings[0]) == "unset GTK_PATH GIO_MODULE_DIR\n");
  CHECK(says(report.findings[0], "GTK_PATH and GIO_MODULE_DIR lead to modules of another system, in /snap/"));
}

}  // namespace
}  // namespace cudald
