#include "check/fixes/windows_fixes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/build_again.h"
#include "check/fixes/installer.h"
#include "check/fixes/rolling_fixes.h"
#include "check/fixes/wheel_recipe.h"
#include "knowledge/providers.h"
#include "knowledge/windows_names.h"
#include "package/dist_info.h"
#include "package/package_tree.h"

namespace cudald {
namespace {

/// For a line that is typed; in a batch file it would be %%i.
constexpr const char* find_site =
    "for /f \"usebackq delims=\" %i in (`python -c \"import sysconfig; print(sysconfig.get_path('purelib'))\"`) "
    "do set \"site=%i\"\n";

/// "i386 (32-bit)"
std::string with_word_size(const std::string& machine) {
  return machine + (machine == "i386" ? " (32-bit)" : machine == "x86_64" ? " (64-bit)" : "");
}

/// Whether a load searches only what its flags name, as Python's imports do from 3.8 on.
bool is_limited_search(const Edge& edge) {
  return std::any_of(edge.search.skipped.begin(), edge.search.skipped.end(), [](const SkippedRule& skipped) {
    return skipped.rule == SearchRule::path_variable && skipped.reason.starts_with("not used");
  });
}

}  // namespace

void quote_for_windows(Report& report) {
  for (auto& finding : report.findings)
    for (auto& fix : finding.fixes) {
      std::size_t open = std::string::npos;
      bool in_double = false;
      for (std::size_t i = 0; i < fix.command.size(); ++i) {
        const char c = fix.command[i];
        if (c == '"' && open == std::string::npos) in_double = !in_double;
        if (c != '\'' || in_double) continue;
        if (open != std::string::npos && fix.command.find('"', open) > i) fix.command[open] = fix.command[i] = '"';
        open = open == std::string::npos ? i : std::string::npos;
      }
    }
}

std::vector<Fix> ways_to_bring(const DllInstaller& installer, const std::string& dll, const PlaceOfDll& place,
                               std::string_view machine) {
  std::vector<Fix> fixes;
  for (auto [title, command, only_for] : installer.ways) {
    if (machine != "x86_64" && command.find("x86_64") != std::string::npos) continue;
    if (!only_for.empty() && only_for != machine) continue;
    replace_all(title, "{beside}", place.beside);
    replace_all(command, "{dll}", dll);
    replace_all(command, "{folder}", windows_word(place.folder));
    fixes.push_back({std::move(title), command_for_machine(std::move(command), machine), ""});
  }
  return fixes;
}

WindowsFixes::WindowsFixes(const Case& given)
    : WindowsFixes(given.report, windows_folder_of(given, std::string(PackageTree::site_packages) + "/x"),
                   given.store.images.files()) {}

std::string WindowsFixes::pip_install(ObjectId id) const {
  return Installer(report_, report_.resolution.objects[id], files_).install();
}

namespace {

/// The first command that brings a DLL for a machine; empty if none is known.
std::string command_that_brings(const std::string& dll, const std::string& folder, std::string_view machine) {
  const std::string name(windows_file_name(dll));
  if (const auto installer = installer_of(folded(name)))
    for (const auto& way : ways_to_bring(*installer, name, {"the program", folder}, machine))
      if (!way.command.empty()) return way.command;
  const auto later = added_later(folded(name));
  return later ? command_for_machine(later->command, machine) : std::string();
}

}  // namespace

/// Of a runtime that an installer puts into Windows, the file for another machine was copied there by hand.
void WindowsFixes::add_right_machine(const Probe& unusable, const Edge& edge, Finding& finding) const {
  const auto machine = machine_name(report_.resolution.machine);
  // What is installed is found before what lies behind the directory of Windows in the search, as in PATH.
  const bool stays = unusable.rule == SearchRule::system_folder || unusable.rule == SearchRule::windows_folder ||
                     unusable.rule == SearchRule::current_folder || unusable.rule == SearchRule::path_variable;
  const auto folder = windows_folder(stays ? report_.resolution.objects.front().load_name : unusable.path);
  const auto command = command_that_brings(edge.name, folder, machine);
  if (command.empty()) return;
  // What an installer has for 64 bits alone.
  if (machine == "i386" && command_that_brings(edge.name, folder, "x86_64") == command) {
    const auto release = is_python_process() ? python_release(report_) : std::string();
    finding.fixes.push_back(
        {fmt::format("use a {} for 64 bits: what installs {} has it for those alone",
                     is_python_process() ? "Python" : "build of " + short_name(report_.resolution.objects.front()),
                     windows_file_name(unusable.path)),
         release.empty() ? "" : "winget install Python.Python." + release, ""});
    return;
  }
  const auto aside = stays ? std::string()
                           : fmt::format("ren {} {}\n", windows_word(unusable.path),
                                         windows_word(std::string(windows_file_name(unusable.path)) + ".off"));
  finding.fixes.push_back({fmt::format("{}install the one for {}: a single DLL from elsewhere does not take its place",
                                       stays ? "" : "move that file out of the way, and ", with_word_size(machine)),
                           aside + command, ""});
}

bool WindowsFixes::is_python_process() const {
  const auto program = folded(short_name(report_.resolution.objects.front()));
  return program.starts_with("python") || report_.resolution.world.kind == WorldKind::tag;
}

bool WindowsFixes::is_in_site(const std::string& folder) const { return folder.starts_with(site_packages_ + "\\"); }

std::string WindowsFixes::set_path(std::vector<std::string> folders) const {
  std::string site;
  for (auto& folder : folders)
    if (is_in_site(folder)) {
      folder.replace(0, site_packages_.size(), "%site%");
      site = find_site;
    }
  return site + fmt::format("set {}", windows_word(fmt::format("PATH={};%PATH%", fmt::join(folders, ";"))));
}

std::string WindowsFixes::add_dll_directories(const std::vector<std::string>& folders) const {
  std::string beginning = "import os", calls;
  for (const auto& folder : folders)
    if (is_in_site(folder)) {
      beginning = "import os, sysconfig; site = sysconfig.get_path(\"purelib\")";
      calls += "; os.add_dll_directory(site + r" + windows_word(folder.substr(site_packages_.size())) + ")";
    } else {
      calls += "; os.add_dll_directory(r" + windows_word(folder) + ")";
    }
  return beginning + calls;
}

namespace {

/// Beside which file a DLL is found that another one needs: the program, unless the load searches the directory of the
/// file that is loaded in its place.
std::string place_of_own_dlls(const Object& requester, const Edge& edge) {
  const bool elsewhere = std::any_of(edge.search.skipped.begin(), edge.search.skipped.end(), [](const auto& skipped) {
    return skipped.rule == SearchRule::application_folder;
  });
  return elsewhere ? short_name(requester) : "the program";
}

}  // namespace

std::string command_for_machine(std::string command, std::string_view machine) {
  constexpr std::string_view usual = ".x64";
  const std::string_view own = machine == "i386" ? ".x86" : machine == "aarch64" ? ".arm64" : usual;
  if (const auto at = command.rfind(usual); at != std::string::npos) command.replace(at, usual.size(), own);
  return command;
}

/// What takes the place of a file that was refused.
void WindowsFixes::add_other_file(const Probe& unusable, const std::vector<NearDll>& found, const Edge& edge,
                                  Finding& finding) {
  if (!found.empty() && found.front().exact) add_fitting_copy(unusable, found.front(), edge, finding);
  const bool other_machine =
      unusable.result == ProbeResult::wrong_machine || unusable.result == ProbeResult::wrong_class;
  const auto machine = other_machine ? machine_name(report_.resolution.machine) : std::string();
  if (auto again = add_on_again(unusable.path, machine, report_.resolution.objects.front().load_name);
      again && finding.fixes.empty())
    finding.fixes.push_back(*std::move(again));
  if (other_machine && finding.fixes.empty()) add_right_machine(unusable, edge, finding);
  if (finding.fixes.empty())
    finding.fixes.push_back({fmt::format("put a build for {} in its place, or take the file out of the search",
                                         with_word_size(machine_name(report_.resolution.machine))),
                             "", ""});
  if (unusable.ends_search)
    finding.does_not_help.push_back("another copy later in the search: the loader stops at the first bad file");
}

void WindowsFixes::add_fixes(const Edge& edge, const Probe* unusable, const std::vector<NearDll>& found,
                             Finding& finding) {
  if (unusable != nullptr) add_other_file(*unusable, found, edge, finding);
  if (!found.empty() && found.front().exact) {
    if (unusable == nullptr && is_full_windows_path(edge.name))
      add_copy_fix(edge, found.front(), finding);
    else if (unusable == nullptr)
      add_folder_fix(edge, found.front().folder, finding);
    return;
  }
  if (unusable != nullptr || add_host_program_fix(edge, finding)) return;
  const std::string name(windows_file_name(edge.name));
  if (auto rolling = added_later(folded(name))
                         ? std::nullopt
                         : rolling_fix(name, report_.resolution.objects[*finding.object].path, files_)) {
    if (!rolling->half.empty()) finding.message += "; " + rolling->half;
    return finding.fixes.push_back(std::move(rolling->fix));
  }
  const auto installer = installer_of(folded(windows_file_name(edge.name)));
  if (!installer && looks_like_api_set(edge.name)) {
    add_api_set_fix(edge, finding);
    return;
  }
  if (!found.empty())
    finding.does_not_help.push_back(
        fmt::format("copying {} to {}: it is another ABI", file_name(found.front().path), edge.name));
  if (installer) {
    finding.evidence.push_back({edge.name + ": " + installer->says, "", Basis::table, installer->source});
    const PlaceOfDll place{place_of_own_dlls(report_.resolution.objects[*finding.object], edge),
                           folder_for(edge, finding)};
    for (auto& fix : ways_to_bring(*installer, std::string(windows_file_name(edge.name)), place,
                                   machine_name(report_.resolution.machine)))
      finding.fixes.push_back(std::move(fix));
  } else if (const auto later = added_later(folded(windows_file_name(edge.name)))) {
    finding.evidence.push_back({edge.name + " comes with " + later->title, "", Basis::table, later->source});
    finding.fixes.push_back({"install or update " + later->title,
                             command_for_machine(later->command, machine_name(report_.resolution.machine)), ""});
  } else if (!providers_of(edge.name, knowledge_of(report_)).empty()) {
    add_pip_fixes(edge, finding);
  } else if (is_in_system32(folded(windows_file_name(edge.name)))) {
    finding.fixes.push_back({fmt::format("{} is a part of newer releases of Windows: use one that has it, or a release "
                                         "of {} for the Windows that is there",
                                         edge.name, short_name(report_.resolution.objects[*finding.object])),
                             "", ""});
  } else if (!is_python_process()) {
    finding.fixes.push_back(
        {fmt::format("install what {} belongs to again, as a whole: {} belongs beside it or in a directory of PATH "
                     "(--dll-path DIR names one to cudald)",
                     short_name(report_.resolution.objects[*finding.object]), edge.name),
         "", ""});
  } else {
    finding.fixes.push_back(
        {fmt::format(
             "install a package that provides {}, and give it to cudald as well: --with WHEEL, or --dll-path DIR for a "
             "directory of PATH",
             edge.name),
         "", ""});
  }
}

/// The copy for this machine takes the place of the one for another; of what lies in a directory of Windows or of PATH,
/// it is put beside the program, where it is found first.
void WindowsFixes::add_fitting_copy(const Probe& unusable, const NearDll& fitting, const Edge& edge, Finding& finding) {
  const bool before_system =
      unusable.rule == SearchRule::application_folder || unusable.rule == SearchRule::dll_load_folder;
  const auto file = windows_join(fitting.folder, windows_file_name(edge.name));
  const auto folder =
      before_system ? windows_folder(unusable.path) : windows_folder(report_.resolution.objects.front().load_name);
  finding.fixes.push_back({fmt::format("put the one for {} there, where it is found first",
                                       with_word_size(machine_name(report_.resolution.machine))),
                           fmt::format("copy {} {}", windows_word(file), windows_word(folder)), ""});
}

/// An add-on that is linked with the functions of the program that opens it, and whose process is another program.
/// Source: node-gyp, src/win_delay_load_hook.cc.
bool WindowsFixes::add_host_program_fix(const Edge& edge, Finding& finding) {
  const auto program = std::string(windows_file_name(edge.name));
  if (!folded(program).ends_with(".exe")) return false;
  const auto& object = report_.resolution.objects[*finding.object];
  finding.fixes.push_back({fmt::format("link {} with /DELAYLOAD:{} and a hook that answers with the program that runs "
                                       "(node-gyp: win_delay_load_hook)",
                                       short_name(object), program),
                           "", ""});
  finding.fixes.push_back({fmt::format("or open it in a process of {}", program), "", ""});
  return true;
}

// A release of Windows has an API set or not: no folder and no file of that name brings the functions.
void WindowsFixes::add_api_set_fix(const Edge& edge, Finding& finding) {
  const auto name = short_name(report_.resolution.objects[*finding.object]);
  if (is_api_set(edge.name) && !is_api_set_of_windows_7(edge.name))
    finding.message += fmt::format("; it is an API set of Windows 8 and later, for which {} was built", name);
  finding.fixes.push_back({fmt::format("a release of Windows that has the API set {}, or a build of {} for this one",
                                       edge.name, short_name(report_.resolution.objects[*finding.object])),
                           "", ""});
  finding.does_not_help.push_back("a directory in PATH, or a DLL of that name: an API set is part of Windows");
}

/// A load that names the directory itself searches no other.
void WindowsFixes::add_copy_fix(const Edge& edge, const NearDll& found, Finding& finding) {
  finding.fixes.push_back(
      {"put it where the load expects it",
       fmt::format("copy {} {}", windows_word(windows_join(found.folder, windows_file_name(edge.name))),
                   windows_word(windows_folder(edge.name))),
       ""});
  const auto& asker = report_.resolution.objects[*finding.object];
  if (asker.package && is_distribution_name(asker.package->name))
    finding.fixes.push_back({fmt::format("or use a newer {}, which looks there", asker.package->name),
                             pip_install(*finding.object) + "--upgrade " + asker.package->name, ""});
  finding.does_not_help.push_back("adding the directory to PATH: the load names another one");
}

void WindowsFixes::add_folder_fix(const Edge& edge, const std::string& folder, Finding& finding) {
  const bool limited = is_limited_search(edge);
  remedies_[*finding.object].try_emplace(folded(edge.name), Remedy{"", folder, limited});
  if (limited) {
    finding.fixes.push_back({"in Python, before the import", add_dll_directories({folder}), ""});
    finding.does_not_help.push_back(
        "adding the directory to PATH: Python 3.8 and later do not search PATH for what extension modules need");
  } else {
    finding.fixes.push_back({"for this console only", set_path({folder}), ""});
  }
}

/// The major version of CUDA for which the process asks, by the name of the runtime that some request has.
std::string WindowsFixes::cuda_major() const {
  constexpr std::string_view beginning = "cudart64_";
  for (const auto& object : report_.resolution.objects)
    for (const auto& edge : object.edges)
      if (folded(edge.name).starts_with(beginning)) return edge.name.substr(beginning.size(), 2);
  return "";
}

std::string WindowsFixes::folder_for(const Edge& edge, const Finding& finding) const {
  const auto& objects = report_.resolution.objects;
  auto own = std::string(windows_folder(objects[*finding.object].load_name));
  for (const auto& probe : edge.search.probes)
    if (folded(windows_folder(probe.path)) == folded(own)) return own;
  return std::string(windows_folder(objects.front().load_name));
}

void WindowsFixes::add_pip_fixes(const Edge& edge, Finding& finding) {
  const bool limited = is_limited_search(edge);
  const auto providers = providers_of(edge.name, cuda_major(), knowledge_of(report_));
  for (const auto& provider : providers) {
    auto below = provider.folder;
    std::replace(below.begin(), below.end(), '/', '\\');
    const auto folder = site_packages_ + "\\" + below;
    const bool searched = std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
      return folded(windows_folder(probe.path)) == folded(folder);
    });
    auto command = pip_install(*finding.object) + provider.requirement;
    auto effect =
        fmt::format("it lands in site-packages\\{}, where this load {}", below, searched ? "looks" : "does not look");
    if (!searched && limited) effect += "; before the import: " + add_dll_directories({folder});
    if (!searched && !limited) command += "\n" + set_path({folder});
    finding.fixes.push_back({fmt::format("{} {} exactly this file", provider.distribution, carries(provider)),
                             std::move(command), std::move(effect)});
    finding.evidence.push_back(
        {fmt::format("{} {} {} {}", provider.distribution, provider.version, carries(provider), edge.name), "",
         Basis::table, provider.source});
    remedies_[*finding.object].try_emplace(folded(edge.name),
                                           Remedy{provider.requirement, searched ? "" : folder, limited});
    if (report_.resolution.world.kind == WorldKind::tag && &provider == &newest_usual(providers))
      add_recipe(provider, searched, finding);
  }
}

