#include "check/fixes/flatpak.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string told(const std::string& path, const std::string& library, const FileSystem& files) {
  Finding finding;
  if (!add_flatpak(path, library, files, finding)) return "";
  return finding.message + " | " + finding.fixes.front().command;
}

TEST_CASE("a program of Flatpak gets the libraries of its runtime, and none of the system") {
  const std::string app = "/var/lib/flatpak/app/org.x.Y/x86_64/stable/active";
  const std::string runtime = "/var/lib/flatpak/runtime/org.freedesktop.Platform/x86_64/23.08/active/files/lib/";
  MemoryFileSystem files;
  files.add_file(app + "/files/bin/y", "");
  files.add_file(app + "/metadata", "[Application]\nname=org.x.Y\nruntime=org.freedesktop.Platform/x86_64/23.08\n");
  const std::string with = "; Flatpak starts the program with the runtime org.freedesktop.Platform/x86_64/23.08, ";
  CHECK(told(app + "/files/bin/y", "libr.so.0", files) ==
        with + "which is not installed here | flatpak install --reinstall org.x.Y");
  CHECK_FALSE(lacks_in_flatpak(app + "/files/bin/y", "libr.so.0", files));
  files.add_file(runtime + "x86_64-linux-gnu/libc.so.6", "");
  CHECK(told(app + "/files/bin/y", "libr.so.0", files) == with + "which does not have it either | flatpak update");
  CHECK(lacks_in_flatpak(app + "/files/bin/y", "libr.so.0", files));
  CHECK_FALSE(lacks_in_flatpak(app + "/files/bin/y", "libc.so.6", files));
  CHECK_FALSE(lacks_in_flatpak("/usr/bin/y", "libr.so.0", files));
  CHECK(told(app + "/files/bin/y", "libc.so.6", files) ==
        with + "and " + runtime + "x86_64-linux-gnu has it | flatpak run org.x.Y");
  files.add_file(app + "/files/lib/libown.so.1", "");
  CHECK(told(app + "/files/bin/y", "libown.so.1", files) ==
        with + "and " + app + "/files/lib has it | flatpak run org.x.Y");
  CHECK(told("/usr/bin/y", "libr.so.0", files).empty());
  CHECK(told("/app/bin/y", "libr.so.0", files).empty());
}

TEST_CASE("in the sandbox its description tells the runtime") {
  MemoryFileSystem files;
  files.add_file("/.flatpak-info", "[Application]\nname=org.x.Y\nruntime=runtime/org.gnome.Platform/x86_64/46\n");
  Finding finding;
  CHECK(add_flatpak("/app/bin/y", "libr.so.0", files, finding));
  CHECK(finding.message ==
        "; Flatpak starts the program with the runtime org.gnome.Platform/x86_64/46, which does not have it either");
  CHECK(finding.fixes.at(1).command ==
        "flatpak remote-info --log flathub org.gnome.Platform//46\nsudo flatpak update --commit=COMMIT "
        "org.gnome.Platform//46");
  CHECK(finding.fixes.at(2).command ==
        "flatpak remote-info --log flathub org.x.Y\nsudo flatpak update --commit=COMMIT org.x.Y");
}

}  // namespace
}  // namespace cudald
