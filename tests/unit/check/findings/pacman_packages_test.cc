#include "check/findings/pacman_packages.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

void add_package(MemoryFileSystem& files, const std::string& name, const std::string& validation,
                 const std::string& list) {
  const auto folder = "/var/lib/pacman/local/" + name + "-1.0-1";
  files.add_file(folder + "/desc",
                 "%NAME%\n" + name + "\n\n%BASE%\nbase-of-" + name + "\n\n%VALIDATION%\n" + validation + "\n\n");
  files.add_file(folder + "/files", "%FILES%\nusr/\nusr/bin/\n" + list + "\n\n");
}

TEST_CASE("a package without a signature and a checksum was built on the machine") {
  MemoryFileSystem files;
  add_package(files, "cpu-x", "none", "usr/bin/cpu-x");
  add_package(files, "htop", "pgp", "usr/bin/htop");
  add_package(files, "insync-bin", "none", "usr/bin/insync");
  ImageStore images(files);
  const auto package = foreign_package_of("/usr/bin/cpu-x", images);
  REQUIRE(package);
  CHECK(package->name == "cpu-x");
  CHECK(package->base == "base-of-cpu-x");
  CHECK_FALSE(foreign_package_of("/usr/bin/htop", images));
  const auto ready_made = foreign_package_of("/usr/bin/insync", images);
  REQUIRE(ready_made);
  CHECK(ready_made->ready_made);
  CHECK(ready_made->name == "insync");
  CHECK_FALSE(foreign_package_of("/usr/bin/cpu", images));
  CHECK_FALSE(foreign_package_of("cpu-x", images));
}

TEST_CASE("the program that builds it is the one that is there, and not the one that fails") {
  MemoryFileSystem files;
  ImageStore none(files);
  CHECK(rebuild_command({"cpu-x", "cpu"}, "/usr/bin/cpu-x", none) ==
        "git clone https://aur.archlinux.org/cpu.git && (cd cpu && makepkg -fsri)");
  files.add_file("/usr/bin/yay", "");
  ImageStore images(files);
  CHECK(rebuild_command({"cpu-x", "cpu"}, "/usr/bin/cpu-x", images) == "yay -S --rebuild cpu-x");
  CHECK(rebuild_command({"cpu-x", "cpu-x", true}, "/usr/bin/cpu-x", images) ==
        "sudo pacman -S cpu-x || (yay -S --rebuild cpu-x)");
  CHECK(rebuild_command({"yay", "yay"}, "/usr/bin/yay", images) ==
        "git clone https://aur.archlinux.org/yay.git && (cd yay && makepkg -fsri)");
}

}  // namespace
}  // namespace cudald
