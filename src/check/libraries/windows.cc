#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/windows_host_file.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/account.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/near_dlls.h"
#include "check/findings/renamed_dll.h"
#include "check/findings/strange_file.h"
#include "check/fixes/installer.h"
#include "check/fixes/program_parts.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/providers.h"
#include "knowledge/windows_names.h"
#include "loader/windows/python_on_windows.h"
#include "loader/windows/windows_errors.h"
#include "machine/windows_host.h"
#include "machine/windows_tree.h"
#include "package/dist_info.h"

namespace cudald {
namespace {

/// All requests for one name that found nothing usable.
struct MissingDll {
  ObjectId requester{};
  std::size_t edge{};
  std::vector<ObjectId> also;
  const Target* request{};  ///< the one that fails worst
  Level level{};
};

class WindowsCheck {
 public:
  WindowsCheck(const Case& given)
      : given_(given), report_(given.report), accounts_(given.report, given.store.packages), fixes_(given) {}

  void run() {
    std::vector<std::string> order;
    std::map<std::string, MissingDll> misses;
    for (ObjectId id = 0; id < objects().size(); ++id)
      for (std::size_t index = 0; index < objects()[id].edges.size(); ++index) {
        const auto& edge = objects()[id].edges[index];
        const auto* request = request_of(id, edge);
        if (edge.object || edge.status == EdgeStatus::not_loaded || request == nullptr) continue;
        const auto [place, is_new] = misses.try_emplace(
            folded(edge.name), MissingDll{id, index, {}, request, level_of_failure(report_, *request)});
        if (is_new) order.push_back(folded(edge.name));
        auto& miss = place->second;
        if (miss.requester != id) miss.also.push_back(id);
        if (const auto level = level_of_failure(report_, *request); level < miss.level) {
          miss.level = level;
          miss.request = request;
        }
      }
    for (const auto& name : order) tell(misses.at(name));
    fixes_.add_common_fixes();
    tell_assemblies();
    tell_refused_modules();
  }

 private:
  const std::vector<Object>& objects() const { return report_.resolution.objects; }

  /// What fails if this edge does: nullptr if nothing.
  const Target* request_of(ObjectId id, const Edge& edge) const {
    if (edge.hard) return &report_.resolution.targets[objects()[id].target];
    if (edge.kind != EdgeKind::dlopen) return nullptr;
    for (const auto& target : report_.resolution.targets)
      if (target.kind == TargetKind::dlopen && !target.object && target.error == edge.error) return &target;
    return nullptr;
  }

  static const Probe* refused(const Edge& edge) {
    for (const auto& probe : edge.search.probes)
      if (probe.result != ProbeResult::absent && probe.result != ProbeResult::found) return &probe;
    return nullptr;
  }

