#include <algorithm>
#include <cerrno>
#include <map>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/linux_host_file.h>

#include "base/library_name.h"
#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "binary/image_store.h"
#include "machine/abi.h"
#include "machine/glibc_facts.h"
#include "machine/ld_so_conf.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_settings_text = 1 << 16, most_cache = std::uint64_t{64} << 20;
constexpr std::size_t most_files = 100'000, most_folders = 200'000, deepest = 40;
constexpr std::size_t text_of_no_library = 512;  // enough to see a linker script

class Describer {
 public:
  Describer(const FileSystem& files, const Environment& environment, bool with_symbols, const Knowledge& knowledge)
      : files_(files), environment_(environment), knowledge_(knowledge), images_(files) {
    host_.with_symbols = with_symbols;
  }

  LinuxHostFile describe() {
    host_.cpu = environment_.cpu;
    for (const auto* name : {"LD_LIBRARY_PATH", "LD_PRELOAD"})
      if (const auto value = environment_.variable(name)) host_.variables[name] = *value;
    for (const auto& abi : all_abis()) read_loaders(abi);
    read_texts();
    for (const auto* folder :
         {"/lib", "/lib64", "/lib32", "/libx32", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libx32", "/usr/local"})
      look_into(folder, true);
    if (const auto value = environment_.variable("LD_LIBRARY_PATH"))
      for (const auto folder : split(*value, ":;"))
        if (folder.starts_with('/')) look_into(std::string(folder), false);
    if (host_.folders.size() >= most_folders || paths_.size() >= most_files)
      host_.limits.emplace_back("the described machine has more directories or libraries than are described");
    read_libraries();
    return std::move(host_);
  }

 private:
  /// What the loaders of an ABI know, and the folders that they search.
  void read_loaders(const Abi& abi) {
    const std::string interpreter(abi.interpreter);
    if (is_file(files_, interpreter)) {
      Environment plain;
      const auto facts = read_glibc_facts(files_, interpreter, abi, plain);
      const auto version = fmt::format("{}.{}", facts.version.major, facts.version.minor);
      host_.loaders.push_back({interpreter, facts.version_known ? version : "",
                               facts.folders_known ? facts.system_folders : std::vector<std::string>()});
      note_platform(abi, "glibc-" + version);
      add_file(interpreter);
      for (const auto& folder : facts.system_folders) look_into(folder, true);
    }
    const auto musl = fmt::format("/lib/ld-musl-{}.so.1", abi.musl_name);
    if (!is_file(files_, musl)) return;
    note_platform(abi, "musl-1.2");
    add_file(musl);
    const auto path_file = fmt::format("/etc/ld-musl-{}.path", abi.musl_name);
    if (const auto text = read_file(files_, path_file, most_settings_text)) {
      host_.texts[path_file] = *text;
      for (const auto folder : split(*text, ":\n"))
        if (folder.starts_with('/')) look_into(std::string(folder), true);
    }
  }

  /// The first that is there counts.
  void note_platform(const Abi& abi, const std::string& libc) {
    if (!host_.platform.empty()) return;
    host_.platform = "linux-" + machine_name(abi.machine);
    host_.libc = libc;
  }

  void read_texts() {
    if (const auto preload = read_file(files_, "/etc/ld.so.preload", most_settings_text)) {
      host_.texts["/etc/ld.so.preload"] = *preload;
      for (const auto name : split(*preload, " \t\n:"))
        if (name.starts_with('/') && is_file(files_, std::string(name))) {
          add_links_to(name);
          add_file(std::string(name));
        }
    }
    if (auto bytes = read_file(files_, "/etc/ld.so.cache", most_cache)) {
      if (const auto cache = LdSoCache::parse(*bytes))
        for (std::size_t i = 0; i < cache->size(); ++i)
          if (const auto entry = cache->entry(i); entry && entry->value.starts_with('/'))
            cached_.insert(std::string(entry->value));
      host_.texts["/etc/ld.so.cache"] = std::move(*bytes);
      for (const auto& path : cached_) look_into(std::string(parent_path(path)), false);
      return;
    }
    std::string text;
    for (const auto& folder : read_ld_so_conf(files_, "/etc/ld.so.conf")) {
      text += folder + "\n";
      look_into(folder, false);
    }
    if (!text.empty()) host_.texts["/etc/ld.so.conf"] = text;
  }

  /// Notes which folders of a path are links.
  void add_links_to(std::string_view path) {
    const std::string above(parent_path(path));
    if (above.size() <= 1) return;
    add_links_to(above);
    add_link(above);
  }

  /// Whether it is one. Its target is noted without further links.
  bool add_link(const std::string& path) {
    const auto above = files_.real_path(std::string(parent_path(path)));
    if (!above) return false;
    const auto own = (*above == "/" ? "" : *above) + "/" + std::string(file_name(path));
    const auto real = files_.real_path(path);
    if (!real || *real == own) return false;
    host_.links[own] = parent_path(*real) == *above ? std::string(file_name(*real)) : *real;
    return true;
  }

  void look_into(const std::string& folder, bool below) {
    if (!is_folder(files_, folder)) return;
    add_links_to(folder + "/.");
    if (const auto real = files_.real_path(folder)) walk(*real, below, 0);
  }

  void walk(const std::string& folder, bool below, std::size_t depth) {
    if (host_.folders.size() >= most_folders || depth > deepest) return;
    const auto [place, is_new] = walked_.try_emplace(folder, below);
    if (!is_new && (place->second || !below)) return;
    place->second = below;
    host_.folders.insert(folder);
    const auto names = files_.list(folder);
    if (!names) return;
    for (const auto& name : *names) {
      const auto path = (folder == "/" ? "" : folder) + "/" + name;
      const auto status = files_.status(path);
      if (status && status->kind == FileKind::folder) {
        const bool searched = below || name == "glibc-hwcaps" || folder.ends_with("/glibc-hwcaps");
        if (!add_link(path) && searched) walk(path, below, depth + 1);
      } else if (is_elf_library_name(name)) {
        if (status && status->kind == FileKind::regular) add_file(path);
        if (!status && status.error().system_error == ENOENT) host_.links[path] = "";
      }
    }
  }

  /// A library by any of its names: links lead to where it lies.
  void add_file(const std::string& path) {
    add_link(path);
    const auto real = files_.real_path(path);
    if (!real || paths_.size() >= most_files || !known_.insert(*real).second) return;
    add_links_to(*real);
    paths_.push_back(*real);
  }

  void read_libraries() {
    std::sort(paths_.begin(), paths_.end());
    images_.prefetch(paths_);
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_id;
    for (const auto& path : paths_) {
      const auto& opened = images_.open(path);
      if (!opened.image) continue;
      const auto [place, is_new] =
          by_id.try_emplace({opened.status.id.device, opened.status.id.inode}, host_.libraries.size());
      if (is_new)
        host_.libraries.push_back(library_of(path, opened));
      else
        host_.libraries[place->second].paths.push_back(path);
    }
    std::vector<std::string> programs;
    for (const auto& library : host_.libraries)
      if (library.image->is_elf()) programs.push_back(library.paths.front());
    images_.prefetch_library_texts(programs);
    for (auto& library : host_.libraries)
      if (library.image->is_elf()) library.texts = images_.library_texts(library.paths.front());
  }

  HostLibrary library_of(const std::string& path, const OpenedFile& opened) {
    HostLibrary library;
    library.paths = {path};
    library.set_user_id = opened.status.set_user_id;
    auto image = std::make_shared<Image>(*opened.image);
    image->source = ImageSource::description;
    image->elf.tables = {};
    library.image = image;
    const auto file = files_.open(path);
    if (!file) return library;
    if ((*file)->mount().no_exec) host_.noexec.insert(std::string(parent_path(path)));
    if (!image->is_elf()) {
      library.start = start_of(**file);
      return library;
    }
    if (image->has_gpu_code) library.gpu = images_.gpu_code(path);
    const bool named = is_named_like_cuda(*image);
    auto cuda = named                 ? identify(**file, *opened.image, knowledge_)
                : image->has_gpu_code ? find_static_cudart(**file, *opened.image)
                                      : std::nullopt;
    if (cuda) library.cuda = std::make_shared<const CudaLibrary>(std::move(*cuda));
    if (host_.with_symbols) add_symbols(library, **file, opened.image);
    return library;
  }

  void add_symbols(HostLibrary& library, const File& file, const std::shared_ptr<const Image>& image) const {
    const auto* abi = find_abi(image->machine, image->format, image->byte_order);
    if (abi == nullptr) return;
    const auto table = SymbolTable::read(file, image, abi->jump_slot, abi->copy);
    library.symbols = SymbolTable::of(table->describe(), library.image);
  }

  static std::string start_of(const File& file) {
    std::string text(text_of_no_library, '\0');
    const auto got = file.read(0, std::as_writable_bytes(std::span(text)));
    text.resize(got ? *got : 0);
    const bool printable =
        std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || (c >= ' ' && c < 0x7f); });
    return printable ? text : "";
  }

  const FileSystem& files_;
  const Environment& environment_;
  const Knowledge& knowledge_;
  ImageStore images_;
  LinuxHostFile host_;
  std::set<std::string> cached_;        ///< paths in ld.so.cache
  std::map<std::string, bool> walked_;  ///< folder -> also below it
  std::set<std::string> known_;
  std::vector<std::string> paths_;  ///< of the libraries, without links
};

}  // namespace

LinuxHostFile describe_linux_host(const FileSystem& files, const Environment& environment, bool with_symbols,
                                  const Knowledge& knowledge) {
  return Describer(files, environment, with_symbols, knowledge).describe();
}

}  // namespace cudald
