#include "pyimport/environment/environment_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/path.h"
#include "base/trimmed.h"
#include "base/windows_path.h"
#include "pyimport/syntax/scanner.h"

namespace cudald {
namespace {

constexpr std::uint64_t max_text = 1 << 20, max_text_of_all = 4 << 20;
constexpr std::uint64_t max_lines = 20'000;  ///< of all .pth files
constexpr std::size_t max_path_folders = 1000;
const std::string system_site_setting = "include-system-site-packages";
constexpr std::size_t max_digits = 3;  ///< of the second part of a version

bool is_dotted_name(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c == '.' || python::is_name_part(c); });
}

/// Where a line of a .pth file leads.
std::string place_of_entry(std::string entry, const std::string& folder, const PythonEnvironment& environment) {
  if (environment.windows == nullptr) return absolute_path(entry, folder);
  if (is_full_windows_path(entry)) return environment.windows->find(entry).value_or("");
  return environment.windows->find(windows_join(environment.windows->spelled(folder), entry)).value_or("");
}

}  // namespace

std::string version_in(std::string_view text) {
  const auto at = text.find("3.");
  if (at == std::string_view::npos) return {};
  auto end = at + 2;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
  const auto digits = end - at - 2;
  return digits > 0 && digits <= max_digits ? std::string(text.substr(at, end - at)) : std::string();
}

int minor_of(std::string_view version) {
  int minor = 0;
  for (const char c : version.substr(std::min<std::size_t>(2, version.size())))
    if (std::isdigit(static_cast<unsigned char>(c)) && minor < 1000) minor = minor * 10 + (c - '0');
  return minor;
}

int micro_of(std::string_view text) {
  const auto parts = split(text, ".");
  int micro = 0;
  if (parts.size() > 2) std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), micro);
  return std::clamp(micro, 0, 255);
}

std::map<std::string, std::string> read_settings(const FileSystem& files, const std::string& path) {
  std::map<std::string, std::string> settings;
  const auto text = read_file(files, path, max_text);
  if (!text) return settings;
  for (const auto line : split(*text, "\n")) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = folded(trimmed(line.substr(0, equals)));
    const std::string value(trimmed(line.substr(equals + 1)));
    if (name == system_site_setting)
      settings[name] = value;
    else
      settings.emplace(name, value);
  }
  return settings;
}

void take_version(const std::map<std::string, std::string>& settings, PythonEnvironment& environment) {
  for (const auto* name : {"version", "version_info"}) {
    const auto at = settings.find(name);
    if (at == settings.end() || at->second.empty()) continue;
    environment.version = version_in(at->second);
    environment.micro = micro_of(at->second);
    return;
  }
}

bool has_system_site(const std::map<std::string, std::string>& settings) {
  const auto at = settings.find(system_site_setting);
  return at == settings.end() || folded(at->second) == "true";
}

std::string variable_of(const PythonEnvironment& environment, const std::string& name) {
  const auto at = environment.variables.find(name);
  return at == environment.variables.end() ? std::string() : at->second;
}

bool is_site_folder(std::string_view path) {
  return path.ends_with("/site-packages") || path.ends_with("/dist-packages");
}

void PathBuilder::refuse(const std::string& what) {
  if (!std::exchange(full_, true)) environment_.notes.push_back(what + "; the rest of sys.path is not known");
}

void PathBuilder::add(const std::string& folder) {
  if (environment_.path.size() >= max_path_folders)
    return refuse(fmt::format("more than {} directories", max_path_folders));
  // lib64 is often only another name of lib.
  if (is_folder(files_, folder) && seen_.insert(*files_.real_path(folder)).second)
    environment_.path.push_back(normal_path(folder));
}

void PathBuilder::add_site(const std::string& folder) {
  const auto known = environment_.path.size();
  add(folder);
  if (environment_.path.size() == known) return;
  const auto names = files_.list(folder);
  if (!names) return;
  constexpr int first_with_start_files = 15;
  const bool starts = minor_of(environment_.version) >= first_with_start_files;
  for (const auto& name : *names) {
    if (!name.ends_with(".pth") || name.starts_with('.') || full_) continue;
    const auto start = name.substr(0, name.size() - 4) + ".start";
    const bool replaced = starts && std::binary_search(names->begin(), names->end(), start);
    read_pth(folder, name, !replaced);
  }
  for (const auto& name : *names)
    if (starts && name.ends_with(".start") && !name.starts_with('.') && !full_) read_start(folder, name);
}

/// The lines of a file of a site folder that say something.
std::vector<std::string> PathBuilder::lines_of(const std::string& folder, const std::string& name) {
  std::vector<std::string> lines;
  const auto text = read_file(files_, folder + "/" + name, max_text);
  if (!text && text.error().code == ErrorCode::limit) refuse(folder + "/" + name + " is too long");
  if (!text) return lines;
  bytes_ += text->size();
  if (bytes_ > max_text_of_all) refuse(folder + ": its .pth files are too long");
  for (const auto line : split(*text, "\n")) {
    const auto entry = trimmed(line);
    if (entry.empty() || entry.starts_with('#') || full_) continue;
    if (++lines_ > max_lines) refuse(folder + ": its .pth files have too many lines");
    if (!full_) lines.emplace_back(entry);
  }
  return lines;
}

void PathBuilder::read_pth(const std::string& folder, const std::string& name, bool runs_imports) {
  bool has_line = false;
  for (const auto& entry : lines_of(folder, name)) {
    const auto end = environment_.start_up.end() - entry_points_;
    const auto known = environment_.path.size();
    if (entry.starts_with("import ") || entry.starts_with("import\t")) {
      if (runs_imports) environment_.start_up.insert(end, {folder + "/" + name, entry}), has_line = true;
      continue;
    }
    add(place_of_entry(entry, folder, environment_));
    if (has_line && environment_.path.size() > known) (end - 1)->later.push_back(environment_.path.back());
  }
}

/// Entry points, `a.b:c.d`, that are called behind all import lines. Source: PEP 829; CPython 3.15 Lib/site.py.
void PathBuilder::read_start(const std::string& folder, const std::string& name) {
  for (const auto& entry : lines_of(folder, name)) {
    const auto colon = std::min(entry.find(':'), entry.size());
    const auto module = entry.substr(0, colon), callable = entry.substr(std::min(colon + 1, entry.size()));
    if (!is_dotted_name(module) || !is_dotted_name(callable)) continue;
    environment_.start_up.push_back(
        {folder + "/" + name, "import pkgutil, " + module + " as module; module." + callable + "()"});
    ++entry_points_;
  }
}

}  // namespace cudald
