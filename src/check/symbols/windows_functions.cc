// CUD201 and CUD203 for PE files: functions that a DLL lacks. The file that answered is named with the rule by which it
// was found, since another file of that name, further on in the search, is often the one that was meant.

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "binary/bytes/readers.h"
#include "check/findings/near_dlls.h"
#include "check/fixes/host_of_module.h"
#include "check/fixes/installer.h"
#include "check/fixes/load_order.h"
#include "check/fixes/rolling_fixes.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/windows_names.h"
#include "loader/windows/windows_errors.h"
#include "machine/windows_host.h"

namespace cudald {
namespace {

std::string_view words_of(SearchRule rule) {
  switch (rule) {
    case SearchRule::application_folder: return "in the directory of the program";
    case SearchRule::dll_load_folder: return "in the directory of the file that was loaded";
    case SearchRule::user_folder: return "in a directory added for DLLs";
    case SearchRule::current_folder: return "in the current directory";
    case SearchRule::path_variable: return "in PATH";
    case SearchRule::manifest: return "by the manifest";
    case SearchRule::path: return "by its full path";
    default: return "in the directories of Windows";
  }
}

/// Whether the search looks there before it comes to System32.
bool is_before_system(SearchRule rule) {
  return rule == SearchRule::application_folder || rule == SearchRule::dll_load_folder ||
         rule == SearchRule::user_folder;
}

class MissingFunctions {
 public:
  explicit MissingFunctions(const Case& given) : given_(given), report_(given.report) {}

  /// One finding for each file that lacks functions.
  void run() {
    if (!report_.symbols) return;
    std::map<std::pair<ObjectId, std::string>, std::vector<const MissingSymbol*>> groups;
    for (const auto& missing : report_.symbols->missing)
      groups[{missing.object, missing.version_file}].push_back(&missing);
    for (const auto& [key, functions] : groups) tell(functions);
  }

 private:
  using Functions = std::span<const MissingSymbol* const>;

  const std::vector<Object>& objects() const { return report_.resolution.objects; }

  /// Whose functions are missing, and from which file.
  std::string what_is_missing(Functions functions, bool forwarded) const {
    const auto& first = *functions.front();
    const auto name = short_name(objects()[first.object]);
    const auto more = functions.size() == 1 ? "" : " and " + counted(functions.size() - 1, "more function");
    if (!forwarded && first.provider && first.provider != first.object && first.message.ends_with("does not have it"))
      return fmt::format("{} imports {}{} from {}, and the one that answers, {}, does not have it", name, first.name,
                         more, first.version_file, objects()[*first.provider].load_name);
    return fmt::format("{} imports {}{} from {}: {}", name, first.name, more, first.version_file, first.message);
  }

  void tell(Functions functions) {
    const auto& first = *functions.front();
    const auto& object = objects()[first.object];
    const bool forwarded = first.message.find("forward") != std::string::npos;
    auto finding = make_finding(forwarded ? "CUD203" : "CUD201");
    finding.level = level_of_failure(report_, report_.resolution.targets[object.target]);
    finding.object = first.object;
    finding.subject = first.name;
    finding.message = what_is_missing(functions, forwarded);
    finding.consequence = consequence(first, report_.resolution.targets[object.target].error);
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < std::min(shown, functions.size()); ++i)
      finding.evidence.push_back({functions[i]->name, object.path, Basis::proven, ""});
    if (!forwarded && first.provider && tell_assembly(object, first, finding))
      return report_.findings.push_back(std::move(finding));
    if (!forwarded && first.provider == first.object)
      tell_own_name(object, first.version_file, finding);
    else if (!forwarded && first.provider)
      tell_provider(*first.provider, functions, finding);
    if (finding.fixes.empty()) add_runtime(first.version_file, finding);
    if (const auto since = since_windows(folded(windows_file_name(first.version_file)), first.name)) {
      finding.evidence.push_back(
          {fmt::format("{} is there from {} on", first.name, since->release), "", Basis::table, since->source});
      finding.fixes.push_back({fmt::format("use {} or later, or a release of {} for the Windows that is there",
                                           since->release, short_name(object)),
                               "", ""});
      report_.findings.push_back(std::move(finding));
      return;
    }
    if (first.provider && finding.fixes.empty() && is_part_of_windows(objects()[*first.provider])) {
      finding.message += "; this Windows lacks the function, as Nano Server and older releases do";
      finding.fixes.push_back(
          {fmt::format("use a Windows that has it (in a container servercore in place of nanoserver, "
                       "and server in place of that), or a release of {} for this one",
                       short_name(object)),
           "", ""});
      report_.findings.push_back(std::move(finding));
      return;
    }
    if (first.provider) add_upgrade(object, objects()[*first.provider], finding);
    if (first.provider && objects()[*first.provider].main_program) {
      if (finding.fixes.empty())
        finding.fixes.push_back(fitting_release(object, objects()[*first.provider], first.name));
      return report_.findings.push_back(std::move(finding));
    }
    if (first.provider && finding.fixes.empty()) add_build_for(object, objects()[*first.provider], finding);
    auto together =
        fmt::format("take builds of {} and {} that belong together", short_name(object), first.version_file);
    if (first.provider && parent_path(objects()[*first.provider].path) != parent_path(object.path))
      together += fmt::format(": the one is in {}, the other in {}", windows_folder_of(given_, object.path),
                              windows_folder_of(given_, objects()[*first.provider].path));
    finding.fixes.push_back({std::move(together), "", ""});
    report_.findings.push_back(std::move(finding));
  }

