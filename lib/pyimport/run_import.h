#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/limits.h>

#include "base/budget.h"

namespace cudald {

namespace python {
class SourceStore;  // pyimport/sources/source_store.h
}

/// What is particular of a Python on Windows: how its code spells the files of the tree, and finds them.
struct WindowsPython {
  std::function<std::string(const std::string& tree_path)> spelled;
  /// The place in the tree of a full path of Windows; nullopt if nothing is there.
  std::function<std::optional<std::string>(const std::string& path)> find;
  std::string machine = "AMD64";  ///< as platform.machine() says it
  bool conda = false;             ///< conda's build, which searches other folders for DLLs
  int build = 0;                  ///< of Windows, as sys.getwindowsversion() says it; 0: not known
};

/// A Python installation as far as its files tell.
struct PythonEnvironment {
  std::string interpreter;        ///< the program that starts the process; empty for a bare site-packages folder
  std::string version;            ///< "3.11"; empty if unknown
  int micro = 0;                  ///< 7 of 3.11.7, as far as a file of the environment says it
  std::string prefix;             ///< sys.prefix
  std::string base_prefix;        ///< where the standard library lies; the prefix itself outside a virtual environment
  std::vector<std::string> path;  ///< sys.path: PYTHONPATH, standard library, site-packages, .pth lines
  std::vector<std::string> extension_suffixes;   ///< in the interpreter's order; empty: any Python's
  std::map<std::string, std::string> variables;  ///< of the process
  std::set<std::string> stated_variables;        ///< of these, those that the user stated, which code may see
  std::string cwd;                               ///< its current folder; empty: not known
  std::string machine = "x86_64";                ///< that runs it, as platform.machine() says it; see also `windows`
  bool narrow = false;                           ///< a process of 32 bits
  bool lost_home = false;                        ///< PYTHONHOME has no standard library: no Python starts
  bool complete = true;  ///< false: only some packages, so one that is not there is taken to be installed elsewhere
  std::set<std::string, std::less<>> elsewhere;  ///< modules that are taken to be there, though no file of them is
  std::set<std::string, std::less<>>
      assumed_names;  ///< "module.name": taken to be there, whatever the module's file has
  struct Release {
    std::string version;
    bool certain = true;  ///< false: or an older one
    bool operator==(const Release&) const = default;
  };
  std::vector<std::uint32_t> gpus;  ///< the compute capabilities that are stated, 86; empty: it is not known which
  std::map<std::string, Release, std::less<>> releases;  ///< of what is elsewhere, by module, as far as it is known
  struct StartUpLine {
    std::string file, code;
    std::vector<std::string> later = {};  ///< folders that lines behind it add to sys.path, up to the next import line
    bool operator==(const StartUpLine&) const = default;
  };
  std::vector<StartUpLine> start_up;             ///< lines of .pth files that site.py runs, in its order
  std::vector<std::string> notes;                ///< what was not followed, one sentence each
  std::shared_ptr<const WindowsPython> windows;  ///< none: a POSIX system