  void tell(const MissingDll& miss) {
    const auto& edge = objects()[miss.requester].edges[miss.edge];
    const auto* probe = refused(edge);
    if (probe == nullptr && is_of_other_python(edge.name)) return tell_other_python(miss);
    const auto found = near_dlls(given_, edge.name, &objects()[miss.requester]);
    const bool exact = !found.empty() && found.front().exact;
    const bool other_machine =
        probe != nullptr && (probe->result == ProbeResult::wrong_machine || probe->result == ProbeResult::wrong_class);
    const auto& world = report_.resolution.world;
    const bool in_tag = world.kind == WorldKind::tag && edge.name.find_first_of("/\\") == std::string::npos;
    const auto account = in_tag ? accounts_.of(edge) : Account();
    const bool may_come = found.empty() && probe == nullptr && account.standing == Standing::possible;
    auto finding = make_finding(other_machine      ? "CUD103"
                                : probe != nullptr ? "CUD112"
                                : exact            ? "CUD111"
                                : !found.empty()   ? "CUD102"
                                : in_tag           ? "CUD501"
                                                   : "CUD101");
    finding.level = may_come ? Level::note : miss.level;
    finding.object = miss.requester;
    finding.edge = miss.edge;
    finding.subject = edge.name;
    if (other_machine)
      finding.message =
          fmt::format("{} exists only for another machine ({} is for {})", edge.name, probe->path, probe->detail);
    else if (probe != nullptr)
      finding.message = unusable(edge, *probe);
    else if (exact)
      finding.message = fmt::format("{} is in {}, which this load does not search", edge.name, found.front().folder);
    else if (!found.empty())
      finding.message = fmt::format("{} is not found; {} is, {}", edge.name, file_name(found.front().path),
                                    is_of_runtime(edge.name) ? "of a redistributable that is older than this program"
                                                             : "which has a different ABI");
    else if (may_come)
      finding.message = fmt::format(
          "{} is not provided by any known package; {}, which is required and not available locally, may provide it",
          edge.name, fmt::join(account.by, " or "));
    else if (in_tag)
      finding.message =
          fmt::format("{} is not part of {} and not provided by any declared dependency", edge.name, world.name);
    else
      finding.message = not_found(miss, edge);
    finding.consequence = consequence(miss, edge);
    add_facts(edge, finding);
    if (probe != nullptr && !edge.error.empty())
      finding.evidence.push_back({edge.error, "", Basis::rule, "Microsoft, System Error Codes"});
    if (auto text = also_asked(miss); !text.empty())
      finding.evidence.push_back({std::move(text), "", Basis::proven, ""});
    add_near(found, finding);
    if (const auto strange = probe != nullptr && !other_machine ? strange_at(*probe) : std::nullopt)
      finding.fixes = strange->fixes;
    add_fixes(edge, probe, found, finding);
    report_.findings.push_back(std::move(finding));
  }

  /// Whether System32 is there as a whole and has no Windows Installer, as that of Nano Server: no redistributable can
  /// be installed. Source: Microsoft, Install Nano Server; github.com/microsoft/Windows-Containers issue 112.
  bool is_without_installer() const {
    constexpr std::size_t least_whole = 200;  // of a copy of some files nothing follows
    if (given_.windows == nullptr || !given_.windows->has_files) return false;
    auto& images = given_.store.images;
    const auto system = WindowsTree(images, *given_.windows).find(given_.windows->system());
    if (!system) return false;
    const auto& entries = images.list(*system);
    return entries.size() >= least_whole && std::none_of(entries.begin(), entries.end(), [](const std::string& entry) {
             return folded(entry) == "msiexec.exe";
           });
  }

  /// Whether the tree shows a Windows Server that has no winget, which 2025 is the first one to have. Source:
  /// Microsoft, Use the WinGet tool to install and manage applications.
  bool is_earlier_server(int build) const {
    constexpr int first_with_winget = 26100;
    if (given_.windows == nullptr || !given_.windows->has_files || build >= first_with_winget) return false;
    auto& images = given_.store.images;
    const auto system = WindowsTree(images, *given_.windows).find(given_.windows->windows + "\\System32");
    if (!system) return false;
    const auto& entries = images.list(*system);
    return std::any_of(entries.begin(), entries.end(), [](const std::string& entry) {
      const auto name = folded(entry);
      return name == "servermanager.exe" || name == "sconfig.cmd";
    });
  }

  /// An older Windows has no winget: what it installs is downloaded with a browser, which `start` opens.
  void replace_winget(Finding& finding) const {
    constexpr int no_build_with_winget = 1;
    const int build = given_.windows == nullptr ? 0 : build_number(*given_.windows);
    const bool server = is_earlier_server(build);
    for (auto& fix : finding.fixes)
      if (const auto other = without_winget(fix.command, server ? no_build_with_winget : build)) {
        fix.title += ": download and run it";
        fix.command = other->command;
        finding.evidence.push_back({server ? "Windows Server has winget only from 2025 on"
                                           : fmt::format("Windows of build {} has no winget", build),
                                    "", Basis::table, other->source});
      }
  }

