#include <fnmatch.h>
#include <algorithm>
#include <array>

#include "base/path.h"
#include "base/windows_path.h"
#include "loader/windows/windows_errors.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::string_view kernel32_handle = "dll kernel32";
constexpr std::array kernel32_names = {"dll kernel32.", "ctypes.windll.kernel32.", "ctypes.cdll.kernel32."};
constexpr int file_not_found = 2, path_not_found = 3;

/// Source: CPython Modules/_ctypes/_ctypes.c, where a system without them has 0; Modules/posixmodule.c for those of
/// LoadLibraryEx, of libloaderapi.h.
constexpr std::pair<std::string_view, long long> constants[] = {{"ctypes.RTLD_GLOBAL", 0},
                                                                {"ctypes.RTLD_LOCAL", 0},
                                                                {"_ctypes.RTLD_GLOBAL", 0},
                                                                {"_ctypes.RTLD_LOCAL", 0},
                                                                {"nt._LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR", 0x100},
                                                                {"nt._LOAD_LIBRARY_SEARCH_APPLICATION_DIR", 0x200},
                                                                {"nt._LOAD_LIBRARY_SEARCH_USER_DIRS", 0x400},
                                                                {"nt._LOAD_LIBRARY_SEARCH_SYSTEM32", 0x800},
                                                                {"nt._LOAD_LIBRARY_SEARCH_DEFAULT_DIRS", 0x1000}};

/// The number of the argument at `position`; nullopt if it is not known.
std::optional<std::uint32_t> number_at(const Arguments& arguments, std::size_t position) {
  if (position >= arguments.size()) return std::nullopt;
  const auto* number = arguments[position].value.get<long long>();
  return number == nullptr ? std::nullopt : std::optional(static_cast<std::uint32_t>(*number));
}

}  // namespace

Value LoaderRequests::system_error(long long code) {
  auto error = heap_.make<Object>();
  error->name = "OSError";
  error->is_class = false;
  error->names.emplace("winerror", code);
  error->names.emplace("strerror", windows_error_text(static_cast<int>(code)));
  return error;
}

std::optional<Value> LoaderRequests::known_attribute_on_windows(std::string_view qualified) const {
  if (qualified == "ctypes.windll" || qualified == "ctypes.cdll") return Named{std::string(qualified)};
  for (const auto& [name, value] : constants)
    if (qualified == name) return value;
  return std::nullopt;
}

std::optional<bool> LoaderRequests::has_on_windows(const Value& owner, std::string_view name) const {
  if (const auto* module = owner.get<ModuleName>()) {
    if (module->name == "os" && name == "add_dll_directory" && environment_.version.size() > 2)
      return std::atoi(environment_.version.c_str() + 2) >= 8;
    if (module->name == "sys" && name == "getwindowsversion") return true;
    if (module->name == "ctypes" && (name == "windll" || name == "WinDLL" || name == "WinError")) return true;
  }
  if (const auto* named = owner.get<Named>()) {
    if (named->name == kernel32_handle || named->name == "ctypes.windll.kernel32") return true;
    if (named->name == "ctypes.pythonapi" && name == "Anaconda_GetVersion") return environment_.windows->conda;
  }
  return std::nullopt;
}

/// kernel32.LoadLibrary and LoadLibraryEx: a handle, or null and GetLastError. What the code makes of that is seen
/// later.
Value LoaderRequests::load_dll(Frame& frame, const Arguments& arguments, std::optional<std::uint32_t> flags) {
  const auto* path = arguments.empty() ? nullptr : arguments[0].value.get<std::string>();
  constexpr std::uint32_t as_data = 0x2 | 0x20 | 0x40;
  if (path == nullptr || path->empty() || !follows(frame) || !flags || (*flags & as_data) != 0) return Unknown{};
  auto step = library_step(frame, *path, "source");
  step.kind = LoadStep::Kind::dll;
  step.flags = flags;
  step.required = false;
  const auto answer = request(std::move(step));
  if (answer.loaded) return ++handles_ << 16;
  last_error_ = answer.code;
  last_failure_ = failed_load(answer, "OSError").causes;
  // ctypes gives 0 for a null that is an int, None for one that is a pointer.
  if (frame.source != nullptr) heap_.look_at(frame.source->size());
  const bool pointer = frame.source != nullptr && frame.source->mentions("restype");
  return pointer ? Value(None{}) : Value(0LL);
}

