#include "pyimport/run/cached_imports.h"

#include <fmt/format.h>

namespace cudald::python {
namespace {

std::string numbered(std::string_view key, std::size_t number) { return fmt::format("{}\n{}", number, key); }

}  // namespace

std::optional<FollowedImport> KeptImports::find(std::string_view key, std::size_t number,
                                                const PythonEnvironment& python, const FileSystem& files) const {
  const auto bytes = records_.find(numbered(key, number));
  auto followed = bytes ? FollowedImport::unpacked(*bytes) : std::nullopt;
  if (followed && !followed->holds(python, files)) followed.reset();
  return followed;
}

void KeptImports::keep(std::string_view key, std::size_t number, const FollowedImport& followed) {
  if (records_) records_.keep(numbered(key, number), followed.packed());
}

}  // namespace cudald::python
