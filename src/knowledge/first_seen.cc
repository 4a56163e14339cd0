#include "knowledge/first_seen.h"

#include <algorithm>

#include "base/json.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

const nlohmann::json& first_seen_table(const Knowledge& knowledge) {
  if (const auto* newer = knowledge.newer_table("first-seen")) return *newer;
  static const auto parsed = parse_table(embedded_first_seen());
  return parsed;
}

/// The release under which the function is listed; empty if under none.
std::string release_with(const nlohmann::json& releases, std::string_view function) {
  for (const auto& [release, names] : releases.items())
    if (std::find(names.begin(), names.end(), function) != names.end()) return release;
  return "";
}

}  // namespace

std::optional<FunctionHistory> history_of(std::string_view library, std::string_view function,
                                          const Knowledge& knowledge) {
  const auto& table = first_seen_table(knowledge);
  for (const auto& row : table.at("rows")) {
    if (row.at("library") != library) continue;
    FunctionHistory history{release_with(row.at("first"), function), release_with(row.at("last"), function),
                            row.value("source", table.at("source").get<std::string>()) + ", " +
                                row.value("checked", table.at("checked").get<std::string>())};
    if (!history.first.empty() || !history.last.empty()) return history;
  }
  return std::nullopt;
}

}  // namespace cudald
