#include "check/fixes/snap.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

std::string told_of_snap(const std::string& path, const std::string& library, const FileSystem& files) {
  Finding finding;
  if (!add_snap(path, library, files, finding)) return "";
  return finding.message + " | " + finding.fixes.front().command;
}

TEST_CASE("a snap gets the libraries of its base and of what other snaps share with it, and none of the system") {
  const std::string program = "/snap/x/348/usr/bin/x";
  MemoryFileSystem files;
  files.add_file(program, "");
  CHECK(told_of_snap(program, "libq.so.3", files) ==
        "; revision 348 of the snap x does not have it | sudo snap refresh x");
  files.add_file("/snap/x/348/meta/snap.yaml",
                 "name: x\nbase: core18\nplugs:\n  gnome:\n    default-provider: gnome-3-28-1804:slot\n");
  CHECK(told_of_snap(program, "libq.so.3", files) ==
        "; the snap x gets libraries from the snap core18, which is not installed | sudo snap install core18");
  files.add_file("/snap/core18/current/usr/lib/x86_64-linux-gnu/libpcre.so.3", "");
  files.add_file("/snap/gnome-3-28-1804/current/lib/libg.so.0", "");
  CHECK(told_of_snap(program, "libq.so.3", files) ==
        "; revision 348 of the snap x does not have it, nor core18 and gnome-3-28-1804 | sudo snap refresh x");
  CHECK(told_of_snap(program, "libpcre.so.3", files) ==
        "; the snap x is started with the files of core18, and /snap/core18/current/usr/lib/x86_64-linux-gnu has it | "
        "snap run x");
  CHECK(told_of_snap(program, "libg.so.0", files) ==
        "; the snap x is started with the files of gnome-3-28-1804, and /snap/gnome-3-28-1804/current/lib has it | "
        "snap run x");
  CHECK(told_of_snap("/usr/bin/x", "libq.so.3", files).empty());
  CHECK(told_of_snap("/snap/README", "libq.so.3", files).empty());
}

TEST_CASE("a snap of classic confinement sees the system's libraries") {
  MemoryFileSystem files;
  files.add_file("/var/lib/snapd/snap/x/2/meta/snap.yaml", "base: core22\nconfinement: classic\n");
  files.add_file("/var/lib/snapd/snap/core22/current/usr/lib/libq.so.3", "");
  Finding finding;
  CHECK(add_snap("/var/lib/snapd/snap/x/2/bin/x", "libq.so.3", files, finding));
  CHECK(finding.message == "; revision 2 of the snap x does not have it, nor core22");
  CHECK(finding.does_not_help.empty());
}

}  // namespace
}  // namespace cudald
