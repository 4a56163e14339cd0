#include "knowledge/known_packages.h"

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/trimmed.h"
#include "base/wildcard.h"
#include "embedded.h"
#include "knowledge/module_names.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

using PackageTable =
    std::map<std::string, std::vector<KnownPackage>, std::less<>>;  ///< by name, the newest release last

const nlohmann::json& package_document() {
  static const auto parsed = parse_table(embedded_requirements());
  return parsed;
}

PackageTable read_table() {
  PackageTable table;
  const auto& json = package_document();
  for (const auto& row : json.at("rows")) {
    KnownPackage package;
    package.name = row.at("name");
    package.version = row.at("version");
    for (const auto& module : row.value("modules", nlohmann::json::array())) package.modules.push_back(module);
    for (const auto& line : row.at("requires")) package.requires_dist.push_back(line);
    package.python = row.value("python", "");
    for (const auto& library : row.at("libraries")) package.libraries.push_back({library.at(0), library.at(1)});
    table[package.name].push_back(std::move(package));
  }
  for (auto& [name, releases] : table)
    std::sort(releases.begin(), releases.end(), [](const KnownPackage& a, const KnownPackage& b) {
      return *parse_version(a.version) < *parse_version(b.version);
    });
  return table;
}

const PackageTable& known_packages() {
  static const auto table = read_table();
  return table;
}

std::string_view parent_module(std::string_view module) {
  const auto dot = module.rfind('.');
  return dot == std::string_view::npos ? "" : module.substr(0, dot);
}

/// The distribution of which a module is as wanted; of several the one that is called like it.
template <class IsWanted>
std::string distribution_with(IsWanted is_wanted, std::string_view name) {
  std::string found;
  for (const auto& [distribution, releases] : known_packages()) {
    const auto& modules = releases.back().modules;
    if (std::none_of(modules.begin(), modules.end(), is_wanted)) continue;
    if (normal_distribution_name(name) == distribution) return distribution;
    if (found.empty()) found = distribution;
  }
  return found;
}

std::string distribution_with_part_of(std::string_view module) {
  const auto beginning = std::string(module) + ".";
  return distribution_with([&](const std::string& one) { return one.starts_with(beginning); }, module);
}

}  // namespace

bool may_bring(std::string_view distribution, std::string_view library, bool of_nvidia) {
  const auto stem = library.substr(0, library.find(".so"));
  bool closed = false;
  for (const auto& list : package_document().at("closed")) {
    const auto stems = list.value("stems", std::vector<std::string>());
    const bool concerns =
        list.at("libraries") == "providers" ? of_nvidia : std::find(stems.begin(), stems.end(), stem) != stems.end();
    if (!concerns) continue;
    closed = true;
    for (const std::string pattern : list.at("distributions"))
      if (matches(distribution, pattern)) return true;
  }
  return !closed;
}

SharedModule shared_module_of(std::string_view distribution) {
  for (const auto& row : package_document().at("same_module"))
    for (const auto& build : row.at("distributions"))
      if (matches(distribution, build.get<std::string>()))
        return {row.at("module"), row.at("source"), row.at("distributions")};
  return {};
}

std::string distribution_of_module(std::string_view module) {
  for (auto wanted = module; !wanted.empty(); wanted = parent_module(wanted))
    if (auto found = distribution_with([&](const std::string& one) { return one == wanted; }, wanted); !found.empty())
      return found;
  for (auto wanted = module; !wanted.empty(); wanted = parent_module(wanted))
    if (auto found = distribution_called_otherwise(wanted); !found.empty()) {
      const bool is_called_so = wanted.find('.') == std::string_view::npos && normal_distribution_name(wanted) == found;
      return is_called_so ? std::string(wanted) : found;  // PyQt5, as people write it
    }
  // Who imports docx means python-docx.
  const auto other = other_project_of(module.substr(0, module.find('.')));
  if (other && normal_distribution_name(other->install).find_first_of(" +/") == std::string::npos)
    return other->install;
  return module.find('.') == std::string_view::npos ? distribution_with_part_of(module) : "";
}

