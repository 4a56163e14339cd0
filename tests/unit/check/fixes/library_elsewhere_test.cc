// Missing libraries that are there, in another directory or by another name.

#include <doctest/doctest.h>

#include "check/fixes/library_elsewhere.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

TEST_CASE("a library under another name of its own gets a link, one of another ABI does not") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/bin/libx.so.1.2", {.soname = "libx.so.1"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libx.so.1\n");
  CHECK(commands(report.findings[0]) == "ln -s libx.so.1.2 /bin/libx.so.1\nexport LD_LIBRARY_PATH=/bin" + rest_of_path);
  world.add("/bin/libx.so.1.2", {.soname = "libx.so.1.2"});
  const auto other = world.explain({"/bin/app"});
  REQUIRE(findings(other) == "CUD102 error app: libx.so.1\n");
  CHECK(in_full(other) ==
        R"(CUD102 | error | /bin/app | libx.so.1
  libx.so.1 is not found in any directory the loader searches; only libx.so.1.2 is installed, which has a different ABI
  - found instead: /bin/libx.so.1.2 (soname libx.so.1.2) | /bin/libx.so.1.2 | proven
  = The program does not start: libx.so.1: cannot open shared object file: No such file or directory
  > build or install app again: it was made with another release of the library
  > install the system's package that provides it
)");
  CHECK(commands(other.findings[0]).find("ln -s") == std::string::npos);
  // That a link does not help is said where a version proves it.
  world.add("/bin/app", program({.needed = {"libx.so.1"}, .needs_versions = {{"libx.so.1", {{"V1"}}}}}));
  CHECK(says(world.explain({"/bin/app"}).findings[0],
             "not: a symlink libx.so.1 -> libx.so.1.2: libx.so.1.2 does not define the version V1"));
}

TEST_CASE("a library beside the target, in lib, ../lib or ../lib64, is found, and the fix leads there") {
  for (const std::string folder : {"lib", "lib64", "../lib", "../lib64"}) {
    CAPTURE(folder);
    TestWorld world;
    world.add("/opt/tool/bin/app", program({.needed = {"libx.so.1"}}));
    const auto place = normal_path("/opt/tool/bin/" + folder);
    world.add(place + "/libx.so.1", {.soname = "libx.so.1"});
    const auto report = world.explain({"/opt/tool/bin/app"});
    CHECK(says(report.findings.at(0), "is in " + place + "/libx.so.1"));
    CHECK(commands(report.findings[0]) == "export LD_LIBRARY_PATH=" + place + rest_of_path +
                                              "patchelf --add-rpath '$ORIGIN/" + folder + "' /opt/tool/bin/app\n");
  }
}

TEST_CASE("a search path that names the library itself, not its directory, is shown as the cause") {
  TestWorld world;
  world.add("/opt/x/app", program({.runpath = "/srv/l/libx.so.1", .needed = {"libx.so.1"}}));
  world.add("/srv/l/libx.so.1", {.soname = "libx.so.1"});
  const auto report = world.explain({"/opt/x/app"});
  CHECK(says(report.findings.at(0), "the runpath names /srv/l/libx.so.1, a file"));
  CHECK(commands(report.findings[0]).find("patchelf --add-rpath '$ORIGIN/../../srv/l' /opt/x/app\n") !=
        std::string::npos);
}

TEST_CASE("a name without a number is the one for linking: a link to what is there helps") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libv.so"}}));
  world.add("/usr/lib/libv.so.1.0.8", {.soname = "libv.so.1"});
  world.add("/usr/lib/libv.so.1", {.soname = "libv.so.1"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD101 error app: libv.so\n");
  CHECK(report.findings[0].message ==
        "libv.so is a link that only the development package has; libv.so.1 is installed");
  CHECK(commands(report.findings[0]) == "sudo ln -s libv.so.1 /usr/lib/libv.so\n\n\n");
  CHECK(report.findings[0].does_not_help.empty());
}

TEST_CASE("several such names get their links by one command") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libv.so", "libw.so"}}));
  world.add("/usr/lib/libv.so.1", {.soname = "libv.so.1"});
  world.add("/usr/lib/libw.so.1", {.soname = "libw.so.1"});
  const auto fix = world.explain({"/bin/app"}).findings.at(0).fixes.at(0);
  CHECK(fix.command == "sudo ln -s libv.so.1 /usr/lib/libv.so\nsudo ln -s libw.so.1 /usr/lib/libw.so");
  CHECK(fix.serves == std::vector<std::string>{"libv.so", "libw.so"});
}

TEST_CASE("a library that a wheel's repair tool has renamed is asked for by its new name") {
  TestWorld world;
  world.add("/opt/x/pk/_m.so", {.runpath = "$ORIGIN/../pk.libs", .needed = {"libz.so.9"}});
  world.add("/opt/x/pk.libs/libz-4c97ab12.so.9.1", {.soname = "libz-4c97ab12.so.9.1"});
  const auto report = world.explain({"/opt/x/pk/_m.so"});
  CHECK(commands(report.findings.at(0)) ==
        "patchelf --replace-needed libz.so.9 libz-4c97ab12.so.9.1 /opt/x/pk/_m.so\n");
}

TEST_CASE("neither a link nor a warning of one is about libraries for another machine") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/bin/libx.so.1.2", {.machine = EM_AARCH64, .soname = "libx.so.1"});
  world.add("/bin/libx.so.2", {.machine = EM_AARCH64, .soname = "libx.so.2"});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(fixes_of(report) == "install the system's package that provides it |  | \n");
  CHECK(report.findings[0].does_not_help.empty());
}

TEST_CASE("of several files of another name or ABI one is linked, and one is warned of") {
  TestWorld world;
  world.add("/opt/app", program({.needed = {"libx.so.1"}}));
  for (const std::string name : {"libx.so.1.2", "libx.so.1.3"}) world.add("/opt/" + name, {.soname = "libx.so.1"});
  CHECK(commands(world.explain({"/opt/app"}).findings.at(0)) ==
        "ln -s libx.so.1.2 /opt/libx.so.1\nexport LD_LIBRARY_PATH=/opt" + rest_of_path);
  TestWorld other;
  other.add("/opt/app", program({.needed = {"libx.so.1"}}));
  for (const std::string name : {"libx.so.2", "libx.so.3"}) other.add("/opt/" + name, {.soname = name});
  // Only a version that is not defined proves that a link does not help.
  CHECK(other.explain({"/opt/app"}).findings.at(0).does_not_help.empty());
  other.add("/opt/app", program({.needed = {"libx.so.1"}, .needs_versions = {{"libx.so.1", {{"V1"}}}}}));
  CHECK(other.explain({"/opt/app"}).findings.at(0).does_not_help ==
        std::vector<std::string>{"a symlink libx.so.1 -> libx.so.2: libx.so.2 does not define the version V1"});
}

TEST_CASE("a path in DT_NEEDED becomes the name of the library, which lies elsewhere") {
  TestWorld world;
  world.add("/inst/bin/app", program({.runpath = "$ORIGIN/../lib", .needed = {"build/libm.so"}}));
  world.add("/inst/lib/libm.so", {});
  const auto report = world.explain({"/inst/bin/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message ==
        "build/libm.so is a path, which is opened as it is, and nothing is there; the library is /inst/lib/libm.so");
  CHECK(commands(report.findings[0]) == "patchelf --replace-needed build/libm.so libm.so /inst/bin/app\n\n");
}

}  // namespace
}  // namespace cudald
