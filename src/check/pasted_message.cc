#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "binary/constants/read_only_data.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/near_dlls.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_again.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/host_of_module.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/library_fixes.h"
#include "check/fixes/package_releases.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/whereabouts.h"
#include "check/fixes/windows_fixes.h"
#include "check/packages/imports.h"
#include "check/packages/message_names.h"
#include "knowledge/gpu_use.h"
#include "knowledge/known_packages.h"
#include "knowledge/linux_names.h"
#include "knowledge/providers.h"
#include "machine/windows_host.h"
#include "package/dist_info.h"

namespace cudald {
namespace {

/// Whether a finding is about a library that is missing.
bool is_of_missing_library(const Finding& finding) {
  constexpr std::string_view codes[] = {"CUD101", "CUD102", "CUD103", "CUD106", "CUD111", "CUD119", "CUD501"};
  return std::find(std::begin(codes), std::end(codes), finding.code) != std::end(codes);
}

bool is_listed(const Finding& finding, const MessageReading& message) {
  return std::find(message.findings.begin(), message.findings.end(), finding.code) != message.findings.end();
}

/// The symbol of the message, among those that a finding is about; nullptr if it is none of them.
const MissingSymbol* symbol_of_message(const Report& report, const MessageReading& message, const Finding& finding) {
  if (message.symbol.empty() || finding.code != "CUD201" || !finding.object || !report.symbols) return nullptr;
  const auto& missing = report.symbols->missing;
  const auto named = std::find_if(missing.begin(), missing.end(), [&](const MissingSymbol& symbol) {
    return symbol.object == finding.object && symbol.name == message.symbol;
  });
  return named == missing.end() ? nullptr : &*named;
}

/// Whether a finding of the files tells of what the message names, or, if it names no library, of what it proves.
bool explains(const Finding& finding, const MessageReading& message, const Report& report) {
  if (finding.level == Level::note) return false;
  if (is_listed(finding, message)) return true;
  if (!message.symbol.empty() && finding.subject == message.symbol) return true;
  if (symbol_of_message(report, message, finding) != nullptr) return true;
  if (!message.library.empty()) {
    const bool needed_by_it = finding.object && is_of_missing_library(finding) &&
                              folded(short_name(report.resolution.objects[*finding.object])) == folded(message.library);
    return needed_by_it || folded(finding.subject) == folded(message.library) ||
           finding.message.find(message.library) != std::string::npos;
  }
  if (!message.symbol.empty()) return false;
  const auto effect = traits_of(finding).verdict;
  return message.effect == MessageEffect::cpu_only
             ? effect == VerdictEffect::cpu_only || finding.code.starts_with("CUD1")
             : effect != VerdictEffect::cpu_only;
}

/// Where the library that the message names is found by this process; empty if it is not.
std::string found_at(const Report& report, const std::string& library) {
  for (const auto& object : report.resolution.objects)
    for (const auto* edges : {&object.edges, &object.may_open})
      for (const auto& edge : *edges) {
        if (edge.name != library && file_name(edge.name) != library) continue;
        if (edge.object) return report.resolution.objects[*edge.object].path;
        if (edge.status == EdgeStatus::not_loaded && !edge.search.probes.empty()) return edge.search.probes.back().path;
      }
  return "";
}

/// Who asks for a library, and the request that finds none.
struct Asker {
  ObjectId object = 0;
  const Edge* edge = nullptr;
};

Asker asker_of(const Report& report, const std::string& library) {
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto* edges : {&objects[id].edges, &objects[id].may_open})
      for (const auto& edge : *edges)
        if (folded(edge.name) == folded(library) || file_name(edge.name) == library) return {id, &edge};
  return {};
}

/// The path at which a message names a library; empty if it names it otherwise.
std::string path_in(const MessageReading& message) {
  const auto end = message.library.empty() ? std::string::npos : message.text.find("/" + message.library);
  if (end == std::string::npos) return "";
  const auto before = message.text.find_last_of(" '\"(", end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return message.text.substr(begin, end + 1 + message.library.size() - begin);
}

/// Where the library that the message names lies, if no request here leads to it: in the packages of the prefix, beside
/// what is loaded, in a toolkit. Empty if it is nowhere.
std::string installed_at(const Case& given, const MessageReading& message) {
  const auto& report = given.report;
  const auto& library = message.library;
  const auto& objects = report.resolution.objects;
  if (library.empty() || !found_at(report, library).empty()) return "";
  if (path_in(message).starts_with('/')) return "";  // no search leads elsewhere
  if (report.resolution.windows) {
    for (const auto& near : near_dlls(given, library))
      if (near.exact) return near.path;
    return "";
  }
  const auto asker = asker_of(report, library);
  if (asker.object >= objects.size() || !objects[asker.object].image) return "";
  const Edge none;
  const auto& edge = asker.edge == nullptr ? none : *asker.edge;
  for (const auto& where : find_whereabouts(library, asker.object, edge, report, given.store.images))
    if (where.exact_name && where.fits) return where.path;
  return "";
}

/// The driver's own library, also by the name for linking.
bool is_of_driver(const std::string& library) { return library == "libcuda.so" || is_driver_library(library); }

std::string message_of(const Case& given, const MessageReading& message) {
  const auto& report = given.report;
  const auto& library = message.library;
  if (!message.other_path.empty() && message.named_path.empty())
    return fmt::format("{}; the program is {}", message.means, message.other_path);
  if (library.empty()) return fmt::format("the message proves what the files cannot show: {}", message.means);
  if (!message.other_path.empty())
    return fmt::format("the message proves that {} was to be opened, which is not there; {} is", message.named_path,
                       message.other_path);
  if (const auto path = found_at(report, library); path.starts_with("(driver "))
    return fmt::format(
        "the message proves that {}, a part of the driver, was not there: a container gets only the parts that "
        "NVIDIA_DRIVER_CAPABILITIES names",
        library);
  else if (!path.empty())
    return fmt::format(
        "the message proves that {} was not usable; here it is found at {}, so that the message comes "
        "from another environment, or a library that it needs was missing",
        library, path);
  if (const auto path = installed_at(given, message); !path.empty())
    return fmt::format("the message proves that {} was not found; it is here, in {}, which is not searched for it",
                       library, parent_path(path));
  const auto who = message.needed_by.empty() ? "" : message.needed_by + " needs ";
  if (is_of_driver(library))
    return fmt::format("the message proves that {}{}, which belongs to the NVIDIA driver{}not found", who, library,
                       who.empty() ? ", was " : " and was ");
  if (asker_of(report, library).edge != nullptr)
    return fmt::format("{} is missing, as the message says: no directory that is searched for it has it", library);
  if (!who.empty()) return fmt::format("the message proves that {}{}, which was not found", who, library);
  return fmt::format("the message proves that something opens {} and does not find it; no file here names it", library);
}

/// A part of what is installed that is not there, as it comes with a package of its own.
bool add_separate_part(const Case& given, const MessageReading& message, Finding& finding) {
  const auto path = path_in(message);
  const auto part = separate_part(path);
  const auto& images = given.store.images;
  if (!part || given.report.resolution.windows || is_file(images.files(), path) ||
      !given.store.images.folder_exists(std::string(parent_path(path))))
    return false;
  const SystemPackages system(given.store.images);
  finding.message =
      fmt::format("the message proves that {} was to be opened, and it is not there; {}", path, part->says);
  finding.evidence.push_back({part->says, path, Basis::table, part->source});
  for (const auto& [word, package] : part->packages)
    if (const auto command = system.is(word) ? system.install(package) : ""; !command.empty()) {
      finding.fixes.push_back({fmt::format("install {}, which has it", package), command, ""});
      return true;
    }
  finding.fixes.push_back({"install the package that has it", "", ""});
  return true;
}

/// Which file holds the text of the message: what printed it.
void add_speaker(const Report& report, const MessageReading& message, Store& store, Finding& finding) {
  constexpr std::size_t least_telling = 12;
  constexpr std::uint64_t most_of_file = std::uint64_t{64} << 20, most = std::uint64_t{512} << 20;
  if (message.fixed_text.size() < least_telling) return;
  std::uint64_t looked_at = 0;
  for (const auto& object : report.resolution.objects) {
    if (!object.image || object.image->source != ImageSource::file || looked_at > most) continue;
    const auto file = store.packages.open(object.path);
    if (!file) continue;
    looked_at += std::min(object.image->file_size, most_of_file);
    const auto place = find_constant_part(**file, *object.image, message.fixed_text, most_of_file);
    if (!place) continue;
    finding.evidence.push_back(
        {fmt::format("its text \"{}\" is at offset {:#x} of {}", message.fixed_text, *place, short_name(object)),
         object.path, Basis::proven, ""});
    return;
  }
}

/// "libnvrtc.so" is the name for linking, which packages for running leave out: a link to what is there gives it.
void add_link(const Edge& edge, const std::string& library, Store& store, Finding& finding) {
  for (const auto& probe : edge.search.probes) {
    const std::string folder(parent_path(probe.path));
    const auto names = store.images.files().list(folder);
    if (!names) continue;
    for (const auto& name : *names) {
      const auto digits = std::string_view(name).substr(std::min(name.size(), library.size() + 1));
      if (!name.starts_with(library + ".") || digits.empty() ||
          digits.find_first_not_of("0123456789.") != std::string_view::npos)
        continue;
      finding.evidence.push_back({fmt::format("{} has {}", folder, name), folder + "/" + name, Basis::proven, ""});
      finding.fixes.push_back({"give the installed library its link name, under which it is needed",
                               fmt::format("sudo ln -s {} {}", shell_word(name), shell_word(folder + "/" + library)),
                               ""});
      return;
    }
  }
}

/// The same where the file lies in a package or directory which no search leads to, and where who asks is not known.
bool add_link_to_installed(const Case& given, const Asker& asker, const std::string& library, Finding& finding) {
  const auto& report = given.report;
  if (asker.object >= report.resolution.objects.size() || !report.resolution.objects[asker.object].image) return false;
  Edge by_name;
  by_name.name = library;
  const auto& edge = asker.edge == nullptr ? by_name : *asker.edge;
  const auto found = find_whereabouts(library, asker.object, edge, report, given.store.images);
  const auto* target = linker_target(edge, found);
  if (target == nullptr) return false;
  const std::string folder(parent_path(target->path)), name(file_name(target->path));
  finding.message += fmt::format("; {} has {}", folder, name);
  finding.evidence.push_back({fmt::format("{} has {}", folder, name), target->path, Basis::proven, ""});
  auto link = fmt::format("ln -s {} {}", shell_word(name), shell_word(folder + "/" + library));
  if (is_system_path(folder)) link = SystemPackages(given.store.images).as_root(link);
  finding.fixes.push_back(
      {"give the installed library its link name, under which it is needed, and let the search find it",
       link + "\n" + export_search_path({shell_folder(folder)}), "for this shell only"});
  return true;
}

/// The file beside another one that is a library under its number, or under a wheel's name for it: libnvrtc.so.11.2 or
/// libnvrtc-672ee683.so.11.2 for libnvrtc.so; empty if there is none.
std::string numbered_beside(const std::string& folder, const std::string& library, ImageStore& images) {
  for (const auto& entry : images.list(folder)) {
    const auto own = original_name(entry);
    if (own.starts_with(library + ".") && own.find_first_not_of("0123456789.", library.size() + 1) == std::string::npos)
      return entry;
  }
  return "";
}

/// A file that the message names opens a library by the name for linking, and has it beside itself under another one.
/// Source: github.com/facefusion/facefusion-docker issue 9, of cuDNN 8 in PyTorch's wheels.
bool add_link_beside_opener(const Case& given, const MessageReading& message, Finding& finding) {
  const auto& report = given.report;
  const auto& library = message.library;
  if (!library.ends_with(".so")) return false;
  for (const auto& object : report.resolution.objects) {
    const auto& path = object.path;
    if (!object.image || message.text.find(file_name(path)) == std::string::npos) continue;
    const std::string folder(parent_path(path));
    const auto name = folder.size() < 2 ? "" : numbered_beside(folder, library, given.store.images);
    if (name.empty()) continue;
    const auto& elf = object.image->elf;
    const auto list = elf.runpath.value_or(elf.rpath.value_or(""));
    finding.message = fmt::format("{} opens {}, and {} has it as {}", file_name(path), library, folder, name);
    finding.evidence.push_back({fmt::format("{} has {}", folder, name), folder + "/" + name, Basis::proven, ""});
    auto link = fmt::format("ln -s {} {}", shell_word(name), shell_word(folder + "/" + library));
    if (is_system_path(folder)) link = SystemPackages(given.store.images).as_root(link);
    if ((":" + list + ":").find(":$ORIGIN:") == std::string::npos)
      link += "\n" + export_search_path({shell_folder(folder)});
    finding.fixes.push_back({fmt::format("give it the name by which {} asks for it", file_name(path)), link, ""});
    return true;
  }
  return false;
}

/// The packages that carry it, for a message of which nobody here is known to ask.
void add_providers(const Case& given, const std::string& library, Finding& finding) {
  const auto& report = given.report;
  const auto place = place_of_packages(given.report);
  const auto install = Installer(report, place, given.store.images.files()).install();
  for (const auto& provider : providers_of(library, knowledge_of(report))) {
    finding.fixes.push_back({fmt::format("{} {} exactly this file", provider.distribution, carries(provider)),
                             install + provider.requirement,
                             fmt::format("it lands in site-packages/{}: if the message stays, that directory has to be "
                                         "named in LD_LIBRARY_PATH",
                                         provider.folder)});
    finding.evidence.push_back(
        {fmt::format("{} {} {} {}", provider.distribution, provider.version, carries(provider), library), "",
         Basis::table, provider.source});
  }
}

void add_fixes_of_library(const Case& given, const MessageReading& message, Finding& finding) {
  const auto& library = message.library;
  auto& report = given.report;
  const auto asker = asker_of(report, library);
  const bool link_name = library == "libcuda.so";
  if (link_name && add_link_to_installed(given, asker, library, finding)) return;
  if (link_name || library == "libcuda.so.1") {
    for (auto& fix : driver_fixes(given.store.images)) finding.fixes.push_back(std::move(fix));
    return;
  }
  if (asker.edge == nullptr) {
    if (!report.resolution.windows && add_link_beside_opener(given, message, finding)) return;
    if (!report.resolution.windows) add_providers(given, library, finding);
    if (!report.resolution.windows && finding.fixes.empty() && library.find(".so.") != std::string::npos)
      if (auto fix = system_fix(library, SystemPackages(given.store.images), knowledge_of(report)))
        finding.fixes.push_back(*std::move(fix));
    return;
  }
  finding.object = asker.object;
  if (report.resolution.windows)
    WindowsFixes(given).add_fixes(*asker.edge, nullptr, {}, finding);
  else if (library.ends_with(".so")) {
    add_link(*asker.edge, library, given.store, finding);
    if (finding.fixes.empty() && !add_link_to_installed(given, asker, library, finding))
      add_link_beside_opener(given, message, finding);
  } else
    LibraryFixes(report, given.store).add_installs(*asker.edge, finding);
}

/// A call that opens a DLL by its name alone comes to the directories of PATH, where what the DLL needs is found as
/// well.
void add_fix_of_near_dll(const Case& given, const std::string& path, Finding& finding) {
  const auto folder = windows_folder_of(given, path);
  finding.fixes.push_back(
      {fmt::format("{} is in {}: let the search come there; for this console only", file_name(path), folder),
       fmt::format("set {}", windows_word("PATH=" + folder + ";%PATH%")), ""});
}

/// What makes a library found that is there: what the message's own row says, else its directory in the search.
void add_fix_of_installed(const std::string& path, const MessageReading& message, Finding& finding) {
  const std::string folder(parent_path(path));
  if (message.found_command.empty()) {
    finding.fixes.push_back({"let the loader search its directory; for this shell only",
                             export_search_path({shell_folder(folder)}),
                             "every program started from it then prefers the libraries in that directory"});
    return;
  }
  auto command = message.found_command;
  replace_all(command, "{folder}", shell_word(folder));
  replace_all(command, "{toolkit}", shell_word(std::string(parent_path(parent_path(folder)))));
  finding.fixes.push_back({message.found_fix, std::move(command), "for this shell only"});
}

/// Whether the message says that a library is missing.
bool is_of_lacking_library(const MessageReading& message) {
  return std::find(message.findings.begin(), message.findings.end(), "CUD101") != message.findings.end();
}

/// Of conda on Windows, what lies in Library is found because the environment is activated; which releases of its
/// Python look there by themselves hangs on their build. Source: conda, Troubleshooting, "NumPy MKL library load
/// failed"; github.com/numpy/numpy issue 14172.
bool add_activation(const Case& given, const MessageReading& message, Finding& finding) {
  const auto* host = given.windows;
  if (host == nullptr || !host->conda || !message.library.empty() || !is_of_lacking_library(message)) return false;
  const auto library = folded(windows_join(host->application, "Library"));
  for (const auto& object : given.report.resolution.objects) {
    if (!folded(object.load_name).starts_with(library + "\\")) continue;
    finding.message = fmt::format(
        "the message proves that a DLL was not found; {} is in {}, to which the activated "
        "environment leads",
        short_name(object), windows_folder_of(given, object.path));
    finding.evidence.push_back({object.load_name + " is loaded", object.path, Basis::proven, ""});
    finding.fixes.push_back(
        {"activate the environment before Python is started", "conda activate " + windows_word(host->application), ""});
    return true;
  }
  return false;
}

/// An add-on of Node that was compiled in its place, and that Windows finds with all that it needs: of such a message
/// the most usual cause is that it was compiled for another program or release. Source: Electron, Native Node Modules;
/// github.com/electron/electron issues 10193 and 11853.
void add_add_on(const Report& report, const MessageReading& message, Finding& finding) {
  if (!report.resolution.windows || !message.library.empty()) return;
  const auto& objects = report.resolution.objects;
  for (const auto& target : report.resolution.targets) {
    if (target.kind != TargetKind::dlopen || !target.object) continue;
    const auto& add_on = objects[*target.object];
    auto again = add_on_again(add_on.load_name, "", objects.front().load_name);
    if (!again) continue;
    finding.message = fmt::format(
        "the message proves that {} is found and does not start: in most cases it is compiled for another program than "
        "{}, or for another release",
        short_name(add_on), short_name(objects.front()));
    finding.fixes.push_back(*std::move(again));
    return;
  }
}

/// What the table says helps. What pip installs belongs to the environment whose Python imports.
Fix fix_of_table(const Case& given, const MessageReading& message) {
  Fix fix{message.fix, message.command, ""};
  Object importer;
  for (const auto& import : given.report.resolution.imports)
    if (importer.path.empty()) importer.path = place_in_packages(import);
  if (importer.path.empty()) return fix;
  fix.command = Installer(given.report, importer, given.store.images.files()).in_environment(fix.command);
  return fix;
}

/// The same as a further fix, unless its command is there already.
void add_fix_of_table(const Case& given, const MessageReading& message, Finding& finding) {
  if (message.fix.empty()) return;
  auto fix = fix_of_table(given, message);
  const auto is_same = [&](const Fix& one) { return !fix.command.empty() && one.command == fix.command; };
  if (std::none_of(finding.fixes.begin(), finding.fixes.end(), is_same)) finding.fixes.push_back(std::move(fix));
}

/// A file that is there, and whose bytes the disk did not give: what has put it there writes it anew.
/// Source: glibc elf/dl-load.c, open_verify; read(2), EIO.
bool tell_damaged_file(const Case& given, const MessageReading& message, Finding& finding) {
  const auto end = message.text.find(": cannot read file data");
  if (end == std::string::npos || message.text.find("Is a directory") != std::string::npos) return false;
  const auto before = message.text.find_last_of(" '\"", end);
  const auto path = message.text.substr(before == std::string::npos ? 0 : before + 1,
                                        end - (before == std::string::npos ? 0 : before + 1));
  auto& images = given.store.images;
  if (!path.starts_with('/') || !is_file(images.files(), path)) return false;
  const SystemPackages system(images);
  finding.message = fmt::format("{} is there, and could not be read: the disk or its file system has an error", path);
  if (const auto again = is_system_path(path) ? system.again(path) : ""; !again.empty())
    finding.fixes.push_back({"install its package again, which writes the file anew", again, ""});
  else
    finding.fixes.push_back({"put the file there again", "", ""});
  finding.fixes.push_back({"look at what the kernel says of the disk", system.as_root("dmesg --level=err,warn"), ""});
  return true;
}

void add_fixes(const Case& given, const MessageReading& message, Finding& finding) {
  const auto& library = message.library;
  if (tell_damaged_file(given, message, finding) || add_separate_part(given, message, finding) ||
      add_activation(given, message, finding))
    return;
  if (found_at(given.report, library).starts_with("(driver ")) {
    for (auto& fix : driver_fixes(given.store.images, library)) finding.fixes.push_back(std::move(fix));
    return;
  }
  if (!message.other_path.empty()) {
    finding.fixes.push_back(fix_of_table(given, message));
    return;
  }
  if (const auto path = installed_at(given, message); !path.empty()) {
    if (given.report.resolution.windows)
      add_fix_of_near_dll(given, path, finding);
    else
      add_fix_of_installed(path, message, finding);
    add_fix_of_table(given, message, finding);
    return;
  }
  // What is there is not installed once more. A DLL that no package carries is one for the table's own words.
  if (!library.empty() && found_at(given.report, library).empty() &&
      !(given.report.resolution.windows && providers_of(library, knowledge_of(given.report)).empty()))
    add_fixes_of_library(given, message, finding);
  add_add_on(given.report, message, finding);
  add_fix_of_table(given, message, finding);
  if (finding.fixes.empty() && library.empty() && is_of_lacking_library(message))
    finding.fixes.push_back(
        {"name the file that was to be opened, which the message does not: cudald PROGRAM --dlopen FILE", "", ""});
}

/// Whether the message speaks of the library that a note is about: of cuDNN, of libcudnn.so.8.
bool speaks_of(const MessageReading& message, const Finding& note) {
  auto stem = note.subject.substr(0, note.subject.find('.'));
  if (stem.starts_with("lib")) stem.erase(0, 3);
  return !stem.empty() && folded(message.text).find(folded(stem)) != std::string::npos;
}

/// The GPUs and the driver that a build of a framework does not fit, by the message or as they were stated.
BuildNeeds needs_of(const Case& given, const MessageReading& message) {
  const auto& query = given.report.query;
  BuildNeeds needs{query.gpus, ""};
  if (message.unfit_for == UnfitFor::gpu)
    if (const auto gpu = parse_gpu(message.number)) needs.gpus = {*gpu};
  if (const auto driver = driver_release(given); !driver.empty())
    needs.newest_cuda = knowledge_of(given.report).newest_cuda_on(driver, platform_of(given.report));
  else if (message.unfit_for == UnfitFor::driver)
    needs.newest_cuda = message.number;
  return needs;
}

/// Which build of a framework it is that fits neither, and which one does; false if none is known to.
bool tell_unfit_build(const Case& given, const MessageReading& message, Finding& finding) {
  const auto framework = framework_with_builds(given.report);
  if (message.unfit_for == UnfitFor::nothing || !framework) return false;
  const auto needs = needs_of(given, message);
  const auto name = fmt::format("{} {}{}", framework->name, framework->version,
                                framework->cuda.empty() ? "" : fmt::format(" is built for CUDA {}", framework->cuda));
  if (message.unfit_for == UnfitFor::driver && !needs.newest_cuda.empty())
    finding.message = fmt::format("{}{} and the driver is too old for it: it runs CUDA {} at most", name,
                                  framework->cuda.empty() ? "" : ",", needs.newest_cuda);
  if (message.unfit_for == UnfitFor::gpu && !needs.gpus.empty())
    finding.message = fmt::format("{}{} and has no code for {}", name, framework->cuda.empty() ? "" : ",",
                                  to_string(needs.gpus.front()));
  if (needs.gpus.empty() && needs.newest_cuda.empty()) return false;
  const Installer installer(given.report, *framework->object, given.store.images.files());
  auto fix = other_build(framework->name, framework->version, needs, installer, given.store.images.files());
  if (!fix) return false;
  finding.fixes.push_back(std::move(*fix));
  return true;
}

/// "cudnn" of nvidia-cudnn-cu12.
std::string stem_of_nvidia(const std::string& distribution) {
  constexpr std::string_view begin = "nvidia-";
  if (!distribution.starts_with(begin)) return "";
  const auto rest = distribution.substr(begin.size());
  return rest.substr(0, rest.find("-cu1"));
}

/// A part of CUDA that the message speaks of, and that is installed in a release which another package does not allow.
bool tell_unmet_part(const Case& given, const MessageReading& message, Finding& finding) {
  const auto& files = given.store.images.files();
  const auto place = place_of_packages(given.report);
  const Installer installer(given.report, place, files);
  if (installer.site().empty()) return false;
  for (const auto& unmet : all_unmet(files, installer.site())) {
    const auto stem = stem_of_nvidia(normal_distribution_name(unmet.unmet.name));
    if (stem.empty() || folded(message.text).find(stem) == std::string::npos) continue;
    finding.message = fmt::format("{} requires {}, and {} {} is installed", unmet.by, unmet.unmet.wanted,
                                  unmet.unmet.name, unmet.unmet.version);
    finding.evidence.push_back({finding.message, "", Basis::proven, ""});
    auto fix = installer.required_by(unmet.by, unmet.unmet);
    fix.side_effect = "another package may require another release: then they go into two environments";
    finding.fixes.push_back(std::move(fix));
    return true;
  }
  return false;
}

/// The module that lacks a name is of a distribution that another one wants in an older or newer release.
bool tell_unmet_module(const Case& given, const MessageReading& message, Finding& finding) {
  const auto top = message.module.substr(0, message.module.find('.'));
  if (top.empty()) return false;
  const auto& files = given.store.images.files();
  const auto place = place_of_packages(given.report);
  const Installer installer(given.report, place, files);
  if (installer.site().empty()) return false;
  const auto known = distribution_of_module(top);
  const auto wanted = normal_distribution_name(known.empty() ? top : known);
  for (const auto& [by, unmet] : all_unmet(files, installer.site())) {
    if (normal_distribution_name(unmet.name) != wanted) continue;
    const auto cause =
        fmt::format("{} requires {}, and {} {} is installed", by, unmet.wanted, unmet.name, unmet.version);
    finding.message += "; " + cause;
    finding.evidence.push_back({cause, "", Basis::proven, ""});
    finding.fixes.push_back(installer.required_by(by, unmet));
    return true;
  }
  return false;
}

/// A name that a package lacks may be a module of it which RECORD lists, and which is gone: an upgrade removes files of
/// the older release after those of the newer one were written. Source: github.com/NVIDIA/cuda-python issue 476.
bool tell_lost_module(const Case& given, const MessageReading& message, Finding& finding) {
  if (message.module.empty() || message.symbol.empty()) return false;
  const auto& files = given.store.images.files();
  const auto place = place_of_packages(given.report);
  const Installer installer(given.report, place, files);
  const auto module = message.module + "." + message.symbol;
  const auto lost = installer.site().empty() ? std::nullopt : package_that_lost_module(files, installer.site(), module);
  if (!lost) return false;
  finding.message = fmt::format("{} is a module of {} {}, and its file is missing", module, lost->name, lost->version);
  installer.add_reinstallation(*lost, finding);
  return true;
}

/// A note about the same: the message proves that it matters. It becomes part of what is told of the message.
void take_note(Report& report, const MessageReading& message, Finding& finding) {
  const auto listed = [&](const Finding& each) { return each.level == Level::note && is_listed(each, message); };
  auto note = std::find_if(report.findings.begin(), report.findings.end(),
                           [&](const Finding& each) { return listed(each) && speaks_of(message, each); });
  if (note == report.findings.end()) note = std::find_if(report.findings.begin(), report.findings.end(), listed);
  if (note == report.findings.end()) return;
  finding.object = note->object;
  finding.subject = note->subject;
  finding.message = note->message;
  finding.evidence.insert(finding.evidence.end(), note->evidence.begin(), note->evidence.end());
  finding.fixes = note->fixes;
  finding.does_not_help = note->does_not_help;
  report.findings.erase(note);
}

/// The file of the process that defines a symbol; of one that was cut short, "_Z3fooNSt+", which begins so.
const Object* definer_of(const Case& given, std::string symbol, const Object& asker) {
  const bool cut = symbol.ends_with('+');
  if (cut) symbol.pop_back();
  const auto is_it = [&](std::string_view name) { return cut ? name.starts_with(symbol) : name == symbol; };
  const auto references = references_of(given, asker);
  if (std::none_of(references.begin(), references.end(), is_it)) return nullptr;
  for (const auto& object : given.report.resolution.objects) {
    bool has = false;
    if (&object != &asker && !object.known_by_name && object.image)
      given.store.symbols.get(object)->visit_all(
          [&](std::string_view name, std::uint16_t, bool defined) { has |= defined && is_it(name); });
    if (has) return &object;
  }
  return nullptr;
}

/// A symbol that the message calls undefined, and that is there: the program that opens its plug-ins while it runs was
/// started before an upgrade replaced the files, and keeps the older library. Sources: dlopen(3), a library that is
/// loaded already is not read again; github.com/flux-framework/flux-sched issue 1530.
bool tell_older_process(const Case& given, const MessageReading& message, Finding& finding) {
  if (message.symbol.empty() || !given.report.symbols || given.report.resolution.windows || !message.version.empty())
    return false;
  for (const auto& asker : given.report.resolution.objects) {
    if (asker.known_by_name || !asker.image || asker.image->type != FileType::shared ||
        message.text.find(file_name(asker.path)) == std::string::npos)
      continue;
    const auto& lacks = given.report.symbols->missing;
    const bool lacking = std::any_of(lacks.begin(), lacks.end(), [&](const MissingSymbol& missing) {
      return &given.report.resolution.objects[missing.object] == &asker;
    });
    const auto* definer = lacking ? nullptr : definer_of(given, message.symbol, asker);
    if (definer == nullptr) continue;
    finding.message = fmt::format(
        "{} has that symbol, and {} finds it: the process that printed the message was started before the files were "
        "replaced, or finds another copy of {}",
        definer->path, short_name(asker), short_name(*definer));
    finding.evidence.push_back({definer->path + " defines it", definer->path, Basis::proven, ""});
    finding.consequence = "A process that is started now finds it.";
    finding.fixes.push_back(
        {"start the program that opens " + short_name(asker) +
             " again (a service: systemctl restart NAME): what is loaded is not read again after an upgrade",
         "", ""});
    finding.fixes.push_back(
        {"if the message stays, ask with the variables of that program: --env LD_LIBRARY_PATH=DIR", "", ""});
    return true;
  }
  return false;
}

/// A symbol that the files lack, and of which they alone do not tell whether it ends the load: the program that opens
/// them is another one, or functions are bound when they are first called. The message proves that it did.
void raise_by_message(Report& report, const MessageReading& message, Finding& finding) {
  const auto* named = symbol_of_message(report, message, finding);
  if (named == nullptr || message.kind != MessageKind::hard || finding.level != Level::warning) return;
  finding.level = Level::error;
  if (!named->of_files) finding.message += fmt::format("; the message proves that it has no {}", message.symbol);
  finding.consequence = "It ended as the message says: " + named->message;
}

}  // namespace

void check_message(const Case& given) {
  auto& report = given.report;
  if (!report.message || report.message->effect == MessageEffect::nothing) return;
  const auto& message = *report.message;
  const auto explained = std::find_if(report.findings.begin(), report.findings.end(),
                                      [&](const Finding& finding) { return explains(finding, message, report); });
  if (explained != report.findings.end()) {
    raise_by_message(report, message, *explained);
    return add_speaker(report, message, given.store, *explained);
  }
  auto finding = make_finding(message.effect == MessageEffect::cpu_only ? "CUD311" : "CUD117");
  if (report.query.require_gpu && message.effect == MessageEffect::cpu_only) finding.level = Level::error;
  finding.subject = message.library;
  finding.message = message_of(given, message);
  finding.evidence.push_back({"printed: " + message.text, "", Basis::proven, ""});
  finding.evidence.push_back({message.who, "", Basis::table, message.source});
  add_speaker(report, message, given.store, finding);
  finding.consequence = message.means + ".";
  take_note(report, message, finding);
  if (tell_older_process(given, message, finding)) return report.findings.push_back(std::move(finding));
  if (!message.symbol.empty() && tell_caught_import(report, message.module, message.symbol, given.store, finding))
    return report.findings.push_back(std::move(finding));
  if (message.library.empty() && finding.fixes.empty() &&
      (tell_other_source(given.store, message, finding) || tell_changed_name(report, message, given.store, finding) ||
       tell_lost_module(given, message, finding) || tell_unmet_module(given, message, finding) ||
       tell_unmet_part(given, message, finding)))
    return report.findings.push_back(std::move(finding));
  if (!tell_unfit_build(given, message, finding)) add_fixes(given, message, finding);
  report.findings.push_back(std::move(finding));
}

}  // namespace cudald
