#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/extension_suffix.h"
#include "base/listed.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/account.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/other_abi.h"
#include "check/findings/strange_file.h"
#include "check/findings/system_packages.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/library_fixes.h"
#include "check/fixes/meant_directories.h"
#include "check/fixes/preload_fixes.h"
#include "check/fixes/whereabouts.h"
#include "check/libraries/secure_mode.h"
#include "knowledge/gpu_use.h"
#include "knowledge/providers.h"
#include "loader/search_path.h"
#include "process/program_start.h"

namespace cudald {
namespace {

/// All requests for one name that found nothing usable.
struct Miss {
  ObjectId requester{};
  std::size_t edge{};
  std::vector<ObjectId> also;       ///< who else asks for it
  Level level = Level::note;        ///< of the request that fails worst
  const Target* request = nullptr;  ///< that one

  void add(const Target* target, const Report& report) {
    if (target == nullptr) return;
    const auto its_level = level_of_failure(report, *target);
    if (request != nullptr && its_level >= level) return;
    level = its_level;
    request = target;
  }
};

class LibraryCheck {
 public:
  LibraryCheck(Report& report, Store& state)
      : report_(report),
        images_(state.images),
        state_(state),
        accounts_(report, state.packages),
        fixes_(report, state),
        no_loader_(is_without_loader()) {}

  void run() {
    std::map<std::string, Miss> misses;
    std::vector<std::string> order;
    for (ObjectId id = 0; id < objects().size(); ++id)
      for (std::size_t index = 0; index < objects()[id].edges.size(); ++index) {
        const auto& edge = objects()[id].edges[index];
        if (edge.object || edge.status == EdgeStatus::not_loaded || !counts(edge)) continue;
        if (accounts_.tells(edge)) continue;
        const auto [place, is_new] = misses.try_emplace(edge.name, Miss{id, index, {}});
        place->second.add(edge.kind == EdgeKind::preload ? nullptr : &request_of(id, edge), report_);
        if (is_new) {
          order.push_back(edge.name);
        } else if (place->second.requester != id) {
          place->second.also.push_back(id);
        }
      }
    for (const auto& name : order) tell(misses.at(name), report_.findings.size() < most_searched);
    if (report_.query.fixes) fixes_.add_common_fixes();
  }

 private:
  const std::vector<Object>& objects() const { return report_.resolution.objects; }

  /// Whether the loader that the program names is not there. Its search is then made up: what it would find, and the C
  /// library that comes with it, nobody reports.
  bool is_without_loader() const {
    if (objects().empty() || report_.resolution.world.kind == WorldKind::tag || !objects().front().main_program)
      return false;
    const auto& program = *objects().front().image;
    const auto& interpreter = program.elf.interpreter;
    return interpreter && interpreter_kind(opened_at(*interpreter), program, images_) == InterpreterKind::absent;
  }

  /// Whether a missing loader is all that keeps the library from being found.
  bool comes_with_loader(const Edge& edge, const std::vector<Whereabouts>& found) const {
    constexpr std::string_view parts[] = {"libc.so.6",  "libm.so.6",      "libdl.so.2",  "libpthread.so.0",
                                          "librt.so.1", "libresolv.so.2", "libutil.so.1"};
    return std::find(std::begin(parts), std::end(parts), edge.name) != std::end(parts) ||
           edge.name.starts_with("ld-linux") || std::any_of(found.begin(), found.end(), [](const Whereabouts& where) {
             return where.exact_name && where.fits && is_system_path(where.path);
           });
  }

  /// What a file only may load is told by `tree`; a dlopen that the user asked for, a preload and a need always count.
  bool counts(const Edge& edge) const {
    return edge.hard || edge.kind == EdgeKind::preload || accounts_.failed_dlopen(edge) != nullptr;
  }

  /// The request that fails for an edge: the dlopen itself, or what brought the requester in.
  const Target& request_of(ObjectId requester, const Edge& edge) const {
    return edge.kind == EdgeKind::dlopen ? *accounts_.failed_dlopen(edge)
                                         : report_.resolution.targets[objects()[requester].target];
  }

  // Where hundreds of libraries are missing, the first ones tell enough of where copies lie.
  static constexpr std::size_t most_searched = 50;