  bool operator==(const PythonEnvironment&) const = default;
  /// Whether code may see the value of one of its variables (pyimport/visible.h).
  bool shows(const std::string& variable) const;
  /// Whether a module is among those elsewhere, or in one of them.
  bool is_elsewhere(std::string_view module) const;
  /// Whether it is a namespace in which one of them is: google, of google.protobuf.
  bool is_namespace_elsewhere(std::string_view module) const;
  /// Whether a requirement of which nothing is known may install parts of a package that is given: by their names, as
  /// mujoco-core those of mujoco.
  bool may_have_parts_elsewhere(std::string_view package) const;
  /// Whether it is there by any of these.
  bool has_elsewhere(std::string_view module) const { return is_elsewhere(module) || is_namespace_elsewhere(module); }
};

/// `prefix` is a virtual environment, a conda environment, a plain prefix such as /usr, or a site-packages folder.
/// nullopt if it is none of them. Of `variables` PYTHONPATH is honoured; what is relative in it begins at `cwd`, the
/// current folder of the process, and is passed over if that is not known.
std::optional<PythonEnvironment> find_python(const std::string& prefix, const FileSystem& files,
                                             const std::map<std::string, std::string>& variables = {},
                                             const std::string& cwd = "");

/// Whether a folder looks like a Python of Windows: its prefix, a virtual environment or a conda environment.
bool is_windows_python(const std::string& prefix, const FileSystem& files);

/// The same for Windows, where paths of `variables` and of pyvenv.cfg are found by `windows`. A virtual environment
/// whose base is not in the tree has no interpreter; `home` is then where it lies.
struct FoundWindowsPython {
  PythonEnvironment environment;
  std::string home;  ///< the folder of the program, as Windows spells it
};
std::optional<FoundWindowsPython> find_windows_python(const std::string& prefix, const FileSystem& files,
                                                      std::shared_ptr<const WindowsPython> windows,
                                                      const std::map<std::string, std::string>& variables = {});

/// One request that Python makes of the dynamic loader.
struct LoadStep {
  enum class Kind {
    extension_module,
    library,  ///< ctypes.CDLL and its like
    // Windows
    dll,  ///< kernel32.LoadLibraryEx
    // What later loads search there.
    dll_directory,          ///< os.add_dll_directory, AddDllDirectory
    dll_directory_instead,  ///< SetDllDirectory: one folder, or none if `path` is empty
    path_variable,          ///< os.environ["PATH"] = `path`
  };
  Kind kind = Kind::extension_module;
  std::string path;  ///< absolute, or a bare name as in CDLL("libfoo.so.1"); of a library as the code spells it
  std::optional<std::uint32_t> flags;  ///< Windows: of LoadLibraryEx; none: those that this Python gives
  bool global = false;                 ///< RTLD_GLOBAL
  bool only_if_loaded = false;         ///< RTLD_NOLOAD: a question, which maps nothing
  bool required = true;                ///< a failure ends the import: no handler is in sight
  std::string module;                  ///< which is being imported
  std::string source;                  ///< the file that asks
  std::size_t line = 0;                ///< 0 if the file is no source text
  std::string basis;                   ///< "source", "rule" or "binary" (read out of a Cython module's strings)
};

struct LoadAnswer {
  bool loaded = false;
  std::string error;      ///< as dlerror() gives it; on Windows what Python prints after the exception's kind
  std::string kind = {};  ///< of the exception, if it is not the usual one
  int code = 0;           ///< of Windows; 0 elsewhere
  std::optional<std::size_t> request = {};  ///< the loader's number for a failure, to be found in ImportResult::causes
};

/// The releases of a distribution in which a module has a name, such as "<3.9", and the one since which it has it
/// again, if there is one. By a table, not by the files.
struct ReleasesWithName {
  std::string distribution, releases, again = {};
};

/// The simulated process that answers the requests.
struct PythonLoader {
  std::function<LoadAnswer(const LoadStep&)> load;
  /// Whether the path of some mapped object contains this text, as a look into /proc/self/maps would tell.
  std::function<bool(const std::string&)> mapped;
  /// Whether it would find a library by its bare name; nothing is loaded. None: that cannot be asked.
  std::function<bool(const std::string&)> finds = {};
  /// What dlsym says of a symbol in a library that the code has opened: empty where it is found; nullopt: not known.
  std::function<std::optional<std::string>(const std::string& library, const std::string& symbol)> symbol_error = {};
  /// nullopt: the table has nothing about it.
  std::function<std::optional<ReleasesWithName>(const std::string& module, const std::string& name)> releases_with = {};
};

struct ImportedModule {
  std::string name;
  std::string path;     ///< empty for a namespace package and for what the interpreter brings along
  bool opaque = false;  ///< an extension module or bytecode: what it imports is only known from rules
  std::string source;   ///< the file that imports it first; empty for what was asked for
  std::size_t line = 0;
};

struct MissingModule {
  std::string name;
  std::string source;  ///< the file that asks for it
  std::size_t line = 0;
  bool required = false;
};

/// A library that a visited file names and that is not loaded by the import itself.
struct SoftLibrary {
  std::string name;
  std::string source;
  std::size_t line = 0;
  std::string module;
  std::string basis;    ///< "source" or "rule"
  std::string note;     ///< what happens without it, where a rule says so
  bool gpu = false;     ///< without it the GPU is not used
  bool global = false;  ///< RTLD_GLOBAL
};

/// What code asks for while it is imported, and cannot be told from files: it is decided at run time.
struct Unfollowed {
  enum class Kind {
    library,    ///< a library whose name is computed
    module,     ///< a module whose name is computed
    code,       ///< code that was not followed to its end
    condition,  ///< an import or a load behind a condition that is not known: it was followed, or left out in a
                ///< function
    compiled,   ///< what a compiled module may import; `code` has the names
    opened,     ///< what a library that is loaded may open; `code` has the names
  };
  Kind kind = Kind::library;
  std::string source;  ///< the file that asks
  std::size_t line = 0;
  std::string module;
  std::string code;     ///< the line, for people
  bool certain = true;  ///< it asks; false: whether the line is reached hangs on what is not known
};

/// What of the process' surroundings the code looked at: the rest could be anything.
struct LookedAt {
  std::set<std::string> variables;  ///< by name
  bool cwd = false;                 ///< the current folder
};

/// A name that code asks of a module which is known not to have it.
struct LackedName {
  std::string name, module;
  std::string file;    ///< of the module
  std::string source;  ///< the file that asks
  std::size_t line = 0;
  std::string similar = {};  ///< a name that the module has; empty: none is like it
};

/// An attempt to import that failed, and whose handler caught that: names are missing since.
struct CaughtImport {
  std::string module;              ///< whose code tries
  std::vector<std::string> names;  ///< what it was to bind; "*": any
  std::string error;               ///< as Python prints it
  std::optional<LackedName> lacked;
  std::string missing = {};  ///< the module that was not found; empty: another error
};

/// A compiled module that the release of another package which is there refuses: it was built for another one.
struct RefusedModule {
  std::string module, path;
  std::string package, spoken;  ///< "numpy", "NumPy"
  std::string version;          ///< that is there; empty if it is not known
  bool absent = false;          ///< none is there
  std::string border;           ///< "2": the release from which on, or up to which, the module works
  std::string bounds;           ///< "<2": the releases that take it
  std::string kind, message;    ///< of the exception
  std::string printed;          ///< what the package prints besides; empty: nothing
};

struct ImportResult {
  bool imported = false;
  bool followed = true;  ///< false: it takes too many steps or too much memory, so what comes after them is not known
  std::string error;     ///< the last line that Python would print; empty if the import succeeds
  std::vector<std::size_t> causes;       ///< the failed requests that led to the error, one by way of another's handler
  std::optional<LackedName> lacked;      ///< what the error is of
  std::vector<CaughtImport> caught;      ///< at the level of modules
  std::optional<RefusedModule> refused;  ///< the first that was, if the import fails
  std::string raised_at;                 ///< "a.py:7": where code of a package raises the error; empty: elsewhere
  std::string advice;                    ///< what that error says behind "pip install ", to the end of its line
  std::vector<std::size_t> warned;       ///< the failed requests that a handler catches and prints or logs
  bool unexplained = false;              ///< code raises it of its own accord: any failure before may be the reason
  std::vector<ImportedModule> modules;   ///< in the order in which they are begun
  std::vector<MissingModule> missing;
  std::vector<SoftLibrary> soft_libraries;
  std::vector<Unfollowed> unfollowed;
  std::vector<std::string> notes;
  LookedAt looked_at;
};

/// How a note says what code looked for before it raised an error: a library by its name, or the path of a file.
inline constexpr std::string_view looked_for = "before that, its code looked for ", not_there = ", which is not there";
/// The same of entry points, which packages declare in their .dist-info.
inline constexpr std::string_view looked_for_entry_points = "before that, its code looked for entry points of ",
                                  not_declared = ", which no installed package declares";

/// The same of a variable of the environment.
inline constexpr std::string_view needs_variable = "its code needs the environment variable ",
                                  not_set = ", which is not set";

/// What the Python code of a question may cost: 256 MB and 2 seconds with all around it. The imports of the largest
/// packages keep between 238 and 310 MB by this count (umap beside TensorFlow and Keras: 236 MB in all) and take 104
/// million steps (lightning, beside scikit-learn and torchvision) and open 170 blocks within one another; a block that
/// is open, a function and a module that runs count as a level each.
inline constexpr CostLimits python_limits{.kept = std::uint64_t{310} << 20, .steps = 250'000'000, .depth = 500};

/// The modules that such a release refuses, of those that no import has come to: where it is certain which release an
/// installer chooses (PythonEnvironment::releases), and where their bytes prove it.
std::vector<RefusedModule> refused_modules(const std::vector<std::string>& paths, const PythonEnvironment&,
                                           const FileSystem&, std::string_view rules);

/// Follows `import MODULE` statically and makes the requests that Python would make, in its order.
/// `rules` is the text of data/python-rules.json. The budget, with python_limits, is that of all imports of the
/// question; once it is exhausted no import is followed. Sources that are in the store are not parsed again.
ImportResult run_import(const std::string& module, const PythonEnvironment&, const FileSystem&, const PythonLoader&,
                        std::string_view rules, Budget&, python::SourceStore* sources = nullptr);

}  // namespace cudald
