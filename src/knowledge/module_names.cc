// Distributions whose modules are called otherwise than they are, of which users ask by the module: an import says
// "No module named 'bs4'", and a package of that name may be another one, or none. Source: data/module-names.json, made
// of the directories of wheels (tools/make-module-names).

#include "knowledge/module_names.h"

#include <map>

#include "base/json.h"
#include "embedded.h"

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

}  // namespace

std::string distribution_called_otherwise(std::string_view module) {
  static const auto names = read_names();
  const auto at = names.find(module);
  return at == names.end() ? "" : at->second;
}

}  // namespace cudald
