#include "check/fixes/program_parts.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

Object program_at(const std::string& path) {
  Object program;
  program.path = path;
  return program;
}

TEST_CASE("of another release is what has another number at its end") {
  MemoryFileSystem files;
  for (const auto* name : {"gmic.exe", "libOpenCV_core2410.dll", "zlib1.dll", "x9.dll"})
    files.add_file(std::string("/gmic/") + name, "MZ");
  ImageStore images(files);
  const auto beside = [&](const std::string& dll) {
    return other_release_beside(dll, program_at("/gmic/gmic.exe"), images);
  };
  CHECK(beside("libopencv_core2411.dll") == "libOpenCV_core2410.dll");
  CHECK(beside("libopencv_core2410.dll").empty());
  CHECK(beside("libopencv_imgproc2411.dll").empty());
  CHECK(beside("x8.dll").empty());
  CHECK(beside("gmic.dll").empty());
}

TEST_CASE("a program that lies alone has no DLL beside it, and was not compiled there") {
  MemoryFileSystem files;
  for (const auto* path :
       {"/Users/n/Downloads/a.exe", "/src/Release/b.exe", "/Windows/c.exe", "/app/d.exe", "/app/D.DLL"})
    files.add_file(path, "MZ");
  ImageStore images(files);
  CHECK(lies_alone(program_at("/Users/n/Downloads/a.exe"), images));
  CHECK(!lies_alone(program_at("/src/Release/b.exe"), images));
  CHECK(!lies_alone(program_at("/Windows/c.exe"), images));
  CHECK(!lies_alone(program_at("/app/d.exe"), images));
}

}  // namespace
}  // namespace cudald
