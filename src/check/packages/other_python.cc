// Extension modules bear in their names for which Python they are compiled, "_x.cpython-39-x86_64-linux-gnu.so":
// others pass them over, and say that there is no such module. Source: PEP 3149.
#include "check/packages/other_python.h"

#include <utility>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/packages/lacked_names.h"
#include "package/dist_info.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

/// "CPython 3.9" of "cpython-39-x86_64-linux-gnu", "cp39-win_amd64"; empty if it names none.
std::string python_of(std::string_view tag) {
  constexpr std::pair<std::string_view, std::string_view> beginnings[] = {
      {"cpython-", "CPython"}, {"cp", "CPython"}, {"pypy", "PyPy"}};
  for (const auto& [beginning, name] : beginnings) {
    if (!tag.starts_with(beginning)) continue;
    const auto digits = tag.substr(beginning.size());
    const auto number = digits.substr(0, digits.find_first_not_of("0123456789"));
    return number.size() < 2 ? "" : fmt::format("{} {}.{}", name, number.substr(0, 1), number.substr(1));
  }
  return "";
}

std::string replaced(std::string text, char from, char to) {
  for (auto& c : text)
    if (c == from) c = to;
  return text;
}

/// Where the files of a module are searched for: below the package that it is of, else in site-packages.
std::string place_of(const Import& import, const std::string& module, const Installer& installer) {
  const auto top = top_of(module);
  const auto rest = replaced(module, '.', '/');
  for (const auto& package : import.packages)
    if (package.name == top && package.folder.size() > top.size() + 1)
      return package.folder.substr(0, package.folder.size() - top.size() - 1) + rest;
  // What is given as an archive lies nowhere yet.
  return (installer.site().empty() ? std::string(PackageTree::site_packages) : installer.site()) + "/" + rest;
}

}  // namespace

bool tell_other_python(const Import& import, const std::string& module, const Installer& installer, Store& store,
                       Finding& finding) {
  const auto path = place_of(import, module, installer);
  const auto names = store.images.files().list(std::string(parent_path(path)));
  if (!names) return false;
  const auto stem = std::string(file_name(path)) + ".";
  for (const auto& name : *names) {
    const bool compiled = name.ends_with(".so") || name.ends_with(".pyd");
    if (!compiled || !name.starts_with(stem)) continue;
    const auto file = std::string(parent_path(path)) + "/" + name;
    const auto python = python_of(std::string_view(name).substr(stem.size()));
    const bool same_python = python == "CPython " + import.python_version;
    finding.message = fmt::format("the module {} is there, compiled for {}: {}", module,
                                  same_python      ? "another machine"
                                  : python.empty() ? "another Python or machine"
                                                   : python,
                                  name);
    finding.evidence.push_back(
        {fmt::format("Python {} does not load a file of that name", import.python_version), file, Basis::proven, ""});
    if (const auto* given = store.packages.package_of(file))
      finding.fixes.push_back({fmt::format("take the wheel of {} for Python {}", given->name, import.python_version),
                               installer.install() + shell_word(given->name + "==" + given->version), ""});
    else if (const auto* owner = store.installed.package_of(file))
      finding.fixes.push_back(installer.reinstall(owner->name, owner->version));
    return true;
  }
  return false;
}

}  // namespace cudald
