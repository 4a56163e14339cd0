// From where apt takes packages, in both formats of its lists.

#include <string>

#include <doctest/doctest.h>

#include "check/findings/apt_sources.h"
#include "check/findings/system_packages.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// "http://one/debian: bookworm bookworm-updates: main\n" for each source.
std::string sources_of(const MemoryFileSystem& files) {
  std::string text;
  for (const auto& source : apt_sources(files)) {
    text += source.address + ":";
    for (const auto& suite : source.suites) text += " " + suite;
    text += ":";
    for (const auto& component : source.components) text += " " + component;
    text += "\n";
  }
  return text;
}

std::string sources_in(const std::string& name, const std::string& text) {
  MemoryFileSystem files;
  files.add_file("/etc/apt/" + name, text);
  return sources_of(files);
}

TEST_CASE("a source is a line, with options or without") {
  CHECK(sources_in(
            "sources.list",
            "# all\ndeb http://one/debian/ bookworm main contrib # here\n\ndeb-src http://one/debian bookworm main\n"
            "\tdeb [arch=amd64 signed-by=/k]\thttps://two/debian bookworm-updates main\r\n") ==
        "http://one/debian: bookworm: main contrib\nhttps://two/debian: bookworm-updates: main\n");
  CHECK(sources_in("sources.list.d/x.list", "deb [ arch=amd64 ] http://one/debian bookworm main\n") ==
        "http://one/debian: bookworm: main\n");
  CHECK(sources_in("sources.list", "deb http://one/debian bookworm\ndeb [ http://one/debian x main\ndeb\n") == "");
}

TEST_CASE("or a paragraph of fields, whose values may go on in the next line") {
  CHECK(sources_in("sources.list.d/debian.sources",
                   "Types: deb deb-src\n# a word\nURIs: http://one/debian\n http://two/debian/\nSuites: trixie "
                   "trixie-updates\ncomponents: main\n\nTypes: deb\nEnabled: no\nURIs: http://three/x\n\n"
                   "Types: deb-src\nURIs: http://four/x\n") ==
        "http://one/debian: trixie trixie-updates: main\nhttp://two/debian: trixie trixie-updates: main\n");
  CHECK(sources_in("sources.list.d/debian.save", "deb http://one/debian bookworm main\n") == "");
}

TEST_CASE("neither a medium nor an address with a password is shown") {
  CHECK(sources_in("sources.list",
                   "deb cdrom:[Debian]/ bookworm main\ndeb mirror+file:/etc/m bookworm main\n"
                   "deb https://me:secret@one/debian bookworm main\n") == "");
}

TEST_CASE("the mirror of a system is that of its own release") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  files.add_file("/etc/apt/sources.list",
                 "deb http://security/debian-security bookworm-security main\ndeb http://old/debian bullseye main\n"
                 "deb http://part/debian bookworm contrib\ndeb http://here/debian bookworm main\n");
  ImageStore images(files);
  CHECK(SystemPackages(images).mirror() == "http://here/debian");
  files.add_file("/etc/apt/sources.list", "");
  CHECK(SystemPackages(images).mirror() == "");
}

}  // namespace
}  // namespace cudald
