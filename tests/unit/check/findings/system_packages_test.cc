#include "check/findings/system_packages.h"

#include <elf.h>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string command_on(const std::string& os_release, bool container = false, const std::string& name = "libx.so.1") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", os_release);
  if (container) files.add_file("/.dockerenv", "");
  ImageStore images(files);
  return SystemPackages(images).provider_of(name, true, false).command;
}

const std::string of_arch = "sudo pacman -Fy && sudo pacman -S $(pacman -Fq /usr/lib/libx.so.1)";

TEST_CASE("each system names the package of a library in its own way") {
  CHECK(command_on("ID=debian\n") == "apt-file search --regexp '/libx.so.1$'");
  CHECK(command_on("ID=rocky\nID_LIKE=\"rhel centos fedora\"\n") == "sudo dnf install 'libx.so.1()(64bit)'");
  CHECK(command_on("ID=fedora\n", true) == "dnf install 'libx.so.1()(64bit)'");
  CHECK(command_on("ID=arch\n") == of_arch);
  CHECK(command_on("ID=alpine\n") == "apk add so:libx.so.1");
  CHECK(command_on("ID=unheard-of\n") == "");
}

TEST_CASE("Red Hat's rebuilds have many libraries in EPEL, which is to be enabled first") {
  const auto title_on = [](const std::string& os_release, const std::string& file = "/etc/hosts") {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    files.add_file(file, "");
    ImageStore images(files);
    return SystemPackages(images).provider_of("libx.so.1", true, false).title;
  };
  const std::string plain = "install the package that provides it",
                    rocky = "ID=rocky\nID_LIKE=\"rhel centos fedora\"\n";
  CHECK(title_on(rocky) ==
        plain +
            "; if dnf finds none, enable EPEL first, which has many more: sudo dnf install epel-release && "
            "sudo crb enable");
  CHECK(title_on(rocky, "/etc/yum.repos.d/epel.repo") == plain);
  CHECK(title_on("ID=rhel\nID_LIKE=fedora\n") == plain);
  CHECK(title_on("ID=fedora\n") == plain);
  CHECK(title_on("ID=amzn\nID_LIKE=\"centos rhel fedora\"\nVERSION_ID=2\n") == plain);
}

TEST_CASE("a system that does not say which one it is like is known by the records of what installs packages") {
  const auto system_with = [](const std::string& os_release, const std::string& record) {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    files.add_file(record, "");
    ImageStore images(files);
    const SystemPackages system(images);
    return system.provider_of("libx.so.1", true, false).command + "; " + system.upgrade_of("/usr/bin/x");
  };
  CHECK(system_with("ID=artix\n", "/var/lib/pacman/local/ALPM_DB_VERSION") == of_arch + "; sudo pacman -Syu");
  CHECK(system_with("ID=wolfi\nVERSION_ID=\"20230201\"\n", "/usr/lib/apk/db/installed") ==
        "apk add so:libx.so.1; apk upgrade $(apk info -qW /usr/bin/x)");
  CHECK(system_with("ID=\"openEuler\"\n", "/usr/bin/dnf") ==
        "sudo dnf install 'libx.so.1()(64bit)'; sudo dnf upgrade $(rpm -qf --qf '%{NAME}' /usr/bin/x)");
  CHECK(system_with("ID=void\n", "/x") ==
        "sudo xbps-install -S $(xbps-query -Ro '*/libx.so.1' | cut -d: -f1); sudo xbps-install -Su");
  CHECK(system_with("ID=gentoo\n", "/x") == "e-file libx.so.1; sudo emerge --update --oneshot /usr/bin/x");
  // A tool that is installed beside those of the system says nothing.
  CHECK(system_with("ID=arch\n", "/var/lib/dpkg/status") == of_arch + "; sudo pacman -Syu");
  CHECK(system_with("ID=unheard-of\n", "/x") == "; ");
}

TEST_CASE("a whole system without sudo takes commands as they are") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=debian\n");
  files.add_file("/bin/sh", "");
  const auto command = [&] {
    ImageStore images(files);
    return SystemPackages(images).as_root("ldconfig");
  };
  CHECK(command() == "ldconfig");
  files.add_file("/usr/bin/sudo", "");
  CHECK(command() == "sudo ldconfig");
}

