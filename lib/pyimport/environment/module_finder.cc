#include "pyimport/environment/module_finder.h"

#include <algorithm>
#include <charconv>

#include <cudald/image.h>

#include "base/extension_suffix.h"
#include "base/find_bytes.h"
#include "base/path.h"
#include "binary/bytes/readers.h"
#include "binary/constants/read_only_data.h"
#include "pyimport/environment/environment_files.h"
#include "tree/buffered_file.h"

namespace cudald::python {
namespace {

/// Compiled in, and without a PyInit_ function of their own name. Source: CPython 3.11 Modules/config.c.in.
constexpr std::string_view always_built_in[] = {
    "builtins", "sys", "marshal", "_warnings", "_imp", "_frozen_importlib", "_frozen_importlib_external", "__main__"};
/// Only on other systems. Source: CPython 3.11 Doc, module index, "Availability"; Modules/ and PC/config.c.
constexpr std::string_view not_on_windows[] = {
    "_curses", "_curses_panel", "_dbm",        "_gdbm", "_posixshmem", "_posixsubprocess", "_scproxy", "fcntl",
    "grp",     "nis",           "ossaudiodev", "posix", "pwd",         "readline",         "resource", "spwd",
    "syslog",  "termios",       "_crypt"};
constexpr std::string_view not_on_linux[] = {"_msi", "_overlapped", "_scproxy", "_winapi", "_winreg",        "msvcrt",
                                             "nt",   "winreg",      "winsound", "java",    "_posixshmem_win"};
constexpr std::uint64_t max_extension = std::uint64_t{64} << 20;  ///< that is inflated
constexpr std::uint64_t max_library = std::uint64_t{256} << 20;
constexpr std::uint64_t max_program = std::uint64_t{256} << 20;
constexpr std::uint64_t work_of_folder = 20;  ///< to look a module up in one
constexpr CostLimits limits_of_program{.kept = std::uint64_t{16} << 20, .steps = 10'000'000};
constexpr std::uint64_t longest_init_name = 128;  ///< with the mark and the zero byte
/// How much of a text compilers put into one instruction, or into one constant that it loads.
constexpr std::size_t quarter_of_vector = 4, half_of_vector = 8, vector_bytes = 16;
constexpr std::size_t longest_rest = 64;  ///< of a text that is looked at

/// Whether bytes are the rest of a text of C, and not instructions, of which some are printable, too.
bool goes_on_as_text(std::string_view bytes) {
  const auto ends = std::find_if(bytes.begin(), bytes.end(), [](char one) { return one < ' ' || one > '~'; });
  return ends == bytes.end() || *ends == '\0' || *ends == '\n' || *ends == '\t';
}

/// Names X for which a part of a file holds the symbol name PyInit_X; whether there is one.
bool collect_init_functions(const File& file, const FileRange& part, Heap& heap,
                            std::set<std::string, std::less<>>& into) {
  heap.look_at(part.size);
  constexpr std::string_view mark = "PyInit_";  // after a zero byte, which is too frequent to be looked for
  bool any = false;
  for_blocks(file, {part}, part.offset + part.size, part.size, longest_init_name, [&](const FileBlock& block) {
    const auto& bytes = block.bytes;
    for (auto at = find_bytes(bytes, mark); at != std::string::npos; at = find_bytes(bytes, mark, at + 1)) {
      if (at == 0 || bytes[at - 1] != '\0') continue;
      const auto begin = at + mark.size(), end = bytes.find('\0', begin);
      if (end == std::string::npos || end - begin >= 100) continue;
      heap.keep(2 * sizeof(std::string) + end - begin);
      into.emplace(bytes.substr(begin, end - begin));
      any = true;
    }
    return false;
  });
  return any;
}

/// The same of a whole file: the names of its dynamic symbols have them, but for a program that exports none.
void collect_init_functions(const FileSystem& files, const std::string& path, Heap& heap,
                            std::set<std::string, std::less<>>& into) {
  auto opened = files.open(path);
  if (!opened) return;
  const auto file = buffered(std::move(*opened));
  const auto size = file->status().size;
  if (size == 0 || size > max_program) return;
  Budget budget(limits_of_program);
  const auto image = read_image(*file, budget);
  const auto strings = image ? (*image)->elf.tables.strings : TableRange();
  const auto declared = image ? (*image)->elf.tables.declared_strings_size : 0;
  // Where its size is not told, the names may go on to the end of their segment.
  const auto length = declared == 0 ? strings.size : std::min(declared, strings.size);
  if (strings.present && strings.offset < size && length <= size - strings.offset &&
      collect_init_functions(*file, FileRange{strings.offset, length}, heap, into))
    return;
  collect_init_functions(*file, FileRange{0, size}, heap, into);
}

bool any_begins(const std::set<std::string, std::less<>>& names, std::string_view beginning) {
  const auto at = names.lower_bound(beginning);
  return at != names.end() && at->starts_with(beginning);
}

/// ".abi3-x86_64-linux-gnu.so", which Debian's Python has known since 3.13; empty where it is among the suffixes.
std::string platform_suffix(const std::vector<std::string>& suffixes) {
  const std::string_view own = suffixes.empty() ? std::string_view() : suffixes.front();
  const auto platform = own.find('-', own.find('-') + 1);
  if (!own.starts_with(".cpython-") || platform == std::string_view::npos) return {};
  auto suffix = ".abi3" + std::string(own.substr(platform));
  return std::find(suffixes.begin(), suffixes.end(), suffix) == suffixes.end() ? suffix : std::string();
}

}  // namespace

ModuleFinder::ModuleFinder(const PythonEnvironment& environment, const FileSystem& files,
                           const std::set<std::string_view>& standard_library, Heap& heap)
    : environment_(environment),
      files_(files),
      standard_library_(standard_library),
      heap_(heap),
      platform_suffix_(platform_suffix(environment.extension_suffixes)) {
  for (const auto& folder : environment.path)
    if (library_folder_.empty() && has_file(folder + "/os.py")) library_folder_ = folder;
  if (library_folder_.empty()) return;
  if (!environment.interpreter.empty()) interpreter_files_.push_back(environment.interpreter);
  add_interpreter_libraries();
  // The table of a Python for Windows has no names that could be read.
  if (environment.windows != nullptr) return;
  for (const auto& file : interpreter_files_) collect_init_functions(files, file, heap, built_in_);
}

/// libpython3.12.so and its like, each once; python312.dll beside python.exe.
void ModuleFinder::add_interpreter_libraries() {
  const bool windows = environment_.windows != nullptr;
  const auto folder = windows ? std::string(parent_path(environment_.interpreter)) : environment_.base_prefix + "/lib";
  auto beginning = (windows ? "python" : "libpython") + environment_.version;
  if (windows) std::erase(beginning, '.');
  std::vector<FileId> seen;  // one of them is a link to another
  for (const auto& name : list(folder)) {
    if (!name.starts_with(beginning) || name.find(windows ? ".dll" : ".so") == std::string::npos) continue;
    const auto path = folder + "/" + name;
    const auto status = files_.status(path);
    if (!status || std::find(seen.begin(), seen.end(), status->id) != seen.end()) continue;
    seen.push_back(status->id);
    interpreter_files_.push_back(path);
  }
}

const std::set<std::string, std::less<>>& ModuleFinder::list(const std::string& folder) {
  const auto [at, is_new] = listings_.try_emplace(folder);
  if (is_new) {
    if (auto names = files_.list(folder)) {
      for (const auto& name : *names) heap_.keep(3 * sizeof(std::string) + name.size());
      at->second.insert(names->begin(), names->end());
    }
  }
  return at->second;
}

bool ModuleFinder::has_file(const std::string& path) {
  if (!list(std::string(parent_path(path))).contains(file_name(path))) return false;
  return is_file(files_, path);
}

bool ModuleFinder::has_folder(const std::string& path) { return is_folder(files_, path); }

bool ModuleFinder::in_standard_library(std::string_view path) const {
  constexpr std::string_view packages = "-packages/", site = "/site", dist = "/dist";
  if (library_folder_.empty() || !path.starts_with(library_folder_)) return false;
  for (auto at = path.find(packages); at != std::string_view::npos; at = path.find(packages, at + 1)) {
    const auto before = path.substr(0, at);
    if (before.ends_with(site) || before.ends_with(dist)) return false;
  }
  return true;
}

bool ModuleFinder::built_in(std::string_view name) {
  for (const auto known : always_built_in)
    if (name == known) return true;
  if (!standard_library_.contains(name)) return false;
  const auto elsewhere = environment_.windows != nullptr ? std::span<const std::string_view>(not_on_windows)
                                                         : std::span<const std::string_view>(not_on_linux);
  if (std::find(elsewhere.begin(), elsewhere.end(), name) != elsewhere.end()) return false;
  // With the interpreter at hand its own table decides; without it a module of the standard library is taken as there.
  return built_in_.empty() || built_in_.contains(name);
}

std::string ModuleFinder::extension_file(const std::string& folder, std::string_view stem) {
  const auto& names = list(folder);
  for (const auto& suffix : environment_.extension_suffixes) {
    const auto name = std::string(stem) + suffix;
    if (names.contains(name) && has_file(folder + "/" + name)) return folder + "/" + name;
  }
  if (!environment_.extension_suffixes.empty()) {
    if (platform_suffix_.empty()) return {};
    const auto name = std::string(stem) + platform_suffix_;
    const bool found = names.contains(name) && has_file(folder + "/" + name) && accepts_platform_suffix();
    return found ? folder + "/" + name : std::string();
  }
  const auto prefix = std::string(stem) + ".";
  std::pair<int, std::string_view> best;
  for (auto at = names.lower_bound(prefix); at != names.end() && at->starts_with(prefix); ++at) {
    const auto rank = rank_of_suffix(std::string_view(*at).substr(stem.size()));
    if (rank > best.first && has_file(folder + "/" + *at)) best = {rank, *at};
  }
  return best.first == 0 ? "" : folder + "/" + std::string(best.second);
}

/// Whether the interpreter at hand holds the suffix.
bool ModuleFinder::accepts_platform_suffix() {
  if (!accepts_) accepts_ = holds(environment_.interpreter, platform_suffix_).value_or(false);
  return *accepts_;
}

/// The bytes of a member of an archive, kept until another one is asked for: of one file many texts are sought, one
/// after the other, and a member that would be inflated too often is not read any more. nullptr if it cannot be read.
const std::string* ModuleFinder::inflated(const std::string& path, const File& file) {
  if (inflated_path_ == path) return &inflated_bytes_;
  auto bytes = read_file(file, path, max_extension);
  if (!bytes || bytes->size() != file.status().size) return nullptr;
  inflated_path_ = path;
  inflated_bytes_ = std::move(*bytes);
  return &inflated_bytes_;
}

/// Whether `found` is true of a block of a file; blocks overlap by so many bytes. Each byte is paid for `looks` times.
template <typename Found>
std::optional<bool> ModuleFinder::any_block(const std::string& path, std::size_t overlap, std::size_t looks,
                                            const Found& found) {
  const auto file = files_.open(path);
  if (!file || (*file)->status().size > ((*file)->is_stream() ? max_extension : max_library)) return std::nullopt;
  const auto size = (*file)->status().size;
  heap_.look_at(looks * size);
  if ((*file)->is_stream()) {
    const auto* bytes = inflated(path, **file);
    return bytes == nullptr ? std::nullopt : std::optional<bool>(found(FileBlock{.bytes = *bytes}));
  }
  bool any = false;
  const bool all = for_blocks(**file, {FileRange{0, size}}, size, size, overlap,
                              [&](const FileBlock& block) { return any = found(block); });
  return any || all ? std::optional(any) : std::nullopt;
}

/// nullopt if it cannot be read whole, or is too large.
std::optional<bool> ModuleFinder::holds(const std::string& path, const std::string& text) {
  return any_block(path, std::max(text.size(), std::size_t{16}), 1,
                   [&](const FileBlock& block) { return holds_bytes(block.bytes, text); });
}

std::optional<bool> ModuleFinder::holds_any(const std::string& path, std::span<const std::string_view> texts) {
  std::size_t longest = 16;
  for (const auto text : texts) longest = std::max(longest, text.size());
  return any_block(path, longest, 1,
                   [&](const FileBlock& block) { return find_any_bytes(block.bytes, texts).has_value(); });
}

std::optional<bool> ModuleFinder::may_copy(const std::string& path, std::string_view name) {
  const std::string beginning(name.substr(0, name.size() < half_of_vector ? quarter_of_vector : half_of_vector));
  if (name.size() < vector_bytes) return holds(path, beginning);
  return any_block(path, longest_rest, 1, [&](const FileBlock& block) {
    const auto& bytes = block.bytes;
    for (auto at = find_bytes(bytes, beginning); at != std::string_view::npos;
         at = find_bytes(bytes, beginning, at + 1)) {
      const bool is_vector = bytes.substr(at, vector_bytes) == name.substr(0, vector_bytes) &&
                             ((block.offset + at) % vector_bytes == 0 || bytes.substr(at, name.size()) == name);
      if (is_vector || !goes_on_as_text(bytes.substr(at + beginning.size(), longest_rest))) return true;
    }
    return false;
  });
}

std::optional<bool> ModuleFinder::may_compose(const std::string& path, std::string_view name) {
  constexpr std::size_t least = 2, most_name = 64;
  if (name.size() > most_name) return std::nullopt;
  if (name.size() < 2 * least) return false;
  struct Split {
    std::string head, tail;  // as C has them, with a null byte at the end
    bool has_head = false, has_tail = false;
  };
  std::vector<Split> splits;
  for (auto at = least; at + least <= name.size(); ++at)
    splits.push_back({std::string(name.substr(0, at)) + '\0', std::string(name.substr(at)) + '\0'});
  return any_block(path, most_name, 2 * splits.size(), [&](const FileBlock& block) {
    const auto& bytes = block.bytes;
    for (auto& split : splits) {
      split.has_head = split.has_head || holds_bytes(bytes, split.head);
      split.has_tail = split.has_tail || holds_bytes(bytes, split.tail);
      if (split.has_head && split.has_tail) return true;
    }
    return false;
  });
}

/// For a Python of which only the version is known, or not even that: its own modules, then those of any, then those of
/// the newest other; 0 if a file with that suffix is none.
int ModuleFinder::rank_of_suffix(std::string_view suffix) const {
  constexpr int of_own = 2000, of_any = 1000;
  const bool windows = environment_.windows != nullptr;
  if (!suffix.ends_with(windows ? ".pyd" : ".so")) return 0;
  if (suffix == ".pyd" || suffix == ".so" || has_stable_abi_suffix(suffix)) return of_any;
  const std::string_view mark = windows ? ".cp3" : ".cpython-3";
  // ".pypy39-pp73-x86_64-linux-gnu.so", ".graalpy251-312-native-x86_64-linux.so": a wheel for another Python has such.
  if (suffix.starts_with(".pypy3") || suffix.starts_with(".graalpy")) return 1;
  if (!suffix.starts_with(mark)) return 0;
  int minor = 0;
  const auto digits = suffix.substr(mark.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  if (!environment_.version.empty() && minor == minor_of(environment_.version)) return of_own;
  return 1 + std::clamp(minor, 0, of_any - 2);
}

bool ModuleFinder::hold_modules(const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [this](const std::string& folder) {
    const auto& names = list(folder);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      heap_.work(work_of_folder);
      return name.ends_with(".py") || name.ends_with(".pyc") || name.find(".cpython-") != std::string::npos ||
             has_file(folder + "/" + name + "/__init__.py");
    });
  });
}

