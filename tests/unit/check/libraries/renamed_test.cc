// CUD101 where the library is there under another name.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// A program that needs libquazip5.so.1, which is gone, and the library that came in its place.
struct Renamed {
  explicit Renamed(const std::string& file = "libquazip1-qt5.so.1.0") {
    world.add("/usr/bin/app", program({.needed = {"libquazip5.so.1"}, .uses = {{"open_zip"}, {"close_zip"}}}));
    world.add("/usr/lib/" + file, {.soname = file, .defines = {{"open_zip"}, {"close_zip"}}});
  }
  Finding told() { return world.explain({"/usr/bin/app"}).findings.at(0); }

  TestWorld world;
};

TEST_CASE("a library with all that is needed, whose name begins alike, is the missing one under a new name") {
  const auto finding = Renamed().told();
  CHECK(finding.code == "CUD101");
  CHECK(finding.message.ends_with(
      "; libquazip1-qt5.so.1.0 has all 2 functions that app needs of it, and may be it under a newer name"));
  CHECK(says(finding, "/usr/lib/libquazip1-qt5.so.1.0 defines what is missing"));
  CHECK(finding.fixes.at(0).title == "build or install app again, in a build for libquazip1-qt5.so.1.0");
}

TEST_CASE("a library that lacks a function, or is called otherwise, is another one") {
  Renamed lacking;
  lacking.world.add("/usr/lib/libquazip1-qt5.so.1.0", {.defines = {{"open_zip"}}});
  CHECK_FALSE(says(lacking.told(), "newer name"));
  CHECK_FALSE(says(Renamed("libzip.so.5").told(), "newer name"));
  CHECK_FALSE(says(Renamed("libquazip6.so.2").told(), "newer name"));
  // Where two are missing, which of them has what is not known.
  Renamed two;
  two.world.add("/usr/bin/app",
                program({.needed = {"libquazip5.so.1", "libgone.so.1"}, .uses = {{"open_zip"}, {"close_zip"}}}));
  CHECK_FALSE(says(two.told(), "newer name"));
}

TEST_CASE("the next number of a library serves what uses none of the functions that it lacks") {
  const auto told = [](const std::string& used) {
    TestWorld world;
    world.add("/opt/a/app", program({.needed = {"libmpv.so.1"}, .uses = {{used}}}));
    world.add("/usr/lib/libmpv.so.2", {.soname = "libmpv.so.2", .defines = {{"mpv_create"}}});
    return world.explain({"/opt/a/app"}).findings.at(0);
  };
  const auto served = told("mpv_create");
  CHECK(served.code == "CUD102");
  CHECK(served.message.ends_with("which only lacks functions that were deprecated before, and has all that app uses"));
  CHECK(served.fixes.at(0).command.starts_with("sudo ln -s libmpv.so.2 /usr/lib/libmpv.so.1"));
  const auto lacking = told("mpv_opengl_cb_draw");
  CHECK(lacking.message.ends_with("which has a different ABI"));
  CHECK_FALSE(says(lacking, "ln -s"));
}

}  // namespace
}  // namespace cudald
