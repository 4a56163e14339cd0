// The program, or a library of it, that should have what a plug-in misses.

#include "check/fixes/host_of_module.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// The findings about a plug-in that misses a function, of a program that has these.
Report report_on_plugin(const std::string& missing, const std::vector<ElfDefinition>& of_program,
                        const std::vector<ElfDefinition>& of_library = {}) {
  TestWorld world;
  auto spec = program({.needed = {"libhost.so.1"}, .defines = of_program});
  world.add("/opt/13/bin/app", spec);
  world.add("/lib/libhost.so.1", {.soname = "libhost.so.1", .defines = of_library});
  world.add("/opt/14/bin/app", program({.defines = {{.name = missing}}}));
  world.add("/opt/plugin.so", {.uses = {{.name = missing}, {.name = "app_open"}}});
  world.query.dlopens = {{"/opt/plugin.so"}};
  return world.explain({"/opt/13/bin/app"});
}

TEST_CASE("a plug-in that misses a function which begins like those of its program is made for another release") {
  const auto report = report_on_plugin("app_open_cold", {{.name = "app_open"}});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message.find("app, whose functions it uses, has app_open and not this one") !=
        std::string::npos);
  CHECK(says(report.findings[0], "/opt/14/bin/app has it"));
  const auto other = report_on_plugin("app_open_cold", {}, {{.name = "app_open"}});
  CHECK(other.findings.at(0).message.find("libhost.so.1, whose") != std::string::npos);
}

TEST_CASE("part of a word in common is chance, and so is a program of which it uses nothing") {
  CHECK(report_on_plugin("apply", {{.name = "app_open"}}).findings.at(0).message.find("whose functions") ==
        std::string::npos);
  CHECK(report_on_plugin("app_open_cold", {{.name = "app_close"}}).findings.at(0).message.find("whose functions") ==
        std::string::npos);
  CHECK(report_on_plugin("AppCreateExtended", {{.name = "app_open"}, {.name = "AppCreateInternal"}})
            .findings.at(0)
            .message.find("has AppCreateInternal") != std::string::npos);
}

TEST_CASE("the same file of other installations lies at the same place in a directory beside its own") {
  MemoryFileSystem files;
  for (const auto* path : {"/usr/lib/pg/13/bin/app", "/usr/lib/pg/14/bin/app", "/usr/lib/pg/14/lib/app",
                           "/usr/lib/libx.so.5.36", "/usr/lib/libx.so.5.34", "/usr/lib/libx.so"})
    files.add_file(path, "");
  ImageStore images(files);
  CHECK(in_other_installations("/usr/lib/pg/13/bin/app", images) == std::vector<std::string>{"/usr/lib/pg/14/bin/app"});
  CHECK(in_other_installations("/usr/lib/libx.so.5.36", images) == std::vector<std::string>{"/usr/lib/libx.so.5.34"});
}

TEST_CASE("a second library of the same functions is no help, and one of a plug-in beside it is loaded before") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libold.so.1"}}));
  world.add("/lib/libold.so.1", {.soname = "libold.so.1", .defines = {{.name = "lua_open"}}});
  world.add("/lib/libnew.so.1", {.soname = "libnew.so.1", .defines = {{.name = "lua_open"}, {.name = "lua_data"}}});
  world.add("/opt/plugin.so", {.uses = {{.name = "lua_data"}, {.name = "lua_open"}}});
  world.query.dlopens = {{"/opt/plugin.so"}};
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message.find("which libnew.so.1 defines, and not libold.so.1") != std::string::npos);
  CHECK(commands(report.findings[0]).find("patchelf") == std::string::npos);
}

}  // namespace
}  // namespace cudald
