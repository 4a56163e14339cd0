#include "check/fixes/newer_glibc_fixes.h"

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// The titles and commands that are offered to a program that needs GLIBC_2.38.
std::string glibc_fix_on(const std::string& os_release, bool container, const std::string& program_path = "/srv/app") {
  TestWorld world;
  world.files.add_file("/etc/os-release", os_release);
  if (container) world.files.add_file("/.dockerenv", "");
  world.add(program_path, program({.needed = {"libc.so.6"}, .needs_versions = {{"libc.so.6", {{"GLIBC_2.38"}}}}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.2.5", "GLIBC_2.36"}});
  const auto report = world.explain({program_path});
  const auto& fix = report.findings.at(0).fixes.at(0);
  return fix.title + (fix.command.empty() ? "" : "\n" + fix.command);
}

TEST_CASE("the release of the system that has the glibc is named, and a container of it") {
  CHECK(glibc_fix_on("ID=debian\nVERSION_ID=\"12\"\n", false) ==
        "run it where glibc is at least 2.38: on Debian 13, which has 2.41, or in a container of that\n"
        "docker run --rm -it -v /srv:/srv debian:13-slim /srv/app");
  // A directory of the system would hide that of the image.
  CHECK(glibc_fix_on("ID=ubuntu\nVERSION_ID=\"22.04\"\n", false, "/usr/bin/app") ==
        "run it where glibc is at least 2.38: on Ubuntu 24.04, which has 2.39, or in a container of that\n"
        "docker run --rm -it -v /usr/bin/app:/usr/bin/app ubuntu:24.04 /usr/bin/app");
  CHECK(glibc_fix_on("ID=unheard-of\n", false) ==
        "run it where glibc is at least 2.38: a newer release of the distribution, or a container of one");
}

TEST_CASE("an image is based on another one") {
  CHECK(glibc_fix_on("ID=debian\nVERSION_ID=\"12\"\n", true) ==
        "base this image on debian:13-slim, which has glibc 2.41");
  CHECK(glibc_fix_on("PRETTY_NAME=\"Distroless\"\nID=\"debian\"\nVERSION_ID=\"12\"\n", false) ==
        "base this image on gcr.io/distroless/base-debian13, which has glibc 2.41");
}

}  // namespace
}  // namespace cudald