  void tell(const Miss& miss, bool look_around) {
    const auto& requester = objects()[miss.requester];
    const auto& edge = requester.edges[miss.edge];
    const auto level = edge.kind == EdgeKind::preload ? Level::warning : miss.level;
    const bool told = report_.query.notes || level != Level::note;
    auto found = look_around && told ? find_whereabouts(edge.name, miss.requester, edge, report_, images_)
                                     : std::vector<Whereabouts>();
    if (look_around && told && found.empty() && decisive(edge) == nullptr && is_of_no_package(requester, edge)) {
      found = find_in_project(edge.name, requester, images_);
      if (found.empty()) found = find_below_opt(edge.name, *requester.image, images_);
      if (found.empty()) found = of_users(edge.name, requester);
    }
    if (no_loader_ && comes_with_loader(edge, found)) return;
    const auto hiding = hidden_by_runpath(miss.requester, edge);
    const auto insecure = hidden_by_secure_mode(report_, requester, edge, images_);
    const bool secure = !insecure.empty() || is_refused_token(edge);
    auto finding = make_finding(secure ? "CUD119" : code_for(edge, found, hiding));
    finding.level = level;
    finding.object = miss.requester;
    finding.edge = miss.edge;
    finding.subject = edge.name;
    finding.message = secure && !is_refused_token(edge)
                          ? fmt::format("{} is in {}, which the loader does not search in secure mode", edge.name,
                                        parent_path(insecure))
                          : sentence(short_name(requester), edge, found, hiding);
    finding.consequence = consequence(miss, edge);
    add_origin(miss.requester, edge, finding);
    if (auto text = also_asked(miss); !text.empty())
      finding.evidence.push_back({std::move(text), "", Basis::proven, ""});
    add_evidence(edge, found, hiding, finding);
    if (const auto* nearest = finding.code == "CUD102" ? nearest_of(found, requester.path) : nullptr) {
      std::vector<ObjectId> requesters{miss.requester};
      requesters.insert(requesters.end(), miss.also.begin(), miss.also.end());
      compare_with_other_abi(report_, requesters, edge.name, nearest->path, state_, finding);
    }
    add_what_name_serves(edge.name, report_, finding);
    const auto* closed = edge.kind == EdgeKind::preload || decisive(edge) != nullptr
                             ? nullptr
                             : refused_as(edge, ProbeResult::unreadable);
    if (secure)
      explain_secure_mode(report_, requester, edge, insecure, images_, finding);
    else if (const auto* probe = refused_as(edge, ProbeResult::wrong_machine);
             finding.code == "CUD103" && probe != nullptr && is_of_no_machine(*probe))
      finding.fixes.push_back(
          {"take another release of the package that contains it and report this one to its "
           "maintainer; installing the same one again changes nothing",
           "", ""});
    else if (closed != nullptr && !closed_folder(*closed).empty())
      finding.fixes.push_back({"let every user search it", "chmod a+rx " + shell_word(closed_folder(*closed)), ""});
    else if (closed != nullptr && !is_circle(*closed))
      finding.fixes.push_back({"let every user read it", "chmod a+r " + shell_word(closed->path), ""});
    else if (closed != nullptr)
      finding.fixes.push_back(without_circle(*closed, edge, found));
    else if (report_.query.fixes) {
      if (edge.kind != EdgeKind::preload && decisive(edge) == nullptr)
        tell_meant_directory(report_, requester, found, state_.packages, finding);
      fixes_.add_fixes(found, decisive(edge), finding);
    }
    report_.findings.push_back(std::move(finding));
  }

  /// Whether nothing known installs a library: then it is worth a search.
  bool is_of_no_package(const Object& requester, const Edge& edge) const {
    if (!report_.query.fixes || edge.kind == EdgeKind::preload || edge.name.find('/') != std::string::npos ||
        report_.resolution.world.kind == WorldKind::tag || requester.package || is_of_musl(edge.name) ||
        is_driver_library(edge.name))
      return false;
    const auto& knowledge = knowledge_of(report_);
    return providers_of(edge.name, knowledge).empty() && system_packages_of(edge.name, knowledge).empty();
  }

  /// What users have installed for themselves. All libraries of a conda environment would come with the one.
  std::vector<Whereabouts> of_users(const std::string& name, const Object& requester) const {
    auto found = find_in_homes(name, *requester.image, report_.query, images_);
    std::erase_if(found, [&](const Whereabouts& where) { return !conda_prefix_around(where.path, images_).empty(); });
    return found;
  }

