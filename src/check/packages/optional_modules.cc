// Modules of the standard library that a Python lacks where a library was missing as it was built, as _ctypes without
// libffi, or that a distribution of Linux has in a package of its own, as tkinter. pip has none of them.
// Source: CPython 3.11 setup.py, detect_modules; data/python-rules.json, built_with.
#include "check/packages/optional_modules.h"

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/system_packages.h"
#include "check/packages/lacked_names.h"
#include "knowledge/python_rules.h"

namespace cudald {
namespace {

/// "3.11.7" of ~/.pyenv/versions/3.11.7/bin/python3.11; empty if pyenv has not built it.
std::string pyenv_version(const std::string& program) {
  constexpr std::string_view mark = "/.pyenv/versions/";
  const auto at = program.find(mark);
  if (at == std::string::npos) return "";
  const auto rest = program.substr(at + mark.size());
  return rest.substr(0, rest.find('/'));
}

void add_package(const SystemPackages& system, std::string_view debian, std::string_view fedora,
                 const std::string& title, const std::string& then, Finding& finding) {
  const bool dnf = system.is("fedora") || system.is("rhel");
  if (dnf ? fedora.empty() : debian.empty() || !system.takes_debian_packages())
    return finding.fixes.push_back({title, then, ""});
  auto command = system.is_known() ? system.install(std::string(dnf ? fedora : debian))
                                   : system.as_root(fmt::format("apt install {}", debian));
  if (!then.empty()) command += "\n" + then;
  finding.fixes.push_back({title, std::move(command), ""});
}

}  // namespace

bool tell_optional_module(const Report& report, const Import& import, const Import::MissingModule& missing,
                          Store& store, Finding& finding) {
  const auto top = top_of(missing.name);
  const auto known = python::optional_module(top);
  if (!known || report.resolution.windows || import.python.empty()) return false;
  const auto& files = store.images.files();
  const auto real = files.real_path(import.python);
  const auto program = real ? *real : import.python;
  const SystemPackages system(store.images);
  const bool of_system = program.starts_with("/usr/bin/");
  const bool has_own = !known->own_debian.empty() && of_system;
  if (!has_own && known->library.empty()) return false;
  finding.evidence.push_back({fmt::format("{} is a part of Python {} itself", top, import.python_version), program,
                              Basis::table, python::optional_modules_source()});
  if (has_own) {
    finding.message = fmt::format("the module {} is not installed: it is in a package of its own", missing.name);
    add_package(system, known->own_debian, known->own_fedora, "install that part of the system's Python", "", finding);
    return true;
  }
  finding.message = fmt::format("this Python has no module {}: it was built without {}", top, known->library);
  const auto version = pyenv_version(program);
  add_package(system, known->debian, known->fedora,
              fmt::format("install the header files of {}, and build Python again", known->library),
              version.empty() ? "" : "pyenv install --force " + shell_word(version), finding);
  finding.does_not_help.push_back("pip: no package has this module");
  return true;
}

}  // namespace cudald
