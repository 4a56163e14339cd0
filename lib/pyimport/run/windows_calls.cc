#include <fnmatch.h>
#include <algorithm>
#include <array>
#include <cctype>

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

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

const std::string* Interpreter::variable(const std::string& name) {
  result_.looked_at.variables.insert(name);
  // Names of variables have no case there. Source: CPython Lib/os.py, _createenviron.
  const auto at = variables_.find(environment_.windows != nullptr ? upper(name) : name);
  return at == variables_.end() ? nullptr : &at->second;
}

bool Interpreter::is_unsure_variable(const std::string& name) const {
  return unsure_variables_.contains(environment_.windows != nullptr ? upper(name) : name);
}

/// What PYTHONOPTIMIZE says: a number, and any other text counts as 1.
/// Source: CPython 3.11 Python/initconfig.c, _Py_get_env_flag.
int Interpreter::optimisation() {
  constexpr std::size_t most_digits = 4;
  const auto* said = variable("PYTHONOPTIMIZE");
  if (said == nullptr || said->empty() || is_unsure_variable("PYTHONOPTIMIZE")) return 0;
  const bool number = said->size() <= most_digits && said->find_first_not_of("0123456789") == std::string::npos;
  return number ? std::atoi(said->c_str()) : 1;
}

void Interpreter::unset_variable(const Frame& frame, const std::string& name) {
  const auto key = environment_.windows != nullptr ? upper(name) : name;
  heap_.keep(sizeof(std::string) + name.size());
  if (frame.maybe) {
    unsure_variables_.insert(key);
    return;
  }
  variables_.erase(key);
  unsure_variables_.erase(key);
}

void Interpreter::set_variable(Frame& frame, const std::string& name, const Value& value) {
  const auto* text = value.get<std::string>();
  const auto key = environment_.windows != nullptr ? upper(name) : name;
  if (text == nullptr || frame.maybe || text->size() > max_length) {
    heap_.keep(sizeof(std::string) + name.size());
    unsure_variables_.insert(key);
    return;
  }
  heap_.keep(2 * sizeof(std::string) + name.size() + Heap::size_of(value));
  variables_[key] = *text;
  unsure_variables_.erase(key);
  if (environment_.windows == nullptr || key != "PATH") return;
  auto step = library_step(frame, *text, "source");
  step.kind = LoadStep::Kind::path_variable;
  request(std::move(step));
}

Value Interpreter::system_error(long long code) {
  auto error = heap_.make<Object>();
  error->name = "OSError";
  error->is_class = false;
  error->names.emplace("winerror", code);
  error->names.emplace("strerror", windows_error_text(static_cast<int>(code)));
  return error;
}

std::optional<Value> Interpreter::known_attribute_on_windows(std::string_view qualified) const {
  if (qualified == "ctypes.windll" || qualified == "ctypes.cdll") return Named{std::string(qualified)};
  for (const auto& [name, value] : constants)
    if (qualified == name) return value;
  return std::nullopt;
}

std::optional<bool> Interpreter::has_on_windows(const Value& owner, std::string_view name) const {
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
Value Interpreter::load_dll(Frame& frame, const Arguments& arguments, std::optional<std::uint32_t> flags) {
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

Value Interpreter::add_dll_directory(Frame& frame, const std::string& folder, bool by_system) {
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

Value Interpreter::unknown_dll_directory(const Frame& frame) {
  if (follows(frame) && frame.source != nullptr)
    note(frame.source->path() + ":" + std::to_string(frame.line) +
         " adds a directory for DLLs whose name could not be followed");
  return Unknown{};
}

std::optional<Value> Interpreter::call_on_windows(Frame& frame, std::string_view name, const Arguments& arguments) {
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
    if (const auto* folder = variable("APPDATA")) return windows_join(*folder, "Python");
  if (name == "ctypes.util.find_library") {
    if (text == nullptr) return Unknown{};
    const auto* path = variable("PATH");
    if (path == nullptr) return None{};
    for (const auto folder : cudald::split(*path, ";"))
      for (const auto* suffix : {"", ".dll"}) {
        heap_.work(work_of_status);
        auto file = windows_join(folder, *text + suffix);
        const auto place = place_of(file);
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

/// The files that a pattern fits, in the order in which NTFS keeps names.
std::vector<Value> Interpreter::glob_on_windows(const std::string& pattern) {
  if (!is_full_windows_path(pattern) || pattern.size() > max_pattern) return {};
  std::vector<std::string> paths;
  bool first = true;
  for (const auto part : cudald::split(pattern, "\\/")) {
    const std::string name(part);
    if (std::exchange(first, false)) {
      paths = {name};  // the drive
      continue;
    }
    std::vector<std::string> next;
    for (const auto& path : paths) {
      if (name.find_first_of("*?[") == std::string::npos) {
        next.push_back(path + '\\' + name);
        continue;
      }
      const auto folder = place_of(path + '\\');
      if (!folder) continue;
      std::vector<std::string> names;
      const auto& entries = finder_.list(*folder);
      heap_.work(entries.size() * (8 + name.size()));
      for (const auto& entry : entries)
        if (fnmatch(name.c_str(), entry.c_str(), FNM_PERIOD | FNM_NOESCAPE | FNM_CASEFOLD) == 0) names.push_back(entry);
      std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return upper(a) < upper(b); });
      for (const auto& entry : names)
        if (next.size() < max_hits) next.push_back(path + '\\' + entry);
    }
    paths = std::move(next);
  }
  std::erase_if(paths, [&](const std::string& path) { return !place_of(path); });
  return {paths.begin(), paths.end()};
}

}  // namespace cudald::python
