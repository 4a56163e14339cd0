// Which libstdc++.so.6 has a version of its symbols, and what brings it.

#include "check/fixes/newer_libstdcxx.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "knowledge/system_releases.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// What is offered to a program that needs GLIBCXX_3.4.9 and a newer one, with its commands.
std::vector<std::string> fixes_on(const std::string& os_release, const std::string& version, bool container = false,
                                  const std::string& glibc = "GLIBC_2.2.5") {
  TestWorld world;
  world.files.add_file("/etc/os-release", os_release);
  if (container) world.files.add_file("/.dockerenv", "");
  world.add(
      "/srv/app",
      program({.needed = {"libstdc++.so.6", "libc.so.6"},
               .needs_versions = {{"libstdc++.so.6", {{"GLIBCXX_3.4.9"}, {version}}}, {"libc.so.6", {{glibc}}}}}));
  world.add("/lib/libstdc++.so.6", {.soname = "libstdc++.so.6", .defines_versions = {"GLIBCXX_3.4.9", "CXXABI_1.3.9"}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.2.5"}});
  std::vector<std::string> texts;
  for (const auto& finding : world.explain({"/srv/app"}).findings)
    if (finding.subject == version)
      for (const auto& fix : finding.fixes)
        texts.push_back(fix.title + (fix.command.empty() ? "" : "\n" + fix.command));
  return texts;
}

const std::string jammy = "ID=ubuntu\nVERSION_ID=\"22.04\"\n", bookworm = "ID=debian\nVERSION_ID=\"12\"\n";

TEST_CASE("Ubuntu has newer copies in an archive of its own, up to a version") {
  const auto fixes = fixes_on(jammy, "GLIBCXX_3.4.32");
  REQUIRE(fixes.size() == 4);
  CHECK(fixes[0] ==
        "install libstdc++6 of the PPA ubuntu-toolchain-r/test, which is newer than that of Ubuntu 22.04\n"
        "sudo add-apt-repository -y ppa:ubuntu-toolchain-r/test && sudo apt update && sudo apt install -y libstdc++6");
  CHECK(fixes[1].ends_with("docker run --rm -it -v /srv:/srv ubuntu:24.04 /srv/app"));
  CHECK(fixes[2].starts_with("or give it the library of conda-forge\nconda create -y -p $HOME/libstdcxx-for-app -c "));
  CHECK(fixes[3] == "or take a build of app for this release of the system, or build it here");
  CHECK(fixes_on(jammy, "GLIBCXX_3.4.33").at(0).starts_with("run it on Ubuntu 24.04 or later"));
  CHECK(fixes_on(jammy, "CXXABI_1.3.14").at(0).starts_with("install libstdc++6 of the PPA"));
  CHECK(fixes_on(jammy, "GLIBCXX_3.4.32", true)
            .at(0)
            .ends_with("\napt update && apt install -y software-properties-common && add-apt-repository -y "
                       "ppa:ubuntu-toolchain-r/test && apt update && apt install -y libstdc++6"));
}

TEST_CASE("other systems have it in a later release") {
  CHECK(fixes_on(bookworm, "GLIBCXX_3.4.32").at(0) ==
        "run it on Debian 13 or later, whose libstdc++.so.6 has it, or in a container of that\n"
        "docker run --rm -it -v /srv:/srv debian:13-slim /srv/app");
  CHECK(fixes_on(bookworm, "GLIBCXX_3.4.32", true).at(0) ==
        "base this image on debian:13-slim, whose libstdc++.so.6 has it");
  CHECK(fixes_on("ID=rocky\nPLATFORM_ID=\"platform:el9\"\n", "GLIBCXX_3.4.30").at(0).find("almalinux:10") !=
        std::string::npos);
  CHECK(fixes_on("ID=unheard-of\n", "GLIBCXX_3.4.32").at(0).starts_with("take a build of app"));
  CHECK(fixes_on(bookworm, "GLIBCXX_3.4.99").at(0).starts_with("take a build of app"));
}

TEST_CASE("and where the packages of the system have it, the copy is an old one") {
  CHECK(fixes_on("ID=fedora\nVERSION_ID=41\n", "GLIBCXX_3.4.32").at(0) ==
        "upgrade it: the packages of this system have a newer one\n"
        "sudo dnf upgrade $(rpm -qf --qf '%{NAME}' /lib/libstdc++.so.6)");
  CHECK(fixes_on("ID=arch\n", "GLIBCXX_3.4.32").at(0).ends_with("\nsudo pacman -Syu"));
}

TEST_CASE("where glibc is too old as well, no copy of the library helps") {
  const auto fixes = fixes_on(jammy, "GLIBCXX_3.4.32", false, "GLIBC_2.38");
  REQUIRE(fixes.size() == 2);
  CHECK(fixes[0].starts_with("run it on Ubuntu 24.04 or later"));
}

TEST_CASE("a program is started in a container where it lies") {
  MemoryFileSystem files;
  ImageStore images(files);
  const SystemPackages system(images);
  CHECK(in_container("app", "debian:13", system) ==
        "docker run --rm -it -v \"$(command -v app)\":/usr/local/bin/app debian:13 app");
  CHECK(in_container("./app", "debian:13", system) ==
        "docker run --rm -it -v \"$PWD\":\"$PWD\" -w \"$PWD\" debian:13 ./app");
  CHECK(in_container("/usr/bin/app", "debian:13", system) ==
        "docker run --rm -it -v /usr/bin/app:/usr/bin/app debian:13 /usr/bin/app");
}

}  // namespace
}  // namespace cudald
