// A name or a submodule that a package lacks. Which release has it no file tells: a later one of who asks may not ask
// for it, a later one of the package may have it, or an earlier one had it.
#include "check/packages/lacked_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/packages/asked_releases.h"
#include "check/packages/other_python.h"
#include "knowledge/known_packages.h"
#include "knowledge/module_names.h"
#include "knowledge/newest_releases.h"
#include "knowledge/python_rules.h"
#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/version.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

std::string with_version(const PackageName& package) { return package.name + " " + package.version; }

const PackageName* owner_of(const std::string& file, Store& store) {
  return file.empty() ? nullptr : store.installed.package_of(file);
}

void tell_asker(const PackageName* asker, const std::string& asked_at, Finding& finding) {
  if (asked_at.empty()) return;
  const auto by = asker == nullptr ? "" : " by " + with_version(*asker);
  finding.evidence.push_back({fmt::format("needed{} at {}", by, asked_at), "", Basis::proven, ""});
}

/// "<0.24" of 0.24.6: names go with a new series, not with a release that only corrects one.
std::string before_series(const std::string& version) {
  const auto second = version.find('.', version.find('.') + 1);
  return "<" + without_local(version.find('.') == std::string::npos ? version : version.substr(0, second));
}

/// Whether a distribution is that one, or brings it along in exactly its own release: pydantic-ai and pydantic-ai-slim.
bool brings(const std::string& distribution, const PackageName& wanted, const Installer& installer,
            const FileSystem& files) {
  const auto name = normal_distribution_name(wanted.name);
  if (distribution == name) return true;
  const auto metadata = installed_metadata(files, installer.site(), distribution);
  return metadata && metadata->version == wanted.version &&
         std::any_of(metadata->requires_dist.begin(), metadata->requires_dist.end(), [&](const std::string& line) {
           const auto required = parse_requirement(line);
           return required && required->name == name && required->marker.empty() &&
                  required->specifiers == "==" + wanted.version;
         });
}

/// "pydantic<2" of pydantic 2.6.4 where the package that asks was made for "pydantic>=1.6": names go with a new major
/// release most of all. Empty if what it requires is not of the one before.
std::string before_major(const Installer& installer, const PackageName& asker, const PackageName& owner,
                         const FileSystem& files) {
  const auto metadata = installed_metadata(files, installer.site(), asker.name);
  if (!metadata) return "";
  for (const auto& line : metadata->requires_dist) {
    const auto required = parse_requirement(line);
    const auto at = required ? required->specifiers.find(">=") : std::string::npos;
    if (at == std::string::npos) continue;
    const int least = std::atoi(required->specifiers.c_str() + at + 2), installed = std::atoi(owner.version.c_str());
    if (least > 0 && least + 1 == installed && brings(required->name, owner, installer, files))
      return fmt::format("{}<{}", required->name == normal_distribution_name(owner.name) ? owner.name : required->name,
                         installed);
  }
  return "";
}

constexpr std::string_view missing_argument = "() missing 1 required ";

/// Whether who asks puts up with any release, and what is installed is the first of a major one: "5.0.1".
bool is_fresh_major(const Installer& installer, const PackageName& asker, const PackageName& owner,
                    const FileSystem& files) {
  const auto metadata = installed_metadata(files, installer.site(), asker.name);
  const auto dot = owner.version.find('.');
  const bool is_first = std::atoi(owner.version.c_str()) > 1 && dot != std::string::npos &&
                        (owner.version.substr(dot) == ".0" || owner.version.compare(dot, 3, ".0.") == 0);
  return is_first && metadata &&
         std::any_of(metadata->requires_dist.begin(), metadata->requires_dist.end(), [&](const std::string& line) {
           const auto required = parse_requirement(line);
           return required && required->name == normal_distribution_name(owner.name) && required->specifiers.empty();
         });
}

