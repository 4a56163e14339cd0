#include "knowledge/windows_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/listed.h"
#include "base/windows_path.h"
#include "embedded.h"

namespace cudald {
namespace {

struct Tables {
  std::unordered_set<std::string> system32, known, sets_of_windows_7;
  std::unordered_map<std::string, std::string> hosts;  ///< API set without its last number -> DLL; empty: nowhere
  nlohmann::json json;

  Tables() : json(parse_table(embedded_windows())) {
    for (const auto& name : json.at("system32").at("dlls")) system32.insert(name);
    for (const auto& name : json.at("known_dlls").at("dlls")) known.insert(name);
    const auto& sets = json.at("api_sets");
    for (const auto& [host, names] : sets.at("hosts").items())
      for (const auto& name : names) hosts.emplace(name, host);
    for (const auto& name : sets.at("of_windows_7")) sets_of_windows_7.insert(name);
    for (const auto& name : sets.at("nowhere")) hosts.emplace(name, "");
  }
};

const Tables& tables() {
  static const Tables loaded;
  return loaded;
}

/// "api-ms-win-core-file-l1-2-0.dll" -> "api-ms-win-core-file-l1-2": the loader ignores the last number.
std::string contract(std::string_view name) {
  const auto text = folded(name);
  const auto dash = text.rfind('-');
  return dash == std::string::npos ? text : text.substr(0, dash);
}

bool is_likely(const nlohmann::json& section, const std::string& name) {
  const auto unproven = section.value("unproven", nlohmann::json::array());
  return section.at("proof").is_null() || std::find(unproven.begin(), unproven.end(), name) != unproven.end();
}

/// The source of what a section says of a name; where nothing repeats its proof, that it is likely.
std::string source_of_row(const nlohmann::json& section, const std::string& name = "") {
  return (is_likely(section, name) ? "likely, by " : "") + section.at("source").get<std::string>();
}

}  // namespace

bool is_in_system32(const std::string& name) { return tables().system32.contains(name); }

bool is_known_dll(const std::string& name) { return tables().known.contains(name); }

bool is_api_set(std::string_view name) {
  const auto start = folded(name.substr(0, 4));
  return (start == "api-" || start == "ext-") && tables().hosts.contains(contract(name));
}

bool is_api_set_of_windows_7(std::string_view name) { return tables().sets_of_windows_7.contains(contract(name)); }

bool looks_like_api_set(std::string_view name) {
  const auto lower = folded(name);
  return lower.starts_with("api-ms-") || lower.starts_with("ext-ms-");
}

std::optional<std::string> api_set_host(std::string_view name, const std::string& importer) {
  const auto key = contract(name);
  const auto& exceptions = tables().json.at("api_sets").at("importers");
  if (const auto row = exceptions.find(key); row != exceptions.end() && row->contains(importer))
    return row->at(importer).get<std::string>();
  const auto host = tables().hosts.find(key);
  if (host == tables().hosts.end() || host->second.empty()) return std::nullopt;
  return host->second;
}

bool is_host_of_api_sets(const std::string& name) {
  const auto& hosts = tables().hosts;
  return std::any_of(hosts.begin(), hosts.end(), [&](const auto& row) {
    const bool of_core = row.first.starts_with("api-ms-win-crt-") || row.first.starts_with("api-ms-win-core-");
    return of_core && folded(row.second) == name;
  });
}

bool is_beside_python(const std::string& name, int minor) {
  const auto& python = tables().json.at("python");
  const auto has = [&](const char* list) {
    const auto& names = python.at(list);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return name == "python3" + std::to_string(minor) + ".dll" || has("always") || (minor >= 9 && has("from 3.9"));
}

std::optional<LaterPackage> added_later(const std::string& name) {
  const auto& later = tables().json.at("added_later");
  const auto row = later.at("dlls").find(name);
  if (row == later.at("dlls").end()) return std::nullopt;
  const auto& package = later.at("packages").at(row->get<std::string>());
  return LaterPackage{package.at("title"), package.at("command"), source_of_row(later, name), is_likely(later, name)};
}

namespace {

/// The row for the ending of a name; nullptr if there is none.
const nlohmann::json* row_of_ending(const nlohmann::json& section, const std::string& name) {
  for (const auto& [ending, row] : section.at("endings").items())
    if (name.ends_with(ending)) return &row;
  return nullptr;
}

}  // namespace

std::optional<DllInstaller> installer_of(const std::string& name) {
  const auto& section = tables().json.at("installers");
  std::string key;
  if (const auto row = section.at("dlls").find(name); row != section.at("dlls").end()) key = *row;
  for (const auto& [beginning, package] : section.at("families").items())
    if (name.starts_with(beginning)) key = package;
  if (const auto* package = row_of_ending(section, name); key.empty() && package != nullptr) key = *package;
  if (key.empty()) return std::nullopt;
  const auto& package = section.at("packages").at(key);
  const auto own = package.find("source");
  DllInstaller installer{package.at("says"),
                         {},
                         package.value("lacks", ""),
                         own == package.end() ? source_of_row(section, name) : "likely, by " + own->get<std::string>(),
                         package.value("beside", false),
                         package.value("with_program", false)};
  for (const auto& way : package.at("fixes"))
    installer.ways.push_back({way.at(0), way.at(1), way.size() > 2 ? way.at(2).get<std::string>() : ""});
  return installer;
}

std::optional<ProgramDll> program_dll(const std::string& name) {
  constexpr std::string_view end = ".dll";
  const auto& section = tables().json.at("program_dlls");
  for (const auto& row : section.at("programs")) {
    const auto& begin = row.at("begins").get_ref<const std::string&>();
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    const auto rest = name.substr(begin.size(), name.size() - begin.size() - end.size());
    const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto build = row.at("builds").find(rest.substr(digits));
    if (digits == 0 || build == row.at("builds").end()) continue;
    return ProgramDll{row.at("name"), rest.substr(0, digits), *build, source_of_row(section, name)};
  }
  return std::nullopt;
}

std::optional<WithoutWinget> without_winget(const std::string& command, int build) {
  constexpr std::string_view install = "winget install ";
  const auto& section = tables().json.at("winget");
  if (build == 0 || build >= section.at("first_build").get<int>() || !command.starts_with(install)) return std::nullopt;
  for (const auto& row : section.at("instead"))
    if (command.substr(install.size()).starts_with(row.at("package").get<std::string>()))
      return WithoutWinget{row.at("command"), section.at("source")};
  return std::nullopt;
}

namespace {

/// Of a part of Windows that came with a build of it.
SinceWindows since_build(const nlohmann::json& section, const std::string& build, const std::string& part) {
  return {std::atoi(build.c_str()), section.at("releases").at(build), source_of_row(section, part)};
}

}  // namespace

std::optional<SinceWindows> since_windows(const std::string& dll, const std::string& function) {
  const auto& section = tables().json.at("functions_since");
  const auto row = section.at("dlls").find(dll);
  if (row == section.at("dlls").end()) return std::nullopt;
  for (const auto& [build, functions] : row->items())
    if (std::find(functions.begin(), functions.end(), function) != functions.end())
      return since_build(section, build, function);
  return std::nullopt;
}

std::optional<SinceWindows> since_windows(const std::string& function) {
  for (const auto& [dll, builds] : tables().json.at("functions_since").at("dlls").items())
    if (auto since = since_windows(dll, function)) return since;
  return std::nullopt;
}

std::optional<SinceWindows> dll_since_windows(const std::string& dll) {
  const auto& section = tables().json.at("functions_since");
  const auto row = section.at("whole").find(dll);
  if (row == section.at("whole").end()) return std::nullopt;
  return since_build(section, row->get<std::string>(), dll);
}

std::optional<FunctionOfAssembly> assembly_with(const std::string& function) {
  const auto& section = tables().json.at("assembly_functions");
  for (const auto& [dll, row] : section.at("dlls").items())
    if (const auto& functions = row.at("functions");
        std::find(functions.begin(), functions.end(), function) != functions.end())
      return FunctionOfAssembly{dll, row.at("assembly"), row.at("version"), row.at("token"),
                                source_of_row(section, dll)};
  return std::nullopt;
}

std::vector<std::string> directories_of(const std::string& name) {
  const auto& section = tables().json.at("installations");
  const auto& dlls = section.at("dlls");
  const auto row = dlls.find(name);
  auto directories = row == dlls.end() ? std::vector<std::string>() : row->get<std::vector<std::string>>();
  if (const auto* more = row_of_ending(section, name); more != nullptr)
    for (const auto& each : *more) directories.push_back(each);
  for (const auto& any : section.at("any_dll")) directories.push_back(any);
  return directories;
}

std::optional<OwnCopy> own_copy(const std::string& name) {
  const auto& section = tables().json.at("own_copies");
  const auto row = section.at("dlls").find(name);
  return row == section.at("dlls").end()
             ? std::nullopt
             : std::optional(OwnCopy{row->get<std::string>(), source_of_row(section, name)});
}

const std::vector<RollingPackages>& rolling_packages() {
  static const auto systems = [] {
    std::vector<RollingPackages> result;
    for (const auto& row : tables().json.at("rolling"))
      result.push_back({row.at("name"), row.at("prefixes"), row.at("mark"), row.at("command"),
                        row.at("source").get<std::string>() + ", " + row.at("checked").get<std::string>(),
                        row.at("install"), row.at("called"), row.at("search")});
    return result;
  }();
  return systems;
}

bool is_assembly_of_windows(const std::string& name, std::string_view version) {
  const auto& known = tables().json.at("assemblies").at("of_windows");
  const auto row = known.find(folded(name));
  return row != known.end() && std::any_of(row->begin(), row->end(), [&](const auto& one) {
           return version.starts_with(one.template get_ref<const std::string&>() + ".");
         });
}

std::string assembly_installer(const std::string& name) {
  for (const auto& [beginning, command] : tables().json.at("assemblies").at("added_later").items())
    if (beginning != "source" && folded(name).starts_with(beginning)) return command;
  return "";
}

std::string assemblies_source() { return source_of_row(tables().json.at("assemblies")); }

std::optional<std::string> releases_of(const std::string& name) {
  const auto& names = tables().json.at("dll_names").at("meaning");
  const auto row = names.find(name);
  return row == names.end() ? std::nullopt : std::optional(row->get<std::string>());
}

std::string releases_source(const std::string& name) { return source_of_row(tables().json.at("dll_names"), name); }

std::string windows_tables_source() {
  constexpr std::pair<const char*, const char*> parts[] = {
      {"known_dlls", "known DLLs"}, {"api_sets", "API sets"}, {"python", "the directory of python.exe"}};
  std::vector<std::string> likely;
  for (const auto& [section, words] : parts)
    if (is_likely(tables().json.at(section), "")) likely.emplace_back(words);
  return windows_names_source() + (likely.empty() ? "" : "; likely: " + listed(likely, likely.size()));
}

std::string windows_names_source() {
  return "names of a fresh Windows 11, " + tables().json.at("checked").get<std::string>();
}

}  // namespace cudald
