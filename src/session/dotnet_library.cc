// Native libraries of a program of .NET, which packages of NuGet keep by operating system and processor. The host reads
// the list that the build wrote, and hands these directories to the runtime, which opens a DLL by its whole path.
// Sources: dotnet/runtime, docs/design/features/native-library-resolution.md and hostpolicy/deps_resolver.cpp;
// src/coreclr/vm/nativelibrary.cpp, LoadFromNativeDllSearchDirectories.

#include "session/dotnet_library.h"

#include "base/path.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

/// "x64" of x86_64, as identifiers of runtimes have it; empty for others. Source: .NET RID Catalog.
std::string processor_in_rid(const std::string& machine) {
  return machine == "x86_64" ? "x64" : machine == "i386" ? "x86" : machine == "aarch64" ? "arm64" : "";
}

}  // namespace

std::string dotnet_library(const std::string& library, const std::string& program, const std::string& machine,
                           const FileSystem& files) {
  constexpr std::string_view ending = ".exe";
  constexpr std::uint64_t most_list = 1 << 24;
  const auto processor = processor_in_rid(machine);
  if (library.empty() || processor.empty() || !folded(program).ends_with(ending)) return "";
  const auto list = read_file(files, program.substr(0, program.size() - ending.size()) + ".deps.json", most_list);
  if (!list) return "";
  const auto wanted = "\"runtimes/win-" + processor + "/native/" + folded(library) + "\"";
  const auto at = folded(*list).find(wanted);
  if (at == std::string::npos) return "";
  auto path = std::string(parent_path(program)) + "/" + list->substr(at + 1, wanted.size() - 2);
  return is_file(files, path) ? path : "";
}

}  // namespace cudald