/// Else it takes an earlier one.
void add_releases(const Installer& installer, const PackageName& asker, const PackageName& owner,
                  const FileSystem& files, Finding& finding) {
  const bool is_needed = finding.message.find(missing_argument) != std::string::npos;
  if (finding.message.find(with_version(owner)) == std::string::npos)
    finding.message +=
        fmt::format("; {} {}, and {} {} it", with_version(asker), is_needed ? "calls it without" : "asks for it",
                    with_version(owner), is_needed ? "needs" : "does not have");
  if (const auto older = before_major(installer, asker, owner, files); !older.empty()) {
    finding.fixes.push_back({fmt::format("use a {} of the major release that {} was made for",
                                         older.substr(0, older.find('<')), asker.name),
                             installer.install() + shell_word(older), ""});
    return finding.fixes.push_back(installer.newest_of(asker, owner));
  }
  finding.fixes.push_back(installer.newest_of(asker, owner));
  finding.fixes.push_back({fmt::format("if {} has {} it, use an earlier {}", with_version(owner),
                                       is_needed ? "come to need" : "removed", owner.name),
                           installer.install() + shell_word(owner.name + before_series(owner.version)), ""});
  if (is_fresh_major(installer, asker, owner, files)) std::swap(finding.fixes.back(), *(finding.fixes.end() - 2));
}

/// What the user's own code asks for, and no table knows: a slip, or a name of another release.
void add_other_releases(const Installer& installer, const PackageName& owner, const Import::LackedName& lacked,
                        Finding& finding) {
  if (!lacked.similar.empty())
    finding.fixes.push_back({fmt::format("write {} instead of {} in {}", lacked.similar, lacked.name, lacked.asked_at),
                             "", fmt::format("if {}.{} is meant", lacked.module, lacked.similar)});
  finding.fixes.push_back({fmt::format("use an earlier {}", owner.name),
                           installer.install() + shell_word(owner.name + before_series(owner.version)),
                           fmt::format("if {} removed {}", with_version(owner), lacked.name)});
  finding.fixes.push_back({fmt::format("or use a newer {}", owner.name), installer.upgrade({owner.name}),
                           fmt::format("if a release after {} added it", owner.version)});
}

/// The user's own code, or a copy of somebody's that lies in no package, derives a class from one whose class is not
/// the usual one: it was written for a release where that is another.
void add_other_metaclass(const Installer& installer, const PackageName& owner, const std::string& name,
                         const std::string& asked_at, Finding& finding) {
  finding.evidence.push_back(
      {fmt::format("{} of {} has a metaclass of its own, which the other base class does not share", name,
                   with_version(owner)),
       "", Basis::proven, ""});
  finding.fixes.push_back(
      {fmt::format("use a newer {}", owner.name), installer.upgrade({owner.name}),
       fmt::format("if {} has no metaclass of its own in a release after {}", name, owner.version)});
  finding.fixes.push_back(
      {fmt::format("or give the class in {} a metaclass that is derived from both", asked_at), "", ""});
}

/// The "f()" of "TypeError: f() got an unexpected keyword argument 'x'", and the "f(...)" of one that is called without
/// an argument; empty for any other error.
std::string function_of_argument(const std::string& error) {
  constexpr std::string_view begin = "TypeError: ", refused = "() got an unexpected keyword argument";
  const auto at = error.find(refused), other = error.find(missing_argument);
  if (!error.starts_with(begin) || (at == std::string::npos && other == std::string::npos)) return "";
  const auto name = error.substr(begin.size(), std::min(at, other) - begin.size());
  return name + (at == std::string::npos ? "(...)" : "()");
}

/// The releases that have a name, by the table or by what the package itself says: "was removed in JAX v0.5".
std::optional<ChangedName> releases_with(const std::string& module, const std::string& name, const std::string& error,
                                         const PackageName& owner) {
  const auto own_name = normal_distribution_name(owner.name);
  const auto function = function_of_argument(error);
  auto known = function.empty() ? changed_name(module, name) : changed_argument(function, name, own_name);
  if (const auto said = removed_in(error); !known && said && normal_distribution_name(said->name) == own_name)
    known = ChangedName{.distribution = owner.name, .releases = "<" + said->release};
  if (!known || normal_distribution_name(known->distribution) != own_name || allows(known->releases, owner.version))
    return std::nullopt;
  return known;
}

bool needs_older_python(const ChangedName& known, const std::string& python) {
  return !known.python.empty() && version_less(known.python, python);
}

Fix release_with_name(const ChangedName& known, const std::string& distribution, const Installer& installer) {
  return {fmt::format("use a {} that {} it", distribution, known.is_needed ? "works without" : "has"),
          installer.install() + shell_word(installer.bounded(distribution + known.releases)) + known.other_words(), ""};
}