void WindowsFixes::add_recipe(const Provider& provider, bool searched, Finding& finding) const {
  auto lines = "Requires-Dist: " + RequirementRange(provider).text();
  const auto calls =
      searched ? "" : dll_directory_lines(report_.resolution.objects[*finding.object].path, {provider.folder});
  if (!calls.empty()) lines += "\n" + calls;
  finding.fixes.push_back(
      {calls.empty() ? "maintainer fix: declare it" : "maintainer fix: declare it, and search its directory",
       std::move(lines), ""});
}

void WindowsFixes::add_common_fixes() {
  for (const auto& [requester, remedies] : remedies_) {
    if (remedies.size() < 2) continue;
    const auto is_of_it = [&, object = requester](const Finding& finding) {
      return finding.object == object && finding.edge;
    };
    const auto first = std::find_if(report_.findings.begin(), report_.findings.end(), is_of_it);
    if (first == report_.findings.end()) continue;
    std::set<std::string> requirements;
    std::vector<std::string> folders;
    bool limited = false;
    for (const auto& [name, remedy] : remedies) {
      if (!remedy.requirement.empty()) requirements.insert(remedy.requirement);
      if (!remedy.folder.empty() && std::find(folders.begin(), folders.end(), remedy.folder) == folders.end())
        folders.push_back(remedy.folder);
      limited |= remedy.limited;
    }
    std::vector<std::string> lines;
    if (!requirements.empty())
      lines.push_back(fmt::format("{}{}", pip_install(requester), fmt::join(requirements, " ")));
    if (!folders.empty() && !limited) lines.push_back(set_path(folders));
    // Without a package to install the lines of Python are the whole fix.
    const bool only_calls = lines.empty() && !folders.empty();
    if (only_calls) lines.push_back(add_dll_directories(folders));
    const auto missing = std::count_if(report_.findings.begin(), report_.findings.end(), is_of_it);
    const auto what = static_cast<std::size_t>(missing) == remedies.size()
                          ? fmt::format("all {} DLLs", missing)
                          : fmt::format("{} of the {} DLLs", remedies.size(), missing);
    const auto effect = folders.empty() || only_calls ? std::string()
                        : limited                     ? "before the import: " + add_dll_directories(folders)
                                                      : "PATH counts for this console only";
    const auto& object = report_.resolution.objects[requester];
    const auto& asked_at = object.edges[*first->edge].asked_at;
    const auto asker = asked_at.empty() ? short_name(object) : asked_at.substr(asked_at.find_last_of("/\\") + 1);
    const auto verb = only_calls ? "in Python, before the import: finds" : requirements.empty() ? "finds" : "provides";
    Fix fix{fmt::format("{} {} that {} misses", verb, what, asker), fmt::format("{}", fmt::join(lines, "\n")), effect};
    for (const auto& finding : report_.findings)
      if (is_of_it(finding) && remedies.contains(folded(finding.subject))) fix.serves.push_back(finding.subject);
    first->fixes.insert(first->fixes.begin(), std::move(fix));
  }
  tell_shared_command();
}

/// One command that brings several DLLs is printed with the first of them alone.
void WindowsFixes::tell_shared_command() {
  const auto& found = report_.findings;
  const auto is_common = [](const Fix& fix) { return !fix.serves.empty(); };
  if (std::any_of(found.begin(), found.end(), [&](const Finding& finding) {
        return std::any_of(finding.fixes.begin(), finding.fixes.end(), is_common);
      }))
    return;
  const auto command_of = [](const Finding& finding) {
    return finding.edge && !finding.fixes.empty() ? finding.fixes.front().command : std::string();
  };
  for (auto first = report_.findings.begin(); first != report_.findings.end(); ++first) {
    const auto command = command_of(*first);
    if (command.empty()) continue;
    std::vector<std::string> served;
    for (auto other = first; other != report_.findings.end(); ++other)
      if (other->level == first->level && command_of(*other) == command) served.push_back(other->subject);
    if (served.size() < 2) continue;
    first->fixes.front().serves = std::move(served);
    return;
  }
}

}  // namespace cudald
