#include "package/dist_info.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/path.h"
#include "base/trimmed.h"
#include "base/version_order.h"
#include "package/requirement.h"
#include "package/site_packages.h"
#include "package/version.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text = std::uint64_t{16} << 20;
constexpr std::string_view suffix = ".dist-info";

std::vector<std::string> dist_infos(const FileSystem& files, const std::string& site) {
  std::vector<std::string> folders;
  if (const auto names = files.list(site))
    for (const auto& name : *names)
      if (name.ends_with(suffix)) folders.push_back(site + "/" + name);
  return folders;
}

std::optional<WheelMetadata> metadata_in(const FileSystem& files, const std::string& folder) {
  const auto text = read_file(files, folder + "/METADATA", most_text);
  return text ? std::optional(parse_wheel_metadata(*text)) : std::nullopt;
}

/// A file in the .dist-info of an installed distribution, "RECORD"; nullopt if it is not there.
std::optional<std::string> text_of_distribution(const FileSystem& files, const std::string& site,
                                                std::string_view distribution, const std::string& file) {
  const auto wanted = normal_distribution_name(distribution);
  for (const auto& folder : dist_infos(files, site)) {
    const auto name = file_name(folder);
    if (normal_distribution_name(name.substr(0, name.find('-'))) != wanted) continue;
    if (auto text = read_file(files, folder + "/" + file, most_text)) return std::move(*text);
  }
  return std::nullopt;
}

/// The first distribution whose RECORD lists files that are gone and that `is_meant`; `part` stands in their paths.
template <typename Test>
std::optional<DamagedPackage> find_damaged(const FileSystem& files, const std::string& site, std::string_view part,
                                           Test is_meant) {
  for (const auto& folder : dist_infos(files, site)) {
    const auto text = read_file(files, folder + "/RECORD", most_text);
    if (!text) continue;
    DamagedPackage package;
    const auto record = parse_record(*text, part);
    for (const auto& row : record.rows) {
      const auto path = normal_path(absolute_path(row.path, site));
      if (is_meant(std::string(row.path), path, row)) package.gone.push_back(path);
    }
    const auto metadata = package.gone.empty() ? std::nullopt : metadata_in(files, folder);
    if (!metadata || metadata->name.empty()) continue;
    package.name = metadata->name;
    package.version = metadata->version;
    return package;
  }
  return std::nullopt;
}

}  // namespace

std::optional<WheelMetadata> installed_metadata(const FileSystem& files, const std::string& site,
                                                std::string_view distribution) {
  const auto text = text_of_distribution(files, site, distribution, "METADATA");
  return text ? std::optional(parse_wheel_metadata(*text)) : std::nullopt;
}

std::vector<std::string> installed_wheel_tags(const FileSystem& files, const std::string& site,
                                              std::string_view distribution) {
  const auto text = text_of_distribution(files, site, distribution, "WHEEL");
  return text ? parse_wheel_settings(*text).tags : std::vector<std::string>();
}

bool is_distribution_name(std::string_view text) {
  const auto is_inner = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  const auto is_outer = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_inner)) return false;
  if (!is_outer(text.front()) || !is_outer(text.back()) || text.find(".so.") != std::string_view::npos) return false;
  constexpr std::array suffixes{".so", ".dll", ".pyd", ".exe"};
  return std::none_of(suffixes.begin(), suffixes.end(), [&](const char* ending) { return text.ends_with(ending); });
}

namespace {

/// "fast" of "fast.py" and of "fast.cpython-311-x86_64-linux-gnu.so"; empty if the file is no module.
std::string_view module_of_file(std::string_view file) {
  const auto name = file.substr(0, file.find('.'));
  return file == std::string(name) + ".py" || is_module_file(file, name) ? name : std::string_view();
}

/// Modules that a RECORD lists, each by the first of its folders that has code: "sklearn", "google.protobuf".
std::vector<std::string> modules_of_record(const Record& record) {
  std::set<std::string> packages;  // folders with code of their own
  for (const auto& row : record.rows)
    if (module_of_file(file_name(row.path)) == "__init__") packages.emplace(parent_path(row.path));
  std::vector<std::string> modules;
  for (const auto& row : record.rows) {
    const auto name = module_of_file(file_name(row.path));
    if (name.empty() || row.path.starts_with("../")) continue;
    // The finder of an editable installation finds the modules, and is none of them.
    if (name.starts_with("__editable__")) continue;
    auto module = std::string(parent_path(row.path));
    if (module.find_first_of(".-") != std::string::npos) continue;  // no name of a package: "numpy.libs"
    for (auto slash = module.find('/'); slash != std::string::npos; slash = module.find('/', slash + 1))
      if (packages.contains(module.substr(0, slash))) module.resize(slash);
    if (module.empty()) module = name;
    std::replace(module.begin(), module.end(), '/', '.');
    if (std::find(modules.begin(), modules.end(), module) == modules.end()) modules.push_back(std::move(module));
  }
  return modules;
}

/// What nobody imports who asks for a package by its name.
bool is_private(const std::string& module) {
  constexpr std::array others{"tests", "test", "testing", "docs", "doc", "examples", "benchmarks", "scripts", "tools"};
  return module.front() == '_' || module.find("._") != std::string::npos ||
         std::find(others.begin(), others.end(), module) != others.end();
}

}  // namespace