/// Which release has the name. The user's own code, whose line it is then, can say what other releases have in its
/// place.
void add_changed_name(const Installer& installer, const ChangedName& known, const std::string& called,
                      const PackageName& owner, bool installed, const std::string& python, const std::string& own_line,
                      Finding& finding) {
  const bool removed = known.releases.starts_with('<');
  const auto release = known.releases.substr(removed ? 1 : 2);
  auto change =
      removed ? fmt::format("removed {} in {}", called, release) : fmt::format("has {} since {}", called, release);
  auto in_short = removed ? "removed it in " + release : fmt::format("has it in {} and later", release);
  if (known.is_needed) {
    change = fmt::format("needs {} since {}", called, release);
    in_short = "needs it since " + release;
  }
  finding.evidence.push_back(
      {owner.name + " " + change, "", known.source.empty() ? Basis::proven : Basis::table, known.source});
  finding.message += fmt::format("; {} {}, and {}", owner.name, in_short,
                                 installed ? owner.version + " is installed" : "pip takes " + owner.version);
  if (own_line.empty() || known.today.empty())
    return add_release_with_name(known, owner.name, python, installer, finding);
  finding.fixes.push_back({fmt::format("write {} instead of {} in {}", known.today, called, own_line), "", ""});
  if (needs_older_python(known, python)) return;
  finding.fixes.push_back(release_with_name(known, owner.name, installer));
  finding.fixes.back().side_effect = "if the code is to stay as it is";
}

/// Another build of the same project may have what this one lacks.
bool add_other_build(const Installer& installer, const PackageName& owner, Finding& finding) {
  const auto shared = shared_module_of(normal_distribution_name(owner.name));
  for (const auto& other : shared.distributions) {
    if (other.find('*') != std::string::npos || other == normal_distribution_name(owner.name)) continue;
    finding.evidence.push_back(
        {fmt::format("{} and {} are builds of one project", owner.name, other), "", Basis::table, shared.source});
    finding.fixes.push_back({fmt::format("install {} in its place", other),
                             installer.uninstall() + shell_word(owner.name) + "\n" + installer.install() +
                                 shell_word(other + "==" + owner.version),
                             fmt::format("if {} has it in that release", other)});
    return true;
  }
  return false;
}

/// What a package lacks of itself. Where files are of another release than the rest, it is installed again; where it
/// was compiled on the spot, what the part needs was not there then; else no installation of this release has it.
void tell_lacked_part(const Installer& installer, const PackageName& owner, const std::string& name,
                      const std::vector<std::string>& involved, const FileSystem& files, Finding& finding) {
  for (const auto& file : involved)
    if (const auto altered = file.empty() ? std::nullopt : package_of_altered(files, installer.site(), file)) {
      finding.evidence.push_back(
          {fmt::format("{} {} has installed another file in this place: RECORD states another size", altered->name,
                       altered->version),
           file, Basis::proven, ""});
      return finding.fixes.push_back(installer.reinstall(owner.name, owner.version));
    }
  if (add_other_build(installer, owner, finding)) return;
  const auto tags = installed_wheel_tags(files, installer.site(), owner.name);
  const bool compiled_here = std::any_of(
      tags.begin(), tags.end(), [](const std::string& tag) { return tag.find("-linux_") != std::string::npos; });
  if (!compiled_here)
    return finding.fixes.push_back({fmt::format("use another release of {}, which has it", owner.name),
                                    installer.upgrade({owner.name}),
                                    fmt::format("if one after {} has it", owner.version)});
  finding.evidence.push_back(
      {fmt::format("{} was compiled for this system alone ({}), without {}", with_version(owner), tags.front(), name),
       "", Basis::proven, ""});
  finding.fixes.push_back({fmt::format("compile {} again, where what that part needs is installed", owner.name),
                           installer.install_again() + "--no-cache-dir --no-build-isolation " +
                               shell_word(owner.name + "==" + owner.version),
                           "without isolation it is compiled with the packages of this environment, setuptools among "
                           "them"});
}

bool is_in_packages(const std::string& file) { return file.find("-packages/") != std::string::npos; }

/// The directory of the standard library, if a file lies in it or below.
std::string library_of(const std::string& file, const FileSystem& files) {
  constexpr int deepest_package = 3;
  auto folder = std::string(parent_path(file));
  for (int i = 0; i < deepest_package && folder.size() > 1; ++i, folder = parent_path(folder))
    if (is_file(files, folder + "/os.py")) return folder;
  return "";
}

