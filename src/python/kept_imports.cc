#include "python/kept_imports.h"

#include <utility>

#include <fmt/format.h>

#include "base/build_id.h"
#include "fs/kept_text.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

}  // namespace

KeptImports::KeptImports(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  program_ = own_build_id();
  if (program_.empty()) folder_.clear();
}

std::string KeptImports::full_key(std::string_view key, std::size_t number) const {
  return fmt::format("import\n{}\n{}\n{}", program_, number, key);
}

std::optional<FollowedImport> KeptImports::find(std::string_view key, std::size_t number,
                                                const PythonEnvironment& python, const FileSystem& files) const {
  if (folder_.empty()) return std::nullopt;
  const auto bytes = kept_text(folder_, full_key(key, number), most_bytes);
  if (!bytes) return std::nullopt;
  auto followed = FollowedImport::unpacked(*bytes);
  if (followed && !followed->holds(python, files)) followed.reset();
  return followed;
}

void KeptImports::keep(std::string_view key, std::size_t number, const FollowedImport& followed) {
  if (folder_.empty()) return;
  const auto bytes = followed.packed();
  if (bytes.size() > most_bytes) return;
  if (keep_text(folder_, full_key(key, number), bytes)) has_kept_ = true;
}

}  // namespace cudald::python