  void replace_installations(const Edge& edge, Finding& finding) const {
    const auto installs = [](const Fix& fix) { return fix.command.starts_with("winget install "); };
    const auto first = std::find_if(finding.fixes.begin(), finding.fixes.end(), installs);
    if (first == finding.fixes.end()) return;
    if (!is_without_installer()) return replace_winget(finding);
    first->title = fmt::format(
        "this Windows has no Windows Installer, as Nano Server: build the image on servercore, or take {} from one in "
        "which the redistributable is installed (COPY --from), to a place beside the program",
        edge.name);
    first->command.clear();
    std::erase_if(finding.fixes, installs);
    finding.does_not_help.push_back("the redistributable or winget: both need Windows Installer");
  }

  /// A copy under another name is found once it has its own, in a directory that is searched.
  bool add_renamed(const Edge& edge, Finding& finding) {
    const auto path = renamed_dll(given_, objects()[*finding.object], edge.name);
    if (path.empty()) return false;
    const auto folder = windows_folder_of(given_, path);
    const auto name = std::string(file_name(path));
    finding.message += fmt::format("; {} beside it has its functions, and another name", name);
    finding.evidence.push_back(
        {fmt::format("{} exports all that is imported from {}", name, edge.name), path, Basis::proven, ""});
    const bool searched = std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
      return folded(windows_folder(probe.path)) == folded(folder);
    });
    auto command = fmt::format("copy {} {}", windows_word(windows_join(folder, name)),
                               windows_word(windows_join(folder, edge.name)));
    if (!searched) command += fmt::format("\nset {}", windows_word("PATH=" + folder + ";%PATH%"));
    finding.fixes.push_back({"give it the name by which it is needed", std::move(command), ""});
    finding.fixes.push_back(
        {fmt::format("maintainer fix: unpack it as {}, in a directory of its own", edge.name), "", ""});
    finding.does_not_help.push_back(
        fmt::format("loading {} first: what is loaded is known by the name of its file", name));
    return true;
  }

  /// conda renames what it cannot replace since a process has it open, and an update that fails then leaves it so.
  bool add_trashed(const Edge& edge, Finding& finding) const {
    const auto path = trashed_dll(given_, objects()[*finding.object], edge);
    if (path.empty()) return false;
    const auto folder = windows_folder_of(given_, path);
    const auto name = std::string(file_name(path));
    finding.message += fmt::format("; conda has renamed it to {} and not put it back", name);
    finding.evidence.push_back(
        {fmt::format("{} exports all that is imported from {}", name, edge.name), path, Basis::proven, ""});
    finding.fixes.push_back({"close what runs out of this environment, and give the file its name again",
                             fmt::format("copy {} {}", windows_word(windows_join(folder, name)),
                                         windows_word(windows_join(folder, edge.name))),
                             "then repeat the update that was broken off"});
    return true;
  }

  /// A module for another release, or build, of the program that opens it asks for a DLL that this one has not.
  bool add_other_program(const Edge& edge, Finding& finding) const {
    const auto name = folded(windows_file_name(edge.name));
    const auto wanted = program_dll(name);
    const auto own = std::find_if(objects().begin(), objects().end(), [&](const Object& object) {
      const auto has = wanted ? program_dll(folded(short_name(object))) : std::nullopt;
      return has && has->program == wanted->program && folded(short_name(object)) != name;
    });
    if (!wanted || own == objects().end()) return false;
    const auto& module = objects()[*finding.object];
    const auto with = [](const std::string& build) { return build.empty() ? "" : ", " + build; };
    const auto build = program_dll(folded(short_name(*own)))->build;
    finding.message +=
        fmt::format("; {} was built for a {} with {}{}, and the one that runs has {}{}", short_name(module),
                    wanted->program, edge.name, with(wanted->build), short_name(*own), with(build));
    finding.evidence.push_back(
        {fmt::format("{} and {} are of different builds of {}", edge.name, short_name(*own), wanted->program),
         own->path, Basis::table, wanted->source});
    finding.fixes.push_back(
        {fmt::format("take the build of {} for the {} that runs, with {}{}, in its release and word "
                     "size",
                     short_name(module), wanted->program, short_name(*own), with(build)),
         "", ""});
    finding.does_not_help.push_back(
        fmt::format("a copy of {} from elsewhere: the module would work with a second {}", edge.name, wanted->program));
    return true;
  }

