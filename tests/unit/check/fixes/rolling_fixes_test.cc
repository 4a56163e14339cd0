// What brings a DLL to a program of MSYS2.

#include "check/fixes/rolling_fixes.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string brought(const std::string& dll, const std::string& requester, const std::vector<std::string>& there = {}) {
  MemoryFileSystem files;
  files.add_file("/msys64/var/lib/pacman/local/x/desc", "");
  for (const auto& path : there) files.add_file(path, "");
  const auto fix = rolling_fix(dll, requester, files);
  return fix ? fix->fix.command + (fix->half.empty() ? "" : " | " + fix->half) : "";
}

TEST_CASE("a DLL of another number came with half of an upgrade") {
  CHECK(brought("msys-nettle-9.dll", "/msys64/usr/bin/wget.exe", {"/msys64/usr/bin/msys-nettle-8.dll"}) ==
        "pacman -Syu | msys-nettle-8.dll is there, with which wget.exe was not built");
  CHECK(brought("libx-2.dll", "/msys64/mingw64/bin/a.exe", {"/msys64/mingw64/bin/libX-1.dll"}) ==
        "pacman -Syu | libX-1.dll is there, with which a.exe was not built");
  // The number may stand at the end without a dash, and before the name of the machine.
  for (const auto* numbers :
       {"libicuin65.dll libicuin66.dll", "libssl-1_1-x64.dll libssl-3-x64.dll", "libpython3.9.dll libpython3.10.dll"}) {
    const std::string both = numbers, other = both.substr(both.find(' ') + 1);
    CHECK(brought(both.substr(0, both.find(' ')), "/msys64/mingw64/bin/a.exe", {"/msys64/mingw64/bin/" + other}) ==
          "pacman -Syu | " + other + " is there, with which a.exe was not built");
  }
}

TEST_CASE("else its package is found and installed") {
  const std::string find = "pacman -Fy && pacman -S $(pacman -Fq /mingw64/bin/";
  CHECK(brought("12.dll", "/msys64/mingw64/bin/a.exe", {"/msys64/mingw64/bin/11.dll"}) == find + "12.dll)");
  CHECK(brought("libgtk-4-1.dll", "/msys64/mingw64/bin/a.exe", {"/msys64/mingw64/bin/libgtk-3-0.dll"}) ==
        find + "libgtk-4-1.dll)");
  CHECK(brought("libx.drv", "/msys64/mingw64/bin/a.exe", {"/msys64/mingw64/bin/liby.drv"}) == find + "libx.drv)");
  const std::vector<std::string> others{"/msys64/mingw64/bin/liby-1.dll"};
  CHECK(brought("libx-2.dll", "/msys64/mingw64/bin/a.exe", others) ==
        "pacman -Fy && pacman -S $(pacman -Fq /mingw64/bin/libx-2.dll)");
  CHECK(brought("zlib1.dll", "/msys64/ucrt64/lib/python3.11/x.pyd") ==
        "pacman -Fy && pacman -S $(pacman -Fq /ucrt64/bin/zlib1.dll)");
}

TEST_CASE("a file of no such system is left to others") {
  CHECK(brought("libx-2.dll", "/app/a.exe") == "");
  CHECK(brought("libx-2.dll", "/git/mingw64/bin/a.exe") == "");
}

}  // namespace
}  // namespace cudald
