#include "knowledge/providers.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "base/json.h"
#include "base/similar_word.h"
#include "base/version_order.h"
#include "base/windows_path.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

const nlohmann::json& provider_table(const Knowledge& knowledge) {
  if (const auto* newer = knowledge.newer_table("providers")) return *newer;
  static const auto parsed = parse_table(embedded_providers());
  return parsed;
}

const nlohmann::json& system_table(const Knowledge& knowledge) {
  if (const auto* newer = knowledge.newer_table("system-packages")) return *newer;
  static const auto parsed = parse_table(embedded_system_packages());
  return parsed;
}

/// The day on which the rows were checked that do not say it themselves.
std::string day_of_table(const Knowledge& knowledge) {
  const auto* newer = knowledge.newer_table("providers");
  return newer != nullptr ? newer->at("checked").get<std::string>()
                          : std::string(TableValue(embedded_providers()).at("checked").text());
}

/// Null if the table has no such name. Most questions are about a few names, so that a row is made when it is asked
/// for.
nlohmann::json row_of(std::string_view library, const Knowledge& knowledge) {
  if (const auto* newer = knowledge.newer_table("providers")) {
    for (const auto& row : newer->at("providers"))
      if (library_key(row.at("name").get<std::string>()) == library_key(library)) return row;
    return nullptr;
  }
  static const auto rows = [] {
    std::unordered_map<std::string, TableValue> found;
    for (const auto& row : TableValue(embedded_providers()).at("providers").values())
      found.emplace(library_key(std::string(row.at("name").text())), row);
    return found;
  }();
  const auto found = rows.find(library_key(library));
  return found == rows.end() ? nlohmann::json() : found->second.json();
}

/// The source of a row, or of those that name none, as all that tools/refresh-knowledge has read; with its day.
std::string source_of(const nlohmann::json& row, const std::string& day) {
  return row.value("source", "directories of the wheels on the Python package index") + ", " +
         row.value("checked", day);
}

/// What a row says of one of its packages.
Provider provider_of(const nlohmann::json& row, const nlohmann::json& entry, const std::string& day) {
  return {entry.at("distribution"),
          entry.at("version"),
          entry.at("folder"),
          entry.value("requirement", entry.at("distribution").get<std::string>()),
          entry.at("oldest"),
          source_of(row, day),
          row.contains("proof") && row.at("proof").is_null()};
}

/// "libcudart" of libcudart.so.12, "cudart64" of cudart64_12.dll: what stays when the version changes.
std::string_view stem_of(std::string_view library) {
  const auto so = library.find(".so");
  return library.substr(0, std::min({so, library.find("64_"), library.size()}));
}

}  // namespace

std::vector<Provider> providers_of(std::string_view library, const Knowledge& knowledge) {
  std::vector<Provider> result;
  const auto row = row_of(library, knowledge);
  if (row.is_null()) return result;
  const auto day = day_of_table(knowledge);
  for (const auto& entry : row.at("pip")) {
    auto provider = provider_of(row, entry, day);
    const auto known = std::find_if(result.begin(), result.end(),
                                    [&](const Provider& one) { return one.distribution == provider.distribution; });
    if (known == result.end())
      result.push_back(std::move(provider));
    else if (!version_less(provider.version, known->version))
      *known = std::move(provider);
  }
  return result;
}

std::vector<std::pair<std::string, Provider>> libraries_of(std::string_view distribution, bool windows,
                                                           const Knowledge& knowledge) {
  using Rows = std::vector<std::pair<std::string, Provider>>;
  using Index = std::map<std::pair<std::string, bool>, Rows, std::less<>>;
  const auto index = [](const Knowledge& of) {
    Index found;
    const auto day = day_of_table(of);
    for (const auto& row : provider_table(of).at("providers"))
      for (const auto& entry : row.at("pip"))
        found[{entry.at("distribution").get<std::string>(), entry.at("platform") == "windows"}].emplace_back(
            row.at("name"), provider_of(row, entry, day));
    return found;
  };
  const auto rows_in = [&](const Index& rows) {
    const auto found = rows.find(std::pair(std::string(distribution), windows));
    return found == rows.end() ? Rows() : found->second;
  };
  if (knowledge.newer_table("providers") != nullptr) return rows_in(index(knowledge));
  static const auto built_in = index(*built_in_knowledge());
  return rows_in(built_in);
}