  void add_fixes(const Edge& edge, const Probe* probe, const std::vector<NearDll>& found, Finding& finding) {
    if (probe == nullptr && add_other_program(edge, finding)) return;
    if (probe == nullptr && found.empty() &&
        (add_newer_windows(edge, finding) || add_trashed(edge, finding) || add_renamed(edge, finding)))
      return;
    if (probe == nullptr && found.empty() && is_lacked_part(edge.name) && !installer_of(folded(edge.name)))
      add_fixes_of_lacked_part(finding);
    else if (probe != nullptr || !found.empty() ||
             (!add_lost_parts(edge, finding) && !add_lost_file(objects()[*finding.object], edge, finding)))
      fixes_.add_fixes(edge, probe, found, finding);
    replace_installations(edge, finding);
  }

  /// What a program came with is not beside it, or is of another release. What an installer brings is none of that.
  bool add_lost_parts(const Edge& edge, Finding& finding) {
    const auto dll = folded(windows_file_name(edge.name));
    const auto installer = installer_of(dll);
    const auto& requester = objects()[*finding.object];
    if ((installer && !installer->with_program) || added_later(dll) || is_in_system32(dll) || looks_like_api_set(dll) ||
        edge.kind != EdgeKind::import || !folded(requester.path).ends_with(".exe") || dll.starts_with("python") ||
        !providers_of(edge.name, knowledge_of(report_)).empty())
      return false;
    const auto name = short_name(requester);
    if (const auto other = other_release_beside(dll, requester, given_.store.images); !other.empty()) {
      finding.message += fmt::format("; {} of another release is beside {}", other, name);
      finding.fixes.push_back(
          {fmt::format("take a package of {} whose DLLs are of the release that it was made with", name), "", ""});
      return true;
    }
    if (!lies_alone(requester, given_.store.images)) return false;
    finding.message += fmt::format("; no DLL at all is beside {}", name);
    finding.fixes.push_back(
        {fmt::format("unpack or install all of what {} came in, and start it there: its DLLs belong beside it", name),
         "", ""});
    return true;
  }

  /// Images of Windows leave parts out; another Windows that lacks one is damaged. Sources: Microsoft, "Use the System
  /// File Checker tool to repair missing or corrupted system files"; Windows Container Base Images.
  void add_fixes_of_lacked_part(Finding& finding) const {
    const auto& files = given_.store.images.files();
    const bool in_image =
        is_without_installer() || is_file(files, "/License.txt") || is_folder(files, "/Users/ContainerAdministrator");
    if (!in_image)
      finding.fixes.push_back({"let Windows restore its own files, in a console of an administrator",
                               "DISM /Online /Cleanup-Image /RestoreHealth\nsfc /scannow", ""});
    finding.fixes.push_back({fmt::format("{}use a Windows that has it: of the images mcr.microsoft.com/windows/server, "
                                         "in place of servercore and nanoserver",
                                         in_image ? "" : "or, in a container, "),
                             "", ""});
  }

  /// What RECORD lists and is gone comes back by installing the same release again.
  bool add_lost_file(const Object& requester, const Edge& edge, Finding& finding) {
    const Installer installer(report_, requester, given_.store.images.files());
    const auto name = std::string(windows_file_name(edge.name));
    const auto damaged =
        installer.site().empty() ? std::nullopt : given_.store.installed.package_that_lost(installer.site(), name);
    if (!damaged) return false;
    installer.add_reinstallation(*damaged, finding);
    return true;
  }

