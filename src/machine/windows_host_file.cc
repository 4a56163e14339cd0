#include <cudald/windows_host_file.h>

#include <charconv>

#include "base/bounded_json.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

constexpr CostLimits windows_host_limits{.kept = std::uint64_t{96} << 20};  // a Windows 11 has 6,000 names

/// The value below a key; null if there is none.
const nlohmann::json& at(const nlohmann::json& json, const char* key) {
  static const nlohmann::json nothing;
  const auto found = json.find(key);
  return found == json.end() ? nothing : *found;
}

std::string text(const nlohmann::json& json, const char* key) {
  const auto& value = at(json, key);
  return value.is_string() ? value.get<std::string>() : "";
}

/// The texts of a list. PowerShell writes a list of one as the one alone.
std::vector<std::string> texts(const nlohmann::json& json) {
  if (json.is_string()) return {json.get<std::string>()};
  std::vector<std::string> result;
  if (json.is_array())
    for (const auto& item : json)
      if (item.is_string()) result.push_back(item.get<std::string>());
  return result;
}

std::set<std::string> lower_names(const nlohmann::json& json) {
  std::set<std::string> names;
  for (const auto& name : texts(json)) names.insert(folded(name));
  return names;
}

}  // namespace

bool WindowsHostFile::has(const std::string& lower_folder, const std::string& lower_name) const {
  const auto folder = folders.find(lower_folder);
  return folder != folders.end() && folder->second.contains(lower_name);
}

Result<WindowsHostFile> read_windows_host(std::string_view json_text) {
  Budget budget(windows_host_limits);
  // The parser passes over the byte order mark with which PowerShell 5 begins UTF-8.
  const auto parsed = parse_json(json_text, budget);
  if (!parsed) return Error{ErrorCode::usage, parsed.error().message};
  const auto& json = *parsed;
  if (!json.is_object() || text(json, "schema") != "cudald/host")
    return Error{ErrorCode::usage, "no description of a machine (schema cudald/host)"};
  if (!text(json, "schema_version").starts_with("1."))
    return Error{ErrorCode::usage, "a description of another version than 1"};
  if (!text(json, "platform").starts_with("windows-"))
    return Error{ErrorCode::usage, "a description of another system than Windows"};
  WindowsHostFile host;
  const auto& windows = at(json, "windows");
  if (const auto folder = text(windows, "folder"); is_full_windows_path(folder))
    host.windows = normal_windows_path(folder);
  host.build = text(windows, "build");
  host.known_dlls = lower_names(at(windows, "known_dlls"));
  if (const auto& folders = at(windows, "folders"); folders.is_object())
    for (const auto& [folder, names] : folders.items())
      if (is_full_windows_path(folder)) host.folders[folded(normal_windows_path(folder))] = lower_names(names);
  if (!host.knows(folded(host.windows + "\\System32")))
    return Error{ErrorCode::usage, "it does not say what System32 holds"};
  for (const auto& folder : texts(at(windows, "path")))
    if (is_full_windows_path(folder)) host.path.push_back(normal_windows_path(folder));
  if (const auto& variables = at(windows, "variables"); variables.is_object())
    for (const auto& [name, value] : variables.items())
      if (value.is_string()) host.variables[name] = value.get<std::string>();
  const auto& python = at(windows, "python");
  const auto version = text(python, "version");
  if (const auto folder = text(python, "folder"); is_full_windows_path(folder) && version.starts_with("3.")) {
    host.python_folder = normal_windows_path(folder);
    std::from_chars(version.data() + 2, version.data() + version.size(), host.python_minor);
    host.conda = text(python, "flavour") == "conda";
  }
  return host;
}

}  // namespace cudald
