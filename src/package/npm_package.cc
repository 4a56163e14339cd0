// Where npm puts a package: node_modules/NAME, or node_modules/@SCOPE/NAME. Source: npm, folders and scope.
#include "package/npm_package.h"

#include <algorithm>

namespace cudald {

std::string npm_name_at(std::string_view text) {
  const auto end_of_part = [&](std::size_t from) {
    return std::min(text.find_first_of("/ \t\r\n'\"`():", from), text.size());
  };
  auto end = end_of_part(0);
  if (text.starts_with('@') && end < text.size() && text[end] == '/') end = end_of_part(end + 1);
  return std::string(text.substr(0, end));
}

std::optional<NpmPackage> npm_package_of(const std::string& path) {
  constexpr std::string_view modules = "/node_modules/";
  const auto at = path.rfind(modules);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = at + modules.size();
  auto name = npm_name_at(std::string_view(path).substr(begin));
  const auto end = begin + name.size();
  if (name.empty() || end == path.size() || path[end] != '/') return std::nullopt;
  return NpmPackage{std::move(name), path.substr(0, end), path.substr(0, at)};
}

}  // namespace cudald