  std::string not_found(const MissingDll& miss, const Edge& edge) const {
    if (folded(edge.name).ends_with(".exe"))
      return fmt::format(
          "{} is linked with functions of the program {}, without delay-loading, and the program of this process is {}",
          short_name(objects()[miss.requester]), edge.name, short_name(objects().front()));
    const auto installer = installer_of(folded(windows_file_name(edge.name)));
    const auto since = newer_part(edge.name);
    return fmt::format("{} is not found in any directory this load searches{}", edge.name,
                       since ? fmt::format("; it is a part of {} and later, for which {} was built", since->release,
                                           short_name(objects()[miss.requester]))
                       : installer                 ? "; " + installer->says
                       : is_lacked_part(edge.name) ? "; it is a part of Windows, and this Windows lacks it, as Server "
                                                     "Core and Nano Server do"
                                                   : older_package(edge.name));
  }

  /// Whether one redistributable has all DLLs of this family, the later ones more of them: vcruntime140_1.dll came with
  /// that of 2019.
  static bool is_of_runtime(const std::string& dll) {
    const auto package = added_later(folded(dll));
    return package && package->title.find("redistributable") != std::string::npos;
  }

  /// Of a DLL that came with a later release of Windows than the one that is there, that release.
  std::optional<SinceWindows> newer_part(const std::string& dll) const {
    const auto since = dll_since_windows(folded(windows_file_name(dll)));
    if (!since || given_.windows == nullptr) return std::nullopt;
    const auto build = build_number(*given_.windows);
    return build != 0 && build < since->build ? since : std::nullopt;
  }

  bool add_newer_windows(const Edge& edge, Finding& finding) const {
    const auto since = newer_part(edge.name);
    if (!since) return false;
    finding.evidence.push_back(
        {fmt::format("{} is there from {} on", edge.name, since->release), "", Basis::table, since->source});
    finding.fixes.push_back({fmt::format("use {} or later, or a release of {} for the Windows that is there",
                                         since->release, short_name(objects()[*finding.object])),
                             "", ""});
    return true;
  }

  /// Whether a DLL that the desktop has is none of the files of System32 here.
  bool is_lacked_part(const std::string& dll) const {
    const auto name = folded(windows_file_name(dll));
    return given_.windows != nullptr && given_.windows->has_files && is_in_system32(name) && !added_later(name);
  }

  /// Of a DLL of Microsoft's runtime: that the release which is installed is older, where other DLLs of it are there.
  std::string older_package(const std::string& dll) const {
    const auto own = added_later(folded(windows_file_name(dll)));
    if (!own || given_.windows == nullptr) return "";
    WindowsTree tree(given_.store.images, *given_.windows);
    const auto& described = given_.windows->described;
    const auto system = given_.windows->system();
    for (const std::string name : {"vcruntime140.dll", "msvcp140.dll"}) {
      const auto other = added_later(name);
      const bool there = described ? described->folders.contains(folded(system)) &&
                                         described->folders.at(folded(system)).contains(name)
                                   : tree.find(windows_join(system, name)).has_value();
      if (there && other && other->title == own->title)
        return fmt::format("; the release of {} that is installed is older: it has {}, and not {}", own->title, name,
                           dll);
    }
    return "; it comes with " + own->title;
  }

  /// What lies at the place of a DLL and is none.
  std::optional<StrangeFile> strange_at(const Probe& probe) const {
    if (given_.windows == nullptr) return std::nullopt;
    const auto path = WindowsTree(given_.store.images, *given_.windows).find(probe.path);
    return path ? identify_strange_file(*path, given_.store.images, true) : std::nullopt;
  }

  std::string unusable(const Edge& edge, const Probe& probe) const {
    const auto strange = strange_at(probe);
    const auto why = strange ? strange->is : probe.detail;
    return fmt::format("{}{}{}",
                       probe.path == edge.name
                           ? edge.name + " is not a loadable file"
                           : fmt::format("{} is found at {}, but that is not a loadable file", edge.name, probe.path),
                       why.empty() ? "" : ": ", why);
  }