bool is_part_of_namespace(std::string_view module) {
  for (auto part = module; part.find('.') != std::string_view::npos; part = parent_module(part))
    if (!distribution_called_otherwise(part).empty() ||
        !distribution_with([&](const std::string& one) { return one == part; }, part).empty())
      return true;
  return false;
}

std::string older_release_with_module(std::string_view module) {
  for (const auto& [distribution, releases] : known_packages())
    for (auto release = releases.rbegin(); release != releases.rend(); ++release)
      if (std::find(release->modules.begin(), release->modules.end(), module) != release->modules.end())
        return release == releases.rbegin() ? "" : distribution + "<=" + release->version;
  return "";
}

namespace {

/// Whether the table may have rows of a module. To read it takes nine million instructions, to see that a name is
/// nowhere in its bytes a hundredth of that, once for all names that a module which is not followed may have.
bool may_have_changed_names(std::string_view module) {
  thread_local std::string asked;
  thread_local bool is_there = false;
  if (asked != module) {
    asked = module;
    is_there = embedded_changed_names().find(module) != std::string_view::npos;
  }
  return is_there;
}

/// The rows of the table by their module.
const std::multimap<std::string, const nlohmann::json*, std::less<>>& changed_names() {
  static const auto table = parse_table(embedded_changed_names());
  static const auto rows = [] {
    std::multimap<std::string, const nlohmann::json*, std::less<>> made;
    for (const auto& row : table.at("rows")) made.emplace(row.at("module"), &row);
    return made;
  }();
  return rows;
}

}  // namespace

namespace {

/// What a row says to write in the place of a name: one text for all of its names, or one for each.
std::string name_today(const nlohmann::json& row, std::string_view name) {
  const auto today = row.find("today");
  if (today == row.end()) return "";
  auto text = today->is_object() ? today->value(std::string(name), "") : today->get<std::string>();
  replace_all(text, "{name}", std::string(name));
  return text;
}

}  // namespace

namespace {

ChangedName as_changed_name(const nlohmann::json& row, std::string_view name) {
  const auto releases =
      row.contains("removed") ? "<" + row.at("removed").get<std::string>() : ">=" + row.at("added").get<std::string>();
  return {row.at("distribution"),    releases,
          row.value("again", ""),    row.value("python", ""),
          row.at("source"),          name_today(row, name),
          row.value("together", ""), row.at("module").get_ref<const std::string&>().ends_with("(...)")};
}

}  // namespace

std::string ChangedName::other_words() const { return together.empty() ? "" : " " + shell_word(together + releases); }

std::string ChangedName::words_for_pip() const { return shell_word(distribution + releases) + other_words(); }

std::optional<ChangedName> changed_name(std::string_view module, std::string_view name) {
  if (!may_have_changed_names(module)) return std::nullopt;
  const auto [begin, end] = changed_names().equal_range(module);
  for (auto at = begin; at != end; ++at) {
    const auto& names = at->second->at("names");
    const auto fits = [&](const nlohmann::json& one) { return matches(name, one.get_ref<const std::string&>()); };
    if (std::any_of(names.begin(), names.end(), fits)) return as_changed_name(*at->second, name);
  }
  return std::nullopt;
}

std::optional<ChangedName> changed_name_anywhere(std::string_view name) {
  std::optional<ChangedName> found;
  for (const auto& [module, row] : changed_names()) {
    const auto& names = row->at("names");
    if (module.ends_with(')') || std::find(names.begin(), names.end(), name) == names.end()) continue;
    auto known = as_changed_name(*row, name);
    if (found && (found->distribution != known.distribution || found->releases != known.releases)) return std::nullopt;
    found = std::move(known);
  }
  return found;
}

