#include "cuda/conda_packages.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/shell_word.h"
#include "embedded.h"

namespace cudald {
namespace {

const nlohmann::json& conda_table() {
  static const auto parsed = parse_table(embedded_conda_packages());
  return parsed;
}

std::string text_or_empty(const nlohmann::json& value) { return value.is_null() ? "" : value.get<std::string>(); }

CondaProvider package_of(const nlohmann::json& row) {
  CondaProvider result;
  result.package = row.at("package");
  result.channel = row.at("channel");
  result.requirement = fmt::format("{}", fmt::join(row.at("requirement").get<std::vector<std::string>>(), " "));
  if (!row.at("cuda").is_null()) result.cuda = row.at("cuda").get<int>();
  result.oldest = text_or_empty(row.at("oldest"));
  result.newest = text_or_empty(row.at("newest"));
  result.source =
      fmt::format("{}, {}", row.at("source").get<std::string>(), conda_table().at("checked").get<std::string>());
  return result;
}

}  // namespace

std::vector<CondaProvider> conda_packages_of(std::string_view library) {
  std::vector<CondaProvider> result;
  for (const auto& row : conda_table().at("rows")) {
    const auto& names = row.at("libraries");
    if (std::find(names.begin(), names.end(), library) != names.end()) result.push_back(package_of(row));
  }
  return result;
}

std::vector<std::string> libraries_of_conda(std::string_view package, std::optional<int> cuda) {
  std::vector<std::string> libraries;
  for (const auto& row : conda_table().at("rows")) {
    const bool fits = !cuda || row.at("cuda").is_null() || row.at("cuda").get<int>() == *cuda;
    if (row.at("package").get_ref<const std::string&>() != package || !fits) continue;
    for (const auto& name : row.at("libraries"))
      if (std::find(libraries.begin(), libraries.end(), name) == libraries.end()) libraries.push_back(name);
  }
  return libraries;
}

std::string conda_install(const CondaProvider& package, const std::string& prefix) {
  return fmt::format("conda install {}-c {} {}", prefix.empty() ? "" : "-p " + shell_word(prefix) + " ",
                     package.channel, package.requirement);
}

}  // namespace cudald
