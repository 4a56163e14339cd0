// Elements of search paths that were meant otherwise.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a directory that LD_LIBRARY_PATH names with ~ is looked in, and said to be meant") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/home/u/sdk/lib/libx.so.1", {.soname = "libx.so.1"});
  world.set("LD_LIBRARY_PATH", "/none:~/sdk/lib");
  world.set("HOME", "/home/u");
  const auto report = world.explain({"/bin/app"});
  CHECK(report.findings.at(0).message.ends_with("which no shell has replaced: it was in quotes"));
  CHECK(report.findings[0].fixes.at(0).command ==
        "export LD_LIBRARY_PATH=/home/u/sdk/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
}

TEST_CASE("variables, blanks and separators that the loader does not know are told") {
  const std::pair<const char*, const char*> rows[] = {
      {"$SDK/lib", "names it with $SDK, which no shell has replaced"},
      {"/none:${SDK}/lib", "names it with $SDK, which no shell has replaced"},
      {"/none:</home/u/sdk/lib>", "has < beside it, which the loader takes as a part of the name"},
      {"/none:/home/u/sdk/lib\"", "has \" beside it, which the loader takes as a part of the name"},
      {"=/home/u/sdk/lib", "has = beside it, which the loader takes as a part of the name"},
      {"/none: /home/u/sdk/lib", "has a blank beside it, which the loader takes as a part of the name"},
      {"/none /home/u/sdk/lib", "separates directories by blanks: only : and ; do that"},
      {"/none,/home/u/sdk/lib", "separates directories by commas: only : and ; do that"}};
  for (const auto& row : rows) {
    const std::string list = row.first, why = row.second;
    CAPTURE(list);
    TestWorld world;
    world.add("/bin/app", program({.needed = {"libx.so.1"}}));
    world.add("/home/u/sdk/lib/libx.so.1", {.soname = "libx.so.1"});
    world.set("LD_LIBRARY_PATH", list);
    world.set("SDK", "/home/u/sdk");
    const auto report = world.explain({"/bin/app"});
    CHECK(report.findings.at(0).message.ends_with("; LD_LIBRARY_PATH " + why));
    CHECK(report.findings[0].fixes.at(0).command ==
          "export LD_LIBRARY_PATH=/home/u/sdk/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
  }
}

TEST_CASE("an element that has lost $ORIGIN, and with it finds the library, is set right") {
  for (const std::string list : {"../lib", "-Wl:../lib", "RIGIN/../lib", "\\$ORIGIN/../lib", "/usr/lib/x:../lib"}) {
    CAPTURE(list);
    TestWorld world;
    world.add("/opt/bin/app", program({.runpath = list, .needed = {"libx.so.1"}}));
    world.add("/opt/lib/libx.so.1", {.soname = "libx.so.1"});
    const auto report = world.explain({"/opt/bin/app"});
    REQUIRE(report.findings.at(0).code == "CUD101");
    const std::string own = list.starts_with('/') ? "/usr/lib/x:" : "";
    CHECK(report.findings[0].fixes.at(0).command == "patchelf --set-rpath '" + own + "$ORIGIN/../lib' /opt/bin/app");
  }
  TestWorld world;
  world.add("/opt/bin/app", program({.runpath = "../lib", .needed = {"libx.so.1"}}));
  world.add("/usr/local/lib/libx.so.1", {.soname = "libx.so.1"});
  CHECK(commands(world.explain({"/opt/bin/app"}).findings.at(0)).find("patchelf --set-rpath") == std::string::npos);
}

TEST_CASE("a directory of a release that is gone leads to that of the newest one") {
  const auto told = [](const std::string& list, const std::vector<std::string>& there) {
    TestWorld world;
    world.add("/bin/app", program({.needed = {"libx.so.1"}}));
    for (const auto& folder : there) world.add(folder + "/libx.so.1", {.soname = "libx.so.1"});
    world.set("LD_LIBRARY_PATH", list);
    return commands(world.explain({"/bin/app"}).findings.at(0));
  };
  CHECK(told("/data/gcc/7.1.0/lib64:/none", {"/data/gcc/7.2.0/lib64", "/data/gcc/10.1.0/lib64"})
            .starts_with("export LD_LIBRARY_PATH=/data/gcc/10.1.0/lib64"));
  CHECK(told("/data/gcc-7/lib64", {"/data/gcc-8/lib64"}).starts_with("export LD_LIBRARY_PATH=/data/gcc-8/lib64"));
  CHECK(told("/data/gcc-7/lib64", {"/data/llvm-8/lib64"}).find("/data/llvm") == std::string::npos);
  CHECK(told("/data/gcc-7/lib64", {"/data/gcc-8/lib"}).find("/data/gcc-8") == std::string::npos);
}

}  // namespace
}  // namespace cudald
