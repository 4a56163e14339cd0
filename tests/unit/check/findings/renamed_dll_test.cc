// A DLL that lies beside the file that needs it, with something before its name.

#include "check/findings/renamed_dll.h"

#include <doctest/doctest.h>

#include "common/pe_builder.h"
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

}  // namespace
}  // namespace cudald