  /// The usable file that shares most of its path with the requester: of the user's own environment, if there is one.
  static const Whereabouts* nearest_of(const std::vector<Whereabouts>& found, const std::string& requester) {
    const auto shared = [&](const Whereabouts& where) {
      return std::mismatch(where.path.begin(), where.path.end(), requester.begin(), requester.end()).first -
             where.path.begin();
    };
    const Whereabouts* best = nullptr;
    for (const auto& where : found)
      if (where.fits && (best == nullptr || shared(where) > shared(*best))) best = &where;
    return best;
  }

  static const Probe* decisive(const Edge& edge) {
    for (const auto& probe : edge.search.probes)
      if (probe.ends_search) return &probe;
    return nullptr;
  }

  static const Probe* refused_as(const Edge& edge, ProbeResult result) {
    for (const auto& probe : edge.search.probes)
      if (probe.result == result) return &probe;
    return nullptr;
  }

  static std::string code_for(const Edge& edge, const std::vector<Whereabouts>& found, const std::string& hiding) {
    if (decisive(edge) != nullptr) return "CUD112";
    if (refused_as(edge, ProbeResult::wrong_class) != nullptr ||
        refused_as(edge, ProbeResult::wrong_machine) != nullptr)
      return "CUD103";
    if (!hiding.empty()) return "CUD106";
    const bool same = std::any_of(found.begin(), found.end(), [](const Whereabouts& w) {
      return (w.exact_name || w.same_soname || w.other_case) && w.fits;
    });
    return !same && !found.empty() && !linker_target(edge, found) ? "CUD102" : "CUD101";
  }

  /// The path at which a DT_RPATH that the requester's DT_RUNPATH switches off would have found it; else empty.
  std::string hidden_by_runpath(ObjectId requester, const Edge& edge) {
    if (!objects()[requester].image->elf.runpath) return "";
    for (const auto& skipped : edge.search.skipped) {
      if (skipped.rule != SearchRule::rpath || !skipped.of) continue;
      for (const auto& folder : folders_of(skipped.value, ":", {objects()[*skipped.of].origin, "lib", ""})) {
        const auto path = normal_path(absolute_path(folder + edge.name, report_.query.environment.cwd));
        const auto& opened = images_.open(path);
        if (!opened.error && opened.image->machine == report_.resolution.machine) return path;
      }
    }
    return "";
  }

