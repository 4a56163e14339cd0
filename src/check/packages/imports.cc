#include "check/packages/imports.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/message.h>
#include <cudald/windows_host_file.h>

#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/account.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/installer.h"
#include "check/packages/asked_modules.h"
#include "check/packages/hidden_modules.h"
#include "check/packages/lacked_names.h"
#include "check/packages/left_modules.h"
#include "check/packages/lost_sources.h"
#include "check/packages/optional_modules.h"
#include "check/packages/other_machine.h"
#include "check/packages/other_pip.h"
#include "check/packages/other_project.h"
#include "check/packages/other_python.h"
#include "check/packages/raised_errors.h"
#include "check/packages/refused_modules.h"
#include "knowledge/known_packages.h"
#include "knowledge/windows_names.h"
#include "package/dist_info.h"
#include "package/site_packages.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

/// Whether some request of the loader fails: the check of libraries reports that, and it is the likely cause. A load
/// that the import does not reach is none.
bool fails_in_the_loader(const Resolution& resolution, const Import& import) {
  const auto& error = resolution.targets[import.target].error;
  if (error.starts_with("ModuleNotFoundError")) return false;
  return std::any_of(resolution.targets.begin(), resolution.targets.end(), [&](const Target& part) {
    const bool is_cause = !part.traits.optional || error.find(part.error) != std::string::npos;
    const bool reached = part.traits.when != RequestTime::unreached;
    return part.part_of == import.target && reached && !part.error.empty() && is_cause;
  });
}

const Import::MissingModule* missing_module(const Import& import, const std::string& error) {
  for (const auto& missing : import.missing)
    if (error.find("'" + missing.name + "'") != std::string::npos) return &missing;
  return nullptr;
}

/// Whether files of a module are gone that RECORD lists: then its distribution is to be installed again.
bool add_reinstallation(const Installer& installer, const std::string& module, const FileSystem& files,
                        Finding& finding) {
  const auto damaged =
      installer.site().empty() ? std::nullopt : package_that_lost_module(files, installer.site(), module);
  if (!damaged) return false;
  installer.add_reinstallation(*damaged, finding);
  return true;
}

/// The distribution that brings a missing module.
struct Bringer {
  std::string distribution;
  std::string doubt;         ///< why it may not be the one; empty if it is known to be
  std::string release = {};  ///< "setuptools<=81.0.0": only older releases bring it; empty: any does
};

Bringer bringer_of(const Import::MissingModule& missing, const Import& import, const FileSystem& files) {
  const auto top = top_of(missing.name);
  const bool is_namespace = is_known_namespace(top);
  const auto wanted = is_namespace ? part_asked_for(missing, import, files) : missing.name;
  const auto known = distribution_of_module(wanted);
  if (is_namespace && wanted == top) return {known, "if the part it provides is the one needed"};
  if (!known.empty()) return {known, ""};
  if (const auto older = older_release_with_module(top); !older.empty())
    return {older.substr(0, older.find('<')), "", older};
  return {is_namespace ? normal_distribution_name(wanted) : top,
          "if the package is called like the module, which is not always so"};
}

/// Of a Python whose packages come from those of a system on Windows, as MSYS2, what installs one of them; empty of any
/// other. Source: MSYS2, Python, "Known issues": its pip cannot use wheels with compiled modules.
std::string system_install(const std::string& python, const std::string& distribution, const FileSystem& files) {
  const std::string prefix(parent_path(parent_path(python))), name(file_name(prefix));
  for (const auto& system : rolling_packages()) {
    const auto called = system.called.find(folded(name));
    if (called == system.called.end() || !is_folder(files, std::string(parent_path(prefix)) + "/" + system.mark))
      continue;
    auto command = system.install;
    replace_all(command, "{prefix}", called->second);
    replace_all(command, "{name}", normal_distribution_name(distribution));
    return command;
  }
  return "";
}

