// Distributions whose modules are called otherwise than they are, of which users ask by the module: an import says
// "No module named 'bs4'", and a package of that name may be another one, or none. Source: data/module-names.json, made
// of the directories of wheels (tools/make-module-names).

#include "knowledge/module_names.h"

#include <map>

#include "base/json.h"
#include "embedded.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

using NameTable = std::map<std::string, std::string, std::less<>>;

NameTable read_names() {
  NameTable names;
  const auto table = parse_table(embedded_module_names());
  for (const auto& row : table.at("rows"))
    for (const auto& module : row.at("modules")) names.emplace(module, row.at("distribution"));
  return names;
}

const NameTable& names() {
  static const auto table = read_names();
  return table;
}

}  // namespace

std::string distribution_called_otherwise(std::string_view module) {
  const auto at = names().find(module);
  return at == names().end() ? "" : at->second;
}

std::optional<SharedDirectory> shared_directory(std::string_view module) {
  const auto beginning = std::string(module) + ".";
  std::optional<SharedDirectory> shared;
  if (names().contains(module)) return shared;
  for (auto at = names().lower_bound(beginning); at != names().end() && at->first.starts_with(beginning); ++at) {
    const bool is_private = at->first.find("._") != std::string::npos;
    // The one that is called like its distribution says most.
    const bool is_called_so = normal_distribution_name(at->first) == at->second;
    if (!shared || is_called_so) shared = {at->first, at->second};
    if (is_called_so && !is_private) return shared;
  }
  return shared;
}

}  // namespace cudald