  std::string sentence(const std::string& requester, const Edge& edge, const std::vector<Whereabouts>& found,
                       const std::string& hiding) {
    if (edge.kind == EdgeKind::preload) return preload_sentence(report_, edge, images_);
    if (const auto* probe = decisive(edge)) return sentence_of_unusable(edge, *probe);
    if (edge.search.probes.empty() && edge.status == EdgeStatus::rejected) return edge.error;
    const auto right = std::find_if(found.begin(), found.end(),
                                    [](const Whereabouts& where) { return where.exact_name && where.fits; });
    for (const auto result : {ProbeResult::wrong_class, ProbeResult::wrong_machine})
      if (const auto* probe = refused_as(edge, result); probe != nullptr && right != found.end())
        return fmt::format("{} is found only for {} ({}); the right one is in {}, which the loader does not search",
                           edge.name,
                           result == ProbeResult::wrong_class ? "the other word size" : machine_at(probe->path),
                           probe->path, parent_path(right->path));
    if (const auto* probe = refused_as(edge, ProbeResult::wrong_class)) {
      const auto other = std::find_if(found.begin(), found.end(), [](const Whereabouts& where) { return where.fits; });
      return fmt::format("{} exists only for the other word size ({}){}", edge.name, probe->path,
                         other == found.end() ? ""
                                              : fmt::format("; for that of {} there is {}, which is another release",
                                                            requester, name_of_library(other->path)));
    }
    if (const auto* probe = refused_as(edge, ProbeResult::wrong_machine); probe != nullptr && is_of_no_machine(*probe))
      return fmt::format("{} is for no machine that exists (e_machine is {}): every loader skips it",
                         file_name(probe->path), opened_at(probe->path).image->machine);
    if (const auto* probe = refused_as(edge, ProbeResult::wrong_machine))
      return fmt::format("{} exists only for another machine ({} is for {})", edge.name, probe->path,
                         machine_at(probe->path));
    if (!hiding.empty())
      return fmt::format("{} is in {}, but a DT_RUNPATH keeps the loader from searching it", edge.name,
                         parent_path(hiding));
    if (const auto* probe = refused_as(edge, ProbeResult::abi_too_new))
      return fmt::format("{} is at {}, and the loader skips it: {}", edge.name, probe->path, probe->detail);
    if (const auto* probe = refused_as(edge, ProbeResult::unreadable)) return sentence_of_unreadable(edge, *probe);
    if (right != found.end() && edge.name.find('/') != std::string::npos)
      return fmt::format("{} is a path, which is opened as it is, and nothing is there; the library is {}", edge.name,
                         right->path);
    if (right != found.end())
      return fmt::format("{} is {} ({}), but not in a directory the loader searches", edge.name,
                         report_.resolution.world.kind == WorldKind::tag ? "installed" : "on this machine",
                         parent_path(right->path));
    if (is_of_musl(edge.name) && report_.resolution.libc.kind == LibcKind::glibc)
      return fmt::format("{} is the C library musl: {} is built for musl (Alpine), and this process uses glibc",
                         edge.name, requester);
    for (const auto& probe : edge.search.probes)
      if (probe.result == ProbeResult::absent && probe.detail.starts_with("a symbolic link"))
        return fmt::format("{} is not found in any directory the loader searches: {} is {}", edge.name, probe.path,
                           probe.detail);
    if (auto text = sentence_of_other_name(edge, found); !text.empty()) return text;
    if (!found.empty() && found.front().exact_name)
      return fmt::format("{} is not found in any directory the loader searches; {} is for {}", edge.name,
                         found.front().path, machine_at(found.front().path));
    if (!found.empty())
      return fmt::format(
          "{} is not found in any directory the loader searches; only {} is installed, which has a different ABI",
          edge.name, name_of_library(found.front().path));
    return fmt::format("{} is not found in any directory the loader searches", edge.name);
  }

  /// The name by which a library is needed, where its file has another: libopenh264.so.6 of libopenh264.so.2.3.1.
  std::string name_of_library(const std::string& path) {
    const auto& opened = images_.open(path);
    const auto soname = opened.error ? std::nullopt : opened.image->soname;
    return soname && *soname != file_name(path) ? fmt::format("{} ({})", *soname, file_name(path))
                                                : std::string(file_name(path));
  }

  /// The library under its whole name is what the first of the links was to lead to.
  static Fix without_circle(const Probe& link, const Edge& edge, const std::vector<Whereabouts>& found) {
    for (const auto& where : found)
      if (where.fits && where.path.find(edge.name + ".") != std::string::npos)
        return {"let the link lead to the library",
                fmt::format("ln -sf {} {}", shell_word(where.path), shell_word(link.path)), ""};
    return {fmt::format("remove the link, and install what has {} again: the library itself is gone", edge.name), "",
            ""};
  }

  /// The directory of a file that may not be passed through; empty if it is the file that may not be read.
  std::string closed_folder(const Probe& probe) const {
    if (probe.detail != std::strerror(EACCES)) return "";
    const auto path = absolute_path(probe.path, report_.query.environment.cwd);
    if (images_.files().status(path)) return "";
    // What the first directory in the way holds cannot be asked for, and it itself can.
    for (auto folder = parent_path(path); folder.size() > 1; folder = parent_path(folder))
      if (images_.files().status(std::string(folder))) return std::string(folder);
    return "";
  }

  static bool is_circle(const Probe& probe) { return probe.detail == std::strerror(ELOOP); }

  /// Where the library is there under another name.
  static std::string sentence_of_other_name(const Edge& edge, const std::vector<Whereabouts>& found) {
    for (const auto& where : found)
      if (where.other_case && where.fits)
        return fmt::format(
            "{} is not found in any directory the loader searches; {} is there, and on Linux upper and lower case "
            "differ",
            edge.name, where.path);
    for (const auto& where : found)
      if (where.same_soname && where.fits)
        return fmt::format(
            "{} is not found in any directory the loader searches; the library is installed under the name {}",
            edge.name, file_name(where.path));
    if (found.size() > 0 && found.front().renamed && found.front().fits)
      return fmt::format("{} is not found in any directory the loader searches; the library is here as {}", edge.name,
                         file_name(found.front().path));
    if (const auto* target = linker_target(edge, found))
      return fmt::format("{} is a link that only the development package has; {} is installed", edge.name,
                         file_name(target->path));
    return "";
  }