  /// The function is one that only the DLL of an assembly has: what the manifest of the program lacks. A file beside
  /// the program takes the place of a manifest, where it has none in it. Source: Microsoft, Application manifests.
  bool tell_assembly(const Object& object, const MissingSymbol& missing, Finding& finding) const {
    const auto assembly = assembly_with(missing.name);
    if (!assembly || folded(windows_file_name(missing.version_file)) != assembly->dll) return false;
    const auto* program = objects().front().main_program ? &objects().front() : nullptr;
    const auto name = program != nullptr ? short_name(*program) : "the program that loads " + short_name(object);
    finding.message += fmt::format(
        "; the one of {} {} has it, which Windows gives to a program whose manifest names that assembly, "
        "and the manifest of {} does not",
        assembly->assembly, assembly->version, name);
    finding.evidence.push_back(
        {fmt::format("only the {} of {} {} has {}", assembly->dll, assembly->assembly, assembly->version, missing.name),
         "", Basis::table, assembly->source});
    Fix fix{fmt::format("give {} a manifest that names {} {} when it is built; who does not build it takes another "
                        "release of it",
                        name, assembly->assembly, assembly->version),
            "", ""};
    if (program != nullptr && program->image && program->image->pe && program->image->pe->manifests.empty()) {
      const auto file =
          windows_join(windows_folder_of(given_, program->path), std::string(file_name(program->path)) + ".manifest");
      fix.command = fmt::format(
          "powershell -Command \"Set-Content '{}' '<assembly xmlns=''urn:schemas-microsoft-com:asm.v1'' "
          "manifestVersion=''1.0''><dependency><dependentAssembly><assemblyIdentity type=''win32'' name=''{}'' "
          "version=''{}'' processorArchitecture=''*'' publicKeyToken=''{}'' language=''*''/></dependentAssembly>"
          "</dependency></assembly>'\"",
          file, assembly->assembly, assembly->version, assembly->token);
      fix.title += "; until then, as it has none, one beside it does";
    }
    finding.fixes.push_back(std::move(fix));
    return true;
  }

  /// Whether the headers date a file a month and more before the other one; false where they do not say: linkers may
  /// write 0 or a hash there. Source: Microsoft, PE Format, TimeDateStamp; MSVC linker, /Brepro.
  static bool is_built_before(const Object& file, const Object& other) {
    constexpr std::uint32_t year_2000 = 946684800, year_2030 = 1893456000, month = 30 * 24 * 60 * 60;
    if (!file.image->pe || !other.image->pe) return false;
    const auto one = file.image->pe->timestamp, two = other.image->pe->timestamp;
    return one >= year_2000 && two < year_2030 && one + month < two;
  }

  /// A plug-in and the program that opens it are of different releases: what has to be newer is mostly the program,
  /// which lacks the function.
  static Fix fitting_release(const Object& plugin, const Object& program, const std::string& function) {
    const auto name = short_name(plugin), host = short_name(program);
    if (is_built_before(plugin, program))
      return {fmt::format("use a newer {}, made for this {}, which was built later; or the release of {} that it was "
                          "made for",
                          name, host, host),
              "", ""};
    return {fmt::format("use a newer {}, which has {}; or the release of {} for this one", host, function, name), "",
            ""};
  }