void add_installation(const Import& import, const Installer& installer, const Bringer& bringer, const FileSystem& files,
                      Finding& finding) {
  const auto installed =
      bringer.release.empty() ? std::nullopt : installed_metadata(files, installer.site(), bringer.distribution);
  if (installed)
    finding.evidence.push_back(
        {fmt::format("{} {} is installed, which no longer has it", installed->name, installed->version), "",
         Basis::table, requirements_source()});
  if (auto system = system_install(import.python, bringer.distribution, files); !system.empty())
    return finding.fixes.push_back({"install it, in its shell", std::move(system),
                                    bringer.doubt.empty() ? "if the package is called so" : bringer.doubt});
  auto word = installer.site().empty() || !bringer.release.empty()
                  ? bringer.release
                  : installed_requirement(files, installer.site(), bringer.distribution);
  if (word.empty()) word = bringer.distribution;
  const auto install =
      installer.python() != "python3" || import.python.empty()
          ? installer.install()
          : install_into(files, std::string(parent_path(parent_path(import.python))), shell_word(import.python));
  finding.fixes.push_back({"install it", install + shell_word(word), bringer.doubt});
}

/// A module that lies beside the one which asks for it, in the same package: Python 2 looked there first.
/// Source: PEP 328, "Rationale for Relative Imports".
bool tell_implicit_relative_import(const Import::MissingModule& missing, const Installer& installer, Store& store,
                                   Finding& finding) {
  const auto code = file_of(missing.asked_at);
  const auto& files = store.images.files();
  const auto folder = std::string(parent_path(code));
  if (code.empty() || !is_file(files, folder + "/__init__.py")) return false;
  for (const auto* end : {".py", "/__init__.py"}) {
    const auto beside = folder + "/" + top_of(missing.name) + end;
    if (!is_file(files, beside)) continue;
    finding.message = fmt::format("the module {} is not found: it is {}.{}, which Python 3 finds by that name alone",
                                  missing.name, file_name(folder), missing.name);
    finding.evidence.push_back(
        {"it is in the directory of the code that imports it, where Python 2 looked first", beside, Basis::proven, ""});
    if (const auto* owner = store.installed.package_of(code))
      finding.fixes.push_back({fmt::format("use a release of {} for Python 3", owner->name),
                               installer.install() + "--upgrade " + shell_word(owner->name),
                               fmt::format("if there is one after {}", owner->version)});
    else
      finding.fixes.push_back({fmt::format("write `from . import {}` there", missing.name), "", ""});
    return true;
  }
  return false;
}

/// No Python starts without encodings, which each one has: PYTHONHOME leads to another place than its own library.
/// Source: CPython 3.11 Modules/getpath.py; github.com/python/cpython issue 125873.
bool tell_python_home(const Report& report, const Import& import, const Import::MissingModule& missing,
                      Finding& finding) {
  const auto home = report.query.environment.variable("PYTHONHOME");
  if (missing.name != "encodings" || !home || home->empty()) return false;
  finding.message =
      fmt::format("Python does not start: PYTHONHOME names {}, which has no standard library of Python {}", *home,
                  import.python_version);
  finding.evidence.push_back({"Python takes its standard library from there, and from nowhere else", "", Basis::rule,
                              "CPython Modules/getpath.py, ENV_PYTHONHOME"});
  finding.fixes.push_back(
      {"let Python find its own library", report.resolution.windows ? "set PYTHONHOME=" : "unset PYTHONHOME", ""});
  return true;
}