bool ModuleFinder::may_find(std::string_view top, const std::vector<std::string>& search) {
  heap_.work(work_of_folder);
  if (stems_.empty() || search != searched_) {
    searched_ = search;
    stems_.clear();
    stems_.insert(std::begin(always_built_in), std::end(always_built_in));
    stems_.insert(standard_library_.begin(), standard_library_.end());
    for (const auto& folder : search)
      for (const std::string_view name : list(folder)) stems_.insert(name.substr(0, name.find('.')));
    heap_.work(work_of_folder * stems_.size());
  }
  return stems_.contains(top);
}

ModulePlace ModuleFinder::find(std::string_view name, const std::vector<std::string>& search, bool top_level) {
  using Kind = ModulePlace::Kind;
  ModulePlace place;
  if (top_level && built_in(name)) {
    place.kind = Kind::built_in;
    // In a tree without an interpreter a file of that name still decides.
    if (!built_in_.empty() || library_folder_.empty()) return place;
  }
  std::vector<std::string> portions;
  for (const auto& folder : search) {
    heap_.work(work_of_folder);
    const auto& names = list(folder);
    if (!any_begins(names, name)) continue;
    const auto inner = folder + "/" + std::string(name);
    if (names.contains(name) && has_folder(inner)) {
      for (const auto& [file, kind] :
           {std::pair(extension_file(inner, "__init__"), Kind::extension),
            std::pair(inner + "/__init__.py", Kind::source), std::pair(inner + "/__init__.pyc", Kind::bytecode)})
        if (!file.empty() && has_file(file)) return {kind, file, {inner}, true};
      portions.push_back(inner);
    }
    if (auto file = extension_file(folder, name); !file.empty()) return {Kind::extension, file, {}, false};
    if (has_file(inner + ".py")) return {Kind::source, inner + ".py", {}, false};
    if (has_file(inner + ".pyc")) return {Kind::bytecode, inner + ".pyc", {}, false};
  }
  if (place.kind == Kind::built_in) return place;
  if (!portions.empty()) return {Kind::namespace_package, {}, portions, true};
  return {};
}

}  // namespace cudald::python