/// Whether another module of that name is hidden by a file of the user's: one of the standard library, or a package.
std::string hidden_by(const std::string& file, const std::string& module, const std::string& asked_at,
                      const Installer& installer, const FileSystem& files) {
  if (file.empty() || is_in_packages(file) || !library_of(file, files).empty()) return "";
  const auto library = library_of(file_of(asked_at), files), top = top_of(module);
  for (const auto& folder : {library, installer.site()}) {
    if (folder.empty() || file.starts_with(folder + "/")) continue;
    for (const auto* end : {"/__init__.py", ".py"})
      if (const auto path = folder + "/" + top + end; is_file(files, path)) return path;
  }
  return "";
}

}  // namespace

std::string file_of(const std::string& asked_at) { return asked_at.substr(0, asked_at.rfind(':')); }

Fix release_for_python(const PackageName& package, const std::string& python, bool before, const std::string& newer,
                       const Installer& installer) {
  return {fmt::format("use a release of {} for Python {}", package.name, python),
          installer.install() +
              (before ? shell_word(package.name + "<" + package.version) : "--upgrade " + shell_word(newer)),
          fmt::format("if there is one {} {}", before ? "before" : "after", package.version)};
}

std::string top_of(const std::string& module) { return module.substr(0, module.find('.')); }

Installer installer_for(const Report& report, const Import& import, const std::string& module,
                        const std::string& asked_at, const FileSystem& files) {
  Object importer;
  importer.path = asked_at;
  if (importer.path.empty())
    for (const auto& package : import.packages)
      if (package.name == top_of(module) && !package.folder.empty()) importer.path = package.folder + "__init__.py";
  // A part of a package without code, of which no file was read.
  if (importer.path.empty() && module.find('.') != std::string::npos) importer.path = place_in_packages(import);
  return {report, importer, files};
}

namespace {

/// What asks for newer releases of a distribution: the newest may no longer have the module that asks.
std::string newer_with(const Installer& installer, const PackageName& asker, const std::string& asked_at) {
  const auto& site = installer.site();
  const auto code = file_of(asked_at);
  const auto own_name = !site.empty() && code.starts_with(site + "/") ? code.substr(site.size() + 1) : code;
  const auto bounded = older_release_with_module(own_name.substr(0, own_name.find_first_of("/.")));
  return bounded.empty() ? asker.name : bounded;
}

/// Code of Python 2. Nobody goes back to that for one line.
void add_port(const std::string& name, const Import::LackedName& lacked, bool own_code, Finding& finding) {
  const auto today = python::name_of_today(lacked.module, lacked.name);
  const auto where = lacked.asked_at.empty() ? "" : " in " + lacked.asked_at;
  const auto what = today.empty() ? fmt::format("write what {} does in Python 3", name)
                                  : fmt::format("write {} instead of {}", today, name);
  finding.fixes.push_back({(own_code ? "" : "or ") + what + where + ": the code is for Python 2", "", ""});
}

/// A name of the standard library that another release of Python has. False if it is none.
bool add_other_python(const Import& import, const PackageName* asker, const Installer& installer, Finding& finding) {
  const auto& lacked = *import.lacked;
  const auto time = python::time_of_name(lacked.module, lacked.name, import.python_version);
  if (!time.lacks(import.python_version)) return false;
  constexpr std::string_view builtin = "builtins.";
  auto name = lacked.module + "." + lacked.name;
  if (name.starts_with(builtin)) name.erase(0, builtin.size());
  const bool is_new = !time.added.empty() && version_less(import.python_version, time.added);
  finding.evidence.push_back({is_new ? fmt::format("Python has {} since {}", name, time.added)
                                     : fmt::format("Python has no {} since {}", name, time.gone),
                              "", Basis::table, python::names_source()});
  if (asker != nullptr)
    finding.fixes.push_back(release_for_python(*asker, import.python_version, is_new,
                                               newer_with(installer, *asker, lacked.asked_at), installer));
  const auto other =
      is_new ? fmt::format("use Python {} or newer", time.added) : fmt::format("use a Python before {}", time.gone);
  if (!is_new && time.gone == "3.0")
    add_port(name, lacked, asker == nullptr, finding);
  else
    finding.fixes.push_back({(asker == nullptr ? "" : "or ") + other, "", ""});
  return true;
}

}  // namespace