/// A part of an installed package that comes in a distribution of its own, which that package requires: PyQt5.sip in
/// PyQt5-sip.
bool add_required_part(const Report& report, const Import& import, const Import::MissingModule& missing, Store& store,
                       Finding& finding) {
  const auto top = top_of(missing.name);
  const auto package = std::find_if(import.packages.begin(), import.packages.end(),
                                    [&](const auto& one) { return one.name == top && !one.folder.empty(); });
  if (missing.name == top || package == import.packages.end()) return false;
  const auto& files = store.images.files();
  const auto installer = installer_for(report, import, missing.name, package->folder + "__init__.py", files);
  if (installer.site().empty()) return false;
  const auto wanted = installed_requirement(files, installer.site(), normal_distribution_name(missing.name));
  if (wanted.empty()) return false;
  finding.evidence.push_back(
      {fmt::format("an installed package requires {}, which is not installed", wanted), "", Basis::proven, ""});
  finding.fixes.push_back({"install it", installer.install() + shell_word(wanted), ""});
  return true;
}

/// The distribution is installed, and has other modules: a newer release has this one too, as attrs since 21.3, or the
/// module of all its releases is called otherwise, as that of pillow.
bool tell_other_modules(const Import& import, const Import::MissingModule& missing, const Installer& installer,
                        const Bringer& bringer, const FileSystem& files, Finding& finding) {
  const auto top = top_of(missing.name);
  if (missing.name != top || !bringer.release.empty()) return false;
  // Of what no code asks for, only the Python is known.
  auto sites = site_packages(std::string(parent_path(parent_path(import.python))), files);
  if (!installer.site().empty()) sites = {installer.site()};
  std::optional<WheelMetadata> installed;
  std::vector<std::string> modules;
  for (const auto& site : sites)
    if (!installed) {
      installed = installed_metadata(files, site, bringer.distribution);
      modules = modules_of_distribution(files, site, bringer.distribution);
    }
  if (!installed || modules.empty() || std::find(modules.begin(), modules.end(), top) != modules.end()) return false;
  const bool newest_has_it = bringer.doubt.empty();
  finding.message = fmt::format("{} {} has no module {}: what it has is {}", installed->name, installed->version, top,
                                fmt::join(modules, ", "));
  finding.evidence.push_back(
      {fmt::format("{} {} is installed", installed->name, installed->version), "", Basis::proven, ""});
  if (!newest_has_it) finding.fixes.push_back({fmt::format("import {} in its place", modules.front()), "", ""});
  finding.fixes.push_back({fmt::format("use a newer release of {}, which has it", installed->name),
                           installer.install() + "--upgrade " + shell_word(installed->name),
                           newest_has_it ? "" : fmt::format("if one after {} has it", installed->version)});
  return true;
}

/// What puts a module there: the files of its distribution again, if some of them are gone, else the distribution as
/// others require it.
void add_fixes(const Report& report, const Import& import, const Import::MissingModule& missing, Store& store,
               Finding& finding) {
  const auto& files = store.images.files();
  const auto installer = installer_for(report, import, missing.name, missing.asked_at, files);
  if (tell_python_home(report, import, missing, finding)) return;
  if (tell_hiding_file(report, import, missing, files, finding)) return;
  if (add_reinstallation(installer, missing.name, files, finding)) return;
  if (tell_other_python(import, missing.name, installer, store, finding)) return;
  if (tell_implicit_relative_import(missing, installer, store, finding)) return;
  if (tell_left_module(import, missing, installer, store, finding)) return;
  if (tell_lost_sources(import, missing, installer, files, finding)) return;
  if (tell_optional_module(report, import, missing, store, finding)) return;
  if (report.resolution.world.kind != WorldKind::tag && tell_lacked_submodule(report, import, missing, store, finding))
    return;
  const auto top = top_of(missing.name);
  // A name that was mistyped is nothing to install: others publish packages under such names.
  if (!import.near_name.empty()) {
    finding.evidence.push_back({import.near_name + " is installed, and called nearly so", "", Basis::proven, ""});
    if (!import.near_name.starts_with(top)) {
      const auto prefix = report.query.prefix ? " --prefix " + shell_word(*report.query.prefix) : "";
      finding.fixes.push_back({fmt::format("ask about {}, if that is what you mean", import.near_name),
                               "cudald" + prefix + " " + shell_word(import.near_name), ""});
      return;
    }
  }
  if (add_required_part(report, import, missing, store, finding)) return;
  const auto bringer = bringer_of(missing, import, files);
  if (tell_other_modules(import, missing, installer, bringer, files, finding)) return;
  if (finding.message.ends_with("is not installed")) tell_other_pip(report, import, missing.name, files, finding);
  add_installation(import, installer, bringer, files, finding);
}

