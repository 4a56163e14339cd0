// In which order two files are opened that have DLLs of the same names beside them: of each name the process has one.
// Source: Microsoft, Dynamic-Link Library Search Order, "loaded-module list".

#include "check/fixes/load_order.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/pe_functions.h"
#include "package/npm_package.h"

namespace cudald {
namespace {

/// Compares what files import with what the copies in one directory export; each file is read once.
class Copies {
 public:
  Copies(const Case& given, std::string folder) : given_(given), folder_(std::move(folder)) {
    for (const auto& entry : given.store.images.list(folder_)) names_[folded(entry)] = folder_ + "/" + entry;
  }

  /// The copy of a DLL's name; nullptr if there is none.
  const std::string* copy_of(const std::string& dll) const {
    const auto found = names_.find(folded(windows_file_name(dll)));
    return found == names_.end() ? nullptr : &found->second;
  }

  /// Whether the copies export all that a file imports from DLLs of their names; false too if a file cannot be read.
  bool serve(const std::string& path) {
    const auto* importer = symbols_of(path);
    if (importer == nullptr) return false;
    const auto& dlls = given_.store.images.open(path).image->pe->imports;
    for (std::size_t i = 0; i < dlls.size() && i < importer->imports.size(); ++i) {
      const auto* copy = copy_of(dlls[i].name);
      if (copy == nullptr) continue;
      const auto* exporter = symbols_of(*copy);
      if (exporter == nullptr) return false;
      const auto& wanted = importer->imports[i];
      if (!std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) { return offers(*exporter, one); }))
        return false;
    }
    return true;
  }

 private:
  const PeSymbols* symbols_of(const std::string& path) {
    const auto [place, is_new] = symbols_.try_emplace(path);
    if (is_new) place->second = functions_in(path, given_.store.images);
    return place->second ? &*place->second : nullptr;
  }

  const Case& given_;
  std::string folder_;
  std::map<std::string, std::string> names_;  ///< in lower case, with the path
  std::map<std::string, std::optional<PeSymbols>> symbols_;
};

/// "canvas" of /app/node_modules/canvas/build/Release/canvas.node; empty for what is no add-on of a package.
std::string add_on_package(const std::string& path) {
  const auto package = path.ends_with(".node") ? npm_package_of(path) : std::nullopt;
  return package ? package->name : "";
}

/// "node -e ..." for two add-ons.
std::string command_for(const Object& first, const Object& second) {
  const auto one = add_on_package(first.path), other = add_on_package(second.path);
  if (one.empty() || other.empty() || one == other) return "";
  return "node -e " + windows_word(fmt::format("require('{}'); require('{}')", one, other));
}

}  // namespace

std::optional<Fix> other_load_order(const Case& given, const Object& loaded, const Object& user) {
  const auto& resolution = given.report.resolution;
  const auto &before = resolution.targets[loaded.target], &after = resolution.targets[user.target];
  const bool both = before.kind == TargetKind::dlopen && after.kind == TargetKind::dlopen && before.object;
  if (!both || loaded.target == user.target) return std::nullopt;
  const std::string first(parent_path(loaded.path)), second(parent_path(user.path));
  if (first == second) return std::nullopt;
  Copies copies(given, second);
  std::set<std::string> asked{user.path};
  for (const auto& object : resolution.objects)
    if (parent_path(object.path) == first) {
      asked.insert(object.path);
      if (const auto* copy = copies.copy_of(object.path)) asked.insert(*copy);
    }
  if (!std::all_of(asked.begin(), asked.end(), [&](const std::string& path) { return copies.serve(path); }))
    return std::nullopt;
  const auto& other = resolution.objects[*before.object];
  return Fix{fmt::format("load {} before {}: the {} beside it has what both use", short_name(user), short_name(other),
                         short_name(loaded)),
             command_for(user, other), "in the program, before all other loads of the two"};
}

}  // namespace cudald
