#include "session/built_program.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("the program that PyInstaller has made is in dist, in a directory of its own or as one file") {
  MemoryFileSystem files;
  files.add_file("/a/build/hello/Analysis-00.toc", "");
  const std::string text = "Failed to load Python shared library '/a/build/hello/_internal/libpython3.12.so.1.0'";
  CHECK(!built_program(text, files, "/"));
  files.add_file("/a/dist/hello", "");
  REQUIRE(built_program(text, files, "/"));
  CHECK(built_program(text, files, "/")->program == "/a/dist/hello");
  CHECK(built_program(text, files, "/")->parts == "/a/build/hello");
  CHECK(!built_program(text, files, "/")->windows);
  files.add_file("/a/build/other/x", "");
  CHECK(!built_program("'/a/build/other/x'", files, "/"));
}

TEST_CASE("so it is on Windows") {
  MemoryFileSystem files;
  files.add_file("/p/build/Hello_World/Analysis-00.toc", "");
  files.add_file("/p/dist/Hello_World/Hello_World.exe", "MZ");
  const auto found = built_program("Python DLL 'C:\\p\\build\\Hello_World\\python39.dll'.", files, "/");
  REQUIRE(found);
  CHECK(found->windows);
  CHECK(found->program == "/p/dist/Hello_World/Hello_World.exe");
}

}  // namespace
}  // namespace cudald