/// Of an error that says "cannot import name 'x' from 'package'" the module that the package was to have, package.x;
/// empty if it says something else.
std::string unknown_name(std::string_view error) {
  const auto quoted = [&](std::string_view before) -> std::string {
    const auto at = error.find(before);
    const auto begin = at == std::string::npos ? at : at + before.size();
    return begin == std::string::npos ? "" : std::string(error.substr(begin, error.find('\'', begin) - begin));
  };
  const auto name = quoted("cannot import name '");
  const auto from = error.find("' from '") != std::string::npos ? quoted("' from '") : quoted("initialized module '");
  return name.empty() || from.empty() ? "" : from + "." + name;
}

/// What brings a name that a package lacks: the files of its distribution again, if some of them are gone; of a
/// namespace, which has no code, the distribution that is known to bring that part.
void add_fixes_of_name(const Report& report, const Import& import, const std::string& name, const std::string& error,
                       Store& store, Finding& finding) {
  const auto& files = store.images.files();
  const auto package = std::find_if(import.packages.begin(), import.packages.end(),
                                    [&](const auto& one) { return one.name == top_of(name); });
  const auto installer =
      installer_for(report, import, name, package == import.packages.end() ? "" : package->folder, files);
  if (package != import.packages.end() && add_reinstallation(installer, name, files, finding)) return;
  const bool is_namespace = error.ends_with("(unknown location)");
  // What has lost its __init__.py is a namespace from then on, without names.
  if (is_namespace && add_reinstallation(installer, name.substr(0, name.rfind('.')), files, finding)) return;
  if (is_namespace && tell_hidden_sources(report, import, name, installer, files, finding)) return;
  const auto known = is_namespace ? distribution_of_module(name) : "";
  if (!known.empty()) add_installation(import, installer, {known, ""}, files, finding);
}

/// A path that is not there, as the error quotes it, may come from a variable that names a directory above it.
void blame_variable(const Report& report, const std::string& error, Finding& finding) {
  const auto end = error.rfind('\''), begin = end == std::string::npos || end == 0 ? end : error.rfind('\'', end - 1);
  if (!error.starts_with("FileNotFoundError") || begin == std::string::npos || begin == end) return;
  const auto path = folded(error.substr(begin + 1, end - begin - 1));
  auto variables = report.query.environment.stated;
  if (const auto& host = report.query.windows_host) variables.insert(host->variables.begin(), host->variables.end());
  for (const auto& [name, value] : variables) {
    if (value.empty() || folded(name) == "path" || !path.starts_with(folded(value))) continue;
    finding.evidence.push_back(
        {fmt::format("the path begins with the value of {}, {}", name, value), "", Basis::proven, ""});
    finding.fixes.push_back({fmt::format("set {} to a directory that exists, or unset it", name),
                             report.resolution.windows ? fmt::format("set \"{}=\"", name) : "unset " + name, ""});
    return;
  }
}

/// A name that is not defined since the import that was to bind it failed, in the same file, and was caught there.
void blame_caught_import(const Report& report, const Import& import, const std::string& error, Store& store,
                         Finding& finding) {
  if (!error.starts_with("NameError") || !finding.fixes.empty()) return;
  for (const auto& missing : import.missing) {
    if (missing.asked_at.empty() || file_of(missing.asked_at) != file_of(import.raised_at)) continue;
    finding.evidence.push_back({fmt::format("the module {} is not installed; its import at {} is caught, and binds no "
                                            "name then",
                                            missing.name, missing.asked_at),
                                "", Basis::proven, ""});
    add_fixes(report, import, missing, store, finding);
    return;
  }
}

