// The pip that a shell finds may be of another Python than the one that is started: then what it installs is not found.
// The first line of pip names its Python. Sources: execve(2), interpreter scripts; PEP 427, "Recommended installer
// features"; github.com/pypa/pip issue 7919.
#include "check/packages/other_pip.h"

#include <string_view>

#include <fmt/format.h>

#include "base/path.h"
#include "check/packages/lacked_names.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_script = 1 << 16;
constexpr std::string_view mark = "#!";

/// The Python that a script's first line names; empty if it is no script of a Python that it names by its path.
std::string python_of_script(const FileSystem& files, const std::string& path) {
  const auto text = read_file(files, path, most_script);
  if (!text || !text->starts_with(mark)) return "";
  auto line = text->substr(mark.size(), text->find('\n') - mark.size());
  while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
  const bool is_python = file_name(line).starts_with("python");
  return line.starts_with('/') && is_python && is_file(files, line) ? line : "";
}

/// Where that Python has the module; empty if it does not.
std::string site_with(const FileSystem& files, const std::string& python, const std::string& module) {
  const auto library = std::string(parent_path(parent_path(python))) + "/lib";
  const auto names = files.list(library);
  for (const auto& name : names ? *names : std::vector<std::string>()) {
    if (!name.starts_with("python3")) continue;
    const auto site = library + "/" + name + "/site-packages";
    if (is_file(files, site + "/" + module + "/__init__.py") || is_file(files, site + "/" + module + ".py"))
      return site;
  }
  return "";
}

}  // namespace

void tell_other_pip(const Report& report, const Import& import, const std::string& module, const FileSystem& files,
                    Finding& finding) {
  const auto list = report.query.environment.variable("PATH");
  if (!list || import.python.empty() || report.resolution.windows) return;
  for (const auto folder : split(*list, ":")) {
    const auto pip = std::string(folder) + "/pip";
    if (!folder.starts_with('/') || !is_file(files, pip)) continue;
    const auto python = python_of_script(files, pip);
    if (python.empty() || parent_path(python) == parent_path(import.python)) return;
    const auto site = site_with(files, python, top_of(module));
    if (site.empty()) return;
    finding.message += fmt::format(" in this Python, and is in that of {}", pip);
    finding.evidence.push_back(
        {fmt::format("{}, the first on PATH, installs for {}, which has {}", pip, python, module), site, Basis::proven,
         ""});
    return;
  }
}

}  // namespace cudald
