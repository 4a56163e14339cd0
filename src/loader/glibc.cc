#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/path.h"
#include "env/glibc_facts.h"
#include "loader/loader.h"
#include "loader/search_path.h"

namespace cudald {
namespace {

/// glibc's ld.so. The rules follow elf/dl-load.c of 2.36 (what changed before and since is asked by version);
/// each member names its function there.
class GlibcLoader final : public Loader {
 public:
  GlibcLoader(const FileSystem& files, const std::string& interpreter, const Abi& abi, const Environment& environment)
      : abi_(abi), environment_(environment), facts_(read_glibc_facts(files, interpreter, abi, environment)) {
    const bool x86_64 = abi.machine == EM_X86_64;
    if (x86_64) {
      subfolders_ = hwcaps_subfolders(facts_.version, environment.cpu);
      wanted_.hwcaps = glibc_hwcaps_names(facts_.version, environment.cpu);
      wanted_.x86_64_level = environment.cpu.x86_64_level;
      for (const auto& name : environment.cpu.hwcap_names) wanted_.legacy_hwcap |= name == "x86_64" ? 2 : 4;
    }
    wanted_.flags = abi.cache_flags;
    wanted_.legacy_folders = !facts_.version.at_least(2, 37);
    platform_ = x86_64 ? environment.cpu.platform : std::string(abi.platform);
    for (const auto& folder : facts_.system_folders) system_folders_.push_back(folder + "/");
  }

  // elf/dl-deps.c, expand_dst.
  Result<std::string> expanded_name(const Request& request, const Resolution& resolution) const override {
    if (!has_tokens(request.name)) return request.name;
    const auto refuse = [&](const char* text) {
      return Error{ErrorCode::malformed, std::string(text), request.name, std::nullopt, 0};
    };
    if (environment_.secure && request.kind != EdgeKind::dlopen)
      return refuse("DST not allowed in SUID/SGID programs");
    auto name = expand_tokens(request.name, tokens_of(resolution.objects[request.requester]));
    if (name.empty()) return refuse("empty dynamic string token substitution");
    return name;
  }

  // _dl_map_object, the loop over the namespace: names by which an object was found, then its DT_SONAME.
  std::optional<Reuse> reuse(const Request& request, const Resolution& resolution) const override {
    for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
      const auto& object = resolution.objects[id];
      if (object.unmapped) continue;
      if (std::find(object.names.begin(), object.names.end(), request.name) != object.names.end())
        return Reuse{id, "name"};
      if (object.image->soname == request.name) return Reuse{id, "soname"};
    }
    return std::nullopt;
  }

  // _dl_map_object, the search.
  SearchPlan candidates(const Request& request, const Resolution& resolution) const override {
    if (request.name.find('/') != std::string::npos)
      return {{{request.name, SearchRule::path, std::nullopt, 0, false}}, {}};
    Plan plan{request.name, {}, 0};
    const auto& requester = resolution.objects[request.requester];
    rpaths(plan, request.requester, resolution);
    library_path(plan, resolution);
    runpath(plan, request.requester, resolution);
    const bool nodeflib = (requester.image->flags_1 & df_1_nodeflib) != 0;
    const bool secure_preload = environment_.secure && request.kind == EdgeKind::preload;
    if (secure_preload) {
      skip(plan, SearchRule::cache, {}, "not used for preloads in secure mode");
    } else {
      cache(plan, nodeflib);
    }
    if (nodeflib) {
      skip(plan, SearchRule::default_folder, request.requester, "the requester forbids it (DF_1_NODEFLIB)");
    } else {
      folders(plan, system_folders_, SearchRule::default_folder, std::nullopt);
    }
    return std::move(plan.result);
  }