std::vector<std::string> modules_of_distribution(const FileSystem& files, const std::string& site,
                                                 std::string_view name) {
  const auto text = text_of_distribution(files, site, name, "RECORD");
  if (!text) return {};
  auto modules = modules_of_record(parse_record(*text));
  if (!std::all_of(modules.begin(), modules.end(), is_private)) std::erase_if(modules, is_private);
  const auto wanted = normal_distribution_name(name);
  const auto alike = std::find_if(modules.begin(), modules.end(), [&](const std::string& module) {
    return normal_distribution_name(module) == wanted;
  });
  if (alike != modules.end()) return {*alike};
  return modules;
}

std::vector<std::string> programs_of_distribution(const FileSystem& files, const std::string& site,
                                                  std::string_view name) {
  std::vector<std::string> programs;
  const auto text = text_of_distribution(files, site, name, "RECORD");
  const auto record = parse_record(text ? *text : std::string_view());
  for (const auto& row : record.rows) {
    auto path = normal_path(absolute_path(row.path, site));
    if (!path.starts_with(site + "/") && parent_path(path).ends_with("/bin")) programs.push_back(std::move(path));
  }
  return programs;
}

std::set<std::string> files_of_distribution(const FileSystem& files, const std::string& site, std::string_view name) {
  std::set<std::string> paths;
  const auto text = text_of_distribution(files, site, name, "RECORD");
  const auto record = parse_record(text ? *text : std::string_view());
  for (const auto& row : record.rows) paths.emplace(row.path);
  return paths;
}

std::set<std::string> installed_names(const FileSystem& files, const std::string& site) {
  std::set<std::string> names;
  const auto entries = files.list(site);
  if (!entries) return names;
  for (const auto& entry : *entries) {
    if (entry.ends_with(suffix)) {
      names.insert(normal_distribution_name(entry.substr(0, entry.find('-'))));
    } else if (const auto module = module_of_file(entry); !module.empty()) {
      names.emplace(module);
    } else if (entry.find('.') == std::string::npos && is_folder(files, site + "/" + entry)) {
      names.insert(entry);
    }
  }
  return names;
}

std::optional<DamagedPackage> package_that_lost_module(const FileSystem& files, const std::string& site,
                                                       const std::string& module) {
  auto path = module;
  std::replace(path.begin(), path.end(), '.', '/');
  return find_damaged(files, site, path, [&](const std::string& listed, const std::string& place, const RecordRow&) {
    const bool is_it = listed.starts_with(path + ".") || listed.starts_with(path + "/__init__.");
    return is_it && !module_of_file(file_name(listed)).empty() && !files.status(place);
  });
}

std::optional<DamagedPackage> package_of_altered(const FileSystem& files, const std::string& site,
                                                 const std::string& path) {
  return find_damaged(files, site, file_name(path),
                      [&](const std::string&, const std::string& place, const RecordRow& row) {
                        if (place != path || !row.size) return false;
                        const auto status = files.status(path);
                        return status && status->size != *row.size;
                      });
}

