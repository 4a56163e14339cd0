#include "session/proven_fixes.h"

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

std::string commands_of(const Report& report) {
  std::string text;
  for (const auto& fix : report.findings.at(0).fixes)
    if (!fix.command.empty()) text += fix.command + "\n";
  return text;
}

/// A program beside an older libs.so.6, which LD_LIBRARY_PATH leads to, and perhaps to what else it needs.
Report with_older_copy(std::vector<std::string> needed) {
  TestWorld world;
  needed.insert(needed.begin(), "libs.so.6");
  ElfSpec app;
  app.needed.assign(needed.begin(), needed.end());
  app.needs_versions = {{"libs.so.6", {{"V2"}}}};
  world.add("/env/bin/app", program(app));
  world.add("/env/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1"}});
  world.add("/env/lib/libown.so", {.soname = "libown.so"});
  world.add("/usr/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1", "V2"}});
  world.set("LD_LIBRARY_PATH", "/env/lib");
  return world.explain({"/env/bin/app"});
}

TEST_CASE("a variable is not unset where it leads to what the program needs") {
  const std::string preload = "export LD_PRELOAD=/usr/lib/libs.so.6${LD_PRELOAD:+:$LD_PRELOAD}\n";
  CHECK(commands_of(with_older_copy({})) == "unset LD_LIBRARY_PATH\n" + preload);
  CHECK(commands_of(with_older_copy({"libown.so"})) == preload);
}

TEST_CASE("an older copy that the program brought along is moved away, if the other one serves") {
  const auto told = [](bool newer) {
    TestWorld world;
    ElfSpec app;
    app.needed = {"libs.so.6"};
    app.needs_versions = {{"libs.so.6", {{"V2"}}}};
    world.add("/srv/game/app", program(app));
    world.add("/srv/game/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1"}});
    world.add("/usr/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1", newer ? "V2" : "V0"}});
    world.set("LD_LIBRARY_PATH", "/srv/game");
    return commands_of(world.explain({"/srv/game/app"}));
  };
  CHECK(told(true).starts_with("mv /srv/game/libs.so.6 /srv/game/libs.so.6.old\n"));
  CHECK(told(false).empty());
}

TEST_CASE("a copy is put where the load looks, and what answers from System32 is moved only where that helps") {
  TestWorld world;
  world.query.sysroot = "/copy";
  const auto dll = [&](const std::string& path, std::vector<ExportedFunction> exports) {
    world.files.add_file(path, pe({.name = std::string(file_name(path)), .exports = std::move(exports)}));
  };
  dll("/Windows/System32/kernel32.dll", {{"k", 1, ""}});
  PeSpec app{.characteristics = 0x22, .imports = {{"b.dll", {{"f"}, {"g"}}}}};
  world.files.add_file("/d/app.exe", pe(app));
  dll("/Windows/System32/b.dll", {{"f", 1, ""}});
  dll("/d/lib/b.dll", {{"f", 1, ""}, {"g", 2, ""}});
  const std::string copy = "copy \"C:\\d\\lib\\b.dll\" \"C:\\d\"\n",
                    ren = "ren \"C:\\Windows\\System32\\b.dll\" \"b.dll.off\"\n";
  CHECK(commands_of(world.explain({"/d/app.exe"})) == copy);
  world.query.environment.dll_path = {"C:\\d\\lib"};
  CHECK(commands_of(world.explain({"/d/app.exe"})) == copy + ren);
}

TEST_CASE("what helps is kept, with what cannot be tried") {
  TestWorld world;
  world.add("/opt/app", program({.needed = {"libx.so.1"}}));
  world.add("/opt/lib/libx.so.1", {});
  const auto report = world.explain({"/opt/app"});
  CHECK(commands_of(report) ==
        "export LD_LIBRARY_PATH=/opt/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n"
        "patchelf --add-rpath '$ORIGIN/lib' /opt/app\n");
}

TEST_CASE("a fix that leads one step further, to what is missing next, is kept") {
  TestWorld world;
  world.add("/opt/app", program({.needed = {"libx.so.1"}}));
  world.add("/opt/lib/libx.so.1", {.needed = {"libgone.so.1"}});
  const auto report = world.explain({"/opt/app"});
  CHECK(commands_of(report).starts_with("export LD_LIBRARY_PATH=/opt/lib"));
  CHECK(report.headline.ends_with("; once it is found, libgone.so.1 is missing"));
}

TEST_CASE("without fixes nothing is tried") {
  TestWorld world;
  world.query.fixes = false;
  world.add("/opt/app", program({.needed = {"libx.so.1"}}));
  const auto report = world.explain({"/opt/app"});
  CHECK(report.verdict == Verdict::fails);
}

TEST_CASE("a library that only the message names is opened by the program alone, not once more in a trial") {
  TestWorld world;
  ElfSpec app;
  app.needed = {"libs.so.6"};
  app.needs_versions = {{"libs.so.6", {{"V2"}}}};
  world.add("/env/bin/app", program(app));
  world.add("/env/lib/libs.so.6", {.soname = "libs.so.6", .needed = {"libgone.so"}, .defines_versions = {"V1"}});
  world.add("/usr/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1", "V2"}});
  world.set("LD_LIBRARY_PATH", "/env/lib");
  const auto told = [&] {
    const auto report = world.explain({"/env/bin/app"});
    std::string text;
    for (const auto& finding : report.findings)
      for (const auto& fix : finding.fixes) text += fix.command + "\n";
    return text.find("unset LD_LIBRARY_PATH\n") != std::string::npos;
  };
  CHECK(told());
  world.query.message = MessageReading();
  world.query.message->text = "app: /env/lib/libs.so.6: version `V2' not found";
  world.query.dlopens = {{"/env/lib/libs.so.6"}};
  CHECK(told());
}

}  // namespace
}  // namespace cudald