  // open_verify, and the judgement of errno at the end of open_path.
  Judgement judge(const OpenedFile& opened, const Request& request) const override {
    using Action = Judgement::Action;
    const auto stop = [](ProbeResult result, std::string text) { return Judgement{Action::stop, result, std::move(text)}; };
    if (opened.error) return judge_error(*opened.error, request);
    const auto& image = *opened.image;
    const bool is_64 = abi_.format == Format::elf64;
    if (image.file_size < (is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
      return stop(ProbeResult::malformed, "file too short");
    if (!image.has_elf_magic) return stop(ProbeResult::not_elf, "invalid ELF header");
    if (image.elf_class != (is_64 ? ELFCLASS64 : ELFCLASS32)) return {Action::next, ProbeResult::wrong_class, "", ENOENT};
    if (image.data_encoding != (abi_.byte_order == ByteOrder::little ? ELFDATA2LSB : ELFDATA2MSB))
      return stop(ProbeResult::wrong_machine, abi_.byte_order == ByteOrder::little
                                                  ? "ELF file data encoding not little-endian"
                                                  : "ELF file data encoding not big-endian");
    if (image.ident_version != EV_CURRENT)
      return stop(ProbeResult::malformed, "ELF file version ident does not match current one");
    if (image.os_abi != ELFOSABI_SYSV && image.os_abi != ELFOSABI_GNU)
      return stop(ProbeResult::malformed, "ELF file OS ABI invalid");
    constexpr int most_abi_version = 4;  // LIBC_ABI_MAX, libc-abis
    if (image.abi_version != 0 && (image.os_abi != ELFOSABI_GNU || image.abi_version >= most_abi_version))
      return stop(ProbeResult::malformed, "ELF file ABI version invalid");
    if (!image.zero_padding) return stop(ProbeResult::malformed, "nonzero padding in e_ident");
    if (image.version != EV_CURRENT)
      return stop(ProbeResult::malformed, "ELF file version does not match current one");
    if (image.machine != abi_.machine) return {Action::next, ProbeResult::wrong_machine, "", ENOENT};
    if (image.type != FileType::shared && image.type != FileType::executable)
      return stop(ProbeResult::malformed, "only ET_DYN and ET_EXEC can be loaded");
    if (!image.program_header_size_ok)
      return stop(ProbeResult::malformed, "ELF file's phentsize not the expected size");
    if (!image.program_headers_readable) return stop(ProbeResult::malformed, "cannot read file data");
    if (environment_.secure && request.kind == EdgeKind::preload && !opened.status.set_user_id)
      return {Action::next, ProbeResult::unreadable, "without the set-user-ID bit it is not preloaded in secure mode", ENOENT};
    return {};
  }

  // _dl_map_object_from_fd; glibc names the request here, not the path.
  Judgement admit(const OpenedFile& opened, const Request& request) const override {
    const auto& image = *opened.image;
    const auto refuse = [](ProbeResult result, const char* text) {
      return Judgement{Judgement::Action::stop, result, text};
    };
    constexpr std::uint64_t page_size = 4096;
    for (const auto& segment : image.load_segments)
      if (((segment.address - segment.offset) & (page_size - 1)) != 0)
        return refuse(ProbeResult::malformed, "ELF load command address/offset not page-aligned");
    if (image.load_segments.empty())
      return refuse(ProbeResult::malformed, "object file has no loadable segments");
    if (image.type == FileType::executable)
      return refuse(ProbeResult::malformed, "cannot dynamically load executable");
    if (!image.has_dynamic_segment || image.empty_dynamic_segment)
      return refuse(ProbeResult::malformed, "object file has no dynamic section");
    if ((image.flags_1 & df_1_pie) != 0)
      return refuse(ProbeResult::malformed, "cannot dynamically load position-independent executable");
    if ((image.flags_1 & df_1_noopen) != 0 && request.kind == EdgeKind::dlopen)
      return refuse(ProbeResult::malformed, "shared object cannot be dlopen()ed");
    return {};
  }

  std::string objection(ObjectId id, const Resolution& resolution) const override {
    const auto& object = resolution.objects[id];
    // sysdeps/x86/dl-prop.h, dl_isa_level_check: bit N of the note stands for x86-64-v(N+1).
    if (abi_.machine == EM_X86_64 && object.image->x86_isa_needed &&
        (*object.image->x86_isa_needed >> environment_.cpu.x86_64_level) != 0)
      return object.load_name + ": CPU ISA level is lower than required";
    const bool in_dlopen = resolution.targets[object.target].kind == TargetKind::dlopen;
    if (in_dlopen && object.image->static_tls && static_tls_used(id, resolution) > static_tls_surplus)
      return object.load_name + ": cannot allocate memory in static TLS block";
    // elf/dl-load.c, since 2.41: a dlopen no longer makes the stack executable.
    if (in_dlopen && facts_.version.at_least(2, 41) && object.image->executable_stack == true)
      return object.load_name + ": cannot enable executable stack as shared object requires: Invalid argument";
    return "";
  }

  std::string not_found(const Request& request, const Resolution&, const Search& search) const override {
    for (const auto& probe : search.probes)
      if (probe.result == ProbeResult::wrong_class)
        return request.shown_name() + ": wrong ELF class: " + (abi_.format == Format::elf64 ? "ELFCLASS32" : "ELFCLASS64");
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

 private:
  struct Plan {
    std::string name;
    SearchPlan result;
    std::size_t lists = 0;
  };

  /// Before libc is there, ld.so itself knows the texts of a few errors only (elf/dl-minimal.c, __strerror_r).
  static std::string error_text(int number, const Request& request) {
    constexpr std::array known = {ENOMEM, EINVAL, ENOENT, EPERM, EIO, EACCES};
    if (request.in_dlopen || std::find(known.begin(), known.end(), number) != known.end()) return std::strerror(number);
    return "Error " + std::to_string(number);
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

  // elf/dl-tls.c, _dl_tls_static_surplus_init with the default tunables: what dlopen may add to the static TLS block,
  // and the most that rounding the block up to 64 bytes can add to that.
  static constexpr std::uint64_t static_tls_surplus = 3 * 144 + 4 * 144 + 512 + 63;

  static std::uint64_t static_tls_used(ObjectId last, const Resolution& resolution) {
    std::uint64_t used = 0;
    for (ObjectId id = 0; id <= last; ++id) {
      const auto& object = resolution.objects[id];
      const bool in_dlopen = resolution.targets[object.target].kind == TargetKind::dlopen;
      if (in_dlopen && !object.unmapped && object.image->static_tls) used += std::min(object.image->tls_size, most_tls);
    }
    return used;
  }
  static constexpr std::uint64_t most_tls = std::uint64_t{1} << 40;

  TokenValues tokens_of(const Object& object) const {
    return {object.origin, facts_.lib_token, platform_};
  }

  // _dl_dst_substitute in secure mode: $ORIGIN counts only as a whole first element, and for the program itself only
  // if it leads into a trusted folder.
  std::vector<std::string> folders_in(std::string_view list, std::string_view separators, const Object& of) const {
    if (!environment_.secure) return folders_of(list, separators, tokens_of(of));
    std::vector<std::string> result;
    for (const auto element : split(list, separators)) {
      const auto origin_at = std::min(element.find("$ORIGIN"), element.find("${ORIGIN}"));
      if (origin_at != std::string_view::npos && origin_at != 0) continue;
      for (auto& folder : folders_of(element, separators, tokens_of(of))) {
        if (origin_at == 0 && of.main_program && !trusted(normal_path(folder))) continue;
        if (std::find(result.begin(), result.end(), folder) == result.end()) result.push_back(std::move(folder));
      }
    }
    return result;
  }

  bool trusted(const std::string& folder) const {
    return std::any_of(system_folders_.begin(), system_folders_.end(),
                       [&](const std::string& system) { return (folder + "/").starts_with(system); });
  }

  static void skip(Plan& plan, SearchRule rule, std::optional<ObjectId> of, std::string reason, std::string value = "") {
    plan.result.skipped.push_back({rule, of, std::move(value), std::move(reason), plan.result.candidates.size()});
  }

  // open_path: in each folder first its hwcaps subfolders.
  void folders(Plan& plan, const std::vector<std::string>& list, SearchRule rule, std::optional<ObjectId> of) const {
    const auto number = ++plan.lists;
    for (const auto& folder : list) {
      for (const auto& subfolder : subfolders_)
        plan.result.candidates.push_back({folder + subfolder + plan.name, rule, of, number, true});
      plan.result.candidates.push_back({folder + plan.name, rule, of, number, false});
    }
  }

  void rpaths(Plan& plan, ObjectId requester, const Resolution& resolution) const {
    const bool hidden = resolution.objects[requester].image->runpath.has_value();
    bool passed_program = false;
    const auto look_at = [&](ObjectId id) {
      const auto& object = resolution.objects[id];
      passed_program |= object.main_program;
      const auto& rpath = object.image->rpath;
      if (!rpath || rpath->empty()) return;
      if (object.image->runpath) {
        skip(plan, SearchRule::rpath, id, "ignored: the same object has a DT_RUNPATH", *rpath);
      } else if (hidden) {
        skip(plan, SearchRule::rpath, id, "not used: the requester has a DT_RUNPATH", *rpath);
      } else {
        folders(plan, folders_in(*rpath, ":", object), SearchRule::rpath, id);
      }
    };
    for (std::optional<ObjectId> id = requester; id; id = resolution.objects[*id].loader) look_at(*id);
    if (!passed_program)
      for (ObjectId id = 0; id < resolution.objects.size(); ++id)
        if (resolution.objects[id].main_program) look_at(id);
  }

  void library_path(Plan& plan, const Resolution& resolution) const {
    const auto value = environment_.variable("LD_LIBRARY_PATH");
    if (!value || value->empty()) {
      skip(plan, SearchRule::ld_library_path, {}, "not set");
    } else if (environment_.secure) {
      skip(plan, SearchRule::ld_library_path, {}, "ignored in secure mode", *value);
    } else {
      folders(plan, folders_in(*value, ":;", resolution.objects.front()), SearchRule::ld_library_path, std::nullopt);
    }
  }

  void runpath(Plan& plan, ObjectId requester, const Resolution& resolution) const {
    const auto& object = resolution.objects[requester];
    if (object.image->runpath && !object.image->runpath->empty())
      folders(plan, folders_in(*object.image->runpath, ":", object), SearchRule::runpath, requester);
    for (auto id = object.loader; id; id = resolution.objects[*id].loader)
      if (resolution.objects[*id].image->runpath)
        skip(plan, SearchRule::runpath, *id, "not inherited: a DT_RUNPATH serves only the object that carries it",
             *resolution.objects[*id].image->runpath);
  }

  void cache(Plan& plan, bool nodeflib) const {
    const auto number = ++plan.lists;
    if (facts_.cache) {
      const auto path = facts_.cache->find(plan.name, wanted_);
      if (!path) {
        skip(plan, SearchRule::cache, {}, "no entry for this name");
      } else if (nodeflib && std::any_of(system_folders_.begin(), system_folders_.end(), [&](const std::string& folder) {
                   return path->starts_with(folder);
                 })) {
        plan.result.candidates.push_back({*path, SearchRule::cache, std::nullopt, number, false,
                                          "in a system folder, which the requester forbids (DF_1_NODEFLIB)"});
      } else {
        plan.result.candidates.push_back({*path, SearchRule::cache, std::nullopt, number, false});
      }
    } else if (!facts_.conf_folders.empty()) {
      for (const auto& folder : facts_.conf_folders)
        plan.result.candidates.push_back({folder + "/" + plan.name, SearchRule::cache, std::nullopt, number, false});
    } else {
      skip(plan, SearchRule::cache, {}, "there is none");
    }
  }

  const Abi& abi_;
  Environment environment_;
  GlibcFacts facts_;
  LdSoCache::Wanted wanted_;
  std::string platform_;
  std::vector<std::string> subfolders_;
  std::vector<std::string> system_folders_;  ///< with a slash at the end
};

}  // namespace

std::unique_ptr<Loader> make_glibc_loader(const FileSystem& files, const std::string& interpreter, const Abi& abi,
                                          const Environment& environment) {
  return std::make_unique<GlibcLoader>(files, interpreter, abi, environment);
}

}  // namespace cudald
