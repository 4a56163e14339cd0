#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_map>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "loader/executable_stack.h"
#include "loader/loader.h"
#include "loader/search_path.h"
#include "loader/segments.h"
#include "loader/static_tls.h"
#include "machine/glibc_facts.h"
#include "os/linux_errors.h"

namespace cudald {
namespace {

/// glibc's ld.so. The rules follow elf/dl-load.c of 2.36 (what changed before and since is asked by version);
/// each member names its function there.
class GlibcLoader final : public ElfLoader {
 public:
  GlibcLoader(GlibcFacts facts, const Abi& abi, const Environment& environment)
      : abi_(abi),
        environment_(environment),
        facts_(std::move(facts)),
        stack_(abi, facts_.version, environment.secure ? std::nullopt : environment.variable("GLIBC_TUNABLES")) {
    const bool x86_64 = abi.machine == EM_X86_64;
    if (x86_64) {
      subfolders_ = hwcaps_subfolders(facts_.version, environment.cpu);
      wanted_.hwcaps = glibc_hwcaps_names(facts_.version, environment.cpu);
      wanted_.x86_64_level = environment.cpu.x86_64_level;
      for (const auto& name : environment.cpu.hwcap_names) wanted_.legacy_hwcap |= name == "x86_64" ? 2 : 4;
    }
    wanted_.flags = abi.cache_flags;
    // sysdeps/unix/sysv/linux/arm/dl-cache.h; such entries are those of i386 as well, where both are installed.
    constexpr std::uint32_t flag_elf_libc6 = 3;
    if (abi.machine == EM_ARM) wanted_.unmarked_flags = flag_elf_libc6;
    wanted_.legacy_folders = !facts_.version.at_least(2, 37);
    if (const auto tunables = environment.variable("GLIBC_TUNABLES"); tunables && !environment.secure)
      tls_tunables_ = tls_tunables(*tunables, facts_.version);
    platform_ = x86_64 ? environment.cpu.platform : std::string(abi.platform);
    for (const auto& folder : facts_.system_folders) system_folders_.push_back(folder + "/");
  }

  // elf/dl-deps.c, expand_dst.
  Result<std::string> expanded_name(const Request& request, const Resolution& resolution) const override {
    if (!has_tokens(request.name)) return request.name;
    const auto refuse = [&](const char* text) { return Error{ErrorCode::malformed, std::string(text), request.name}; };
    if (environment_.secure && request.kind != EdgeKind::dlopen) return refuse("DST not allowed in SUID/SGID programs");
    auto name = expand_tokens(request.name, tokens_of(resolution.objects[request.requester]));
    if (name.empty()) return refuse("empty dynamic string token substitution");
    return name;
  }

  // _dl_map_object, the loop over the namespace: names by which an object was found, then its DT_SONAME.
  std::optional<Reuse> reuse(const Request& request, const Resolution& resolution,
                             const std::vector<ObjectId>& named) const override {
    for (const auto id : named) {
      const auto& object = resolution.objects[id];
      if (object.unmapped) continue;
      if (std::find(object.names.begin(), object.names.end(), request.name) != object.names.end())
        return Reuse{id, MatchedBy::name};
      if (object.image->soname == request.name) return Reuse{id, MatchedBy::soname};
    }
    return std::nullopt;
  }

  // _dl_map_object, the search.
  void search(const Request& request, const Resolution& resolution, SearchVisitor& visitor) const override {
    if (request.name.find('/') != std::string::npos) {
      visitor.candidate({"", request.name, SearchRule::path, std::nullopt, false, ""});
      return;
    }
    const auto& requester = resolution.objects[request.requester];
    const bool nodeflib = (requester.image->elf.flags_1 & df_1_nodeflib) != 0;
    const bool secure_preload = environment_.secure && request.kind == EdgeKind::preload;
    const Walk walk{request.name, resolution, visitor};
    if (rpaths(walk, request.requester) || library_path(walk) || runpath(walk, request.requester)) return;
    if (secure_preload) {
      skip(walk, SearchRule::cache, {}, "not used for preloads in secure mode");
    } else if (cache(walk, nodeflib)) {
      return;
    }
    if (nodeflib) {
      skip(walk, SearchRule::default_folder, request.requester, "the requester forbids it (DF_1_NODEFLIB)");
    } else {
      folders(walk, system_folders_, SearchRule::default_folder, std::nullopt);
    }
  }

  const std::vector<std::string>& subfolders() const override { return subfolders_; }