Value LoaderRequests::add_dll_directory(Frame& frame, const std::string& folder, bool by_system) {
  if (!follows(frame)) return Unknown{};
  auto step = library_step(frame, folder, "source");
  step.kind = LoadStep::Kind::dll_directory;
  const auto answer = request(std::move(step));
  if (by_system) {
    if (!answer.loaded) last_error_ = answer.code;
    return answer.loaded ? Value(++handles_ << 16) : Value(0LL);
  }
  if (!answer.loaded) {
    const bool absent = answer.code == file_not_found || answer.code == path_not_found;
    throw PythonError{absent ? "FileNotFoundError" : "OSError", answer.error};
  }
  return Named{"added DLL directory"};
}

Value LoaderRequests::unknown_dll_directory(const Frame& frame) {
  if (follows(frame) && frame.source != nullptr)
    python_.tracker.note(frame.source->path() + ":" + std::to_string(frame.line) +
                         " adds a directory for DLLs whose name could not be followed");
  return Unknown{};
}

std::optional<Value> LoaderRequests::call_on_windows(Frame& frame, std::string_view name, const Arguments& arguments) {
  const auto* text = arguments.empty() ? nullptr : arguments[0].value.get<std::string>();
  if (name == "os.add_dll_directory" || name == "os._add_dll_directory")
    return text == nullptr ? unknown_dll_directory(frame) : add_dll_directory(frame, *text, false);
  if (name == "platform.system") return std::string("Windows");
  // Windows 10 and 11 alike. Source: CPython Python/sysmodule.c, sys_getwindowsversion_impl.
  if (name == "sys.getwindowsversion") {
    const auto build = environment_.windows->build;
    return heap_.list({10LL, 0LL, build == 0 ? Value() : Value(static_cast<long long>(build)), 2LL, std::string()});
  }
  if (name == "platform.machine") return environment_.windows->machine;
  if (name == "platform.architecture")
    return heap_.list(
        {std::string(environment_.windows->machine == "x86" ? "32bit" : "64bit"), std::string("WindowsPE")});
  if (name == "ctypes.get_last_error" || name == "ctypes.GetLastError") return last_error_;
  if (name == "ctypes.WinError")
    return system_error(number_at(arguments, 0).value_or(static_cast<std::uint32_t>(last_error_)));
  if (name == "ctypes.FormatError") return windows_error_text(static_cast<int>(number_at(arguments, 0).value_or(0)));
  if ((name == "ctypes.c_wchar_p" || name == "ctypes.c_char_p") && arguments.size() == 1) return arguments[0].value;
  // Source: CPython Lib/sysconfig.py, _getuserbase.
  if (name == "sysconfig.get_config_var" && text != nullptr && *text == "userbase")
    if (const auto* folder = python_.host.variable("APPDATA")) return windows_join(*folder, "Python");
  if (name == "ctypes.util.find_library") {
    if (text == nullptr) return Unknown{};
    const auto* path = python_.host.variable("PATH");
    if (path == nullptr) return None{};
    for (const auto folder : cudald::split(*path, ";"))
      for (const auto* suffix : {"", ".dll"}) {
        heap_.work(work_of_status);
        auto file = windows_join(folder, *text + suffix);
        const auto place = python_.host.place_of(file);
        if (place && is_file(files_, *place)) return file;
      }
    return None{};
  }
  const auto prefix = std::find_if(kernel32_names.begin(), kernel32_names.end(),
                                   [&](const char* one) { return name.starts_with(one); });
  if (prefix == kernel32_names.end()) return std::nullopt;
  name.remove_prefix(std::string_view(*prefix).size());
  if (name == "LoadLibraryW" || name == "LoadLibraryA") return load_dll(frame, arguments, 0);
  if (name == "LoadLibraryExW" || name == "LoadLibraryExA") return load_dll(frame, arguments, number_at(arguments, 2));
  if (name == "GetLastError") return last_error_;
  if (name == "AddDllDirectory") return text == nullptr ? Value(Unknown{}) : add_dll_directory(frame, *text, true);
  if (name == "SetDllDirectoryW" || name == "SetDllDirectoryA") {
    const bool none = !arguments.empty() && arguments[0].value.get<None>() != nullptr;
    if ((text == nullptr && !none) || !follows(frame)) return Unknown{};
    auto step = library_step(frame, none ? std::string() : *text, "source");
    step.kind = LoadStep::Kind::dll_directory_instead;
    request(std::move(step));
    return 1LL;
  }
  return Unknown{};
}

}  // namespace cudald::python
