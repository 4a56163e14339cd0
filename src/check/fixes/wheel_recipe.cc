// What the author of a package has to change so that the libraries of another package are found wherever both are
// installed: which releases to require, and where each file looks. DT_RUNPATH is not inherited, so each file gets its
// own element. Sources: ld.so(8); Python documentation, os.add_dll_directory.
#include "check/fixes/wheel_recipe.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/relative_path.h"
#include "base/version_order.h"
#include "binary/elf/symbol_table.h"
#include "knowledge/first_seen.h"

namespace cudald {
namespace {

/// Where a file of a package is below site-packages; in an archive, in the archive.
std::string member_of(const std::string& path) {
  for (const std::string_view before : {"site-packages/", "!/"})
    if (const auto at = path.rfind(before); at != std::string::npos) return path.substr(at + before.size());
  return "";
}

}  // namespace

RequirementRange::RequirementRange(const Provider& provider)
    : distribution_(provider.distribution),
      least_(provider.oldest),
      next_major_(std::atoi(provider.version.c_str()) + 1) {
  if (provider.requirement != provider.distribution) most_ = provider.version;
}

void RequirementRange::at_least(const std::string& version) {
  if (!version.empty() && version_less(least_, version)) least_ = version;
}

void RequirementRange::narrow(const RequirementRange& other) {
  at_least(other.least_);
  if (other.most_ && (!most_ || version_less(*other.most_, *most_))) most_ = other.most_;
  next_major_ = std::min(next_major_, other.next_major_);
}

std::string RequirementRange::text() const {
  if (most_ == least_) return fmt::format("{}=={}", distribution_, least_);
  if (most_) return fmt::format("{}>={},<={}", distribution_, least_, *most_);
  return fmt::format("{}>={},<{}", distribution_, least_, next_major_);
}

std::string oldest_release_for(const Object& file, const std::string& library, Store& store,
                               const Knowledge& knowledge) {
  std::string oldest;
  const auto table = store.symbols.get(file);
  for (const auto& reference : table->references()) {
    if (reference.defined || reference.weak) continue;
    const auto& version = table->version(reference.version);
    if (!version.file.empty() && version.file != library) continue;
    const auto history = history_of(library, reference.name, knowledge);
    if (history && version_less(oldest, history->first)) oldest = history->first;
  }
  return oldest;
}

std::optional<FileEdit> searched_directory(const Object& file, const std::string& folder) {
  const std::string site(PackageTree::site_packages);
  if (!(file.origin + "/").starts_with(site + "/")) return std::nullopt;
  return FileEdit{file.path, FileEdit::Kind::add_directory,
                  "$ORIGIN" + relative_path(file.origin, site + "/" + folder)};
}

std::string dll_directory_lines(const std::string& path, const std::vector<std::string>& folders) {
  const auto member = member_of(path);
  const auto slash = member.find('/');
  if (slash == std::string::npos || folders.empty()) return "";
  auto lines = fmt::format("# in {}/__init__.py, before the first import of a compiled module\nimport os\n",
                           member.substr(0, slash));
  lines += "_site = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))";
  for (const auto& folder : folders)
    lines += fmt::format("\nos.add_dll_directory(os.path.join(_site, \"{}\"))", folder);
  return lines;
}

}  // namespace cudald
