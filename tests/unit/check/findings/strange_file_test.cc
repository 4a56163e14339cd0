// What lies in a library's place and is none.

#include <doctest/doctest.h>

#include "check/findings/strange_file.h"
#include "common/world.h"

namespace cudald {
namespace {

/// How a file with these bytes is described, and the first command that helps.
std::string told(const std::string& path, const std::string& bytes, bool windows = false,
                 const std::string& beside = "") {
  MemoryFileSystem files;
  files.add_file(path, bytes);
  if (!beside.empty()) files.add_file(beside, elf({}));
  ImageStore images(files);
  const auto strange = identify_strange_file(path, images, windows);
  if (!strange) return "-";
  return strange->is + " | " + (strange->fixes.empty() ? "" : strange->fixes.front().command);
}

TEST_CASE("the first bytes of a file tell what it is") {
  const std::string tail(200, 'x');
  CHECK(told("/a/x.so", "") == "it is empty | ");
  CHECK(told("/a/libcuda.so.1", "") == "-");
  CHECK(told("/a/x.so", "404: Not Found\n") == "it is a text that begins with \"404: Not Found\" | ");
  CHECK(told("/a/x.so", std::string("a\0b", 3)) == "-");
  CHECK(told("/a/x.so", "version https://git-lfs.github.com/spec/v1\n" + tail) ==
        "it is a Git LFS pointer, not the library | git lfs pull");
  CHECK(told("/app/node_modules/farmhash/build/x.node", "\xcf\xfa\xed\xfe" + tail) ==
        "it is a Mach-O file, for macOS | npm rebuild farmhash");
  CHECK(told("/app/node_modules/@img/sharp/x.node", "MZ" + tail) ==
        "it is a DLL or program for Windows | npm rebuild @img/sharp");
  CHECK(told("/a/x.so", "<!DOCTYPE html>" + tail) == "it is a web page | ");
  CHECK(told("/a/x.so", std::string("\x1f\x8b", 2) + tail) == "it is a gzip archive | ");
  CHECK(told("/a/x.so", "!<arch>\n" + tail) ==
        "it is a static library (ar archive): for the linker, not for the loader | ");
  CHECK(told("/a/x.so", tail).find("a text that begins with") != std::string::npos);
  CHECK(told("/a/x.so", std::string(5000, 'x')) == "-");
  CHECK(told("/a/x.so", elf({})) == "-");
}

TEST_CASE("an ELF file in the place of a DLL is named, and a DLL is in its own") {
  CHECK(told("/a/x.dll", elf({}), true) == "it is an ELF file, for Linux | ");
  CHECK(told("/a/x.dll", "MZ" + std::string(100, 'x'), true) == "-");
  CHECK(told("/a/x.dll", "version https://git-lfs.github.com/spec/v1\n", true) ==
        "it is a Git LFS pointer, not the library | git lfs pull");
}

TEST_CASE("a symbolic link that was written out as text is made one again, if its target is there") {
  CHECK(told("/a/libx.so", "libx.so.3\n", false, "/a/libx.so.3") ==
        "it is a symbolic link that was written out as text (\"libx.so.3\"), as Git does where it makes none | "
        "ln -sf libx.so.3 /a/libx.so");
  CHECK(told("/a/libx.so", "libx.so.3\n") == "it is a text that begins with \"libx.so.3\" | ");
  CHECK(told("/a/libx.so", "libx.so\n") == "it is a text that begins with \"libx.so\" | ");
}

TEST_CASE("a linker script stands for the first library that it names") {
  CHECK(told("/a/libg.so", "/* GNU ld script */\nGROUP ( libg.so.1 -lgcc )\n") ==
        "it is a linker script: for the linker, not for the loader; it stands for libg.so.1 | ");
  CHECK(told("/a/libc.so", "GROUP ( /lib/libc.so.6 /usr/lib/libc_nonshared.a )") ==
        "it is a linker script: for the linker, not for the loader; it stands for libc.so.6 | ");
  CHECK(told("/a/libg.so", "GROUP ( -lgcc )") == "it is a linker script: for the linker, not for the loader | ");
}

TEST_CASE("an object file of the compiler becomes a library by a link") {
  CHECK(told("/m/geoip.o", elf({.type = ET_REL})) ==
        "it is an object file of the compiler (ET_REL), which was not linked | gcc -shared -o /m/geoip.so /m/geoip.o");
  CHECK(told("/m/geoip.so", elf({.type = ET_REL})) ==
        "it is an object file of the compiler (ET_REL), which was not linked | "
        "gcc -shared -o /m/geoip.so.linked /m/geoip.so");
}

}  // namespace
}  // namespace cudald