TEST_CASE("an image of a container has no list of packages yet") {
  const auto install = [](const std::string& os_release, const std::string& file, bool container = true) {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    if (container) files.add_file("/.dockerenv", "");
    files.add_file(file, "");
    ImageStore images(files);
    return SystemPackages(images).install("liba libb");
  };
  const std::string lists = "/var/lib/apt/lists/";
  CHECK(install("ID=debian\n", "/x") == "apt update && apt install liba libb");
  CHECK(install("ID=debian\n", lists + "mirror.example_debian_dists_bookworm_main_binary-amd64_Packages.lz4") ==
        "apt install liba libb");
  CHECK(install("ID=ubuntu\n", lists + "lock", false) == "sudo apt update && sudo apt install liba libb");
  CHECK(install("ID=ubuntu\n", "/x", false) == "sudo apt install liba libb");
  CHECK(install("ID=alpine\n", "/x") == "apk add --no-cache liba libb");
  CHECK(install("ID=alpine\n", "/var/cache/apk/APKINDEX.0.tar.gz") == "apk add liba libb");
  CHECK(install("ID=arch\n", "/x") == "pacman -Syu liba libb");
  CHECK(install("ID=arch\n", "/var/lib/pacman/sync/core.db") == "pacman -S liba libb");
  CHECK(install("ID=fedora\n", "/x") == "dnf install liba libb");
}

TEST_CASE("of packages with their release in the name, the library's is that of the program") {
  const auto package = [](const std::string& origin, const std::string& release = "ID=wolfi\n") {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", release);
    files.add_file("/usr/lib/libpq.so.5.11", "");
    files.add_file("/usr/lib/apk/db/installed", "P:libpq-11\nV:11.22-r6\no:" + origin +
                                                    "\nF:usr\nF:usr/lib\nR:libpq.so.5.11\n\n"
                                                    "P:postgresql-13-client\no:postgresql-13\nF:usr/bin\nR:psql\n\n");
    ImageStore images(files);
    return SystemPackages(images).in_release_of("/usr/bin/psql", "/usr/lib/libpq.so.5.11");
  };
  CHECK(package("postgresql-11") == "libpq-13");
  CHECK(package("other-11") == "");
  CHECK(package("postgresql-11", "ID=debian\n") == "");
}

TEST_CASE("on Gentoo the package of a file is compiled again by the name of the file") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=gentoo\n");
  ImageStore images(files);
  CHECK(SystemPackages(images).rebuild_of("/usr/bin/x") == "sudo emerge --oneshot /usr/bin/x");
  CHECK(SystemPackages(images).upgrade_of_all() == "");
}

TEST_CASE("a name is no pattern, no command and no option of what searches for it") {
  CHECK(command_on("ID=debian\n", false, "libstdc++.so.6") == "apt-file search --regexp '/libstdc\\+\\+.so.6$'");
  CHECK(command_on("ID=debian\n", false, "a';x;'") == "apt-file search --regexp '/a'\\'';x;'\\''$'");
  CHECK(command_on("ID=arch\n", false, "--config=x") == "");
}

TEST_CASE("the package of a file is upgraded by the name of the file") {
  const auto upgrade_on = [](const std::string& os_release) {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    ImageStore images(files);
    return SystemPackages(images).upgrade_of("/usr/lib/libx.so.1");
  };
  CHECK(upgrade_on("ID=debian\n") ==
        "sudo apt update && sudo apt install --only-upgrade $(dpkg -S /usr/lib/libx.so.1 | cut -d: -f1)");
  CHECK(upgrade_on("ID=fedora\n") == "sudo dnf upgrade $(rpm -qf --qf '%{NAME}' /usr/lib/libx.so.1)");
  CHECK(upgrade_on("ID=arch\n") == "sudo pacman -Syu");
  CHECK(upgrade_on("ID=unheard-of\n") == "");
}

TEST_CASE("a file below /opt is of a package if a list of dpkg has it, and two packages are upgraded at once") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=ubuntu\n");
  files.add_file("/var/lib/dpkg/info/ros-x.list", "/.\n/opt/ros/lib/libx.so\n");
  files.add_file("/var/lib/dpkg/info/ros-y.md5sums", "/opt/ros/lib/liby.so\n");
  ImageStore images(files);
  const SystemPackages system(images);
  CHECK(system.owns_in_opt("/opt/ros/lib/libx.so"));
  CHECK_FALSE(system.owns_in_opt("/opt/ros/lib/libx"));
  CHECK_FALSE(system.owns_in_opt("/opt/ros/lib/liby.so"));
  CHECK(system.upgrade_of("/opt/a", "/opt/b") ==
        "sudo apt update && sudo apt install --only-upgrade $(dpkg -S /opt/a /opt/b | cut -d: -f1)");
  CHECK(system.install("openjdk-17-jre") == "sudo apt install openjdk-17-jre");
}

