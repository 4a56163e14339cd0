#include "audit/known_packages.h"

#include <map>

#include "base/json.h"
#include "embedded.h"

namespace cudald {
namespace {

using Table = std::map<std::string, KnownPackage, std::less<>>;

Table read_table() {
  Table table;
  const auto json = parse_json(embedded_requirements());
  for (const auto& row : json.at("rows")) {
    KnownPackage package;
    package.name = row.at("name");
    package.version = row.at("version");
    for (const auto& line : row.at("requires")) package.requires_dist.push_back(line);
    for (const auto& library : row.at("libraries")) package.libraries.push_back({library.at(0), library.at(1)});
    table.emplace(package.name, std::move(package));
  }
  return table;
}

}  // namespace

const KnownPackage* find_known_package(std::string_view distribution) {
  static const auto table = read_table();
  const auto found = table.find(distribution);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace cudald
