#include "cuda/providers.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/json.h"
#include "base/similar_word.h"
#include "base/windows_path.h"
#include "embedded.h"

namespace cudald {
namespace {

const nlohmann::json& table() {
  static const auto parsed = parse_json(embedded_providers());
  return parsed;
}

/// nullptr if the table has no such name.
const nlohmann::json* row_of(std::string_view library) {
  static const auto rows = [] {
    std::unordered_map<std::string, const nlohmann::json*> found;
    for (const auto& row : table().at("providers")) found.emplace(library_key(row.at("name").get<std::string>()), &row);
    return found;
  }();
  const auto found = rows.find(library_key(library));
  return found == rows.end() ? nullptr : found->second;
}

Provider provider_of(const nlohmann::json& entry) {
  return {entry.at("distribution"), entry.at("version"), entry.at("folder"),
          entry.value("requirement", entry.at("distribution").get<std::string>()), entry.at("oldest")};
}

/// "libcudart" of libcudart.so.12, "cudart64" of cudart64_12.dll: what stays when the version changes.
std::string_view stem_of(std::string_view library) {
  const auto so = library.find(".so");
  return library.substr(0, std::min({so, library.find("64_"), library.size()}));
}

}  // namespace

std::vector<Provider> providers_of(std::string_view library) {
  std::vector<Provider> result;
  if (const auto* row = row_of(library))
    for (const auto& entry : row->at("pip")) result.push_back(provider_of(entry));
  return result;
}

std::vector<std::pair<std::string, Provider>> libraries_of(std::string_view distribution, bool windows) {
  using Rows = std::vector<std::pair<std::string, Provider>>;
  static const auto rows = [] {
    std::map<std::pair<std::string, bool>, Rows, std::less<>> found;
    for (const auto& row : table().at("providers"))
      for (const auto& entry : row.at("pip"))
        found[{entry.at("distribution").get<std::string>(), entry.at("platform") == "windows"}].emplace_back(
            row.at("name"), provider_of(entry));
    return found;
  }();
  const auto found = rows.find(std::pair(std::string(distribution), windows));
  return found == rows.end() ? Rows() : found->second;
}

std::vector<Provider> providers_of(std::string_view library, std::string_view cuda_major) {
  auto providers = providers_of(library);
  const auto fits = [&](const Provider& provider) {
    const auto suffix = provider.distribution.find("-cu1");
    return suffix == std::string::npos ? provider.version.starts_with(cuda_major)
                                       : provider.distribution.substr(suffix + 3) == cuda_major;
  };
  if (!cuda_major.empty() && std::any_of(providers.begin(), providers.end(), fits))
    std::erase_if(providers, [&](const Provider& provider) { return !fits(provider); });
  return providers;
}

std::vector<SystemPackage> system_packages_of(std::string_view library) {
  std::vector<SystemPackage> result;
  const auto* row = row_of(library);
  if (row == nullptr || !row->contains("apt")) return result;
  for (const auto& entry : row->at("apt"))
    result.push_back({entry.at("package"), entry.at("version"), entry.at("system"), entry.at("folder")});
  return result;
}

std::vector<std::string> other_versions_of(std::string_view library) {
  std::vector<std::string> result;
  for (const auto& row : table().at("providers")) {
    const auto& name = row.at("name").get_ref<const std::string&>();
    const bool same_kind = name.ends_with(".dll") == library.ends_with(".dll");
    if (same_kind && folded(stem_of(name)) == folded(stem_of(library)) && folded(name) != folded(library))
      result.push_back(name);
  }
  return result;
}

std::string similar_library(std::string_view library) {
  std::vector<std::string_view> names;
  for (const auto& row : table().at("providers")) names.push_back(row.at("name").get_ref<const std::string&>());
  // libcudart.so.12.8.90 is what a file may be called that answers to libcudart.so.12.
  for (const auto name : names)
    if (library.starts_with(std::string(name) + ".")) return std::string(name);
  return std::string(similar_word(library, names));
}

std::string providers_source() {
  return "directories of the wheels on the Python package index, " + table().at("checked").get<std::string>();
}

}  // namespace cudald