TEST_CASE("a renamed copy has eight or more hexadecimal digits behind a dash") {
  CHECK(is_renamed_copy("libX-4c97ab12.so.1"));
  CHECK(original_name("libX-4c97ab12.so.1") == "libX.so.1");
  CHECK(!is_renamed_copy("libX-4c97ab1.so.1"));
  CHECK(!is_renamed_copy("libX-notahexa.so.1"));
  CHECK(original_name("libX.so.1") == "libX.so.1");
}

/// What a release is offered of two packages of Debian and one of another archive.
std::string offered(const std::string& os_release) {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", os_release);
  ImageStore images(files);
  std::string text;
  const std::vector<SystemPackage> all{{"apt install libx2", "", "Debian 12 (main)", "/usr/lib", "", false},
                                       {"apt install libx2t64", "", "Debian 13 (main)", "/usr/lib", "", false},
                                       {"apt install own", "", "NVIDIA's repository", "/usr/lib", "", true}};
  for (const auto& each : SystemPackages(images).of_this_release(all))
    text += each.command.substr(12) + (each.likely ? " likely " : " ") + each.system + "\n";
  return text;
}

TEST_CASE("a package of Debian has the name that it has in the release of the tree") {
  const std::string own = "own likely NVIDIA's repository\n";
  CHECK(offered("ID=debian\nVERSION_ID=\"12\"\n") == "libx2 Debian 12 (main)\n" + own);
  CHECK(offered("ID=debian\nVERSION_ID=\"13\"\n") == "libx2t64 Debian 13 (main)\n" + own);
  CHECK(offered("ID=debian\nVERSION_ID=\"11\"\n") == "libx2 likely Debian 12 (main)\n" + own);
  CHECK(offered("ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"\n") == "libx2 likely Ubuntu\n" + own);
  CHECK(offered("ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n") == "libx2t64 likely Ubuntu\n" + own);
  CHECK(offered("ID=debian\n") == "libx2 Debian 12 (main)\nlibx2t64 Debian 13 (main)\n" + own);
}

TEST_CASE("packages of RPM are installed by what the tree has, or by what its release had") {
  const auto install = [](const std::string& os_release, const std::string& tool) {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    if (!tool.empty()) files.add_file("/usr/bin/" + tool, "");
    ImageStore images(files);
    return SystemPackages(images).provider_of("libx.so.1", true, false).command;
  };
  const std::string of_oracle = "ID=\"ol\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"8.7\"\n";
  const std::string of_centos = "ID=\"centos\"\nID_LIKE=\"rhel fedora\"\nVERSION_ID=\"7\"\n";
  const std::string of_amazon = "ID=\"amzn\"\nID_LIKE=\"centos rhel fedora\"\nVERSION_ID=";
  CHECK(install(of_oracle, "microdnf") == "sudo microdnf install 'libx.so.1()(64bit)'");
  CHECK(install(of_oracle, "") == "sudo dnf install 'libx.so.1()(64bit)'");
  CHECK(install(of_centos, "") == "sudo yum install 'libx.so.1()(64bit)'");
  CHECK(install(of_centos, "dnf") == "sudo dnf install 'libx.so.1()(64bit)'");
  CHECK(install(of_amazon + "\"2\"\n", "") == "sudo yum install 'libx.so.1()(64bit)'");
  CHECK(install(of_amazon + "\"2018.03\"\n", "") == "sudo yum install 'libx.so.1()(64bit)'");
  CHECK(install(of_amazon + "\"2023\"\n", "") == "sudo dnf install 'libx.so.1()(64bit)'");
  CHECK(install("ID=fedora\nVERSION_ID=7\n", "") == "sudo dnf install 'libx.so.1()(64bit)'");
  CHECK(install("ID=azurelinux\n", "tdnf") == "tdnf repoquery --whatprovides 'libx.so.1()(64bit)'");
}

TEST_CASE("a program of 32 bits needs packages for another machine") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  files.add_file("/lib/ld-linux-aarch64.so.1", "");
  Image image;
  image.format = Format::elf32;
  image.machine = EM_ARM;
  ImageStore images(files);
  const SystemPackages system(images);
  CHECK(system.foreign_architecture(image) == "armhf");
  CHECK(system.install_foreign("libx1", "armhf") ==
        "sudo dpkg --add-architecture armhf && sudo apt update && sudo apt install libx1:armhf");
  files.add_file("/var/lib/dpkg/arch", "arm64\narmhf\n");
  ImageStore again(files);
  CHECK(SystemPackages(again).install_foreign("libx1", "armhf") == "sudo apt install libx1:armhf");
  image.machine = EM_386;
  CHECK(system.foreign_architecture(image) == "");
  image.format = Format::elf64;
  image.machine = EM_ARM;
  CHECK(system.foreign_architecture(image) == "");
}

TEST_CASE("what starts a container, and an image that is hardly more than a C library") {
  const auto run_on = [](const std::string& os_release, const std::string& file) {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    files.add_file(file, "");
    ImageStore images(files);
    const SystemPackages system(images);
    return system.container_run().substr(0, 6) + (system.is_distroless() ? " distroless" : "");
  };
  CHECK(run_on("ID=fedora\nVERSION_ID=43\n", "/x") == "podman");
  CHECK(run_on("ID=fedora\nVERSION_ID=43\n", "/usr/bin/docker") == "docker");
  CHECK(run_on("PRETTY_NAME=\"Distroless\"\nID=\"debian\"\nVERSION_ID=\"12\"\n", "/x") == "docker distroless");
}

TEST_CASE("OpenWrt has opkg, and no sudo") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=\"openwrt\"\nID_LIKE=\"lede openwrt\"\n");
  {
    ImageStore images(files);
    const SystemPackages system(images);
    CHECK(system.provider_of("libx.so.1", true, false).command == "opkg update && opkg list 'libx*'");
    CHECK(system.install("a b") == "opkg update && opkg install a b");
    CHECK(system.again("/usr/lib/x.so") ==
          "opkg update && opkg install --force-reinstall $(opkg search /usr/lib/x.so | cut -d ' ' -f 1)");
    CHECK(system.upgrade_of("/usr/lib/x.so") ==
          "opkg update && opkg upgrade $(opkg search /usr/lib/x.so | cut -d ' ' -f 1)");
    CHECK(system.as_root("x") == "x");
  }
  files.add_file("/lib/apk/db/installed", "");
  ImageStore images(files);
  CHECK(SystemPackages(images).install("a") == "apk add a");
}

