#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/trimmed.h"
#include "lock/readers.h"

namespace cudald {
namespace {

/// "linux-64" of ".../conda-forge/linux-64/numpy-2.0-py311.conda".
std::string platform_of(std::string_view url) {
  const auto folder = parent_path(url);
  const std::string name(file_name(folder));
  const bool known = name.starts_with("linux-") || name.starts_with("win-") || name.starts_with("osx-");
  return known || name == "noarch" ? name : "";
}

/// NAME-VERSION-BUILD of the name of a conda package. Source: conda, "Package naming conventions".
std::optional<LockedPackage> package_of_url(std::string_view url) {
  auto name = file_of_url(url);
  LockedPackage package;
  LockedFile file;
  file.name = name;
  for (const std::string_view ending : {".conda", ".tar.bz2"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  if (name == file.name) return std::nullopt;
  const auto build = name.rfind('-');
  const auto version = build == std::string::npos || build == 0 ? build : name.rfind('-', build - 1);
  if (version == std::string::npos || version == 0) return std::nullopt;
  package.name = name.substr(0, version);
  package.version = name.substr(version + 1, build - version - 1);
  package.platform = platform_of(url);
  (url.find("://") == std::string_view::npos ? file.path : file.url) = std::string(url);
  package.wheels.push_back(std::move(file));
  return package;
}

}  // namespace

// Source: conda's documentation, "Building identical conda environments".
Result<LockFile> read_conda_list(std::string_view text) {
  LockFile lock;
  lock.kind = LockKind::conda_explicit;
  if (has_too_many_lines(text)) return lock_error(ErrorCode::limit, 0, "more lines than any such list has");
  std::size_t number = 0;
  bool begun = false;
  for (auto line : split(text, "\n")) {
    ++number;
    line = trimmed(line);
    if (line == "@EXPLICIT") begun = true;
    if (line.empty() || line.starts_with('#') || line == "@EXPLICIT") continue;
    if (!begun) return lock_error(ErrorCode::malformed, number, "appears before @EXPLICIT");
    if (lock.packages.size() == most_locked_packages)
      return lock_error(ErrorCode::limit, number, "more packages than any such list has");
    const auto hash = line.find('#');
    auto package = package_of_url(line.substr(0, hash));
    if (!package)
      return lock_error(ErrorCode::usage, number,
                        "names no conda package; `conda list --explicit --sha256` writes a list in which every line "
                        "does");
    package->line = number;
    if (hash != std::string_view::npos) package->wheels.front().sha256 = sha256_of(line.substr(hash + 1));
    lock.packages.push_back(std::move(*package));
  }
  return lock;
}

}  // namespace cudald