  /// Of two files of one system whose packages go together one is of an earlier release.
  void add_upgrade(const Object& object, const Object& provider, Finding& finding) const {
    const auto& files = given_.store.images.files();
    for (const auto& system : rolling_packages()) {
      const auto prefix = rolling_prefix_of(system, object.path, files);
      if (prefix.empty() || prefix != rolling_prefix_of(system, provider.path, files)) continue;
      finding.evidence.push_back({fmt::format("both are in {}, whose packages are only upgraded together", system.name),
                                  "", Basis::table, system.source});
      finding.fixes.push_back(
          {fmt::format("bring all packages of {} to one release, in its shell", system.name), system.command, ""});
    }
  }

  /// An extension module that is compiled against another package of Python, as those of PyTorch, and for another
  /// release of it: what compiles it again where its source is, or installs its newest release.
  void add_build_for(const Object& module, const Object& provider, Finding& finding) const {
    if (!provider.package || !is_distribution_name(provider.package->name) || !folded(module.path).ends_with(".pyd"))
      return;
    auto& images = given_.store.images;
    const Installer installer(report_, module, images.files());
    const std::string folder(parent_path(module.path));
    const auto& owner = provider.package->name;
    if (is_file(images.files(), folder + "/setup.py"))
      finding.fixes.push_back({fmt::format("compile {} again, for the {} that is installed", short_name(module), owner),
                               fmt::format("cd /d {}\n{} setup.py build_ext --inplace --force",
                                           windows_word(windows_folder_of(given_, module.path)), installer.python()),
                               "it needs the Build Tools of Visual Studio"});
    else if (module.package && is_distribution_name(module.package->name) && module.package->name != owner)
      finding.fixes.push_back({fmt::format("use a newer {}, made for this {}", module.package->name, owner),
                               installer.install() + "--upgrade " + module.package->name, ""});
  }

  /// The runtime of a compiler, of which the table says what it means that a function is missing.
  void add_runtime(const std::string& dll, Finding& finding) const {
    const std::string name(windows_file_name(dll));
    const auto installer = installer_of(folded(name));
    if (!installer || installer->lacks.empty()) return;
    finding.message += "; " + installer->lacks;
    finding.evidence.push_back({dll + ": " + installer->says, "", Basis::table, installer->source});
    const PlaceOfDll place{"the program", std::string(windows_folder(report_.resolution.objects.front().load_name))};
    for (auto& fix : ways_to_bring(*installer, name, place, machine_name(report_.resolution.machine)))
      finding.fixes.push_back(std::move(fix));
  }

  /// A load that fails for a DLL that is missing does not come to the functions.
  static std::string consequence(const MissingSymbol& missing, const std::string& error) {
    using namespace windows_error_number;
    const int code = missing.name.starts_with('#') ? invalid_ordinal : procedure_not_found;
    const auto text = windows_error_text(code);
    const bool told = error.find(text.substr(0, text.size() - 1)) != std::string::npos ||
                      error.find("could not be located") != std::string::npos;
    return told ? error : fmt::format("After fixing the other causes, error {}: {}", code, text);
  }

  /// A name that is loaded already is not searched for: a module of the name of the DLL that it needs gets itself.
  /// Source: Microsoft, Dynamic-Link Library Search Order, "loaded-module list".
  static void tell_own_name(const Object& module, const std::string& dll, Finding& finding) {
    finding.message +=
        fmt::format("; {} is already loaded under that name, and answers its own import", module.load_name);
    finding.evidence.push_back({"a DLL whose name is in the list of loaded modules is not searched for", "",
                                Basis::rule, "Microsoft, Dynamic-Link Library Search Order"});
    finding.fixes.push_back(
        {fmt::format("give {} another name, or link {} statically into it", module.load_name, dll), "", ""});
  }