namespace {

/// "==0.5.0" of "<=0.5.0,>=0.5.0", which leaves one release; other specifiers as they are.
std::string pinned(const std::string& specifiers) {
  const auto comma = specifiers.find(',');
  if (comma == std::string::npos) return specifiers;
  const auto one = trimmed(std::string_view(specifiers).substr(0, comma)),
             other = trimmed(std::string_view(specifiers).substr(comma + 1));
  const bool closed =
      (one.starts_with("<=") && other.starts_with(">=")) || (one.starts_with(">=") && other.starts_with("<="));
  return closed && one.substr(2) == other.substr(2) ? "==" + std::string(one.substr(2)) : specifiers;
}

/// Specifiers that pip takes: "<1.11.0,>=1.10.0" of "<1.11.0,>=1.10.0+cu113", which older tools let pass. Source: PEP
/// 440, "Inclusive ordered comparison": local versions are not permitted.
std::string without_local_bounds(const std::string& specifiers) {
  std::string text;
  for (const auto clause : split(specifiers, ",")) {
    const auto trimmed_clause = trimmed(clause);
    const bool ordered = trimmed_clause.starts_with('<') || trimmed_clause.starts_with('>');
    text += (text.empty() ? "" : ",") + (ordered ? without_local(trimmed_clause) : std::string(trimmed_clause));
  }
  return text;
}

bool is_unmet(const Requirement& requirement, const WheelMetadata& installed) {
  return !allows(without_local_bounds(requirement.specifiers), installed.version);
}

UnmetRequirement unmet_of(const Requirement& requirement, const WheelMetadata& installed) {
  return {installed.name, installed.version, requirement.name + pinned(without_local_bounds(requirement.specifiers))};
}

/// Whether specifiers end with a release itself: what is released together with it.
bool ends_with_release(const std::string& specifiers, const std::string& version) {
  const auto release = without_local(version);
  for (const auto clause : split(specifiers, ","))
    if (const auto text = trimmed(clause); text == "==" + release || text == "<=" + release) return true;
  return false;
}

/// Whether what is installed comes before the first release that is allowed.
bool is_too_old(const std::string& specifiers, const std::string& installed) {
  for (const auto clause : split(specifiers, ",")) {
    const auto text = trimmed(clause);
    const auto version = text.find_first_not_of("<>=!~ ");
    const bool is_bound = text.starts_with(">") || text.starts_with("==") || text.starts_with("~=");
    if (is_bound && version != std::string_view::npos && version_less(installed, text.substr(version))) return true;
  }
  return false;
}

std::vector<UnmetRequirement> unmet_of_extras(const FileSystem& files, const std::string& site,
                                              std::string_view distribution, bool in_step) {
  std::vector<UnmetRequirement> unmet;
  const auto own = installed_metadata(files, site, distribution);
  for (const auto& line : own ? own->requires_dist : std::vector<std::string>()) {
    const auto requirement = parse_requirement(line);
    if (!requirement || requirement->marker.find("extra") == std::string::npos) continue;
    if (in_step && !ends_with_release(requirement->specifiers, own->version)) continue;
    const auto installed = installed_metadata(files, site, requirement->name);
    if (!in_step && installed && !is_too_old(requirement->specifiers, installed->version)) continue;
    const auto same = [&](const UnmetRequirement& one) { return installed && one.name == installed->name; };
    if (installed && is_unmet(*requirement, *installed) && std::none_of(unmet.begin(), unmet.end(), same))
      unmet.push_back(unmet_of(*requirement, *installed));
  }
  return unmet;
}

/// What a distribution requires, without an extra. Markers count where the values that they need are given.
std::vector<Requirement> required_of(const FileSystem& files, const std::string& site, std::string_view distribution,
                                     const MarkerValues& values) {
  std::vector<Requirement> required;
  const auto own = installed_metadata(files, site, distribution);
  for (const auto& line : own ? own->requires_dist : std::vector<std::string>()) {
    auto requirement = parse_requirement(line);
    // What has no marker is required everywhere.
    if (!requirement || (!requirement->marker.empty() && (values.empty() || !holds(requirement->marker, values, {}))))
      continue;
    required.push_back(*std::move(requirement));
  }
  return required;
}

}  // namespace

std::vector<UnmetRequirement> unmet_in_step(const FileSystem& files, const std::string& site,
                                            std::string_view distribution) {
  return unmet_of_extras(files, site, distribution, true);
}

std::vector<UnmetRequirement> unmet_by_extra(const FileSystem& files, const std::string& site,
                                             std::string_view distribution) {
  return unmet_of_extras(files, site, distribution, false);
}

std::vector<UnmetRequirement> unmet_requirements(const FileSystem& files, const std::string& site,
                                                 std::string_view distribution, const MarkerValues& values) {
  std::vector<UnmetRequirement> unmet;
  for (const auto& requirement : required_of(files, site, distribution, values)) {
    if (requirement.specifiers.empty()) continue;
    const auto installed = installed_metadata(files, site, requirement.name);
    if (installed && is_unmet(requirement, *installed)) unmet.push_back(unmet_of(requirement, *installed));
  }
  return unmet;
}