  /// The loader goes on behind a file that it may not read, and says that there is none.
  std::string sentence_of_unreadable(const Edge& edge, const Probe& probe) const {
    if (is_circle(probe))
      return fmt::format("{} is a symbolic link that leads back to itself ({})", probe.path, probe.detail);
    if (const auto folder = closed_folder(probe); !folder.empty())
      return fmt::format("{} may be in {}, which this user cannot search: {}", edge.name, folder, probe.detail);
    return fmt::format("{} is at {}, and this user cannot read it: {}", edge.name, probe.path, probe.detail);
  }

  std::string sentence_of_unusable(const Edge& edge, const Probe& probe) {
    const auto strange = strange_file_at(probe);
    const auto system = probe.detail == "ELF file OS ABI invalid" ? system_of(probe.path) : std::string();
    if (!system.empty())
      return fmt::format("{} is found at {}, but that file is for {}, and not for Linux ({})", file_name(edge.name),
                         probe.path, system, probe.detail);
    const auto what =
        probe.path == edge.name ? edge.name : fmt::format("{} is found at {}, but that file", edge.name, probe.path);
    return fmt::format("{} cannot be loaded: {}{}", what, probe.detail, strange ? "; " + strange->is : "");
  }

  /// The system for which a file is, by EI_OSABI; empty if that is none of these.
  /// Source: System V ABI, ELF Header, EI_OSABI.
  std::string system_of(const std::string& path) const {
    const auto& image = opened_at(path).image;
    if (!image) return "";
    switch (image->elf.header.os_abi) {
      case ELFOSABI_FREEBSD: return "FreeBSD";
      case ELFOSABI_NETBSD: return "NetBSD";
      case ELFOSABI_OPENBSD: return "OpenBSD";
      case ELFOSABI_SOLARIS: return "Solaris";
      case ELFOSABI_HPUX: return "HP-UX";
      case ELFOSABI_AIX: return "AIX";
      default: return "";
    }
  }

  const OpenedFile& opened_at(const std::string& path) const {
    return images_.open(absolute_path(path, report_.query.environment.cwd));
  }

  /// Whether the number of its machine is none that ELF knows: the file is broken, whoever asks for it.
  bool is_of_no_machine(const Probe& probe) const {
    const auto& image = opened_at(probe.path).image;
    return image && !machine_number(machine_name(image->machine));
  }

  std::string machine_at(const std::string& path) const {
    const auto& opened = opened_at(path);
    return opened.image ? machine_name(opened.image->machine) : "another machine";
  }

  static std::string place_of_request(const Target& request) {
    return request.traits.asked_at.empty() ? "The caller" : request.traits.asked_at;
  }

  std::string consequence(const Miss& miss, const Edge& edge) const {
    if (edge.kind == EdgeKind::preload) return preload_consequence(report_, edge);
    const auto& target = report_.resolution.targets[objects()[miss.requester].target];
    const bool first = target.error == edge.error;
    if (miss.level != Level::error || miss.request->traits.gpu)
      return fmt::format("{} dlerror() says: {}",
                         !miss.request->traits.without.empty() ? miss.request->traits.without
                         : miss.request->traits.warned
                             ? fmt::format("{} catches the failure and reports it: what needs {} fails later.",
                                           place_of_request(*miss.request), file_name(miss.request->given))
                             : "Optional: the caller handles its absence, or no caller is known.",
                         edge.error);
    if (const auto text =
            miss.request->part_of ? raised(report_, report_.resolution.targets[*miss.request->part_of]) : "";
        !text.empty())
      return text.ends_with(edge.error)
                 ? text
                 : fmt::format("{}; {} {}", text,
                               miss.request->error == edge.error ? "the loader's own words before it:"
                                                                 : "after fixing that, the message is",
                               edge.error);
    if (edge.kind == EdgeKind::dlopen) return fmt::format("dlopen fails; dlerror() says: {}", edge.error);
    const auto what = target.kind == TargetKind::dlopen ? "The dlopen fails as a whole" : outcome_of_start();
    return fmt::format("{}{} {}", what, first ? ":" : "; after fixing the error above, the next one is", edge.error);
  }

