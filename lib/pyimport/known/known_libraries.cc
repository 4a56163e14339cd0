#include "machine/ld_so_cache.h"
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

constexpr std::size_t longest_library_name = 255;
constexpr std::uint64_t max_cache = std::uint64_t{16} << 20;

/// Source: CPython Lib/ctypes/__init__.py, CDLL.__init__: with a handle nothing is opened; since 3.8 the caller may
/// give the flags of LoadLibraryEx.
Value open_library(const KnownCall& call) {
  if (const auto* handle = call.argument(2, "handle"); handle != nullptr && handle->get<None>() == nullptr)
    return handle->unknown() ? call.python.tracker.unfollowed(call.frame, Unfollowed::Kind::library)
                             : Named{"ctypes handle"};
  const auto* mode = call.argument(1, "mode");
  const auto* number = mode == nullptr ? nullptr : mode->get<long long>();
  const auto* named = mode == nullptr ? nullptr : mode->get<Named>();
  const bool global =
      (number != nullptr && (*number & 0x100) != 0) || (named != nullptr && named->name.ends_with("RTLD_GLOBAL"));
  const auto* library = call.argument(0, "name");
  // Windows has no library without a name: '/' is looked for in it.
  if (library != nullptr && library->get<None>() != nullptr && call.python.environment.windows != nullptr)
    call.python.doubt.raise_if_certain(call.frame, {"TypeError", "argument of type 'NoneType' is not iterable"});
  const auto* flags = call.argument(5, "winmode");
  const auto* flag_number = flags == nullptr ? nullptr : flags->get<long long>();
  return call.python.requests.load_library(
      call.frame, library == nullptr ? Value() : *library, global,
      flag_number == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(*flag_number)));
}

/// CDLL.__init__, for the instance of a class that is derived from CDLL: that is among the arguments where it is called
/// by the name of the class.
Value open_derived(const KnownCall& call) {
  auto arguments = call.arguments;
  const bool by_class = !arguments.empty() && arguments[0].keyword.empty() && arguments[0].value.get<ObjectRef>();
  if (by_class) arguments.erase(arguments.begin());
  open_library({call.python, call.frame, arguments});
  return None{};
}

/// What `cdll`, `windll` and their like are, by the class of the libraries that they open.
/// Source: CPython 3.11 Lib/ctypes/__init__.py, LibraryLoader.
Value make_loader(const KnownCall& call) {
  constexpr std::pair<std::string_view, std::string_view> loaders[] = {{"ctypes.CDLL", "ctypes.cdll"},
                                                                       {"ctypes.PyDLL", "ctypes.pydll"},
                                                                       {"ctypes.WinDLL", "ctypes.windll"},
                                                                       {"ctypes.OleDLL", "ctypes.oledll"}};
  const auto* type = call.argument(0, "dlltype");
  const auto* object = type == nullptr ? nullptr : type->get<ObjectRef>();
  const auto* named = type == nullptr ? nullptr : type->get<Named>();
  const auto name = object != nullptr ? (*object)->name : named != nullptr ? named->name : std::string();
  for (const auto& [of, loader] : loaders)
    if (name == of) return Named{std::string(loader)};
  return Unknown{};
}

/// What ctypes itself calls. Source: CPython 3.11 Modules/_ctypes/callproc.c, py_dl_open.
Value open_by_handle(const KnownCall& call) {
  const auto* library = call.argument(0);
  call.python.requests.load_library(call.frame, library == nullptr ? Value() : *library, false);
  return Named{"ctypes handle"};
}

/// Names of the loader's cache for a short name, each once.
std::optional<std::vector<std::string>> names_in_cache(const KnownCall& call, const std::string& beginning) {
  auto bytes = call.python.host.read_text("/etc/ld.so.cache", max_cache);
  const auto cache = bytes ? LdSoCache::parse(std::move(*bytes)) : Result<LdSoCache>(Error{});
  if (!cache) return std::nullopt;
  std::vector<std::string> names;
  call.python.heap.work(4 * cache->size());
  for (std::size_t i = 0; i < cache->size(); ++i) {
    const auto entry = cache->entry(i);
    if (entry && entry->key.starts_with(beginning) && (names.empty() || names.back() != entry->key))
      names.emplace_back(entry->key);
  }
  return names;
}

/// By what ldconfig, a compiler and a linker say: libraries in the loader's cache first. Those of the C library are
/// always there. Source: CPython 3.11 Lib/ctypes/util.py, find_library.
Value find_library(const KnownCall& call) {
  const auto* library = call.text(0);
  if (library == nullptr) return Unknown{};
  if (*library == "c" || *library == "m") return "lib" + *library + ".so.6";
  if (*library == "dl") return std::string("libdl.so.2");
  if (*library == "rt") return std::string("librt.so.1");
  if (*library == "pthread") return std::string("libpthread.so.0");
  const auto& finds = call.python.loader.finds;
  const auto beginning = "lib" + *library + ".";
  const auto names = names_in_cache(call, beginning);
  if (!names || !finds || library->size() > longest_library_name) return Unknown{};
  if (names->size() == 1) return names->front();
  call.python.heap.work(2 * work_of_request);
  if (!names->empty() || finds(beginning + "so")) return Unknown{};
  // A driver that is stated has no file.
  if (finds(beginning + "so.1")) return beginning + "so.1";
  const bool of_this_system = library->find_first_of("/\\") == std::string::npos;
  if (!call.frame.maybe && of_this_system) {
    call.python.tracker.note_absent(call.frame, beginning + "so");
    call.frame.lacks_library = true;
  }
  return None{};
}

