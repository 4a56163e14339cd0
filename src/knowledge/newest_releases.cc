// Which release pip takes of a package that is only named: newer ones drop older Pythons, and names of their modules.
// Source: data/newest-releases.json, made of the pages of the package index (tools/make-newest-releases).

#include "knowledge/newest_releases.h"

#include <map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/version_order.h"
#include "embedded.h"

namespace cudald {
namespace {

/// By distribution: from which Python on, and the release.
using ReleaseTable = std::map<std::string, std::vector<std::pair<std::string, std::string>>, std::less<>>;

ReleaseTable read_releases() {
  ReleaseTable releases;
  const auto table = parse_table(embedded_newest_releases());
  for (const auto& row : table.at("rows"))
    for (const auto& [python, version] : row.at("newest").items())
      releases[row.at("distribution")].emplace_back(python, version);
  return releases;
}

}  // namespace

std::string newest_release(std::string_view distribution, std::string_view python) {
  static const auto releases = read_releases();
  const auto at = releases.find(distribution);
  if (at == releases.end()) return "";
  const std::pair<std::string, std::string>* newest = nullptr;
  for (const auto& each : at->second)
    if (!version_less(python, each.first) && (newest == nullptr || version_less(newest->first, each.first)))
      newest = &each;
  return newest == nullptr ? "" : newest->second;
}

}  // namespace cudald
