// CUD201 where a library that nothing loads has the symbol.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/machine/cache_file.h"

namespace cudald {
namespace {

TEST_CASE("a library beside the file that it was not linked with is named, and becomes a dependency") {
  for (const std::string folder : {"/opt/x", "/opt/x/lib", "/opt/lib64", "/opt/pk.libs"}) {
    CAPTURE(folder);
    TestWorld world;
    world.add("/opt/x/app", program({.uses = {{"f"}, {"g"}}}));
    world.add(folder + "/libdef.so.1", {.soname = "libdef.so.1", .defines = {{"f"}}});
    const auto report = world.explain({"/opt/x/app"});
    REQUIRE(findings(report) == "CUD201 error app: f\n");
    CHECK(report.findings[0].message == "app needs 2 symbols, which libdef.so.1 defines, but nothing loads that file");
    CHECK(says(report.findings[0], folder + "/libdef.so.1 defines 1 of 2 missing symbols"));
    const auto origin = folder == "/opt/x" ? "" : folder == "/opt/x/lib" ? "/lib" : "/.." + folder.substr(4);
    CHECK(commands(report.findings[0]) ==
          "patchelf --add-needed libdef.so.1 /opt/x/app\npatchelf --add-rpath '$ORIGIN" + origin + "' /opt/x/app\n");
  }
}

TEST_CASE("one of the system is found by the loader's own search: no search path is added") {
  TestWorld world;
  world.add("/opt/x/app", program({.needed = {"libc.so.6"}, .uses = {{"cos"}}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.add("/lib/libm.so.6", {.soname = "libm.so.6", .defines = {{"cos"}}});
  CHECK(commands(world.explain({"/opt/x/app"}).findings.at(0)) == "patchelf --add-needed libm.so.6 /opt/x/app\n");
}

TEST_CASE("another copy of a library that is loaded has to be found first") {
  TestWorld world;
  world.add("/opt/x/app", program({.needed = {"liba.so.1"}, .uses = {{"f"}}}));
  world.add("/lib/liba.so.1", {.soname = "liba.so.1"});
  world.add("/opt/lib/liba.so.1", {.soname = "liba.so.1", .defines = {{"f"}}});
  const auto report = world.explain({"/opt/x/app"});
  CHECK(says(report.findings.at(0), "/lib/liba.so.1 is the copy that loads, and lacks it"));
  CHECK(commands(report.findings[0]) == "export LD_LIBRARY_PATH=/opt/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n");
  world.set("LD_LIBRARY_PATH", "/opt/lib");
  CHECK(world.explain({"/opt/x/app"}).verdict == Verdict::loads);
}

TEST_CASE("a copy that is found by DT_RPATH comes before LD_LIBRARY_PATH: the other is preloaded") {
  TestWorld world;
  world.add("/opt/x/app", program({.rpath = "/opt/x/lib", .needed = {"liba.so.1"}, .uses = {{"f"}}}));
  world.add("/opt/x/lib/liba.so.1", {.soname = "liba.so.1"});
  world.add("/lib/liba.so.1", {.soname = "liba.so.1", .defines = {{"f"}}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.add("/opt/x/app", program({.rpath = "/opt/x/lib", .needed = {"liba.so.1", "libc.so.6"}, .uses = {{"f"}}}));
  CHECK(commands(world.explain({"/opt/x/app"}).findings.at(0)) ==
        "export LD_PRELOAD=/lib/liba.so.1${LD_PRELOAD:+:$LD_PRELOAD}\n\n");
  world.set("LD_PRELOAD", "/lib/liba.so.1");
  CHECK(world.explain({"/opt/x/app"}).verdict == Verdict::loads);
}

TEST_CASE("a copy with a function of C++ comes before other functions of its namespace") {
  TestWorld world;
  const std::string wanted = "_ZN7QEngine5glyphEi", other = "_ZN7QEngine4typeEv";
  world.add("/app/run", program({.runpath = "$ORIGIN", .needed = {"libGui.so.5", "libc.so.6"}}));
  world.add("/app/libGui.so.5", {.soname = "libGui.so.5", .defines = {{other}}});
  world.add("/usr/lib/libGui.so.5", {.soname = "libGui.so.5", .defines = {{other}, {wanted}}});
  world.add("/plug/libqxcb.so", {.runpath = "/usr/lib", .needed = {"libGui.so.5"}, .uses = {{wanted}}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  world.query.dlopens = {{.name = "/plug/libqxcb.so"}};
  const auto report = world.explain({"/app/run"});
  CHECK(says(report.findings.at(0), "/app/libGui.so.5 is the copy that loads, and lacks it"));
  CHECK(commands(report.findings[0]) == "export LD_LIBRARY_PATH=/usr/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n");
}

TEST_CASE("of two libraries that define all, the one is meant that every system has") {
  TestWorld world;
  world.add("/opt/x/app", program({.needed = {"libc.so.6"}, .uses = {{"_ZTVN10__cxxabiv117__class_type_infoE"}}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  for (const auto* name : {"libc++abi.so.1", "libstdc++.so.6"})
    world.add(std::string("/lib/") + name, {.soname = name, .defines = {{"_ZTVN10__cxxabiv117__class_type_infoE"}}});
  CHECK(commands(world.explain({"/opt/x/app"}).findings.at(0)) == "patchelf --add-needed libstdc++.so.6 /opt/x/app\n");
}

TEST_CASE("where no library has the symbol, nothing is offered") {
  TestWorld world;
  world.add("/opt/x/app", program({.uses = {{"f"}}}));
  world.add("/opt/x/libdef.so.1", {.soname = "libdef.so.1", .defines = {{"h"}}});
  const auto report = world.explain({"/opt/x/app"});
  CHECK(report.findings.at(0).message == "app needs the symbol f, which nothing in the process defines");
  CHECK(report.findings[0].fixes.empty());
}

TEST_CASE("the copy that the file's own search finds, where another one was loaded before") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/usr/local/lib/R/libR.so", {.soname = "libR.so"});
  world.add("/opt/R/lib/libR.so", {.soname = "libR.so", .defines = {{"f"}}});
  world.add("/opt/m/m.so", {.runpath = "/opt/R/lib", .needed = {"libR.so"}, .uses = {{"f"}}});
  world.query.dlopens = {{.name = "/usr/local/lib/R/libR.so"}, {.name = "/opt/m/m.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(report.findings.at(0).message ==
        "m.so needs the symbol f, which /opt/R/lib/libR.so defines, but not the copy that loads, "
        "/usr/local/lib/R/libR.so");
  CHECK(says(report.findings[0], "export LD_PRELOAD=/opt/R/lib/libR.so"));
  world.set("LD_PRELOAD", "/opt/R/lib/libR.so");
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::loads);
}

TEST_CASE("a copy in another directory of the system is found, also where nothing else of it is loaded") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so.4"}, .uses = {{"f"}}}));
  world.add("/usr/lib/liba.so.4", {.soname = "liba.so.4"});
  world.add("/usr/local/lib/liba.so.4", {.soname = "liba.so.4", .defines = {{"f"}}});
  CHECK(says(world.explain({"/bin/app"}).findings.at(0), "export LD_LIBRARY_PATH=/usr/local/lib"));
}

TEST_CASE("an older copy under the name of a link: the link leads to the file that has the function") {
  TestWorld world;
  const DlopenRequest library{.name = "libpy.so.1", .traits = {.global = true}};
  world.add("/bin/app", program({}));
  world.add("/usr/lib/libpy.so.1", {.soname = "libpy.so.1.0", .defines = {{"old"}}});
  world.add("/usr/lib/libpy.so.1.0", {.soname = "libpy.so.1.0", .defines = {{"old"}, {"f"}}});
  world.add("/opt/m.so", {.uses = {{"f"}, {"old"}}});
  world.query.dlopens = {library, {.name = "/opt/m.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(report.findings.at(0).message ==
        "m.so needs the symbol f, which /usr/lib/libpy.so.1.0 defines, but not the copy that loads, "
        "/usr/lib/libpy.so.1");
  CHECK(commands(report.findings[0]) == "sudo ln -sf libpy.so.1.0 /usr/lib/libpy.so.1\n");
  // The other way round the file of that name is the older one.
  world.add("/usr/lib/libpy.so.1", {.soname = "libpy.so.1", .defines = {{"old"}, {"f"}}});
  world.add("/usr/lib/libpy.so.1.0", {.soname = "libpy.so.1", .defines = {{"old"}}});
  world.query.dlopens[0].name = "libpy.so.1.0";
  CHECK(commands(world.explain({"/bin/app"}).findings.at(0)) == "sudo ln -sf libpy.so.1 /usr/lib/libpy.so.1.0\n");
}

TEST_CASE("the start script of an AppImage sets LD_LIBRARY_PATH anew: the system's copy is preloaded") {
  TestWorld world;
  const std::string own = "/tmp/.mount_a/usr/lib";
  world.add("/usr/lib/libegl.so", {.soname = "libegl.so", .needed = {"liba.so.1"}, .uses = {{"f"}}});
  world.add("/tmp/.mount_a/usr/bin/app", program({.needed = {"liba.so.1", "libegl.so"}}));
  world.add(own + "/liba.so.1", {.soname = "liba.so.1"});
  world.add("/usr/lib/liba.so.1", {.soname = "liba.so.1", .defines = {{"f"}}});
  world.set("LD_LIBRARY_PATH", own);
  const auto report = world.explain({"/tmp/.mount_a/usr/bin/app"});
  CHECK(report.findings.at(0).fixes.at(0).command == "export LD_PRELOAD=/usr/lib/liba.so.1${LD_PRELOAD:+:$LD_PRELOAD}");
}

TEST_CASE("of a program of the system, which no shell starts, the copy in /usr/local is moved away") {
  TestWorld world;
  world.files.add_file("/etc/ld.so.conf", "/usr/local/lib\n/usr/lib\n");
  world.add("/usr/libexec/app", program({.needed = {"liba.so.1"}, .uses = {{"f"}}}));
  world.add("/usr/local/lib/liba.so.1", {.soname = "liba.so.1"});
  world.add("/usr/lib/liba.so.1", {.soname = "liba.so.1", .defines = {{"f"}}});
  world.files.add_file("/etc/ld.so.cache", new_cache({{"liba.so.1", "/usr/local/lib/liba.so.1"}}));
  CHECK(world.explain({"/usr/libexec/app"}).findings.at(0).fixes.at(0).command ==
        "sudo mkdir -p /usr/local/lib/unused && sudo mv /usr/local/lib/liba.so* /usr/local/lib/unused && "
        "sudo ldconfig");
}

}  // namespace
}  // namespace cudald