/// What the tables know of the words of an exception: what they mean, and what helps.
void tell_known_message(const Report& report, const Import& import, const FileSystem& files, const std::string& error,
                        Finding& finding) {
  const auto message = read_message(error, knowledge_of(report));
  if (!message || message->fix.empty()) return;
  finding.evidence.push_back({message->means, "", Basis::table, message->source});
  const auto installer = installer_for(report, import, import.module, "", files);
  finding.fixes.push_back({message->fix, installer.in_environment(message->command), ""});
}

/// A library that the words of an exception name, and that a package's RECORD lists where nothing is.
void blame_lost_library(const Report& report, const Import& import, const std::string& error, Store& store,
                        Finding& finding) {
  constexpr std::string_view around = " \t\n'\"`(),:;/\\";
  const auto raiser = file_of(import.raised_at);
  const auto installer = installer_for(report, import, import.module, raiser, store.images.files());
  if (installer.site().empty()) return;
  for (const auto word : split(error, around)) {
    const auto name = folded(word);
    if (!name.ends_with(".dll") && !name.ends_with(".pyd") && name.find(".so") == std::string::npos) continue;
    const auto damaged = store.installed.package_that_lost(installer.site(), std::string(word));
    if (!damaged) continue;
    finding.message += fmt::format("; {} {} has lost it: {}, which its RECORD lists, is gone", damaged->name,
                                   damaged->version, damaged->gone.front());
    installer.add_reinstallation(*damaged, finding);
    return;
  }
}

void tell_failure(Report& report, const Import& import, Store& store) {
  const auto& error = report.resolution.targets[import.target].error;
  if (is_refusal(import, error)) {
    const auto installer = installer_for(report, import, import.module, import.refused->path, store.images.files());
    auto refusal = refusal_finding(report, *import.refused, error, installer, store);
    refusal.consequence = raised(report, report.resolution.targets[import.target]);
    report.findings.push_back(std::move(refusal));
    return;
  }
  const auto* missing = missing_module(import, error);
  const bool undeclared = missing != nullptr && report.resolution.world.kind == WorldKind::tag;
  auto finding = make_finding(undeclared ? "CUD501" : "CUD114");
  finding.subject = import.module;
  finding.message = error;
  finding.consequence = raised(report, report.resolution.targets[import.target]);
  if (missing != nullptr) {
    finding.subject = missing->name;
    finding.message = undeclared ? fmt::format("{} imports the module {}, which no declared dependency provides",
                                               import.module, missing->name)
                                 : fmt::format("the module {} is not installed", missing->name);
    if (!missing->asked_at.empty())
      finding.evidence.push_back({"imported at " + missing->asked_at, "", Basis::proven, ""});
    if (undeclared) add_requirements_source(report.resolution.world, finding);
    add_fixes(report, import, *missing, store, finding);
  } else if (const auto name = unknown_name(error); !name.empty()) {
    add_fixes_of_name(report, import, name, error, store, finding);
    if (finding.fixes.empty() && import.lacked) tell_lacked_name(report, import, store, finding);
  } else if (import.lacked) {
    tell_lacked_name(report, import, store, finding);
  } else {
    blame_lost_library(report, import, error, store, finding);
    tell_raised_error(report, import, error, store, finding);
    blame_caught_import(report, import, error, store, finding);
    if (finding.fixes.empty()) blame_variable(report, error, finding);
    if (finding.fixes.empty()) blame_other_machine(report, import, error, finding);
    if (finding.fixes.empty()) tell_known_message(report, import, store.images.files(), error, finding);
  }
  if (!tell_other_project(report, import, store, finding)) tell_hidden_module(report, import, error, store, finding);
  report.findings.push_back(std::move(finding));
}