void add_release_with_name(const ChangedName& known, const std::string& distribution, const std::string& python,
                           const Installer& installer, Finding& finding) {
  auto fix = release_with_name(known, distribution, installer);
  if (!needs_older_python(known, python)) {
    finding.fixes.insert(finding.fixes.begin(), std::move(fix));
    return;
  }
  fix.side_effect = fmt::format("there are wheels of it for Python {} and older", known.python);
  finding.fixes.push_back(std::move(fix));
}

namespace {

/// Of a module or submodule of which no file is there: its package as the release that pip would take, if that has lost
/// the name.
std::optional<PackageName> chosen_owner(const Report& report, const Import& import, const std::string& module,
                                        const std::string& name) {
  const auto known = changed_name(module, name);
  if (!known) return std::nullopt;
  PackageName owner{known->distribution, newest_release(known->distribution, import.python_version)};
  for (const auto& required : report.resolution.world.requirements)
    if (required.name == known->distribution && !required.release.empty()) owner.version = required.release;
  return owner.version.empty() || allows(known->releases, owner.version) ? std::nullopt : std::optional(owner);
}

/// The installer of the environment that the asking code belongs to; a script lies outside of the packages that it
/// asks.
Installer installer_of_packages(const Report& report, const Import& import, const std::string& module,
                                const std::string& asked_at, const FileSystem& files) {
  auto of_asker = installer_for(report, import, module, asked_at, files);
  return of_asker.site().empty() ? installer_for(report, import, module, "", files) : of_asker;
}

/// A part of a package that another distribution brings, and that is not installed: PyQt6.QtWebEngineWidgets, of
/// PyQt6-WebEngine.
bool add_part_of_other(const Installer& installer, const std::string& part, const FileSystem& files, Finding& finding) {
  std::string bringer;
  for (auto one = part; bringer.empty() && one.find('.') != std::string::npos; one.erase(one.rfind('.')))
    bringer = distribution_called_otherwise(one);
  if (bringer.empty() || installer.site().empty() || installed_metadata(files, installer.site(), bringer)) return false;
  finding.evidence.push_back({fmt::format("{} is in {}, which is not installed", part, bringer), "", Basis::table,
                              "data/module-names.json, of the directories of wheels"});
  finding.fixes.push_back({"install it", installer.install() + shell_word(bringer), ""});
  return true;
}

/// Whether the module that lacks the name is another one than is meant, which it hides: a file of the user's that is
/// called like the package which it means to import.
bool tell_hidden_module(const Import& import, const Installer& installer, const FileSystem& files, Finding& finding) {
  const auto& lacked = *import.lacked;
  const auto& file = lacked.file;
  auto hidden = hidden_by(file, lacked.module, lacked.asked_at, installer, files);
  for (const auto& package : import.packages)
    if (hidden.empty() && package.name == lacked.module && package.folder.empty() && !file.empty() &&
        !is_in_packages(file))
      hidden = package.hides;
  if (hidden.empty()) return false;
  finding.evidence.push_back({fmt::format("{} is found first, and hides the module {}", file, top_of(lacked.module)),
                              hidden, Basis::proven, ""});
  finding.fixes.push_back({fmt::format("rename {}: a module of that name is needed elsewhere", file_name(file)),
                           fmt::format("mv {} {}", shell_word(file),
                                       shell_word(fmt::format("{}/my_{}", parent_path(file), file_name(file)))),
                           ""});
  return true;
}

}  // namespace