TEST_CASE("a system whose tree is read-only has a way of its own to install") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=fedora\nVARIANT_ID=silverblue\n");
  files.add_file("/run/ostree-booted", "");
  files.add_file("/usr/bin/dnf", "");
  ImageStore images(files);
  CHECK(SystemPackages(images).install("a") == "sudo rpm-ostree install a");
  CHECK(SystemPackages(images).again("/usr/lib64/x.so") == "sudo rpm-ostree upgrade");
  CHECK(SystemPackages(images).upgrade_of("/usr/lib64/x.so") == "sudo rpm-ostree upgrade");
  MemoryFileSystem deck;
  deck.add_file("/etc/os-release", "ID=steamos\nID_LIKE=arch\n");
  ImageStore of_deck(deck);
  CHECK(SystemPackages(of_deck).install("a") == "sudo steamos-readonly disable && sudo pacman -S a");
}

TEST_CASE("what has the files of packages that are not installed finds one and installs it") {
  const auto found = [](const std::string& os_release, bool wide = true) {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", os_release);
    ImageStore images(files);
    const auto fix = SystemPackages(images).found_package("libx.so.1", wide);
    CHECK(fix.only_searches);
    return fix.command;
  };
  CHECK(found("ID=arch\n") == of_arch);
  CHECK(found("ID=manjaro\nID_LIKE=arch\n", false).ends_with("$(pacman -Fq /usr/lib32/libx.so.1)"));
  CHECK(found("ID=debian\n") == "");
}

TEST_CASE("the archive of Raspbian is called so, and has the releases of Debian") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=raspbian\nID_LIKE=debian\nVERSION_ID=\"11\"\n");
  ImageStore images(files);
  const auto archive = SystemPackages(images).archive();
  REQUIRE(archive);
  CHECK(archive->id + " " + archive->name + " " + archive->release == "debian Raspbian 11");
}

}  // namespace
}  // namespace cudald
