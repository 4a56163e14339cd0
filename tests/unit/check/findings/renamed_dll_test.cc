// A DLL that lies beside the file that needs it, with something before its name.

#include "check/findings/renamed_dll.h"

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

/// What is found for an import of llama.dll by a file in /tmp, beside the given ones.
std::string found_beside(const std::map<std::string, std::string>& others, const std::string& dll = "llama.dll") {
  MemoryFileSystem files;
  files.add_file("/tmp/1f-jllama.dll", pe({.imports = {{"llama.dll", {{"load", 0}, {"", 3}}}}}));
  for (const auto& [name, bytes] : others) files.add_file("/tmp/" + name, bytes);
  ThreadLimit threads;
  Store store(files, threads, built_in_knowledge());
  auto report = made_report({made_object("/tmp/1f-jllama.dll")});
  auto& object = report.resolution.objects[0];
  object.image = store.images.open(object.path).image;
  return renamed_dll({report, store}, object, dll);
}

TEST_CASE("a copy with something before its name has all functions that are imported") {
  const auto whole = pe({.exports = {{"load", 1, ""}, {"other", 3, ""}}});
  const auto part = pe({.exports = {{"load", 1, ""}}});
  CHECK(found_beside({{"1f-llama.dll", whole}}) == "/tmp/1f-llama.dll");
  CHECK(found_beside({{"0a-llama.dll", part}, {"1F_LLAMA.DLL", whole}}) == "/tmp/1F_LLAMA.DLL");
  CHECK(found_beside({{"1f-llama.dll", part}}) == "");
  CHECK(found_beside({{"1f-llama.dll", "text"}}) == "");
  CHECK(found_beside({{"jllama.dll", whole}}) == "");
  CHECK(found_beside({{"1f-llama.dll", whole}}, "C:\\x\\llama.dll") == "");
}

TEST_CASE("a file that conda moved out of the way has all functions that are imported") {
  const auto found = [](const std::string& name) {
    TestWorld world;
    world.query.sysroot = "/copy";
    world.files.add_file("/Windows/System32/kernel32.dll", pe({.name = "kernel32.dll", .exports = {{"k", 1, ""}}}));
    world.files.add_file("/d/app.exe", pe({.characteristics = 0x22, .imports = {{"ffi.dll", {{"call"}}}}}));
    world.files.add_file("/d/" + name, pe({.exports = {{"call", 1, ""}}}));
    const auto finding = world.explain({"/d/app.exe"}).findings.at(0);
    return finding.message + "\n" + commands(finding);
  };
  CHECK(found("FFI.dll.c~.conda_trash") ==
        "ffi.dll is not found in any directory this load searches; conda has renamed it to FFI.dll.c~.conda_trash and "
        "not put it back\ncopy \"C:\\d\\FFI.dll.c~.conda_trash\" \"C:\\d\\ffi.dll\"\n");
  CHECK(found("ffi.dll.c~").find("conda has renamed it to ffi.dll.c~ ") != std::string::npos);
  CHECK(found("ffi.dll.bak").find("conda") == std::string::npos);
}

}  // namespace
}  // namespace cudald
