#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/wildcard.h"

namespace cudald {

/// The first row whose `libraries`, names with * for what differs, have a library; nullptr if none does.
inline const nlohmann::json* row_for(const nlohmann::json& rows, const std::string& library) {
  for (const auto& row : rows)
    if (matches_any(library, row.at("libraries").get<std::vector<std::string>>())) return &row;
  return nullptr;
}

/// Where a row of a table has its facts from, and the day on which they were checked.
inline std::string source_and_day(const nlohmann::json& row, const nlohmann::json& table) {
  return row.at("source").get<std::string>() + ", " + table.at("checked").get<std::string>();
}

}  // namespace cudald