  /// Whether a DLL is python3X.dll of another Python than the one that runs.
  bool is_of_other_python(const std::string& dll) const {
    const int own = given_.windows == nullptr ? 0 : given_.windows->python_minor;
    const int other = python_minor_of_dll(dll);
    return own != 0 && other != 0 && own != other;
  }

  void tell_other_python(const MissingDll& miss) {
    const auto& edge = objects()[miss.requester].edges[miss.edge];
    auto finding = make_finding("CUD101");
    finding.level = miss.level;
    finding.object = miss.requester;
    finding.edge = miss.edge;
    finding.subject = edge.name;
    finding.consequence = consequence(miss, edge);
    blame_other_python(objects()[miss.requester], edge.name, "not found", finding);
    report_.findings.push_back(std::move(finding));
  }

  /// Modules that load, and that Python refuses.
  void tell_refused_modules() {
    std::set<std::string> told;  // a package's modules are loaded again, one by one
    for (const auto& target : report_.resolution.targets) {
      if (!target.object || target.error.find("conflicts with this version of Python") == std::string::npos) continue;
      const auto& module = objects()[*target.object];
      if (!told.insert(module.path).second) continue;
      const auto dll = other_python_of(*module.image, given_.windows->python_minor);
      auto finding = make_finding("CUD114");
      finding.level = level_of_failure(report_, target);
      finding.object = *target.object;
      finding.subject = short_name(module);
      finding.consequence = target.error;
      finding.evidence.push_back({"Python refuses a module that imports another python3X.dll", "", Basis::rule,
                                  "CPython Python/dynload_win.c, GetPythonImport"});
      blame_other_python(module, dll, "found, yet of another Python", finding);
      report_.findings.push_back(std::move(finding));
    }
  }

  /// Whether a module lies in the DLLs of what PYTHONHOME names.
  bool is_of_home(const Object& module, const std::string& home) const {
    if (home.empty() || given_.windows == nullptr) return false;
    auto folder = home;
    if (is_full_windows_path(home)) folder = WindowsTree(given_.store.images, *given_.windows).find(home).value_or("");
    return !folder.empty() && module.path.starts_with(normal_path(folder) + "/DLLs/");
  }

  void blame_other_python(const Object& module, const std::string& dll, std::string_view state, Finding& finding) {
    const int own = given_.windows->python_minor, other = python_minor_of_dll(dll);
    finding.message = fmt::format("{} is {}: {} is built for Python 3.{}, and this is Python 3.{}", dll, state,
                                  short_name(module), other, own);
    const auto* package = module.package ? &*module.package : nullptr;
    if (const auto home = report_.query.environment.variable("PYTHONHOME").value_or(""); is_of_home(module, home)) {
      finding.message += fmt::format("; PYTHONHOME names {}, the standard library of that other Python", home);
      finding.fixes.push_back({"let Python find its own library", "set PYTHONHOME=", ""});
      return;
    }
    finding.fixes.push_back(
        {fmt::format("install a build of {} for Python 3.{}", package != nullptr ? package->name : short_name(module),
                     own),
         package != nullptr && is_distribution_name(package->name)
             ? Installer(report_, module, given_.store.images.files()).install_again() + package->name
             : "",
         ""});
    finding.fixes.push_back({fmt::format("use Python 3.{}", other), "", ""});
    finding.does_not_help.push_back(fmt::format("copying {} beside the module: Python refuses what imports it", dll));
  }

