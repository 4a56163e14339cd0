#include "knowledge/framework_builds.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/replace_all.h"
#include "base/version_order.h"
#include "base/wildcard.h"
#include "embedded.h"
#include "package/version.h"

namespace cudald {
namespace {

using Json = nlohmann::json;

const Json& framework_tables() {
  static const auto parsed = parse_table(embedded_frameworks());
  return parsed;
}

const Json* companion_row(std::string_view distribution) {
  for (const auto& row : framework_tables().at("companions"))
    if (row.at("distribution").get_ref<const std::string&>() == distribution) return &row;
  return nullptr;
}

/// The first two numbers of a release; nullopt if it has not two.
std::optional<std::pair<std::uint64_t, std::uint64_t>> minor_of(std::string_view version) {
  const auto parsed = parse_version(without_local(version));
  if (!parsed || parsed->release.empty()) return std::nullopt;
  return std::pair(parsed->release[0], parsed->release.size() > 1 ? parsed->release[1] : 0);
}

GpuArchitecture gpu_of(const Json& row, const char* key) {
  return parse_gpu(row.at(key).get_ref<const std::string&>()).value_or(GpuArchitecture{});
}

}  // namespace

bool IndexBuild::serves(GpuArchitecture gpu) const {
  return gpu.number >= oldest_gpu.number && gpu.major() <= newest_gpu.major();
}

std::vector<IndexBuild> index_builds_of(std::string_view distribution) {
  std::vector<IndexBuild> builds;
  for (const auto& row : framework_tables().at("builds")) {
    if (row.at("distribution").get_ref<const std::string&>() != distribution) continue;
    builds.push_back({row.at("label"), row.at("cuda"), row.at("first"),
                      row.at("last").is_null() ? std::string() : row.at("last").get<std::string>(),
                      gpu_of(row, "oldest_gpu"), gpu_of(row, "newest_gpu"), framework_tables().at("builds_source")});
  }
  return builds;
}

bool is_of_release(const IndexBuild& build, std::string_view version) {
  const auto own = minor_of(version), first = minor_of(build.first), last = minor_of(build.last);
  return own && first && *own >= *first && (build.last.empty() || (last && *own <= *last));
}

std::optional<BuildsWithLibrary> builds_with_library(std::string_view distribution, std::string_view library) {
  for (const auto& row : framework_tables().at("parts")) {
    const auto& names = row.at("libraries");
    const bool has = std::any_of(names.begin(), names.end(), [&](const Json& name) {
      return library.starts_with(name.get_ref<const std::string&>());
    });
    if (has && row.at("distribution").get_ref<const std::string&>() == distribution)
      return BuildsWithLibrary{row.at("labels"), row.at("called")};
  }
  return std::nullopt;
}

std::string index_for_release(std::string_view distribution, std::string_view framework, std::string_view version,
                              std::string_view label) {
  for (const auto& row : framework_tables().at("indexes_by_release")) {
    const auto names = row.at("distributions").get<std::vector<std::string>>();
    if (label.empty() || row.at("of").get_ref<const std::string&>() != framework || !matches_any(distribution, names))
      continue;
    auto option = row.at("option").get<std::string>();
    replace_all(option, "{release}", without_local(version));
    replace_all(option, "{label}", label);
    return option;
  }
  return "";
}

std::optional<Companion> companion_of(std::string_view distribution) {
  const auto* row = companion_row(distribution);
  if (row == nullptr) return std::nullopt;
  return Companion{row->at("of"), row->at("source")};
}

std::string companion_release(std::string_view companion, std::string_view framework_version) {
  const auto* row = companion_row(companion);
  const auto release = minor_of(framework_version);
  if (row == nullptr || !release) return "";
  const auto& rules = row->at("releases");
  const auto rule = rules.find(std::to_string(release->first));
  if (rule == rules.end()) return "";
  auto found = fmt::format("{}.{}", rule->at("major").get_ref<const std::string&>(),
                           release->second + rule->at("plus").get<std::uint64_t>());
  return row->contains("last") && version_less(row->at("last").get_ref<const std::string&>(), found) ? "" : found;
}

std::string framework_release(std::string_view companion, std::string_view version) {
  const auto* row = companion_row(companion);
  const auto release = minor_of(version);
  if (row == nullptr || !release) return "";
  // Of majors that share a number, "0" of torchvision, the newest whose minor numbers begin that early.
  std::string found;
  for (const auto& [major, rule] : row->at("releases").items()) {
    const auto plus = rule.at("plus").get<std::uint64_t>();
    if (rule.at("major").get_ref<const std::string&>() == std::to_string(release->first) && release->second >= plus)
      found = fmt::format("{}.{}", major, release->second - plus);
  }
  return found;
}

std::vector<std::string> companions_of(std::string_view framework) {
  std::vector<std::string> names;
  for (const auto& row : framework_tables().at("companions"))
    if (row.at("of").get_ref<const std::string&>() == framework) names.push_back(row.at("distribution"));
  return names;
}

std::string setting_that_compiles(std::string_view distribution) {
  for (const auto& row : framework_tables().at("compiled_by"))
    if (row.at("distribution").get_ref<const std::string&>() == distribution) return row.at("setting");
  return "";
}

std::string sources_elsewhere(std::string_view distribution) {
  for (const auto& row : framework_tables().at("sources"))
    if (row.at("distribution").get_ref<const std::string&>() == distribution) return row.at("requirement");
  return "";
}

std::string exact_framework_of(std::string_view distribution) {
  for (const auto& row : framework_tables().at("exact"))
    if (row.at("distribution").get_ref<const std::string&>() == distribution) return row.at("of");
  return "";
}

std::string distribution_compiled_as(std::string_view module) {
  for (const auto& row : framework_tables().at("compiled_by"))
    for (const auto& name : row.at("compiled"))
      if (name.get_ref<const std::string&>() == module) return row.at("distribution");
  return "";
}

}  // namespace cudald
