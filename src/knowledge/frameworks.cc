#include "knowledge/frameworks.h"

#include <algorithm>

#include "base/json.h"
#include "base/path.h"
#include "base/wildcard.h"
#include "embedded.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

using Json = nlohmann::json;

FrameworkPackage package_of(const Json& row) {
  const Json none = Json::object();
  const auto built_for = row.value("built_for", none);
  return {row.at("module"),
          row.at("distributions"),
          row.value("libraries", std::vector<std::string>()),
          row.value("folder", ""),
          row.value("maps", false),
          row.value("speaks", false),
          {built_for.value("file", ""), built_for.value("cuda", ""), built_for.value("cudnn", "")},
          row.value("marks", std::vector<std::string>())};
}

bool begins_like_one(std::string_view name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& beginning) { return name.starts_with(beginning); });
}

}  // namespace

const std::vector<FrameworkPackage>& framework_packages() {
  static const auto packages = [] {
    std::vector<FrameworkPackage> read;
    const auto table = parse_table(embedded_frameworks());
    for (const auto& row : table.at("rows")) read.push_back(package_of(row));
    return read;
  }();
  return packages;
}

const FrameworkPackage* framework_of_distribution(std::string_view name) {
  const auto normal = normal_distribution_name(name);
  for (const auto& package : framework_packages())
    if (matches_any(normal, package.distributions)) return &package;
  return nullptr;
}

const FrameworkPackage* framework_that_maps(std::string_view path) {
  for (const auto& package : framework_packages())
    if (package.maps && parent_path(path).ends_with("-packages/" + package.folder) &&
        begins_like_one(file_name(path), package.libraries))
      return &package;
  return nullptr;
}

const FrameworkPackage* framework_with_library(std::string_view name) {
  for (const auto& package : framework_packages())
    for (const auto& beginning : package.libraries)
      if (package.maps && name.size() > beginning.size() && name.starts_with(beginning) &&
          (name[beginning.size()] == '.' || name[beginning.size()] == '_'))
        return &package;
  return nullptr;
}

bool states_release(ReleaseOf what, std::string_view distribution, bool conda) {
  static const auto rows = parse_table(embedded_frameworks()).at("releases");
  constexpr std::string_view names[] = {"cuda", "toolkit", "cudnn"};
  return std::any_of(rows.begin(), rows.end(), [&](const Json& row) {
    return row.at("of") == names[static_cast<std::size_t>(what)] && (row.at("installer") == "conda") == conda &&
           matches_any(distribution, row.at("distributions").get<std::vector<std::string>>());
  });
}

bool is_framework_library(std::string_view name) {
  const auto& packages = framework_packages();
  return std::any_of(packages.begin(), packages.end(),
                     [&](const FrameworkPackage& package) { return begins_like_one(name, package.libraries); });
}

}  // namespace cudald
