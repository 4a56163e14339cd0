#include "loader/search_path.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>

#include "base/path.h"

namespace cudald {
namespace {

/// The length of the token `name` at the start of `text` (which follows a dollar sign), braces counted; 0 if it is
/// not there.
std::size_t token_length(std::string_view text, std::string_view name) {
  const bool braces = text.starts_with('{');
  const auto rest = braces ? text.substr(1) : text;
  if (!rest.starts_with(name)) return 0;
  const char next = rest.size() > name.size() ? rest[name.size()] : '\0';
  if (braces) return next == '}' ? name.size() + 2 : 0;
  const bool goes_on = std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_';
  return goes_on ? 0 : name.size();
}

}  // namespace

std::vector<std::string> glibc_hwcaps_names(const LibcVersion& libc, const Cpu& cpu) {
  std::vector<std::string> names;
  if (libc.at_least(2, 33))
    for (int level = cpu.x86_64_level; level >= 2; --level) names.push_back("x86-64-v" + std::to_string(level));
  return names;
}

std::vector<std::string> hwcaps_subfolders(const LibcVersion& libc, const Cpu& cpu) {
  std::vector<std::string> result;
  for (const auto& name : glibc_hwcaps_names(libc, cpu)) result.push_back("glibc-hwcaps/" + name + "/");
  if (libc.at_least(2, 37)) return result;
  // Every combination of tls, the platform and the other names, the fullest first.
  std::vector<std::string> parts{"tls"};
  if (!cpu.platform.empty()) parts.push_back(cpu.platform);
  parts.insert(parts.end(), cpu.hwcap_names.rbegin(), cpu.hwcap_names.rend());
  for (auto mask = (std::size_t{1} << parts.size()) - 1; mask != 0; --mask) {
    std::string folder;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if ((mask >> (parts.size() - 1 - i) & 1) != 0) (folder += parts[i]) += '/';
    if (std::find(result.begin(), result.end(), folder) == result.end()) result.push_back(std::move(folder));
  }
  return result;
}

bool has_tokens(std::string_view text) {
  for (auto dollar = text.find('$'); dollar != std::string_view::npos; dollar = text.find('$', dollar + 1))
    for (const auto name : {"ORIGIN", "PLATFORM", "LIB"})
      if (token_length(text.substr(dollar + 1), name) != 0) return true;
  return false;
}

std::string expand_tokens(std::string_view text, const TokenValues& values) {
  const std::array<std::pair<std::string_view, const std::string*>, 3> tokens{
      {{"ORIGIN", &values.origin}, {"PLATFORM", &values.platform}, {"LIB", &values.lib}}};
  std::string result;
  while (!text.empty()) {
    const auto dollar = text.find('$');
    result += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    std::size_t length = 0;
    for (const auto& [name, value] : tokens) {
      length = token_length(text, name);
      if (length == 0) continue;
      if (value->empty()) return {};
      result += *value;
      break;
    }
    if (length == 0) result += '$';
    text.remove_prefix(length);
    constexpr std::size_t longest = 1 << 20;
    if (result.size() > longest) return {};
  }
  return result;
}

std::vector<std::string> folders_of(std::string_view list, std::string_view separators, const TokenValues& values) {
  std::vector<std::string> folders;
  std::unordered_set<std::string> seen;
  for (const auto element : split(list, separators)) {
    std::string folder;
    if (!element.empty()) {
      folder = expand_tokens(element, values);
      if (folder.empty()) continue;
      while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
      if (!folder.ends_with('/')) folder += '/';
    }
    if (seen.insert(folder).second) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace cudald
