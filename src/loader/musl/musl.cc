#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <cudald/image.h>

#include "base/path.h"
#include "loader/loader.h"
#include "loader/search_path.h"
#include "loader/segments.h"
#include "os/linux_errors.h"

namespace cudald {
namespace {

/// musl's dynamic linker (ldso/dynlink.c of 1.2): one search list after another, no cache, no hwcaps folders, and
/// RPATH and RUNPATH are one thing, inherited by everyone below.
class MuslLoader final : public ElfLoader {
 public:
  MuslLoader(const std::string& interpreter, const Abi& abi, const Environment& environment, std::string system_path)
      : abi_(abi), environment_(environment), interpreter_(interpreter), system_path_(std::move(system_path)) {
    version_ = environment.libc && environment.libc->kind == LibcKind::musl ? *environment.libc
                                                                            : LibcVersion{LibcKind::musl, 1, 2};
  }

  MuslLoader(const FileSystem& files, const std::string& interpreter, const Abi& abi, const Environment& environment)
      : MuslLoader(interpreter, abi, environment, "") {
    // The path file lies beside the loader's folder: /lib/ld-musl-x86_64.so.1 reads /etc/ld-musl-x86_64.path.
    std::string prefix(parent_path(parent_path(interpreter)));
    if (prefix == "/") prefix.clear();
    path_file_ = prefix + "/etc/ld-musl-" + std::string(abi.musl_name) + ".path";
    const auto text = read_file(files, path_file_, 1 << 20);
    if (text) {
      system_path_ = text->substr(0, text->find('\0'));
    } else if (text.error().system_error == ENOENT || text.error().system_error == ENOTDIR) {
      system_path_ = "/lib:/usr/local/lib:/usr/lib";
    }
  }

  Result<std::string> expanded_name(const Request& request, const Resolution&) const override { return request.name; }

  // load_library: names of musl's own parts are the loader itself; else only names that were searched for count.
  std::optional<Reuse> reuse(const Request& request, const Resolution& resolution,
                             const std::vector<ObjectId>& named) const override {
    if (is_own_part(request.name)) return reuse_loader(resolution);
    for (const auto id : named) {
      const auto& object = resolution.objects[id];
      if (object.unmapped) continue;
      if (object.dynamic_loader && request.name == object.load_name) return Reuse{id, MatchedBy::name};
      if (!object.main_program && request.name.find('/') == std::string::npos &&
          std::find(object.names.begin(), object.names.end(), request.name) != object.names.end())
        return Reuse{id, MatchedBy::name};
    }
    return std::nullopt;
  }

  void search(const Request& request, const Resolution& resolution, SearchVisitor& visitor) const override {
    if (request.name.find('/') != std::string::npos) {
      visitor.candidate({"", request.name, SearchRule::path, std::nullopt, false, ""});
      return;
    }
    constexpr std::size_t longest_name = 255;  // NAME_MAX: a longer name is never searched for
    if (request.name.empty() || request.name.size() > longest_name) return;
    const auto path = environment_.variable("LD_LIBRARY_PATH");
    if (!path || path->empty()) {
      visitor.skipped({SearchRule::ld_library_path, std::nullopt, "", "not set", 0});
    } else if (environment_.secure) {
      visitor.skipped({SearchRule::ld_library_path, std::nullopt, *path, "ignored in secure mode", 0});
    } else if (folders(*path, SearchRule::ld_library_path, std::nullopt, request.name, visitor)) {
      return;
    }
    if (request.kind != EdgeKind::preload)
      for (std::optional<ObjectId> id = request.requester; id; id = resolution.objects[*id].loader) {
        const auto& object = resolution.objects[*id];
        const auto& list = object.image->elf.runpath ? object.image->elf.runpath : object.image->elf.rpath;
        const auto rule = object.image->elf.runpath ? SearchRule::runpath : SearchRule::rpath;
        if (!list) continue;
        const auto expanded = expanded_list(*list, object);
        if (!expanded) {
          visitor.skipped({rule, *id, *list,
                           "ignored: musl knows no token but $ORIGIN, and that not of a program in secure mode", 0});
        } else if (folders(*expanded, rule, *id, request.name, visitor)) {
          return;
        }
      }
    folders(system_path_, SearchRule::default_folder, std::nullopt, request.name, visitor);
  }

  const std::vector<std::string>& subfolders() const override {
    static const std::vector<std::string> none;
    return none;
  }

  // path_open: some errors go on, every other one ends the whole search; what opens is taken or fatal.
  Judgement judge(const OpenedFile& opened, const Request&) const override {
    using Action = Judgement::Action;
    const auto no_exec = [](ProbeResult result) { return Judgement{Action::stop, result, error_text(ENOEXEC)}; };
    if (opened.error) {
      const auto number = opened.error->system_error;
      switch (number) {
        case ENOENT:
        case ENOTDIR: return {Action::next, ProbeResult::absent, "", number};
        case EACCES:
        case ENAMETOOLONG: return {Action::next, ProbeResult::unreadable, error_text(number), number};
        default: return {Action::stop, ProbeResult::unreadable, error_text(number), number};
      }
    }
    const auto& image = *opened.image;
    if (!image.elf.header.has_magic) return no_exec(ProbeResult::not_elf);
    if (image.format != abi_.format) return no_exec(ProbeResult::wrong_class);
    if (image.type != FileType::shared && image.type != FileType::executable) return no_exec(ProbeResult::malformed);
    if (!image.elf.header.program_header_size_ok || !image.elf.header.program_headers_readable ||
        !image.elf.has_dynamic_segment)
      return no_exec(ProbeResult::malformed);
    return {};
  }