std::optional<ChangedName> changed_argument(std::string_view called, std::string_view argument,
                                            std::string_view distribution) {
  const auto method = "." + std::string(called);
  std::optional<ChangedName> found;
  for (const auto& [module, row] : changed_names()) {
    if (module != called && !module.ends_with(method)) continue;
    const auto& names = row->at("names");
    if (std::find(names.begin(), names.end(), argument) == names.end()) continue;
    auto known = as_changed_name(*row, argument);
    if (!distribution.empty() && known.distribution != distribution) continue;
    if (found && (found->distribution != known.distribution || found->releases != known.releases)) return std::nullopt;
    found = std::move(known);
  }
  return found;
}

std::string index_with_local_version(std::string_view distribution, std::string_view version) {
  constexpr std::string_view place = "{label}";
  const auto plus = version.find('+');
  if (plus == std::string_view::npos) return "";
  const auto label = version.substr(plus + 1);
  const auto fits = [](const nlohmann::json& patterns, std::string_view text) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const nlohmann::json& pattern) { return matches(text, pattern.get<std::string>()); });
  };
  for (const auto& row : package_document().at("local_versions")) {
    if (!fits(row.at("distributions"), distribution) || !fits(row.at("labels"), label)) continue;
    auto option = row.at("option").get<std::string>();
    if (const auto at = option.find(place); at != std::string::npos) option.replace(at, place.size(), label);
    return option;
  }
  return "";
}

std::string later_name(std::string_view distribution) {
  for (const auto& row : package_document().at("renamed"))
    if (row.at("distribution").get_ref<const std::string&>() == distribution) return row.at("now");
  return "";
}

std::optional<OtherProject> other_project_of(std::string_view distribution) {
  for (const auto& row : package_document().at("other_projects"))
    if (row.at("distribution").get_ref<const std::string&>() == distribution)
      return OtherProject{row.at("is"), row.at("wanted"), row.at("install"), row.at("source")};
  return std::nullopt;
}

bool is_known_namespace(std::string_view module) {
  const auto is_it = [&](const std::string& one) { return one == module; };
  return distribution_with(is_it, module).empty() &&
         (!distribution_with_part_of(module).empty() || shared_directory(module));
}

const KnownPackage* known_release(std::string_view distribution, std::string_view specifiers) {
  const auto& table = known_packages();
  const auto found = table.find(distribution);
  if (found == table.end()) return nullptr;
  const auto& releases = found->second;
  for (auto release = releases.rbegin(); release != releases.rend(); ++release)
    if (allows(specifiers, release->version)) return &*release;
  // What neither brings nor requires anything hardly did so in another release.
  const auto& newest = releases.back();
  return newest.libraries.empty() && newest.requires_dist.empty() ? &newest : nullptr;
}

std::string pinned_version(std::string_view specifiers) {
  for (std::size_t begin = 0; begin < specifiers.size();) {
    const auto end = std::min(specifiers.find(',', begin), specifiers.size());
    auto clause = trimmed(specifiers.substr(begin, end - begin));
    begin = end + 1;
    if (!clause.starts_with("==")) continue;
    clause = trimmed(clause.substr(clause.starts_with("===") ? 3 : 2));
    if (clause.ends_with(".*")) clause.remove_suffix(2);
    return std::string(clause);
  }
  return "";
}

std::string chosen_version(std::string_view distribution, std::string_view specifiers, std::string_view python) {
  const auto found = known_packages().find(distribution);
  if (found == known_packages().end()) return pinned_version(specifiers);
  const auto& releases = found->second;
  for (auto release = releases.rbegin(); release != releases.rend(); ++release)
    if (allows(specifiers, release->version) && (python.empty() || allows(release->python, python)))
      return release->version;
  return pinned_version(specifiers);
}

std::vector<std::string> known_modules(std::string_view distribution, std::string_view specifiers) {
  if (const auto* release = known_release(distribution, specifiers)) return release->modules;
  const auto found = known_packages().find(distribution);
  return found == known_packages().end() ? std::vector<std::string>() : found->second.back().modules;
}

std::string requirements_source() {
  return "METADATA and directories of the wheels on the Python package index, " +
         package_document().at("checked").get<std::string>();
}

}  // namespace cudald