void tell_lacked_name(const Report& report, const Import& import, Store& store, Finding& finding) {
  const auto& [name, module, file, asked_at, similar] = *import.lacked;
  const auto& files = store.images.files();
  const auto* found = owner_of(file, store);
  const auto owner = found != nullptr ? std::optional(*found)
                     : file.empty()   ? chosen_owner(report, import, module, name)
                                      : std::nullopt;
  const auto* asker = owner_of(file_of(asked_at), store);
  tell_asker(asker, asked_at, finding);
  const auto installer = installer_for(report, import, module, asked_at, files);
  if (tell_other_python(import, module + "." + name, installer, store, finding)) return;
  if (tell_hidden_module(import, installer, files, finding)) return;
  const bool of_python = !owner && !file.empty() && !is_in_packages(file) && !library_of(file, files).empty();
  if (of_python)
    finding.evidence.push_back(
        {fmt::format("{} is a module of Python {}", module, import.python_version), file, Basis::proven, ""});
  if (owner && !file.empty())
    finding.evidence.push_back({fmt::format("{} is of {}", module, with_version(*owner)), file, Basis::proven, ""});
  if (owner && add_part_of_other(installer_of_packages(report, import, module, asked_at, files), module + "." + name,
                                 files, finding))
    return;
  const auto& error = report.resolution.targets[import.target].error;
  if (const auto known = owner ? releases_with(module, name, error, *owner) : std::nullopt) {
    if (asker != nullptr && asker->name != owner->name) finding.fixes.push_back(installer.newest_of(*asker, *owner));
    const auto function = function_of_argument(error);
    const auto called = function.empty()
                            ? module + "." + name
                            : fmt::format("the argument {} of {}()", name, function.substr(0, function.find('(')));
    return add_changed_name(installer, *known, called, *owner, !file.empty(), import.python_version,
                            asker == nullptr ? asked_at : "", finding);
  }
  if (owner && asker != nullptr && owner->name == asker->name)
    return tell_lacked_part(installer, *owner, name, {file, file_of(asked_at)}, files, finding);
  if (!owner && add_other_python(import, asker, installer, finding)) return;
  if (asker == nullptr) {
    if (owner && error.starts_with("TypeError: metaclass conflict"))
      add_other_metaclass(installer, *owner, name, asked_at, finding);
    else if (owner && !error.starts_with("TypeError"))
      add_other_releases(installer, *owner, *import.lacked, finding);
    return;
  }
  if (owner) return add_releases(installer, *asker, *owner, files, finding);
  const bool is_new_argument = error.starts_with("TypeError");
  if (of_python && is_new_argument)
    finding.fixes.push_back({fmt::format("use a newer Python, whose {} takes {}", module, name), "", ""});
  finding.fixes.push_back({fmt::format("use a release of {} that does not ask for it", asker->name),
                           installer.install() + "--upgrade " + shell_word(newer_with(installer, *asker, asked_at)),
                           fmt::format("if there is one after {}{}", asker->version,
                                       !of_python        ? ""
                                       : is_new_argument ? "; else a newer Python is needed"
                                                         : "; else an older Python is needed")});
}

bool tell_lacked_submodule(const Report& report, const Import& import, const Import::MissingModule& missing,
                           Store& store, Finding& finding) {
  const auto top = top_of(missing.name);
  if (top == missing.name || missing.asked_at.empty()) return false;
  const auto& files = store.images.files();
  const auto installer = installer_of_packages(report, import, missing.name, missing.asked_at, files);
  auto file = installer.site() + "/" + top + "/__init__.py";
  if (!is_file(files, file)) file = installer.site() + "/" + top + ".py";
  const auto* found = installer.site().empty() ? nullptr : owner_of(file, store);
  const auto dot = missing.name.rfind('.');
  const auto chosen = found != nullptr
                          ? std::optional(*found)
                          : chosen_owner(report, import, missing.name.substr(0, dot), missing.name.substr(dot + 1));
  if (!chosen) return false;
  const auto& owner = *chosen;
  const auto* asker = owner_of(file_of(missing.asked_at), store);
  finding.message = fmt::format("{} has no module {}", with_version(owner), missing.name);
  if (found != nullptr)
    finding.evidence.push_back({fmt::format("{} is of {}", top, with_version(owner)), file, Basis::proven, ""});
  if (add_part_of_other(installer, missing.name, files, finding)) return true;
  const auto& error = report.resolution.targets[import.target].error;
  const bool is_of_other = asker != nullptr && asker->name != owner.name;
  if (is_of_other)
    finding.evidence.push_back(
        {fmt::format("{} asks for it", with_version(*asker)), file_of(missing.asked_at), Basis::proven, ""});
  const auto known = asker == nullptr || is_of_other
                         ? releases_with(missing.name.substr(0, dot), missing.name.substr(dot + 1), error, owner)
                         : std::nullopt;
  if (known) {
    if (is_of_other) finding.fixes.push_back(installer.newest_of(*asker, owner));
    add_changed_name(installer, *known, missing.name, owner, found != nullptr, import.python_version, "", finding);
  } else if (is_of_other) {
    add_releases(installer, *asker, owner, files, finding);
  } else if (asker != nullptr) {
    tell_lacked_part(installer, owner, missing.name, {file, file_of(missing.asked_at)}, files, finding);
  } else {
    finding.fixes.push_back({fmt::format("use a newer {}, or an earlier one", owner.name),
                             installer.upgrade({owner.name}),
                             fmt::format("if a release after {} has it", owner.version)});
  }
  return true;
}

}  // namespace cudald
