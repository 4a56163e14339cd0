// Extension modules bear in their names for which Python they are compiled, "_x.cpython-39-x86_64-linux-gnu.so":
// others pass them over, and say that there is no such module. Source: PEP 3149.
#include "check/packages/other_python.h"

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "package/dist_info.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

/// "CPython 3.9" of "cpython-39-x86_64-linux-gnu", "cp39-win_amd64"; empty if it names none.
std::string python_of(std::string_view tag) {
  std::string_view digits = tag;
  if (tag.starts_with("cpython-"))
    digits.remove_prefix(8);
  else if (tag.starts_with("cp"))
    digits.remove_prefix(2);
  else
    return "";
  const auto end = digits.find_first_not_of("0123456789");
  const auto number = digits.substr(0, end);
  return number.size() < 2 ? "" : fmt::format("CPython {}.{}", number.substr(0, 1), number.substr(1));
}

std::string replaced(std::string text, char from, char to) {
  for (auto& c : text)
    if (c == from) c = to;
  return text;
}

}  // namespace

bool tell_other_python(const Import& import, const Import::MissingModule& missing, const Installer& installer,
                       Store& store, Finding& finding) {
  // What is given as an archive lies nowhere yet.
  const auto site = installer.site().empty() ? std::string(PackageTree::site_packages) : installer.site();
  const auto path = site + "/" + replaced(missing.name, '.', '/');
  const auto names = store.images.files().list(std::string(parent_path(path)));
  if (!names) return false;
  const auto stem = std::string(file_name(path)) + ".";
  for (const auto& name : *names) {
    const bool compiled = name.ends_with(".so") || name.ends_with(".pyd");
    if (!compiled || !name.starts_with(stem)) continue;
    const auto file = std::string(parent_path(path)) + "/" + name;
    const auto python = python_of(std::string_view(name).substr(stem.size()));
    finding.message = fmt::format("the module {} is there, compiled for {}", missing.name,
                                  python.empty() ? "another Python or machine: " + name : python + ": " + name);
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