  /// Which file answered, by which rule, and what else there is of that name.
  void tell_provider(ObjectId provider, Functions functions, Finding& finding) {
    const auto& dll = objects()[provider];
    if (is_cut_short(*dll.image)) {
      finding.message =
          fmt::format("{} was cut short: its table of functions is not in the file, and {} imports {} from it",
                      short_name(dll), short_name(objects()[functions.front()->object]), functions.front()->name);
      finding.fixes.push_back({fmt::format("copy, download or install {} again, as a whole", dll.load_name), "", ""});
    }
    const auto* how = edge_that_loaded(provider);
    const auto rule = how != nullptr ? how->rule : SearchRule::path;
    finding.evidence.push_back({fmt::format("the {} that answers is {}, found {}{}", short_name(dll), dll.load_name,
                                            words_of(rule), loaded_before(provider, functions.front()->object)),
                                dll.path, Basis::proven, ""});
    if (const auto plain = undecorated_export(dll, functions.front()->name); !plain.empty()) {
      tell_decorated(dll, *functions.front(), plain, finding);
      return;
    }
    for (const auto& copy : near_dlls(given_, short_name(dll)))
      if (copy.exact && copy.path != dll.path) tell_copy(copy, dll, functions, finding);
    if (finding.fixes.empty()) tell_other_installation(dll, functions, finding);
    const auto name = folded(windows_file_name(dll.load_name));
    const auto* host = given_.windows;
    if (host == nullptr || host->has_files || !is_before_system(rule) || !is_in_system32(name)) return;
    const auto own = windows_join(host->system(), std::string(windows_file_name(dll.load_name)));
    finding.evidence.push_back({fmt::format("{} is part of Windows, and comes later in the search", own), "",
                                Basis::table, windows_names_source()});
    add_move(dll, own, "if it is the one that is meant", finding);
  }

  /// The export of a DLL that a decorated name means, "CertCloseStore" for CertCloseStore@8 and _CertCloseStore@8;
  /// empty if there is none. Source: Microsoft, Decorated names, "Format of a C decorated name".
  std::string undecorated_export(const Object& dll, const std::string& name) {
    const auto at = name.rfind('@');
    if (at == std::string::npos || at == 0 || at + 1 == name.size() || name.front() == '?' ||
        name.find_first_not_of("0123456789", at + 1) != std::string::npos)
      return "";
    auto plain = name.substr(0, at);
    MissingSymbol wanted;
    for (const bool underscore : {false, true}) {
      if (underscore && !plain.starts_with('_')) return "";
      wanted.name = underscore ? plain.substr(1) : plain;
      const MissingSymbol* one[] = {&wanted};
      if (has_all(dll.path, one).value_or(false)) return wanted.name;
    }
    return "";
  }

  void tell_decorated(const Object& dll, const MissingSymbol& missing, const std::string& plain, Finding& finding) {
    const auto asker = short_name(objects()[missing.object]);
    finding.message +=
        fmt::format("; it has {}: {} was linked with an import library whose names are decorated", plain, asker);
    finding.evidence.push_back({fmt::format("{} exports {}", short_name(dll), plain), dll.path, Basis::proven, ""});
    finding.fixes.push_back({fmt::format("link {} again, with the import library of {} that has plain names (dlltool "
                                         "--kill-at makes such a one)",
                                         asker, short_name(dll)),
                             "", ""});
  }

  /// The same DLL of another release of what it belongs to, as that of R 4 beside R 3: the importer is made for that.
  void tell_other_installation(const Object& dll, Functions functions, Finding& finding) {
    const auto asker = short_name(objects()[functions.front()->object]);
    for (const auto& other : in_other_installations(dll.path, given_.store.images)) {
      if (!has_all(other, functions).value_or(false)) continue;
      const auto file = windows_join(windows_folder_of(given_, other), std::string(file_name(other)));
      finding.message += fmt::format("; {} of another release has it, for which {} is made", file, asker);
      finding.evidence.push_back({file + " has what is missing", other, Basis::proven, ""});
      finding.fixes.push_back({fmt::format("install or build {} again for {}, or use it with the release that it is "
                                           "made for",
                                           asker, dll.load_name),
                               "", ""});
      return;
    }
  }

  /// Whether a section lies behind the end of the file.
  static bool is_cut_short(const Image& image) {
    const auto is_outside = [&](const PeSection& section) {
      return std::uint64_t{section.offset} + section.file_size > image.file_size;
    };
    return image.pe && std::any_of(image.pe->sections.begin(), image.pe->sections.end(), is_outside);
  }

