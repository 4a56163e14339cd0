// For which machine the wheels of a lock are chosen.

#include "cli/commands/lock_target.h"

#include <elf.h>

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cudald/linux_host_file.h>

namespace cudald {
namespace {

TEST_CASE("wheels are chosen for the machine that is stated, or described") {
  const auto chosen = [](std::vector<std::string> words) {
    words.insert(words.begin(), "check");
    words.push_back("x");
    const auto wheels = wheels_for(*parse_options(words));
    return wheels.machine + " " + wheels.windows_tag + (wheels.musl ? " musl" : "") + (wheels.glibc ? " glibc" : "");
  };
  CHECK(chosen({}) == "x86_64 ");
  CHECK(chosen({"--platform", "linux-aarch64"}) == "aarch64 ");
  CHECK(chosen({"--platform", "windows-x86_64"}) == "x86_64 win_amd64");
  CHECK(chosen({"--platform", "windows-i386"}) == "i386 win32");
  CHECK(chosen({"--libc", "musl-1.2"}) == "x86_64  musl");
  CHECK(chosen({"--libc", "glibc-2.31"}) == "x86_64  glibc");
  auto options = *parse_options({"check", "--python", "3.9", "x"});
  CHECK(wheels_for(options).python_version == "3.9");
  options.world.machine = EM_AARCH64;
  options.world.windows = true;
  CHECK(wheels_for(options).windows_tag == "win_arm64");
  LinuxHostFile host;
  host.platform = "linux-aarch64";
  host.libc = "musl-1.2";
  auto described = *parse_options({"check", "x"});
  described.resolved.linux_host = std::make_shared<const LinuxHostFile>(host);
  CHECK(wheels_for(described).machine == "aarch64");
  CHECK(wheels_for(described).musl.has_value());
  described.world.machine = EM_X86_64;
  described.world.libc = LibcVersion{LibcKind::glibc, 2, 31};
  CHECK(wheels_for(described).machine == "x86_64");
  CHECK_FALSE(wheels_for(described).musl.has_value());
}

TEST_CASE("what a description does not say of its C library and machine is left as it is usual") {
  const auto chosen = [](const std::string& platform, const std::string& libc) {
    LinuxHostFile host;
    host.platform = platform;
    host.libc = libc;
    auto options = *parse_options({"check", "x"});
    options.resolved.linux_host = std::make_shared<const LinuxHostFile>(host);
    const auto wheels = wheels_for(options);
    return wheels.machine + (wheels.musl ? " musl" : "") + (wheels.glibc ? " glibc" : "");
  };
  CHECK(chosen("linux-aarch64", "glibc-2.31") == "aarch64 glibc");
  CHECK(chosen("linux-aarch64", "musl-1.2") == "aarch64 musl");
  CHECK(chosen("linux-aarch64", "") == "aarch64");
  CHECK(chosen("linux-aarch64", "newlib") == "aarch64");
  CHECK(chosen("linux", "glibc-2.31") == "x86_64 glibc");
  CHECK(chosen("", "") == "x86_64");
}

}  // namespace
}  // namespace cudald