/// The text that a command looks for in the list of the loader's cache, "libnvrtc" of "ldconfig -p | grep 'libnvrtc'";
/// empty of any other command, and where the text is a pattern.
std::string_view text_in_list_of_cache(std::string_view command) {
  for (const std::string_view before : {"/sbin/", "/usr/sbin/"})
    if (command.starts_with(std::string(before) + "ldconfig")) command.remove_prefix(before.size());
  constexpr std::string_view list = "ldconfig -p | grep ";
  if (!command.starts_with(list)) return {};
  command.remove_prefix(list.size());
  if (command.size() > 2 && command.front() == command.back() && (command.front() == '\'' || command.front() == '"'))
    command = command.substr(1, command.size() - 2);
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return command.find_first_not_of(plain) == std::string_view::npos ? command : std::string_view();
}

/// The lines that `ldconfig -p | grep TEXT` prints; nothing if that is not known.
/// Source: glibc 2.36 elf/cache.c, print_entry.
std::optional<std::string> lines_of_cache(const KnownCall& call, std::string_view text) {
  constexpr std::uint32_t libc6_of_x86_64 = 0x0303;
  auto bytes = call.python.host.read_text("/etc/ld.so.cache", max_cache);
  const auto cache = bytes ? LdSoCache::parse(std::move(*bytes)) : Result<LdSoCache>(Error{});
  if (!cache) return std::nullopt;
  call.python.heap.work(4 * cache->size());
  std::string lines;
  for (std::size_t i = 0; i < cache->size(); ++i) {
    const auto entry = cache->entry(i);
    if (!entry) return std::nullopt;
    const bool named = entry->key.find(text) != std::string_view::npos;
    if (!named && entry->value.find(text) == std::string_view::npos) continue;
    if (entry->flags != libc6_of_x86_64 || entry->hwcap != 0) return std::nullopt;
    lines += "\t" + std::string(entry->key) + " (libc6,x86-64) => " + std::string(entry->value) + "\n";
  }
  return lines;
}

/// Of commands one is followed, by which code asks where the loader's cache has a library: grep fails where no line
/// has it. Source: CPython 3.11 Lib/subprocess.py, check_output and CalledProcessError.
Value output_of_command(const KnownCall& call) {
  const auto* command = call.text(0, "args");
  const auto* shell = call.argument(99, "shell");
  const auto text = command == nullptr ? std::string_view() : text_in_list_of_cache(*command);
  if (text.empty() || shell == nullptr || truth(*shell) != true || call.frame.maybe) return Unknown{};
  // A driver that is stated has no file.
  const auto& finds = call.python.loader.finds;
  for (const std::string name : {"libcuda.so.1", "libnvidia-ml.so.1"})
    if (name.find(text) != std::string::npos && (!finds || finds(name))) return Unknown{};
  auto lines = lines_of_cache(call, text);
  if (!lines) return Unknown{};
  if (!lines->empty()) return std::move(*lines);
  PythonError error{"CalledProcessError", "Command '" + *command + "' returned non-zero exit status 1."};
  error.type = "subprocess.CalledProcessError";
  error.bases = {"SubprocessError", "Exception", "BaseException"};
  if (call.python.handlers.caught_for_all(error)) throw error;
  call.python.doubt.raise_if_certain(call.frame, std::move(error));
  return Unknown{};
}

/// Opens the library that the first argument, `path`, names, and gives nothing by which its functions are called.
Value open_by_path(const KnownCall& call) {
  const auto* path = call.argument(0, "path");
  return call.python.requests.load_library(call.frame, path == nullptr ? Value() : *path, false);
}

/// An FFI that was compiled beforehand.
Value make_ffi(const KnownCall&) { return Named{"cffi.FFI"}; }

/// Its attributes are what the FFI declares, constants as well: no names of symbols, unlike those of ctypes.
/// Source: cffi 1.17 src/c/_cffi_backend.c, b_do_dlopen; cffi/api.py, _make_ffi_library.
Value open_by_cffi(const KnownCall& call) {
  const auto* library = call.argument(0, "name");
  const auto* flags = call.argument(1, "flags");
  const auto* named = flags == nullptr ? nullptr : flags->get<Named>();
  try {
    const auto opened = call.python.requests.load_library(call.frame, library == nullptr ? Value() : *library,
                                                          named != nullptr && named->name.ends_with("RTLD_GLOBAL"));
    return opened.is_named() ? Value(Named{"library of cffi"}) : opened;
  } catch (PythonError& error) {
    const auto* path = call.text(0, "name");
    if (path != nullptr) error.message = "cannot load library '" + *path + "': " + error.message;
    throw;
  }
}

constexpr KnownFunction librarie_rows[] = {{"ctypes.CDLL", open_library},
                                           {"ctypes.CDLL.__init__", open_derived},
                                           {"ctypes.LibraryLoader", make_loader},
                                           {"_ctypes.dlopen", open_by_handle},
                                           {"ctypes.util.find_library", find_library},
                                           {"subprocess.check_output", output_of_command},
                                           {"open a library by its path", open_by_path},
                                           {"_cffi_backend.FFI", make_ffi},
                                           {"_cffi_backend.load_library", open_by_cffi},
                                           {"cffi.FFI.dlopen", open_by_cffi}};

}  // namespace

std::span<const KnownFunction> known_libraries() { return librarie_rows; }

}  // namespace cudald::python