void tell_limit(Report& report, const Import& import) {
  auto finding = make_finding("CUD902");
  finding.subject = import.module;
  // The first note says why; where there is no other reason, it was too much.
  const bool too_much = import.notes.empty() || import.notes.front().starts_with("its code was not followed");
  finding.message =
      too_much ? fmt::format("`import {}` takes too many steps, or too much memory, to be followed to its end",
                             import.module)
               : fmt::format("`import {}` cannot be followed to its end: {}", import.module, import.notes.front());
  finding.consequence = "What it would load later is not known, and not judged.";
  report.findings.push_back(std::move(finding));
}

/// Modules that code needs, and that may come with requirements of which too little is known.
void tell_unknown_modules(Report& report, const Import& import) {
  std::vector<std::string> modules;
  const Import::MissingModule* first = nullptr;
  for (const auto& missing : import.missing) {
    const auto top = top_of(missing.name);
    if (!missing.required || std::find(modules.begin(), modules.end(), top) != modules.end()) continue;
    if (first == nullptr) first = &missing;
    modules.push_back(top);
  }
  std::vector<std::string> unknown;
  for (const auto& required : report.resolution.world.requirements)
    if (!required.at_hand && !required.known) unknown.push_back(required.name);
  if (modules.empty() || unknown.empty()) return;
  auto finding = make_finding("CUD501");
  finding.level = Level::note;
  finding.subject = modules.front();
  finding.message = fmt::format(
      "{} imports {}, which no known package provides; {}, which {} required and not available locally, may provide {}",
      import.module, fmt::join(modules, ", "), fmt::join(unknown, " or "), unknown.size() == 1 ? "is" : "are",
      modules.size() == 1 ? "it" : "them");
  finding.consequence = "Provide its dependencies: --with WHEEL, --with DIR.";
  finding.evidence.push_back({"imported at " + first->asked_at, "", Basis::proven, ""});
  report.findings.push_back(std::move(finding));
}

}  // namespace

bool tell_caught_import(const Report& report, const std::string& module, const std::string& name, Store& store,
                        Finding& finding) {
  for (const auto& import : report.resolution.imports)
    for (const auto& caught : import.caught) {
      const auto& names = caught.names;
      const bool binds =
          std::any_of(names.begin(), names.end(), [&](const std::string& one) { return one == "*" || one == name; });
      if (!binds || caught.module != module) continue;
      finding.message = fmt::format("{} has no {}, as its code catches the error of the import before: {}", module,
                                    name, caught.error);
      finding.consequence = fmt::format("Who asks {} for {} gets that it has none.", module, name);
      auto of_caught = import;
      of_caught.lacked = caught.lacked;
      const auto missing = std::find_if(import.missing.begin(), import.missing.end(), [&](const auto& one) {
        return !caught.missing.empty() && one.name == caught.missing;
      });
      if (missing != import.missing.end())
        add_fixes(report, of_caught, *missing, store, finding);
      else if (caught.lacked)
        tell_lacked_name(report, of_caught, store, finding);
      return true;
    }
  return false;
}

void check_imports(const Case& given) {
  auto& report = given.report;
  for (const auto& import : report.resolution.imports) {
    const auto& target = report.resolution.targets[import.target];
    if (&import == import_of(report, target) && !target.error.empty() &&
        !fails_in_the_loader(report.resolution, import))
      tell_failure(report, import, given.store);
    if (report.resolution.world.kind == WorldKind::tag && target.error.empty()) tell_unknown_modules(report, import);
    if (!import.followed) tell_limit(report, import);
  }
}

void check_untold_imports(const Case& given) {
  auto& report = given.report;
  const auto is_told = [](const Finding& finding) { return finding.level == Level::error; };
  if (report.resolution.world.kind == WorldKind::tag ||
      std::any_of(report.findings.begin(), report.findings.end(), is_told))
    return;
  for (const auto& import : report.resolution.imports) {
    const auto& target = report.resolution.targets[import.target];
    if (&import == import_of(report, target) && !target.error.empty()) tell_failure(report, import, given.store);
  }
}

}  // namespace cudald