std::vector<Provider> providers_of(std::string_view library, std::string_view cuda_major, const Knowledge& knowledge) {
  auto providers = providers_of(library, knowledge);
  const auto fits = [&](const Provider& provider) {
    const auto suffix = provider.distribution.rfind("-cu");
    const auto digits = suffix == std::string::npos ? "" : provider.distribution.substr(suffix + 3);
    const bool named = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    return named ? digits == cuda_major : provider.version.starts_with(std::string(cuda_major) + ".");
  };
  if (!cuda_major.empty() && std::any_of(providers.begin(), providers.end(), fits))
    std::erase_if(providers, [&](const Provider& provider) { return !fits(provider); });
  return providers;
}

const Provider& newest_usual(const std::vector<Provider>& providers) {
  return *std::find_if(providers.rbegin(), providers.rend(),
                       [&](const Provider& one) { return one.folder == providers.front().folder; });
}

std::vector<SystemPackage> system_packages_of(std::string_view library, const Knowledge& knowledge) {
  const auto& packages = system_table(knowledge);
  std::vector<SystemPackage> result;
  const auto versions = library.ends_with(".so") ? std::string(library) + "." : std::string();
  for (const auto* part : {"debian", "by_hand"})
    for (const auto& row : packages.at(part)) {
      const auto& name = row.at("library").get_ref<const std::string&>();
      const bool in_a_version = !versions.empty() && name.starts_with(versions);
      if (name != library && !in_a_version) continue;
      const auto version = row.value("version", nlohmann::json());
      // What the table's proof repeats is what Debian's archive says, and a row's own null takes that back.
      const bool own = row.contains("proof");
      const bool likely = own ? row.at("proof").is_null() : part != std::string_view("debian");
      const auto source = row.value("source", packages.at("source").get<std::string>());
      result.push_back({row.at("command"), version.is_null() ? "" : version.get<std::string>(), row.at("system"),
                        row.at("folder"),
                        source + ", " + row.value("checked", packages.at("checked").get<std::string>()), likely});
    }
  return result;
}

std::vector<std::string> other_versions_of(std::string_view library, const Knowledge& knowledge) {
  std::vector<std::string> result;
  for (const auto& row : provider_table(knowledge).at("providers")) {
    const auto& name = row.at("name").get_ref<const std::string&>();
    const bool same_kind = name.ends_with(".dll") == library.ends_with(".dll");
    if (same_kind && folded(stem_of(name)) == folded(stem_of(library)) && folded(name) != folded(library))
      result.push_back(name);
  }
  return result;
}

std::string similar_library(std::string_view library, const Knowledge& knowledge) {
  std::vector<std::string_view> names;
  for (const auto& row : provider_table(knowledge).at("providers"))
    names.push_back(row.at("name").get_ref<const std::string&>());
  // libcudart.so.12.8.90 is what a file may be called that answers to libcudart.so.12.
  for (const auto name : names)
    if (library.starts_with(std::string(name) + ".")) return std::string(name);
  // "cudart" means libcudart.so, and of its versions the newest.
  std::string_view part;
  const auto version = [](std::string_view name) {
    return std::atoi(name.data() + std::min(name.size(), name.find(".so.") + 4));
  };
  if (library.size() >= 4 && library.find('.') == library.npos)
    for (const auto name : names) {
      const auto stem = stem_of(name);
      if (name.find(".so.") == name.npos || folded(stem).find(folded(library)) == std::string::npos) continue;
      const auto best = stem_of(part);
      if (part.empty() || stem.size() < best.size() || (stem == best && version(name) > version(part))) part = name;
    }
  if (!part.empty()) return std::string(part);
  const auto similar = similar_word(library, names);
  return folded(stem_of(similar)) == folded(stem_of(library)) ? "" : std::string(similar);
}

std::string providers_source(const Knowledge& knowledge) {
  return source_of(nlohmann::json::object(), day_of_table(knowledge));
}

}  // namespace cudald