  /// The first edge by which the object came into the process.
  const Edge* edge_that_loaded(ObjectId id) const {
    for (const auto& object : objects())
      for (const auto& edge : object.edges)
        if (edge.object == id && edge.status == EdgeStatus::loaded) return &edge;
    return nullptr;
  }

  /// "; a.dll had loaded it before", where it is not the requester itself that brought it in.
  std::string loaded_before(ObjectId id, ObjectId user) const {
    for (const auto& object : objects())
      for (const auto& edge : object.edges)
        if (edge.object == id && edge.status == EdgeStatus::loaded && &object != &objects()[user])
          return fmt::format(" before, for {}", edge.asked_at.empty() ? short_name(object) : edge.asked_at);
    return "";
  }

  void tell_copy(const NearDll& copy, const Object& dll, Functions functions, Finding& finding) {
    const auto has = has_all(copy.path, functions);
    if (!has) return;
    const auto file = windows_join(copy.folder, std::string(file_name(copy.path)));
    finding.evidence.push_back(
        {fmt::format("{} {}", file, *has ? "has what is missing" : "lacks it as well"), copy.path, Basis::proven, ""});
    if (*has && finding.fixes.empty()) finding.message += fmt::format("; {} does", file);
    if (*has && is_of_windows(dll)) add_copy(functions.front()->object, file, finding);
    if (*has) add_first_in_path(dll, copy.folder, finding);
    if (*has && serves_its_own(dll, functions.front()->object))
      tell_other_owner(dll, *functions.front(), finding);
    else if (*has)
      add_move(dll, file, "", finding);
  }

  /// What PATH leads to: the directory that has the right one comes first there.
  void add_first_in_path(const Object& dll, const std::string& folder, Finding& finding) const {
    const auto* how = edge_that_loaded(static_cast<ObjectId>(&dll - objects().data()));
    if (how == nullptr || how->rule != SearchRule::path_variable) return;
    finding.fixes.push_back({fmt::format("let {} come first in PATH", folder),
                             fmt::format("set {}", windows_word("PATH=" + folder + ";%PATH%")),
                             "for this console and what it starts, which then takes other DLLs from there as well"});
  }

  /// Whether another file of the same directory had loaded the DLL: it belongs there, and moved away that file fails.
  bool serves_its_own(const Object& dll, ObjectId user) const {
    return std::any_of(objects().begin(), objects().end(), [&](const Object& object) {
      return &object != &objects()[user] && !object.main_program && &object != &dll &&
             parent_path(object.path) == parent_path(dll.path) &&
             std::any_of(object.edges.begin(), object.edges.end(), [&](const Edge& edge) {
               return edge.object && &objects()[*edge.object] == &dll && edge.status == EdgeStatus::loaded;
             });
    });
  }

  /// Of two installations in one process, the file that came second is to be taken from the first.
  void tell_other_owner(const Object& dll, const MissingSymbol& missing, Finding& finding) {
    const auto& user = objects()[missing.object];
    const auto own = std::string(windows_folder(dll.load_name));
    const auto fitting = below(std::string(parent_path(dll.path)), std::string(file_name(user.path)));
    if (fitting.empty()) {
      add_import_order(dll, user, finding);
      if (auto order = other_load_order(given_, dll, user)) finding.fixes.push_back(*std::move(order));
      finding.fixes.push_back({fmt::format("take the {} that belongs to {}, or load what {} is made for first",
                                           short_name(user), own, short_name(user)),
                               "", ""});
      return;
    }
    const auto file = windows_join(windows_folder_of(given_, fitting), std::string(file_name(fitting)));
    finding.evidence.push_back({file + " is the one that belongs to it", fitting, Basis::proven, ""});
    finding.fixes.push_back({fmt::format("let the program take {}: of plug-ins, its search path has to name that "
                                         "directory (of Qt, QT_PLUGIN_PATH the one above)",
                                         file),
                             "", ""});
  }

  /// Of two packages of Python with a DLL of one name, the copy that is loaded first serves both: that of the other
  /// package may do so.
  void add_import_order(const Object& dll, const Object& user, Finding& finding) const {
    const auto first = package_above(user.path), second = package_above(dll.path);
    if (first.empty() || second.empty() || first == second) return;
    finding.fixes.push_back(
        {fmt::format("import {} before {}: its {} is then the one that both get", first, second, short_name(dll)),
         fmt::format("python -c {}", windows_word(fmt::format("import {}, {}", first, second))),
         "in the program, above the other imports"});
  }

