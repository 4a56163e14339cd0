#include "knowledge/conda_packages.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/shell_word.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

const nlohmann::json& conda_table(const Knowledge& knowledge) {
  if (const auto* newer = knowledge.newer_table("conda-packages")) return *newer;
  static const auto parsed = parse_table(embedded_conda_packages());
  return parsed;
}

/// Null, or not there: empty.
std::string text_or_empty(const nlohmann::json& row, const char* key) {
  const auto value = row.find(key);
  return value == row.end() || value->is_null() ? "" : value->get<std::string>();
}

/// The major of CUDA that a row is for; nullopt: for any.
std::optional<int> cuda_of(const nlohmann::json& row) {
  const auto value = row.find("cuda");
  return value == row.end() || value->is_null() ? std::nullopt : std::optional(value->get<int>());
}

bool is_likely(const nlohmann::json& row) { return text_or_empty(row, "proof").empty(); }

CondaProvider package_of(const nlohmann::json& row, const std::string& day) {
  CondaProvider result;
  result.package = row.at("package");
  result.channel = row.at("channel");
  result.requirement = fmt::format("{}", fmt::join(row.at("requirement").get<std::vector<std::string>>(), " "));
  result.cuda = cuda_of(row);
  result.oldest = text_or_empty(row, "oldest");
  result.newest = text_or_empty(row, "newest");
  result.likely = is_likely(row);
  result.source = fmt::format("{}, {}", row.at("source").get<std::string>(), row.value("checked", day));
  return result;
}

}  // namespace

std::vector<CondaProvider> conda_packages_of(std::string_view library, const Knowledge& knowledge) {
  std::vector<CondaProvider> result;
  for (const auto& row : conda_table(knowledge).at("rows")) {
    const auto& names = row.at("libraries");
    if (std::find(names.begin(), names.end(), library) != names.end())
      result.push_back(package_of(row, conda_table(knowledge).at("checked")));
  }
  return result;
}

CondaContents libraries_of_conda(std::string_view package, std::optional<int> cuda, const Knowledge& knowledge) {
  CondaContents found;
  for (const auto& row : conda_table(knowledge).at("rows")) {
    const bool fits = !cuda || cuda_of(row).value_or(*cuda) == *cuda;
    if (row.at("package").get_ref<const std::string&>() != package || !fits) continue;
    found.likely = found.likely || is_likely(row);
    for (const auto& library : row.at("libraries")) {
      const auto& name = library.get_ref<const std::string&>();
      if (std::find(found.libraries.begin(), found.libraries.end(), name) == found.libraries.end())
        found.libraries.push_back(name);
    }
  }
  return found;
}

std::string conda_install(const CondaProvider& package, const std::string& prefix) {
  return fmt::format("conda install {}-c {} {}", prefix.empty() ? "" : "-p " + shell_word(prefix) + " ",
                     package.channel, package.requirement);
}

}  // namespace cudald
