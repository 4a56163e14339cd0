// A library that the packages of this release do not have.

#include "check/fixes/package_releases.h"

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "common/memory_file_system.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// What is said of the packages of a system; empty where they may have the library.
std::string lack_on(const std::string& os_release, const std::string& library = "libssl.so.1.1") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", os_release);
  ImageStore images(files);
  const auto lack = lacking_release(library, SystemPackages(images));
  return lack ? lack->text : "";
}

/// What is found of a program that needs a library, on a system.
Finding missing_on(const std::string& file, const std::string& library, const std::string& os_release) {
  TestWorld world;
  world.add(file, program({.needed = {library}}));
  world.files.add_file("/etc/os-release", os_release);
  return world.explain({file}).findings.at(0);
}

TEST_CASE("a release has a library from the first to the last that had it") {
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"22.04\"\n") ==
        "no package of Ubuntu 22.04 has it: Ubuntu 18.04 to 21.10 have it, as libssl1.1");
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"20.04\"\n") == "");
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"20.04\"\n", "libssl.so.3") ==
        "no package of Ubuntu 20.04 has it: Ubuntu has it from 22.04 on, as libssl3");
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"26.04\"\n", "libssl.so.3") == "");
  CHECK(lack_on("ID=debian\nVERSION_ID=\"12\"\n") ==
        "no package of Debian 12 has it: Debian 9 to 11 have it, as libssl1.1");
  CHECK(lack_on("ID=alpine\nVERSION_ID=3.18.4\n") == "");
  CHECK(lack_on("ID=alpine\nVERSION_ID=3.19.1\n") != "");
}

TEST_CASE("a library with parts, and one that no release of a system had") {
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"22.04\"\n", "libboost_program_options.so.1.71.0") ==
        "no package of Ubuntu 22.04 has it: Ubuntu 20.04 to 20.10 have it, as libboost-program-options1.71.0");
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"24.04\"\n", "libboost_thread.so.1.74.0") == "");
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"22.04\"\n", "libboost_unknown.so.1.71.0") == "");
  CHECK(lack_on("ID=debian\nVERSION_ID=\"12\"\n", "libpython3.10.so.1.0") ==
        "no package of Debian 12 has it: no release of Debian had it; Ubuntu 21.10 to 22.10 have it, as libpython3.10");
  CHECK(missing_on("/opt/app/x", "libboost_program_options.so.1.74.0", "ID=ubuntu\nVERSION_ID=\"22.04\"\n")
            .fixes.at(0)
            .command == "sudo apt install libboost-program-options1.74.0");
  CHECK(missing_on("/opt/app/x", "libpython3.10.so.1.0", "ID=debian\nVERSION_ID=\"12\"\n")
            .fixes.at(1)
            .command.find("ubuntu:22.04 sh -c 'apt-get update && apt-get install -y libpython3.10 ") !=
        std::string::npos);
}

TEST_CASE("of a rebuild the platform counts, of what is made of Ubuntu its release") {
  const std::string rocky = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"9.0\"\n";
  CHECK(lack_on(rocky + "PLATFORM_ID=\"platform:el9\"\n", "libssl.so.10") ==
        "no package of Red Hat Enterprise Linux 9 has it: Red Hat Enterprise Linux 6 to 8 have it");
  CHECK(lack_on(rocky + "PLATFORM_ID=\"platform:el9\"\n") == "");
  const std::string amazon = "ID=\"amzn\"\nID_LIKE=\"fedora\"\nVERSION_ID=";
  CHECK(lack_on(amazon + "\"2023\"\n", "libssl.so.10") ==
        "no package of Amazon Linux 2023 has it: only Amazon Linux 2 has it");
  CHECK(lack_on(amazon + "\"2018.03\"\n", "libssl.so.10") == "");
  CHECK(lack_on("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"\nUBUNTU_CODENAME=noble\n") != "");
}

TEST_CASE("nothing is said of a system whose release is not known") {
  CHECK(lack_on("ID=debian\n") == "");
  CHECK(lack_on("ID=kali\nID_LIKE=debian\nVERSION_ID=\"2023.1\"\n") == "");
  CHECK(lack_on("ID=amzn\nID_LIKE=\"centos rhel fedora\"\nVERSION_ID=\"2\"\n", "libssl.so.3") == "");
  CHECK(lack_on("ID=arch\n") == "");
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"22.04\"\n", "libx.so.1") == "");
}

TEST_CASE("all libraries of Debian are known, and what keeps an older one on Arch Linux") {
  const auto fix_on = [](const std::string& os_release, const std::string& library) {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    ImageStore images(files);
    const auto fix = system_fix(library, SystemPackages(images), built_in());
    return fix ? fix->command : std::string();
  };
  CHECK(fix_on("ID=debian\nVERSION_ID=\"13\"\n", "libpcap.so.0.8") == "sudo apt install libpcap0.8t64");
  CHECK(fix_on("ID=ubuntu\nVERSION_ID=\"22.04\"\n", "libxdo.so.3") == "sudo apt install libxdo3");
  CHECK(fix_on("ID=debian\nVERSION_ID=\"12\"\n", "libtesseract.so.4").ends_with("sudo apt install libtesseract4"));
  CHECK(fix_on("ID=ubuntu\nVERSION_ID=\"18.04\"\n", "libidn.so.11") == "sudo apt install libidn11");
  CHECK(fix_on("ID=arch\n", "libxml2.so.2") == "sudo pacman -S libxml2-legacy");
  CHECK(fix_on("ID=arch\n", "libxml3.so.2") == "");
  CHECK(lack_on("ID=debian\nVERSION_ID=\"12\"\n", "libcfitsio.so.9") ==
        "no package of Debian 12 has it: Debian 11 has it, as libcfitsio9");
  CHECK(lack_on("ID=debian\nVERSION_ID=\"10\"\n", "libcfitsio.so.9") == "");
}