  /// "h5py" of ...\\site-packages\\h5py\\defs.pyd; empty for files outside of packages.
  static std::string package_above(const std::string& path) {
    constexpr std::string_view site = "/site-packages/";
    const auto at = path.rfind(site);
    if (at == std::string::npos) return "";
    const auto name = path.substr(at + site.size(), path.find('/', at + site.size()) - at - site.size());
    return name.find('.') == std::string::npos ? name : "";
  }

  /// A file of that name in directories below one, such as plugins\\platforms; empty if there is none.
  std::string below(const std::string& folder, const std::string& name) {
    constexpr std::size_t most_folders = 200;
    auto& images = given_.store.images;
    std::vector<std::string> folders{folder};
    for (std::size_t i = 0; i < folders.size(); ++i)
      for (const auto& entry : images.list(folders[i])) {
        auto each = folders[i] + "/" + entry;
        if (folded(entry) == folded(name)) return each;
        if (entry.find('.') == std::string::npos && folders.size() < most_folders && images.folder_exists(each))
          folders.push_back(std::move(each));
      }
    return "";
  }

  bool is_of_windows(const Object& dll) const {
    const auto folder = folded(std::string(windows_folder(dll.load_name)));
    return given_.windows != nullptr && folder == folded(given_.windows->system());
  }

  /// Whether the DLL is one that comes with Windows, in its directory: not a runtime or another program's that lies
  /// there.
  bool is_part_of_windows(const Object& dll) const {
    const auto name = folded(windows_file_name(dll.load_name));
    return is_of_windows(dll) && is_in_system32(name) && !installer_of(name) && !added_later(name);
  }

  /// The directories of the program and of the file that is loaded come before those of Windows, whose files belong to
  /// others as well; which of them are searched hangs on the load.
  void add_copy(ObjectId user, const std::string& file, Finding& finding) const {
    if (is_known_dll(folded(windows_file_name(file)))) return;
    for (const auto* place : {&objects().front(), &objects()[user]}) {
      const auto folder = std::string(windows_folder(place->load_name));
      if (folded(folder) == folded(std::string(windows_folder(file)))) continue;
      Fix fix{fmt::format("copy it beside {}, where it is found first", short_name(*place)),
              fmt::format("copy {} {}", windows_word(file), windows_word(folder)), ""};
      if (finding.fixes.empty() || finding.fixes.back().command != fix.command) finding.fixes.push_back(std::move(fix));
    }
  }

  void add_move(const Object& dll, const std::string& other, const std::string& doubt, Finding& finding) {
    const auto name = std::string(windows_file_name(dll.load_name));
    finding.fixes.push_back(
        {fmt::format("move {} out of the way, so that {} is found{}", name, other, doubt.empty() ? "" : ", " + doubt),
         fmt::format("ren {} {}", windows_word(dll.load_name), windows_word(name + ".off")),
         fmt::format("what needs the moved file fails then{}",
                     given_.windows != nullptr && given_.windows->python_minor != 0
                         ? "; a virtual environment of its own (python -m venv) avoids both"
                         : "")});
  }

  /// Whether a file exports all these functions; nullopt if its table cannot be read.
  std::optional<bool> has_all(const std::string& path, Functions functions) {
    auto& images = given_.store.images;
    const auto& opened = images.open(path);
    const auto file = images.files().open(path);
    if (opened.error || !file) return std::nullopt;
    Budget budget(limits_of_one_file);
    const auto symbols = read_pe_symbols(**file, *opened.image, budget);
    if (!images.budget().add(budget) || !symbols.defects.empty()) return std::nullopt;
    return std::all_of(functions.begin(), functions.end(), [&](const MissingSymbol* missing) {
      return std::any_of(symbols.exports.begin(), symbols.exports.end(), [&](const ExportedFunction& one) {
        return missing->name == (missing->name.starts_with('#') ? fmt::format("#{}", one.ordinal) : one.name);
      });
    });
  }

  const Case& given_;
  Report& report_;
};

}  // namespace

void check_windows_functions(const Case& given) { MissingFunctions(given).run(); }

}  // namespace cudald
