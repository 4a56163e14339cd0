#include "check/fixes/driver_fixes.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string commands_in(const MemoryFileSystem& files) {
  ImageStore images(files);
  std::string text;
  for (const auto& fix : driver_fixes(images)) text += fix.command + ";";
  return text;
}

TEST_CASE("the driver is advised by where the files are") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=debian\n");
  CHECK(commands_in(files) == "docker run --gpus all IMAGE;sudo apt install nvidia-driver;");
  files.add_file("/sys/bus/pci/devices/0/vendor", "0x8086\n");
  // No GPU of NVIDIA is in sight: first of all another machine.
  CHECK(commands_in(files) == ";docker run --gpus all IMAGE;sudo apt install nvidia-driver;");
  files.add_file("/sys/bus/pci/devices/1/vendor", "0x10de\n");
  CHECK(commands_in(files) == "sudo apt install nvidia-driver;docker run --gpus all IMAGE;");
  files.add_folder("/usr/lib/wsl");
  CHECK(commands_in(files) == ";");
  files.add_file("/.dockerenv", "");
  CHECK(commands_in(files) == "docker run --gpus all IMAGE;");
}

TEST_CASE("of Ubuntu the newest driver, of a container its GPUs") {
  MemoryFileSystem files;
  const auto newer = [&] {
    ImageStore images(files);
    return newer_driver(images);
  };
  files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  CHECK(newer() == "");  // the release keeps the series that it has
  files.add_file("/etc/os-release", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"\n");
  const std::string install = "sudo apt install ubuntu-drivers-common && sudo ubuntu-drivers install";
  CHECK(newer() == install);
  CHECK(commands_in(files) == "docker run --gpus all IMAGE;" + install + ";");
  files.add_file("/sys/bus/pci/devices/0/vendor", "0x8086\n");
  CHECK(newer() == "");
  files.add_file("/.dockerenv", "");
  CHECK(newer() == "docker run --gpus all IMAGE");
  files.add_file("/sys/bus/pci/devices/1/vendor", "0x10de\n");
  CHECK(newer() == "");
}

}  // namespace
}  // namespace cudald