  // open_verify, and the judgement of errno at the end of open_path.
  Judgement judge(const OpenedFile& opened, const Request& request) const override {
    using Action = Judgement::Action;
    const auto stop = [](ProbeResult result, std::string text) {
      return Judgement{Action::stop, result, std::move(text)};
    };
    if (opened.error) return judge_error(*opened.error, request);
    const auto& image = *opened.image;
    const bool is_64 = abi_.format == Format::elf64;
    if (image.file_size < (is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
      return stop(ProbeResult::malformed, "file too short");
    if (!image.elf.header.has_magic) return stop(ProbeResult::not_elf, "invalid ELF header");
    if (image.elf.header.file_class != (is_64 ? ELFCLASS64 : ELFCLASS32))
      return {Action::next, ProbeResult::wrong_class, "", ENOENT};
    if (image.elf.header.data_encoding != (abi_.byte_order == ByteOrder::little ? ELFDATA2LSB : ELFDATA2MSB))
      return stop(ProbeResult::wrong_machine, abi_.byte_order == ByteOrder::little
                                                  ? "ELF file data encoding not little-endian"
                                                  : "ELF file data encoding not big-endian");
    if (image.elf.header.ident_version != EV_CURRENT)
      return stop(ProbeResult::malformed, "ELF file version ident does not match current one");
    if (image.elf.header.os_abi != ELFOSABI_SYSV && image.elf.header.os_abi != ELFOSABI_GNU)
      return stop(ProbeResult::malformed, "ELF file OS ABI invalid");
    constexpr int most_abi_version = 4;  // LIBC_ABI_MAX, libc-abis
    if (image.elf.header.abi_version != 0 &&
        (image.elf.header.os_abi != ELFOSABI_GNU || image.elf.header.abi_version >= most_abi_version))
      return stop(ProbeResult::malformed, "ELF file ABI version invalid");
    if (!image.elf.header.zero_padding) return stop(ProbeResult::malformed, "nonzero padding in e_ident");
    if (image.elf.header.version != EV_CURRENT)
      return stop(ProbeResult::malformed, "ELF file version does not match current one");
    if (image.machine != abi_.machine) return {Action::next, ProbeResult::wrong_machine, "", ENOENT};
    if (image.type != FileType::shared && image.type != FileType::executable)
      return stop(ProbeResult::malformed, "only ET_DYN and ET_EXEC can be loaded");
    if (!image.elf.header.program_header_size_ok)
      return stop(ProbeResult::malformed, "ELF file's phentsize not the expected size");
    if (!image.elf.header.program_headers_readable) return stop(ProbeResult::malformed, "cannot read file data");
    if (auto text = refusal_of_note(image); !text.empty())
      return {Action::next, ProbeResult::abi_too_new, std::move(text), ENOENT};
    if (environment_.secure && request.kind == EdgeKind::preload && !opened.status.set_user_id)
      return {Action::next, ProbeResult::unreadable, "without the set-user-ID bit it is not preloaded in secure mode",
              ENOENT};
    return {};
  }

  // _dl_map_object_from_fd; glibc names the request here, not the path.
  Judgement admit(const OpenedFile& opened, const Request& request, const Resolution& resolution) const override {
    const auto& image = *opened.image;
    const auto refuse = [](ProbeResult result, std::string_view text) {
      return Judgement{Judgement::Action::stop, result, std::string(text)};
    };
    if (const auto text = refusal_of_segments(image, facts_.version); !text.empty())
      return refuse(ProbeResult::malformed, text);
    if (image.type == FileType::executable) return refuse(ProbeResult::malformed, "cannot dynamically load executable");
    if (!image.elf.has_dynamic_segment || image.elf.empty_dynamic_segment)
      return refuse(ProbeResult::malformed, "object file has no dynamic section");
    if (opened.no_exec && has_executable_segment(image)) return refuse(ProbeResult::unreadable, segment_not_mapped);
    if (const auto text = refusal_of_memory(image); !text.empty()) return refuse(ProbeResult::malformed, text);
    if ((image.elf.flags_1 & df_1_pie) != 0)
      return refuse(ProbeResult::malformed, "cannot dynamically load position-independent executable");
    if ((image.elf.flags_1 & df_1_noopen) != 0 && request.kind == EdgeKind::dlopen)
      return refuse(ProbeResult::malformed, "shared object cannot be dlopen()ed");
    if (stack_.refuses(image, resolution, request.in_dlopen))
      return refuse(ProbeResult::malformed, executable_stack_refused);
    return {};
  }

  // What ld.so maps by itself when it is told to start a library; a program is mapped by the kernel.
  std::string start_refusal(const OpenedFile& opened, const std::string& path) const override {
    const auto& image = *opened.image;
    if (image.elf.interpreter)
      return stack_.refuses_program(image) ? "Fatal glibc error: executable stack is not allowed" : "";
    auto text = refusal_of_segments(image, facts_.version);
    if (text.empty() && opened.no_exec && has_executable_segment(image)) text = segment_not_mapped;
    return text.empty() ? "" : path + ": " + std::string(text);
  }

  std::string objection(ObjectId id, const Resolution& resolution) const override {
    const auto& object = resolution.objects[id];
    // sysdeps/x86/dl-prop.h, dl_isa_level_check, from 2.33 on: bit N of the note stands for x86-64-v(N+1).
    if (abi_.machine == EM_X86_64 && facts_.version.at_least(2, 33) && object.image->elf.x86_isa_needed &&
        (*object.image->elf.x86_isa_needed >> environment_.cpu.x86_64_level) != 0)
      return object.load_name + ": CPU ISA level is lower than required";
    // elf/dl-version.c, _dl_check_map_versions.
    if (object.image->elf.version_needs_format.value_or(1) != 1)
      return object.load_name + ": unsupported version " + std::to_string(*object.image->elf.version_needs_format) +
             " of Verneed record";
    if (lacks_mark_of_packed_relocations(*object.image))
      return object.load_name + ": DT_RELR without GLIBC_ABI_DT_RELR dependency";
    const bool in_dlopen = resolution.targets[object.target].kind == TargetKind::dlopen;
    if (in_dlopen && object.image->elf.static_tls &&
        !fits_static_tls(id, resolution, abi_, facts_.version, tls_tunables_))
      return object.load_name + ": cannot allocate memory in static TLS block";
    return "";
  }

  std::string not_found(const Request& request, const Resolution&, const Search& search) const override {
    for (const auto& probe : search.probes)
      if (probe.result == ProbeResult::wrong_class)
        return request.shown_name() +
               ": wrong ELF class: " + (abi_.format == Format::elf64 ? "ELFCLASS32" : "ELFCLASS64");
    auto line = request.shown_name() + ": cannot open shared object file";
    // The reason is that of the last path that was opened at all.
    for (auto probe = search.probes.rbegin(); probe != search.probes.rend(); ++probe)
      if (probe->result != ProbeResult::refused) return line + ": " + error_text(probe->system_error, request);
    return line;
  }

  std::string refused(const Request&, const std::string& subject, const std::string& text,
                      const Resolution&) const override {
    return subject + ": " + text;
  }

  // _dl_new_object: the folder of the name as found, symbolic links of the file itself not followed.
  std::string origin(const std::string& load_name) const override {
    return std::string(parent_path(absolute_path(load_name, environment_.cwd)));
  }

  // elf/rtld.c: LD_PRELOAD (spaces and colons), then /etc/ld.so.preload.
  std::vector<std::string> preloads() const override {
    auto names = environment_.preload;
    if (const auto list = environment_.variable("LD_PRELOAD"))
      for (const auto name : split(*list, " :"))
        if (!name.empty() && !(environment_.secure && name.find('/') != std::string_view::npos))
          names.emplace_back(name);
    names.insert(names.end(), facts_.preload.begin(), facts_.preload.end());
    return names;
  }

  bool follows_filters() const override { return true; }
  bool dlopen_searches_for_caller() const override { return true; }
  bool knows_program_file() const override { return false; }
  LibcVersion libc() const override { return facts_.version; }
  std::vector<std::string> notes() const override { return facts_.notes; }
  std::vector<std::string> limits() const override { return facts_.limits; }

 private:
  /// One search under way.
  struct Walk {
    const std::string& name;
    const Resolution& resolution;
    SearchVisitor& visitor;
  };

  /// Before libc is there, ld.so itself knows the texts of a few errors only (elf/dl-minimal.c, __strerror_r).
  static std::string error_text(int number, const Request& request) {
    constexpr std::array known = {ENOMEM, EINVAL, ENOENT, EPERM, EIO, EACCES};
    if (request.in_dlopen || std::find(known.begin(), known.end(), number) != known.end())
      return linux_error_text(number);
    return "Error " + std::to_string(linux_error_number(number));
  }

  // open_verify up to glibc 2.35: a library for a newer kernel is passed over, as if it were not there. 2.36 asks no
  // more.
  std::string refusal_of_note(const Image& image) const {
    const auto& note = image.elf.abi_note;
    if (!note || facts_.version.at_least(2, 36)) return "";
    if (note->os != 0) return "its ABI note (.note.ABI-tag) is of another operating system";
    const KernelRelease wanted{note->major, note->minor, note->patch};
    const auto& running = environment_.kernel;
    if (!running || *running >= wanted) return "";
    return fmt::format("its ABI note (.note.ABI-tag) asks for Linux {}.{}.{}, and the kernel is {}.{}.{}", wanted[0],
                       wanted[1], wanted[2], (*running)[0], (*running)[1], (*running)[2]);
  }

  // elf/dl-version.c, _dl_check_map_versions, from 2.36 on: of what asks libc for versions.
  bool lacks_mark_of_packed_relocations(const Image& image) const {
    if (!image.elf.tables.relr.present || !facts_.version.at_least(2, 36)) return false;
    bool needs_libc = false;
    for (const auto& need : image.elf.version_needs) {
      needs_libc |= need.file.starts_with("libc.so.");
      for (const auto& version : need.versions)
        if (version.name == "GLIBC_ABI_DT_RELR") return false;
    }
    return needs_libc;
  }

  static Judgement judge_error(const Error& error, const Request& request) {
    using Action = Judgement::Action;
    const auto number = error.system_error;
    switch (number) {
      case ENOENT:
      case ENOTDIR: return {Action::next, ProbeResult::absent, "", ENOENT};
      case EACCES: return {Action::next, ProbeResult::unreadable, error.message, number};
      case EISDIR:
        return {Action::stop, ProbeResult::unreadable, "cannot read file data: " + error_text(number, request), number};
      case EINVAL: return {Action::stop, ProbeResult::unreadable, "cannot read file data: " + error.message, number};
      default: return {Action::end_list, ProbeResult::unreadable, error.message, number};
    }
  }

  TokenValues tokens_of(const Object& object) const { return {object.origin, facts_.lib_token, platform_}; }

  // _dl_dst_substitute in secure mode: $ORIGIN counts only as a whole first element, and for the program itself only
  // if it leads into a trusted folder.
  std::vector<std::string> folders_in(const Walk& walk, std::string_view list, SearchRule rule, ObjectId id) const {
    const auto& of = walk.resolution.objects[id];
    if (!environment_.secure) return folders_of(list, ":", tokens_of(of));
    std::vector<std::string> result;
    for (const auto element : split(list, ":")) {
      const auto origin_at = std::min(element.find("$ORIGIN"), element.find("${ORIGIN}"));
      for (auto& folder : folders_of(element, ":", tokens_of(of))) {
        const bool inside = origin_at != std::string_view::npos && origin_at != 0;
        if (inside || (origin_at == 0 && of.main_program && !trusted(normal_path(folder))))
          skip(walk, rule, id, "$ORIGIN is not trusted in secure mode", std::move(folder));
        else if (std::find(result.begin(), result.end(), folder) == result.end())
          result.push_back(std::move(folder));
      }
    }
    return result;
  }

  bool trusted(const std::string& folder) const {
    return std::any_of(system_folders_.begin(), system_folders_.end(),
                       [&](const std::string& system) { return (folder + "/").starts_with(system); });
  }

  static void skip(const Walk& walk, SearchRule rule, std::optional<ObjectId> of, std::string reason,
                   std::string value = "") {
    walk.visitor.skipped({rule, of, std::move(value), std::move(reason), 0});
  }

  // Each of these returns whether the search is over.

  // open_path.
  static bool folders(const Walk& walk, const std::vector<std::string>& list, SearchRule rule,
                      std::optional<ObjectId> of) {
    for (const auto& folder : list) switch (walk.visitor.candidate({folder, walk.name, rule, of, true, ""})) {
        case SearchVisitor::Next::go_on: break;
        case SearchVisitor::Next::end_list: return false;
        case SearchVisitor::Next::stop: return true;
      }
    return false;
  }

  bool rpath(const Walk& walk, ObjectId id, bool hidden) const {
    const auto& object = walk.resolution.objects[id];
    const auto& list = object.image->elf.rpath;
    if (!list || list->empty()) return false;
    if (object.image->elf.runpath) {
      skip(walk, SearchRule::rpath, id, "ignored: the same object has a DT_RUNPATH", *list);
    } else if (hidden) {
      skip(walk, SearchRule::rpath, id, "not used: the requester has a DT_RUNPATH", *list);
    } else {
      return folders(walk, folders_in(walk, *list, SearchRule::rpath, id), SearchRule::rpath, id);
    }
    return false;
  }

  bool rpaths(const Walk& walk, ObjectId requester) const {
    const auto& objects = walk.resolution.objects;
    const bool hidden = objects[requester].image->elf.runpath.has_value();
    bool passed_program = false;
    for (std::optional<ObjectId> id = requester; id; id = objects[*id].loader) {
      passed_program |= objects[*id].main_program;
      if (rpath(walk, *id, hidden)) return true;
    }
    return !passed_program && objects.front().main_program && rpath(walk, 0, hidden);
  }

  bool library_path(const Walk& walk) const {
    const auto value = environment_.variable("LD_LIBRARY_PATH");
    if (!value || value->empty()) {
      skip(walk, SearchRule::ld_library_path, {}, "not set");
    } else if (environment_.secure) {
      skip(walk, SearchRule::ld_library_path, {}, "ignored in secure mode", *value);
    } else {
      return folders(walk, folders_of(*value, ":;", tokens_of(walk.resolution.objects.front())),
                     SearchRule::ld_library_path, std::nullopt);
    }
    return false;
  }

  bool runpath(const Walk& walk, ObjectId requester) const {
    const auto& objects = walk.resolution.objects;
    const auto& object = objects[requester];
    if (object.image->elf.runpath && !object.image->elf.runpath->empty() &&
        folders(walk, folders_in(walk, *object.image->elf.runpath, SearchRule::runpath, requester), SearchRule::runpath,
                requester))
      return true;
    for (auto id = object.loader; id; id = objects[*id].loader)
      if (objects[*id].image->elf.runpath)
        skip(walk, SearchRule::runpath, *id, "not inherited: a DT_RUNPATH applies only to the file that contains it",
             *objects[*id].image->elf.runpath);
    return false;
  }

  bool cache(const Walk& walk, bool nodeflib) const {
    const auto try_path = [&walk](const std::string& folder, const std::string& name, std::string refusal) {
      return walk.visitor.candidate({folder, name, SearchRule::cache, std::nullopt, false, std::move(refusal)});
    };
    if (facts_.cache) {
      const auto& path = cached_path(walk.name);
      if (!path) {
        skip(walk, SearchRule::cache, {}, "no entry for this name", facts_.own_cache);
        return false;
      }
      const bool forbidden = nodeflib && std::any_of(system_folders_.begin(), system_folders_.end(),
                                                     [&](const auto& folder) { return path->starts_with(folder); });
      return try_path("", *path,
                      forbidden ? "in a system directory, which the requester forbids (DF_1_NODEFLIB)" : "") ==
             SearchVisitor::Next::stop;
    }
    if (facts_.conf_folders.empty()) skip(walk, SearchRule::cache, {}, "there is none", facts_.own_cache);
    for (const auto& folder : facts_.conf_folders) {
      const auto next = try_path(folder + "/", walk.name, "");
      if (next != SearchVisitor::Next::go_on) return next == SearchVisitor::Next::stop;
    }
    return false;
  }

  /// What ld.so.cache has for a name: processes ask for the same few again and again.
  const std::optional<std::string>& cached_path(const std::string& name) const {
    constexpr std::size_t most_known = 10'000;
    if (cached_paths_.size() == most_known) cached_paths_.clear();
    const auto [place, is_new] = cached_paths_.try_emplace(name);
    if (is_new) place->second = facts_.cache->find(name, wanted_);
    return place->second;
  }

  const Abi& abi_;
  Environment environment_;
  GlibcFacts facts_;
  ExecutableStack stack_;
  LdSoCache::Wanted wanted_;
  TlsTunables tls_tunables_;
  std::string platform_;
  std::vector<std::string> subfolders_;
  std::vector<std::string> system_folders_;  ///< with a slash at the end
  mutable std::unordered_map<std::string, std::optional<std::string>> cached_paths_;
};

}  // namespace

std::unique_ptr<ElfLoader> make_glibc_loader(const FileSystem& files, const std::string& interpreter, const Abi& abi,
                                             const Environment& environment) {
  return make_glibc_loader(read_glibc_facts(files, interpreter, abi, environment), abi, environment);
}

std::unique_ptr<ElfLoader> make_glibc_loader(GlibcFacts facts, const Abi& abi, const Environment& environment) {
  return std::make_unique<GlibcLoader>(std::move(facts), abi, environment);
}

}  // namespace cudald
