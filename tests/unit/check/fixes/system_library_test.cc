// What the packages of the system have for a missing library.

#include <doctest/doctest.h>

#include "check/fixes/system_library.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/fixes/fix_text.h"

namespace cudald {
namespace {

TEST_CASE("packages of the system are told where neither pip nor conda carries a library") {
  const auto offered = [](const std::string& library) {
    TestWorld world;
    world.add("/bin/app", program({.needed = {library}}));
    return fixes_of(world.explain({"/bin/app"}));
  };
  CHECK(offered("libaccinj64.so.12.4") ==
        "a package of Debian 13 (non-free) provides it | sudo apt install libaccinj64-12.4 | it lands in "
        "/usr/lib/x86_64-linux-gnu\n");
  CHECK(offered("libnobody.so.4") == "install the system's package that provides it |  | \n");
}

TEST_CASE("where only another release of a library is installed, the program is built again") {
  TestWorld world;
  world.add("/usr/local/bin/app", program({.needed = {"libg.so.25"}}));
  world.add("/usr/lib/libg.so.27", {.soname = "libg.so.27"});
  world.files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=12\n");
  const auto finding = world.explain({"/usr/local/bin/app"}).findings.at(0);
  REQUIRE(finding.code == "CUD102");
  REQUIRE(finding.fixes.size() == 1);
  CHECK(finding.fixes[0].title == "build or install app again: it was made with another release of the library");
  // A package for compatibility may have it where packages are installed by the names of libraries.
  world.files.add_file("/etc/os-release", "ID=fedora\n");
  CHECK(says(world.explain({"/usr/local/bin/app"}).findings.at(0), "sudo dnf install 'libg.so.25()(64bit)'"));
}

TEST_CASE("on Arch Linux a program of the system that wants another release waits for an upgrade") {
  TestWorld world;
  for (const std::string program_path : {"/usr/bin/app", "/opt/app"}) {
    world.add(program_path, program({.needed = {"libg.so.25"}}));
    world.add("/usr/lib/libg.so.27", {.soname = "libg.so.27"});
    world.files.add_file("/etc/os-release", "ID=arch\n");
    const auto finding = world.explain({program_path}).findings.at(0);
    REQUIRE(finding.code == "CUD102");
    CHECK((finding.fixes.at(0).command == "sudo pacman -Syu") == (program_path == "/usr/bin/app"));
  }
}

TEST_CASE("a link of the system whose file is gone belongs to a package that is installed") {
  const auto told = [](const std::string& folder) {
    TestWorld world;
    world.files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=12\n");
    world.add("/usr/bin/app", program({.runpath = folder, .needed = {"libx.so.1"}}));
    world.files.add_symlink(folder + "/libx.so.1", "libx.so.1.0");
    return commands(world.explain({"/usr/bin/app"}).findings.at(0));
  };
  CHECK(told("/usr/lib").starts_with("sudo apt install --reinstall $(dpkg -S /usr/lib/libx.so.1 | cut -d: -f1)\n"));
  CHECK(told("/usr/local/lib").find("--reinstall") == std::string::npos);
}

TEST_CASE("an installed package that has lost the library is installed again") {
  TestWorld world;
  world.files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=12\n");
  world.add("/usr/bin/app", program({.needed = {"libquux.so.1"}}));
  world.files.add_file("/var/lib/dpkg/info/libquux1:amd64.list", "/.\n/usr/lib/x86_64-linux-gnu/libquux.so.1\n");
  const auto elsewhere = world.explain({"/usr/bin/app"}).findings.at(0);
  CHECK(commands(elsewhere).find("--reinstall") == std::string::npos);
  world.files.add_file("/var/lib/dpkg/info/libquux1:amd64.list", "/.\n/lib/libquux.so.1\n");
  const auto finding = world.explain({"/usr/bin/app"}).findings.at(0);
  CHECK(finding.message.ends_with("; libquux1:amd64, which is installed, has it, and its file is gone"));
  CHECK(commands(finding) == "sudo apt install --reinstall libquux1:amd64\n");
}

TEST_CASE("a plug-in of another release of its program does not get an older library of that") {
  const auto told = [](const std::string& program_path) {
    TestWorld world;
    world.files.add_file("/etc/os-release", "ID=fedora\n");
    world.add(program_path, program({.needed = {"libobs.so.30"}}));
    world.add("/usr/lib/libobs.so.30", {.soname = "libobs.so.30"});
    world.add("/p/blur.so", {.soname = "blur.so", .needed = {"libobs.so.0"}});
    world.query.dlopens = {{"/p/blur.so"}};
    return world.explain({program_path}).findings.at(0);
  };
  const auto finding = told("/usr/bin/obs");
  CHECK(finding.message.ends_with(
      "; obs is itself of the release that has libobs.so.30, and blur.so was built for another one"));
  CHECK(commands(finding) == "\n");
  CHECK(commands(told("/usr/bin/other")).find("dnf install") != std::string::npos);
}

TEST_CASE("what no release of a system had comes from a repository of others") {
  TestWorld world;
  world.files.add_file("/etc/os-release", "ID=fedora\nVERSION_ID=41\n");
  world.add("/usr/bin/app", program({.needed = {"libjpeg.so.8"}}));
  const auto finding = world.explain({"/usr/bin/app"}).findings.at(0);
  CHECK(finding.fixes.at(0).command == "sudo dnf copr enable -y aflyhorse/libjpeg && sudo dnf install libjpeg8");
  CHECK(finding.fixes[0].side_effect == "that is not a part of Fedora");
}

TEST_CASE("what a vendor has put into a directory of its own gets the rest from the repository that it came from") {
  TestWorld world;
  for (const std::string folder : {"/opt/rocm/lib/", "/opt/x/"})
    world.add(folder + "libocl.so", {.needed = {"libhsa-runtime64.so.1"}});
  world.files.add_file("/etc/os-release", "ID=ubuntu\nID_LIKE=debian\n");
  const auto command = [&](const std::string& path) { return commands(world.explain({path}).findings.at(0)); };
  CHECK(command("/opt/rocm/lib/libocl.so") == "sudo apt install rocm-hip-runtime\n");
  CHECK(command("/opt/x/libocl.so").find("rocm") == std::string::npos);
}

}  // namespace
}  // namespace cudald