std::vector<UnmetRequirement> absent_requirements(const FileSystem& files, const std::string& site,
                                                  std::string_view distribution, const MarkerValues& values) {
  std::vector<UnmetRequirement> absent;
  for (const auto& requirement : required_of(files, site, distribution, values))
    if (!installed_metadata(files, site, requirement.name))
      absent.push_back({requirement.name, "", requirement.name + pinned(requirement.specifiers)});
  return absent;
}

std::vector<UnmetBy> all_unmet(const FileSystem& files, const std::string& site) {
  std::vector<UnmetBy> all;
  for (const auto& folder : dist_infos(files, site)) {
    const auto metadata = metadata_in(files, folder);
    if (!metadata) continue;
    for (auto& unmet : unmet_requirements(files, site, metadata->name))
      all.push_back({metadata->name + " " + metadata->version, std::move(unmet)});
  }
  return all;
}

namespace {

/// Calls `visit(Requirement, WheelMetadata)` for each line of Requires-Dist, of any distribution that is installed
/// there, that asks for this one without an extra, until it returns true.
template <typename Visit>
void visit_requirements_on(const FileSystem& files, const std::string& site, std::string_view distribution,
                           Visit visit) {
  const auto wanted = normal_distribution_name(distribution);
  for (const auto& folder : dist_infos(files, site)) {
    const auto metadata = metadata_in(files, folder);
    for (const auto& line : metadata ? metadata->requires_dist : std::vector<std::string>()) {
      const auto requirement = parse_requirement(line);
      const bool counts =
          requirement && requirement->name == wanted && requirement->marker.find("extra") == std::string::npos;
      if (counts && visit(*requirement, *metadata)) return;
    }
  }
}

}  // namespace

std::string lowest_bound(const FileSystem& files, const std::string& site, std::string_view distribution,
                         std::string_view above) {
  const auto least = parse_version(above);
  std::optional<DistributionVersion> lowest;
  std::string bound;
  visit_requirements_on(files, site, distribution, [&](const Requirement& requirement, const WheelMetadata&) {
    for (const auto clause : split(requirement.specifiers, ",")) {
      const auto text = trimmed(clause);
      if (!text.starts_with('<') || text.starts_with("<=")) continue;
      const auto version = parse_version(trimmed(text.substr(1)));
      if (!version || !least || !(*least < *version) || (lowest && !(*version < *lowest))) continue;
      lowest = version;
      bound = text;
    }
    return false;
  });
  return bound;
}

std::string installed_requirement(const FileSystem& files, const std::string& site, std::string_view distribution,
                                  std::string_view with) {
  std::string found;
  visit_requirements_on(files, site, distribution, [&](const Requirement& requirement, const WheelMetadata&) {
    if (requirement.specifiers.find(with) == std::string::npos) return false;
    found = std::string(distribution) + requirement.specifiers;
    return true;
  });
  return found;
}

std::vector<std::string> requirers_that_exclude(const FileSystem& files, const std::string& site,
                                                const std::vector<Requirement>& wanted, const MarkerValues& values) {
  std::set<std::string> requirers;
  for (const auto& each : wanted) {
    if (each.specifiers.empty()) continue;
    visit_requirements_on(files, site, each.name, [&](const Requirement& requirement, const WheelMetadata& asker) {
      if (exclude_each_other(requirement.specifiers, each.specifiers) && holds(requirement.marker, values, {}))
        requirers.insert(asker.name);
      return false;
    });
  }
  for (const auto& each : wanted)
    std::erase_if(requirers, [&](const std::string& name) { return normal_distribution_name(name) == each.name; });
  return {requirers.begin(), requirers.end()};
}

std::optional<UnmetBy> opposed_requirement(const FileSystem& files, const std::string& site,
                                           std::string_view distribution, std::string_view specifiers,
                                           const MarkerValues& values) {
  std::optional<UnmetBy> found;
  visit_requirements_on(files, site, distribution, [&](const Requirement& requirement, const WheelMetadata& asker) {
    if (!exclude_each_other(requirement.specifiers, specifiers) || !holds(requirement.marker, values, {})) return false;
    found = {asker.name + " " + asker.version,
             {std::string(distribution), "", std::string(distribution) + requirement.specifiers}};
    return true;
  });
  return found;
}

}  // namespace cudald