TEST_CASE("what another channel or a container has is offered in place of a package") {
  const std::string jammy = "ID=ubuntu\nVERSION_ID=\"22.04\"\n";
  const auto finding = missing_on("/opt/app/router", "libssl.so.1.1", jammy);
  CHECK(finding.fixes.at(0).title == "install libssl1.1 of Ubuntu 20.04 beside what is here");
  CHECK(finding.fixes.at(1).command.starts_with(
      "conda create -y -p $HOME/libraries-of-router -c conda-forge openssl=1.1.1\nexport LD_LIBRARY_PATH="));
  CHECK(finding.fixes.at(2).command ==
        "docker run --rm -it -v /opt/app:/opt/app ubuntu:20.04 sh -c 'apt-get update && apt-get install -y libssl1.1 "
        "&& /opt/app/router'");
  CHECK(missing_on("/usr/bin/router", "libssl.so.1.1", jammy).fixes.at(2).command.find("-v /usr/bin/router:/usr/bin") !=
        std::string::npos);
  const auto webkit = missing_on("/opt/app/x", "libwebkit2gtk-4.0.so.37", "ID=ubuntu\nVERSION_ID=\"24.04\"\n");
  CHECK(webkit.fixes.size() == 2);
  CHECK(webkit.fixes.at(0).title == "install libwebkit2gtk-4.0-37 of Ubuntu 22.04 beside what is here");
  CHECK(webkit.fixes.at(1).title == "or take a build of x for Ubuntu 24.04, or compile it here");
}

TEST_CASE("a package of the release is named") {
  CHECK(missing_on("/opt/app/x", "libssl.so.1.1", "ID=ubuntu\nVERSION_ID=\"20.04\"\n").fixes.at(0).command ==
        "sudo apt install libssl1.1");
  CHECK(missing_on("/opt/app/x", "libicuuc.so.70", "ID=ubuntu\nVERSION_ID=\"22.04\"\n").fixes.at(0).command ==
        "sudo apt install libicu70");
}

/// What installs the package of an earlier release.
std::string earlier_on(const std::string& os_release, const std::string& library, bool container = false) {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", os_release);
  if (container) files.add_file("/.dockerenv", "");
  ImageStore images(files);
  const SystemPackages system(images);
  const auto lack = lacking_release(library, system);
  const auto found = lack ? earlier_package(*lack, system) : std::nullopt;
  return found ? found->begin + found->package : "";
}

TEST_CASE("the package of an earlier release is in its archive, the newest that had it") {
  CHECK(earlier_on("ID=ubuntu\nVERSION_ID=\"24.10\"\n", "libminiupnpc.so.17") ==
        "echo 'deb [signed-by=/usr/share/keyrings/ubuntu-archive-keyring.gpg] http://archive.ubuntu.com/ubuntu noble "
        "main universe' | sudo tee /etc/apt/sources.list.d/noble.list && sudo apt update && "
        "sudo apt install libminiupnpc17");
  CHECK(earlier_on("ID=debian\nVERSION_ID=\"13\"\n", "libssl.so.1.1", true) ==
        "echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bullseye "
        "main' | tee /etc/apt/sources.list.d/bullseye.list && apt update && apt install -y libssl1.1");
  CHECK(earlier_on("ID=ubuntu\nVERSION_ID=\"20.04\"\n", "libssl.so.3") == "");  // it came later
  CHECK(earlier_on("ID=alpine\nVERSION_ID=3.19.1\n", "libssl.so.1.1") == "");
}

TEST_CASE("an earlier release is taken from where the system takes its own") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"24.10\"\n");
  files.add_file("/etc/apt/sources.list.d/ubuntu.sources",
                 "Types: deb\nURIs: http://ports.ubuntu.com/ubuntu-ports/\nSuites: oracular\nComponents: main\n");
  ImageStore images(files);
  const SystemPackages system(images);
  const auto found = earlier_package(*lacking_release("libminiupnpc.so.17", system), system);
  REQUIRE(found);
  CHECK(found->begin.find(" http://ports.ubuntu.com/ubuntu-ports noble main universe'") != std::string::npos);
}

TEST_CASE("in a container there is no other container, but another image") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=alpine\nVERSION_ID=3.19.1\n");
  files.add_file("/.dockerenv", "");
  ImageStore images(files);
  const SystemPackages system(images);
  const auto fix = container_fix(*lacking_release("libssl.so.1.1", system), {"libssl.so.1.1"}, "/app/x", system);
  CHECK(fix.title == "base this image on alpine:3.18, whose packages have it");
  CHECK(fix.command == "");
}

TEST_CASE("a library that came with a later release") {
  const std::string webkit = "libwebkit2gtk-4.1.so.0", focal = "ID=ubuntu\nVERSION_ID=\"20.04\"\n";
  CHECK(lack_on(focal, webkit).starts_with("Ubuntu 20.04 is likely older than it: Debian has it from 12 on"));
  CHECK(lack_on("ID=debian\nVERSION_ID=\"11\"\n", webkit).starts_with("Debian 11 is older than it: "));
  CHECK(missing_on("/opt/app/x", webkit, focal)
            .fixes.at(0)
            .title.starts_with("upgrade the system to a release that has it, or take a build of x for Ubuntu 20.04"));
  CHECK(lack_on("ID=ubuntu\nVERSION_ID=\"22.04\"\n", webkit) == "");
}

TEST_CASE("Raspbian has no package of an earlier Debian") {
  CHECK(earlier_on("ID=raspbian\nID_LIKE=debian\nVERSION_ID=\"13\"\n", "libssl.so.1.1") == "");
}

}  // namespace
}  // namespace cudald
