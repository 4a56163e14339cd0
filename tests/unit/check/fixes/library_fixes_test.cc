// What helps against a missing library, in its order: the fixes of CUD101, 102, 103, 106 and 112.

#include <doctest/doctest.h>

#include "check/fixes/library_fixes.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("where only the verdict is wanted no fix is looked for, and the finding stays") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libcudart.so.12"}}));
  const auto usual = world.explain({"/bin/app"});
  CHECK_FALSE(commands(usual.findings[0]).empty());
  world.query.fixes = false;
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == findings(usual));
  CHECK(report.headline == usual.headline);
  CHECK(commands(report.findings[0]).empty());
}

TEST_CASE("the driver comes from its own package, what nobody knows is to be looked up") {
  TestWorld world;
  world.query.environment.any_driver = false;
  world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
  CHECK(commands(world.explain({"/bin/app"}).findings[0]) ==
        "docker run --gpus all IMAGE\nsudo apt install nvidia-driver\n");
  world.add("/bin/app", program({.needed = {"libnobody-knows.so.7"}}));
  const auto offered = [&](const std::string& system) {
    world.files.add_file("/etc/os-release", system);
    return commands(world.explain({"/bin/app"}).findings[0]);
  };
  CHECK(offered("NAME=x\n") == "\n");
  CHECK(offered("ID=debian\n") == "apt-file search --regexp '/libnobody-knows.so.7$'\n");
  CHECK(offered("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n") ==
        "sudo dnf install 'libnobody-knows.so.7()(64bit)'\n");
  CHECK(offered("ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n") ==
        "sudo zypper install 'libnobody-knows.so.7()(64bit)'\n");
  CHECK(offered("ID=arch\n") == "sudo pacman -Fy && sudo pacman -S $(pacman -Fq /usr/lib/libnobody-knows.so.7)\n");
  CHECK(offered("ID=nixos\n") == "nix-locate --top-level lib/libnobody-knows.so.7\n");
  world.files.add_file("/.dockerenv", "");
  CHECK(offered("ID=alpine\n") == "apk add --no-cache so:libnobody-knows.so.7\n");
  // No package provides a path, nor a copy that a wheel's repair tool has renamed.
  world.add("/bin/app", program({.needed = {"/opt/x/libx.so.1"}}));
  CHECK(offered("ID=debian\n") == "\n");
  world.add("/bin/app", program({.needed = {"libx-4c97ab12.so.1"}}));
  CHECK(offered("ID=debian\n") == "\n");
  CHECK(says(world.explain({"/bin/app"}).findings[0], "install that again, as a whole"));
}

TEST_CASE(
    "the advice on the driver is that of the place: a container, Windows below, a machine with or without a GPU") {
  const auto offered = [](const std::vector<std::pair<std::string, std::string>>& files) {
    TestWorld world;
    world.query.environment.any_driver = false;
    world.add("/bin/app", program({.needed = {"libcuda.so.1"}}));
    for (const auto& [path, text] : files) world.files.add_file(path, text);
    return commands(world.explain({"/bin/app"}).findings[0]);
  };
  CHECK(offered({{"/.dockerenv", ""}}) == "docker run --gpus all IMAGE\n");
  CHECK(offered({{"/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2"}}) == "\n");
  CHECK(offered({{"/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"}}) ==
        "sudo apt install nvidia-driver\ndocker run --gpus all IMAGE\n");
  CHECK(offered({{"/sys/bus/pci/devices/0000:01:00.0/vendor", "0x8086\n"}}) ==
        "\ndocker run --gpus all IMAGE\nsudo apt install nvidia-driver\n");
  CHECK(offered({{"/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n"}, {"/etc/os-release", "ID=fedora\n"}}) ==
        "sudo dnf install akmod-nvidia\ndocker run --gpus all IMAGE\n");
}

TEST_CASE("a preload that is ignored: the variable is corrected, and nothing that it names is moved") {
  const auto offered = [](const std::string& value, const std::string& report_says = "") {
    TestWorld world;
    world.add("/bin/app", program({}));
    world.add("/opt/libj.so.2", {.soname = "libj.so.2"});
    world.add("/opt/only/libj.so.2", {.soname = "libj.so.2"});
    world.add("/opt/i386/libj.so.2", {.is_64 = false, .machine = EM_386});
    world.query.environment.variables = {{"LD_PRELOAD", value}};
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.verdict == Verdict::risk);
    CHECK(report.findings[0].message.find(report_says) != std::string::npos);
    return commands(report.findings[0]);
  };
  CHECK(offered("=/opt/libj.so.2", "LD_PRELOAD names =/opt/libj.so.2, which does not exist: it is ignored") ==
        "export LD_PRELOAD=/opt/libj.so.2\nunset LD_PRELOAD\n");
  CHECK(offered("/opt/only", "which is a directory") == "export LD_PRELOAD=/opt/only/libj.so.2\nunset LD_PRELOAD\n");
  CHECK(offered("/bin", "which is a directory") == "unset LD_PRELOAD\n");
  CHECK(offered("/opt/libj.so.2:/opt/libk.so", "/opt/libk.so, which does not exist") ==
        "export LD_PRELOAD=/opt/libj.so.2\n");
  CHECK(offered("/opt/i386/libj.so.2", "for the other word size") == "unset LD_PRELOAD\n");
}

TEST_CASE("a library built for musl is named as such in a process of glibc") {
  TestWorld world;
  world.add("/srv/app", program({.runpath = "/srv", .needed = {"liba.so"}}));
  world.add("/srv/liba.so", {.soname = "liba.so", .needed = {"libc.musl-x86_64.so.1"}});
  const auto report = world.explain({"/srv/app"});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].message.find("liba.so is built for musl (Alpine), and this process uses glibc") !=
        std::string::npos);
  CHECK(report.findings[0].fixes.at(0).title == "take the build of liba.so for glibc, or compile it on this system");
}

}  // namespace
}  // namespace cudald