  /// A library is not started: whoever loads it meets the error.
  std::string outcome_of_start() const {
    const auto& program = objects().front();
    if (program.image->elf.interpreter) return "The program does not start";
    const auto name = short_name(program);
    if (has_python_suffix(name)) return "Its import raises ImportError";
    return "Loading it fails";
  }

  std::string also_asked(const Miss& miss) const {
    // A library that several requests bring in and throw out again asks each time.
    std::vector<std::string> names;
    for (const auto id : miss.also)
      if (auto name = short_name(objects()[id]);
          name != short_name(objects()[miss.requester]) && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    constexpr std::size_t shown = 4;
    return names.empty() ? "" : "also needed by " + listed(names, shown);
  }

  /// How it is known that the requester asks, where no table of the file says so.
  void add_origin(ObjectId requester, const Edge& edge, Finding& finding) {
    if (edge.known.source.empty()) return;
    std::string where;
    for (const auto& piece : edge.known.pieces)
      if (const auto offset = images_.constant_text(objects()[requester].path, *objects()[requester].image, piece))
        where += fmt::format("{}\"{}\" at offset {:#x}", where.empty() ? "" : ", ", piece, *offset);
    const bool whole = edge.known.pieces.size() == 1 && edge.known.pieces.front() == edge.name;
    if (!where.empty())
      finding.evidence.push_back({(whole ? "not in its DT_NEEDED: its code opens the name that it holds, "
                                         : "not in its DT_NEEDED: the name is put together at run time from ") +
                                      where,
                                  objects()[requester].path, Basis::proven, ""});
    finding.evidence.push_back({where.empty() ? "not in its DT_NEEDED: the name is put together at run time"
                                : whole || objects()[requester].cuda
                                    ? "when it does, and what is lost without"
                                    : "the version in it is that of the CUDA that it was built for",
                                "", Basis::table, edge.known.source});
  }

  void add_evidence(const Edge& edge, const std::vector<Whereabouts>& found, const std::string& hiding,
                    Finding& finding) {
    if (!hiding.empty()) {
      finding.evidence.push_back({fmt::format("is in {}", hiding), hiding, Basis::proven, ""});
      finding.evidence.push_back(
          {"an object with a DT_RUNPATH gets no DT_RPATH, neither its own nor that of its loaders", "", Basis::rule,
           "ld.so(8); glibc elf/dl-load.c, _dl_map_object"});
    }
    std::size_t shown = 0;
    for (const auto& where : found) {
      if (where.path == hiding || ++shown > 4) continue;
      const auto& image = *images_.open(where.path).image;
      const auto what = !image.is_elf() ? std::string("not an ELF file")
                        : where.fits    ? "soname " + image.soname.value_or("none")
                                        : fmt::format("for {} ({})", machine_name(image.machine), image.format_name());
      finding.evidence.push_back(
          {fmt::format("{} {} ({})", where.exact_name ? "is in" : "found instead:", where.path, what), where.path,
           Basis::proven, ""});
    }
    const auto* probe = decisive(edge);
    const auto strange = probe != nullptr ? strange_file_at(*probe) : std::nullopt;
    if (probe != nullptr && !system_of(probe->path).empty())
      finding.fixes.push_back({fmt::format("take the build of {} for Linux", file_name(probe->path)), "", ""});
    if (!strange) return;
    finding.evidence.push_back({strange->is, probe->path, Basis::proven, ""});
    for (const auto& fix : strange->fixes) finding.fixes.push_back(fix);
  }

  /// What a file is that the loader refuses as no library.
  std::optional<StrangeFile> strange_file_at(const Probe& probe) {
    if (probe.result != ProbeResult::malformed && probe.result != ProbeResult::not_elf) return std::nullopt;
    return identify_strange_file(normal_path(absolute_path(probe.path, report_.query.environment.cwd)), images_, false);
  }

  Report& report_;
  ImageStore& images_;
  Store& state_;
  const Accounts accounts_;
  LibraryFixes fixes_;
  const bool no_loader_;
};

}  // namespace

void check_libraries(const Case& given) { LibraryCheck(given.report, given.store).run(); }

}  // namespace cudald
