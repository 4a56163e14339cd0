#include "session/dotnet_library.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

TEST_CASE("a library of .NET is where the list beside the program says, for the processor of the program") {
  MemoryFileSystem files;
  files.add_file("/app/Player.deps.json",
                 R"({"targets": {"x": {"P/1": {"runtimeTargets": {"runtimes/win-x64/native/MiniAudio.dll": {},
                     "runtimes/win-x86/native/MiniAudio.dll": {}, "runtimes/win-arm64/native/MiniAudio.dll": {}}}}}})");
  files.add_file("/app/runtimes/win-x64/native/MiniAudio.dll", "MZ");
  files.add_file("/app/runtimes/win-x86/native/MiniAudio.dll", "MZ");
  const auto of = [&](const std::string& library, const std::string& machine) {
    return dotnet_library(library, "/app/Player.exe", machine, files);
  };
  CHECK(of("miniaudio.dll", "x86_64") == "/app/runtimes/win-x64/native/MiniAudio.dll");
  CHECK(of("miniaudio.dll", "i386") == "/app/runtimes/win-x86/native/MiniAudio.dll");
  CHECK(of("miniaudio.dll", "aarch64").empty());  // listed, and not there
  CHECK(of("miniaudio.dll", "riscv").empty());
  CHECK(of("audio.dll", "x86_64").empty());
  CHECK(of("", "x86_64").empty());
  CHECK(dotnet_library("miniaudio.dll", "/app/Other.exe", "x86_64", files).empty());
}

}  // namespace
}  // namespace cudald