  // Neither the machine nor the OS ABI is looked at. map_library: the error of mmap is that of the load.
  Judgement admit(const OpenedFile& opened, const Request&, const Resolution&) const override {
    if (!opened.no_exec || !has_executable_segment(*opened.image)) return {};
    return {Judgement::Action::stop, ProbeResult::unreadable, error_text(EPERM)};
  }

  std::string start_refusal(const OpenedFile& opened, const std::string& path) const override {
    const bool refused = !opened.image->elf.interpreter && opened.no_exec && has_executable_segment(*opened.image);
    return refused ? "Error loading shared library " + path + ": " + error_text(EPERM) : "";
  }

  // do_relocs: what comes later has its thread-local data elsewhere in each thread. The symbol that its line names
  // besides is known to relocations alone.
  std::string objection(ObjectId id, const Resolution& resolution) const override {
    const auto& object = resolution.objects[id];
    const bool in_dlopen = resolution.targets[object.target].kind == TargetKind::dlopen;
    if (!in_dlopen || !object.image->elf.static_tls || object.image->elf.tls_size == 0) return "";
    return "Error relocating " + object.load_name + ": initial-exec TLS resolves to dynamic definition in " +
           object.load_name;
  }

  std::string not_found(const Request& request, const Resolution& resolution, const Search& search) const override {
    // load_library: "if (!*name)".
    const auto absent = request.name.empty() ? EINVAL : ENOENT;
    const auto number = search.probes.empty() ? absent : search.probes.back().system_error;
    const auto reason = error_text(number == 0 ? ENOENT : number);
    return refused(request, request.name, reason, resolution);
  }

  // load_direct_deps and dlopen; neither names the path.
  std::string refused(const Request& request, const std::string&, const std::string& text,
                      const Resolution& resolution) const override {
    auto line = "Error loading shared library " + request.name + ": " + text;
    if (request.kind != EdgeKind::dlopen)
      line += " (needed by " + resolution.objects[request.requester].load_name + ")";
    return line;
  }

  std::string origin(const std::string& load_name) const override { return std::string(parent_path(load_name)); }

  std::vector<std::string> preloads() const override {
    auto names = environment_.preload;
    if (const auto list = environment_.variable("LD_PRELOAD"); list && !environment_.secure)
      for (const auto name : split(*list, " \t\n\v\f\r:"))
        if (!name.empty()) names.emplace_back(name);
    return names;
  }

  bool follows_filters() const override { return false; }
  bool dlopen_searches_for_caller() const override { return false; }
  bool knows_program_file() const override { return false; }
  LibcVersion libc() const override { return version_; }
  std::vector<std::string> notes() const override { return {}; }

 private:
  // src/errno/__strerror.h
  static std::string error_text(int number) {
    switch (number) {
      case EIO: return "I/O error";
      case ELOOP: return "Symbolic link loop";
      case ENAMETOOLONG: return "Filename too long";
      default: return linux_error_text(number);
    }
  }

  static std::optional<Reuse> reuse_loader(const Resolution& resolution) {
    const auto& objects = resolution.objects;
    const auto found = std::find_if(objects.begin(), objects.end(),
                                    [](const Object& object) { return object.dynamic_loader && !object.unmapped; });
    if (found == objects.end()) return std::nullopt;
    return Reuse{static_cast<ObjectId>(found - objects.begin()), MatchedBy::name};
  }

  bool is_own_part(const std::string& name) const {
    if (name == interpreter_) return true;
    constexpr std::array<std::string_view, 7> parts = {"c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet."};
    if (!name.starts_with("lib")) return false;
    const auto rest = std::string_view(name).substr(3);
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return rest.starts_with(part); });
  }

  // fixup_rpath: any token but $ORIGIN makes the whole list void.
  std::optional<std::string> expanded_list(const std::string& list, const Object& object) const {
    if (list.find('$') == std::string::npos) return list;
    if (environment_.secure && (object.main_program || !object.origin.starts_with('/'))) return std::nullopt;
    std::string result;
    for (std::string_view rest = list; !rest.empty();) {
      const auto dollar = rest.find('$');
      result += rest.substr(0, dollar);
      if (dollar == std::string_view::npos) break;
      rest.remove_prefix(dollar);
      const std::size_t length = rest.starts_with("$ORIGIN") ? 7 : rest.starts_with("${ORIGIN}") ? 9 : 0;
      if (length == 0) return std::nullopt;
      result += object.origin.empty() ? "." : object.origin;
      rest.remove_prefix(length);
      constexpr std::size_t longest = 1 << 20;
      if (result.size() > longest) return std::nullopt;
    }
    return result;
  }

  /// Returns whether the search is over.
  static bool folders(std::string_view list, SearchRule rule, std::optional<ObjectId> of, const std::string& name,
                      SearchVisitor& visitor) {
    constexpr std::size_t longest_path = 511;  // musl's buffer: a longer path is passed over
    for (const auto folder : split(list, ":\n")) {
      if (folder.empty() || folder.size() + 1 + name.size() > longest_path) continue;
      if (visitor.candidate({std::string(folder) + "/", name, rule, of, false, ""}) == SearchVisitor::Next::stop)
        return true;
    }
    return false;
  }

  const Abi& abi_;
  Environment environment_;
  std::string interpreter_, path_file_, system_path_;
  LibcVersion version_;
};

}  // namespace

std::unique_ptr<ElfLoader> make_musl_loader(const FileSystem& files, const std::string& interpreter, const Abi& abi,
                                            const Environment& environment) {
  return std::make_unique<MuslLoader>(files, interpreter, abi, environment);
}

std::unique_ptr<ElfLoader> make_musl_loader(const std::string& interpreter, const Abi& abi,
                                            const Environment& environment, std::string system_path) {
  return std::make_unique<MuslLoader>(interpreter, abi, environment, std::move(system_path));
}

}  // namespace cudald
