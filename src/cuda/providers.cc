#include "cuda/providers.h"

#include <nlohmann/json.hpp>

#include "base/windows_path.h"
#include "embedded.h"

namespace cudald {
namespace {

const nlohmann::json& table() {
  static const auto parsed = nlohmann::json::parse(embedded_providers());
  return parsed;
}

}  // namespace

std::vector<Provider> providers_of(std::string_view library) {
  std::vector<Provider> result;
  const auto lower = folded(library);
  const bool dll = lower.ends_with(".dll");
  for (const auto& row : table().at(dll ? "windows_providers" : "providers")) {
    const auto& name = row.at("name").get_ref<const std::string&>();
    if (dll ? folded(name) != lower : name != library) continue;
    for (const auto& entry : row.at("pip"))
      result.push_back({entry.at("distribution"), entry.at("version"), entry.at("folder"),
                        entry.value("requirement", entry.at("distribution").get<std::string>())});
  }
  return result;
}

std::string providers_source() {
  return "directories of the wheels on the Python package index, " + table().at("checked").get<std::string>();
}

}  // namespace cudald
