#include "check/findings/system_packages.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string command_on(const std::string& os_release, bool container = false) {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", os_release);
  if (container) files.add_file("/.dockerenv", "");
  ImageStore images(files);
  return SystemPackages(images).provider_of("libx.so.1", true).command;
}

TEST_CASE("each system names the package of a library in its own way") {
  CHECK(command_on("ID=debian\n") == "apt-file search --regexp '/libx.so.1$'");
  CHECK(command_on("ID=rocky\nID_LIKE=\"rhel centos fedora\"\n") == "sudo dnf install 'libx.so.1()(64bit)'");
  CHECK(command_on("ID=fedora\n", true) == "dnf install 'libx.so.1()(64bit)'");
  CHECK(command_on("ID=arch\n") == "pacman -F libx.so.1");
  CHECK(command_on("ID=unheard-of\n") == "");
}

TEST_CASE("a renamed copy has eight or more hexadecimal digits behind a dash") {
  CHECK(is_renamed_copy("libX-4c97ab12.so.1"));
  CHECK(original_name("libX-4c97ab12.so.1") == "libX.so.1");
  CHECK(!is_renamed_copy("libX-4c97ab1.so.1"));
  CHECK(!is_renamed_copy("libX-notahexa.so.1"));
  CHECK(original_name("libX.so.1") == "libX.so.1");
}

}  // namespace
}  // namespace cudald