  /// Where else the DLL lies, or another version of it.
  static void add_near(const std::vector<NearDll>& found, Finding& finding) {
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 4); ++i) {
      const auto& [path, folder, same_name] = found[i];
      finding.evidence.push_back(
          {fmt::format("{} {}", same_name ? "is in" : "found instead:", path), path, Basis::proven, ""});
      const auto releases = same_name ? std::nullopt : releases_of(folded(file_name(path)));
      if (releases)
        finding.evidence.push_back({fmt::format("{} serves {}", file_name(path), *releases), "", Basis::table,
                                    releases_source(folded(file_name(path)))});
    }
  }

  /// What is known of the request and of the name.
  void add_facts(const Edge& edge, Finding& finding) const {
    if (const auto releases = releases_of(folded(windows_file_name(edge.name))))
      finding.evidence.push_back({fmt::format("{} serves {}", edge.name, *releases), "", Basis::table,
                                  releases_source(folded(windows_file_name(edge.name)))});
    for (const auto& fact : edge.known.facts) finding.evidence.push_back({fact.text, "", Basis::table, fact.source});
  }

  std::string consequence(const MissingDll& miss, const Edge& edge) const {
    if (miss.level != Level::error)
      return miss.request->traits.without.empty() ? "No caller is known; a caller gets: " + miss.request->error
                                                  : miss.request->traits.without;
    // The system names what was asked for, not the import of it that is missing.
    const bool hidden = miss.request->error.find(edge.name) == std::string::npos;
    return miss.request->error + (hidden ? " (the message does not name " + edge.name + ")" : "");
  }

  std::string also_asked(const MissingDll& miss) const {
    std::vector<std::string> names;
    for (const auto id : miss.also)
      if (auto name = short_name(objects()[id]); std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    constexpr std::size_t shown = 4;
    return names.empty() ? "" : "also needed by " + listed(names, shown);
  }

  /// A manifest that Windows refuses: what is wrong, and that the assembly may come from its installer.
  void tell_refused_manifest(const Objection& objection, Finding& finding) {
    const auto& name = short_name(objects()[objection.object]);
    const auto command = assembly_installer(objection.message);
    finding.message = fmt::format("Windows refuses a manifest: {}", objection.manifest_fault);
    constexpr auto source = "Microsoft, Assembly manifests; the event of SideBySide in the Application log";
    // A version stands behind the name of an assembly.
    const bool own = objection.message.find(' ') == std::string::npos;
    finding.evidence.push_back({own ? fmt::format("it is the manifest of {} itself", name)
                                    : fmt::format("{} needs the assembly {}", name, objection.message),
                                "", Basis::rule, source});
    if (!command.empty())
      finding.fixes.push_back({"install the assembly: one that is installed comes before the file", command, ""});
    finding.fixes.push_back(
        {own ? fmt::format("take another release of {}, whose manifest has no such fault; who makes it corrects that "
                           "(mt.exe -manifest FILE -outputresource:PROGRAM puts one into a program)",
                           name)
             : fmt::format("correct that manifest, or take the one that belongs to {}", objection.message),
         "", ""});
  }

  /// Side-by-side assemblies that are not there.
  void tell_assemblies() {
    for (const auto& objection : report_.resolution.objections) {
      const auto& object = objects()[objection.object];
      auto finding = make_finding("CUD116");
      finding.level = level_of_failure(report_, report_.resolution.targets[object.target]);
      finding.object = objection.object;
      finding.subject = objection.message;
      finding.message = fmt::format("the manifest of {} needs the side-by-side assembly {}, which is not found",
                                    short_name(object), objection.message);
      finding.consequence = "Error 14001: " + windows_error_text(14001);
      if (!objection.manifest_fault.empty()) {
        tell_refused_manifest(objection, finding);
        report_.findings.push_back(std::move(finding));
        continue;
      }
      finding.evidence.push_back(
          {"not among the assemblies of a fresh Windows, nor in the directory of the file or of the program", "",
           Basis::table, assemblies_source()});
      const auto command = assembly_installer(objection.message);
      finding.fixes.push_back({command.empty()
                                   ? "install a package that provides the assembly, or a build without that manifest"
                                   : "install it",
                               command, ""});
      report_.findings.push_back(std::move(finding));
    }
  }

  const Case& given_;
  Report& report_;
  const Accounts accounts_;
  WindowsFixes fixes_;
};

}  // namespace

void check_windows(const Case& given) { WindowsCheck(given).run(); }

}  // namespace cudald
