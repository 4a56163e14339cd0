// A library that an installed package has lost.

#include "check/findings/lost_library.h"

#include <string>

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// "quazip: /usr/lib/libquazip5.so.1"; empty if nothing is lost.
std::string lost_with(const std::string& record, const std::string& text, const std::string& there = "/x",
                      const std::string& name = "libquazip5.so.1") {
  MemoryFileSystem files;
  files.add_file(record, text);
  files.add_file(there, "");
  ImageStore images(files);
  const auto lost = lost_library(name, images);
  return lost ? lost->package + ": " + lost->path : "";
}

const std::string xbps = "/var/db/xbps/.quazip-files.plist", dpkg = "/var/lib/dpkg/info/libquazip5-1:amd64.list";

TEST_CASE("the records of each system name the package and the path") {
  CHECK(lost_with(xbps, "<dict><key>file</key><string>/usr/lib/libquazip5.so.1</string></dict>") ==
        "quazip: /usr/lib/libquazip5.so.1");
  CHECK(lost_with(dpkg, "/.\n/usr/lib/x86_64-linux-gnu/libquazip5.so.1\n") ==
        "libquazip5-1:amd64: /usr/lib/x86_64-linux-gnu/libquazip5.so.1");
  CHECK(lost_with("/var/lib/pacman/local/quazip-qt5-1.4-2/files", "%FILES%\nusr/\nusr/lib/libquazip5.so.1\n") ==
        "quazip-qt5: /usr/lib/libquazip5.so.1");
  CHECK(lost_with("/lib/apk/db/installed", "P:quazip\nF:usr/lib\nR:libquazip5.so.1\n\nP:other\n") ==
        "quazip: /usr/lib/libquazip5.so.1");
}

TEST_CASE("what is there is not lost, nor is what no package of that name has") {
  const std::string list = "/usr/lib/x86_64-linux-gnu/libquazip5.so.1\n";
  CHECK(lost_with(dpkg, list, "/usr/lib/x86_64-linux-gnu/libquazip5.so.1") == "");
  CHECK(lost_with(dpkg, "/usr/lib/x86_64-linux-gnu/libquazip5.so.1.0.0\n") == "");
  CHECK(lost_with("/var/lib/dpkg/info/vim.list", list) == "");
  CHECK(lost_with(dpkg, list, "/x", "/usr/lib/x86_64-linux-gnu/libquazip5.so.1") == "");
  CHECK(lost_with("/lib/apk/db/installed", "P:quazip\nF:usr/lib\nR:libquazip5.so.1\n", "/usr/lib/libquazip5.so.1") ==
        "");
  CHECK(lost_with(dpkg, "", "/x", "lib.so") == "");
}

}  // namespace
}  // namespace cudald
