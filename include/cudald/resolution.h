#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>
#include <cudald/format.h>
#include <cudald/request.h>
#include <cudald/result.h>
#include <cudald/world.h>

namespace cudald {

struct CudaLibrary;  // cuda_library.h
struct GpuCode;      // gpu_code.h
struct Image;        // image.h

using ObjectId = std::size_t;  ///< index into Resolution::objects

/// How a file is asked for.
enum class EdgeKind {
  needed,
  filter,
  auxiliary,
  preload,
  dlopen,        ///< also LoadLibrary
  import,        ///< of a PE file
  delay_import,  ///< likewise, loaded at the first call
  forwarder,     ///< a function that a DLL says another one has
};

enum class EdgeStatus {
  loaded,          ///< this request brought the object in
  already_loaded,  ///< it was there
  missing,         ///< found nowhere
  rejected,        ///< found, and refused
  not_loaded,      ///< soft, resolvable, loaded only on use
};

/// The rule by which a path is tried; the word that reports use is to_string's.
enum class SearchRule {
  path,
  already_loaded,
  rpath,
  ld_library_path,
  runpath,
  cache,
  default_folder,
  preload,
  // Windows; a path as given is `path` there as well.
  manifest,  ///< the folder of a side-by-side assembly on which a manifest depends
  loaded_module,
  known_dll,
  api_set,
  application_folder,
  dll_load_folder,  ///< the folder of the file that LoadLibraryEx was given
  user_folder,      ///< SetDllDirectory, AddDllDirectory
  system_folder,
  system16_folder,
  windows_folder,
  current_folder,
  path_variable,
};

enum class ProbeResult {
  found,
  absent,
  wrong_class,
  wrong_machine,
  not_elf,
  not_pe,
  unreadable,
  abi_too_new,
  isa_too_new,
  malformed,
  refused,  ///< never opened: a flag of the requester rules this path out
};

/// By what the loader recognises an object as the one that is asked for, without loading a file.
enum class MatchedBy {
  name,    ///< one of those under which it was loaded, or of its path
  soname,  ///< DT_SONAME
  file,    ///< another path leads to the same file
};

std::string_view to_string(EdgeKind);
std::string_view to_string(EdgeStatus);
std::string_view to_string(SearchRule);
std::string_view to_string(ProbeResult);
std::string_view to_string(MatchedBy);

/// One path that the loader would try, and why it was taken or refused.
struct Probe {
  std::string path;  ///< as the loader spells it
  SearchRule rule = SearchRule::path;
  std::optional<ObjectId> of;  ///< whose RPATH or RUNPATH
  ProbeResult result = ProbeResult::absent;
  std::string detail;        ///< the loader's own words, or ours where it is silent; may be empty
  bool ends_search = false;  ///< fatal: no other path is tried
  bool ends_list = false;    ///< the rest of this list of folders is passed over
  int system_error = 0;      ///< errno as the loader is left with it
};

/// A rule that did not take part in a search, and why.
struct SkippedRule {
  SearchRule rule = SearchRule::path;
  std::optional<ObjectId> of;
  std::string value;  ///< the RPATH and so on that was passed over; may be empty
  std::string reason;
  std::size_t before = 0;  ///< index of the probe that comes next
};

/// The complete search behind one request: explanations are read from this, never rebuilt.
struct Search {
  std::vector<Probe> probes;
  std::vector<SkippedRule> skipped;
};

struct Edge {
  std::string name;  ///< as the requester spells it
  EdgeKind kind = EdgeKind::needed;
  bool hard = true;  ///< a miss makes the start or the dlopen fail
  EdgeStatus status = EdgeStatus::missing;
  std::optional<ObjectId> object;
  SearchRule rule = SearchRule::path;   ///< the rule that found it
  MatchedBy matched = MatchedBy::file;  ///< for already_loaded
  std::string error;                    ///< what the loader would say; empty if it found the object
  std::string asked_at;                 ///< "…/torch/__init__.py:305" if Python code makes the request; may be empty
  HowKnown known;
  Search search;
};

/// The package that a file belongs to.
struct PackageName {
  std::string name, version;
};

/// A file in its place in the simulated process.
struct Object {
  std::string path;                ///< absolute, symbolic links followed
  std::string load_name;           ///< the path under which the loader opened it (l_name)
  std::string origin;              ///< what $ORIGIN means in it
  std::vector<std::string> names;  ///< every name it answers to besides its DT_SONAME
  FileId id;
  std::shared_ptr<const Image> image;
  std::optional<ObjectId> loader;  ///< who caused it to be mapped; none for the program and for dlopen
  bool main_program = false;
  bool dynamic_loader = false;  ///< ld.so itself
  std::optional<PackageName> package;
  std::shared_ptr<const GpuCode> gpu;       ///< nullptr if it has none, or the question does not ask for it
  std::shared_ptr<const CudaLibrary> cuda;  ///< nullptr if it is no library of CUDA
  std::size_t target = 0;                   ///< index into Resolution::targets: the request that brought it in
  bool known_by_name = false;  ///< part of Windows or of a driver that was stated, without bytes: taken to have every
                               ///< function asked for
  bool unmapped = false;       ///< brought in by a dlopen that failed and gone again, or not loaded yet
  std::vector<Edge> edges;
  std::vector<Edge> may_open;  ///< by names among its constants: likely requests, searched as it would make them once
                               ///< all is loaded; never hard, and what they find is not followed
};

/// A symbol scope: the objects that are searched, in order. Several lists are searched one after another.
using SearchList = std::vector<ObjectId>;

enum class TargetKind {
  start,
  dlopen,
  import,   ///< `import NAME` in Python: stands for the requests that it makes
  package,  ///< all that a package brings along, likewise
};

/// The start of a process that imports, where there is no interpreter to start.
inline constexpr const char* neutral_python = "(a neutral Python)";

/// One request of the user, answered, or one of the requests that it is made up of.
struct Target {
  std::string given;
  TargetKind kind = TargetKind::start;
  std::optional<std::size_t> part_of;  ///< the target that makes this request; none if the user made it
  std::optional<ObjectId> object;
  std::optional<ObjectId> caller;   ///< for dlopen
  std::string error;                ///< the first line that the loader itself would print; empty if it loads
  std::optional<Error> unreadable;  ///< the target itself could not be read or is not something to load
  RequestTraits traits;
  SearchList search_list;  ///< breadth first, the target first
};

/// Whether a request is made on use only.
inline bool is_later(const Target& target) { return target.traits.when == RequestTime::later; }

/// What an import comes to, beside its requests of the loader.
struct Import {
  std::size_t target = 0;      ///< index into Resolution::targets
  std::string module;          ///< "torch.cuda"
  std::string python;          ///< the interpreter's path; empty: a neutral one
  std::string python_version;  ///< "3.11"; empty if it is not known
  std::size_t modules = 0;     ///< how many modules are imported, the standard library's included
  bool failed = false;         ///< it raises an exception; which one stands in its target
  bool followed = true;        ///< false: its code is too much to be followed to the end
  struct Package {
    std::string name;        ///< "tensorflow"
    std::string folder;      ///< that it lies in, with a slash at its end; empty for a single file
    std::string asked_at;    ///< who imports it first, as Edge::asked_at
    std::string hides = {};  ///< of a failed import: a module of that name in a later directory of sys.path
  };
  std::vector<Package> packages;  ///< the top-level modules from site-packages, and those that hide others, in order
  struct MissingModule {
    std::string name;
    std::string asked_at;
    bool required = false;  ///< nothing catches the error
  };
  std::vector<MissingModule> missing;
  /// What the error is of, if it is that of a name which a module lacks.
  struct LackedName {
    std::string name, module;
    std::string file;      ///< of the module; empty if it has none
    std::string asked_at;  ///< who asks for it, as Edge::asked_at
    std::string similar;   ///< a name that the module has; empty: none is like it
  };
  std::optional<LackedName> lacked;
  /// An attempt to import that failed in code which caught that: the names that it was to bind are missing since.
  struct CaughtImport {
    std::string module;              ///< whose code tries
    std::vector<std::string> names;  ///< "*": any
    std::string error;               ///< as Python prints it
    std::optional<LackedName> lacked;
    std::string missing = {};  ///< the module that was not found; empty: another error
  };
  std::vector<CaughtImport> caught;
  /// A compiled module that the release of another package refuses, as it was built for another one.
  struct RefusedModule {
    std::string module, path;
    std::string package, spoken;  ///< who refuses it: "numpy", "NumPy"
    std::string version;          ///< its release; empty if it is not known
    std::string border;           ///< "2": the release from which on, or up to which, the module works
    std::string bounds;           ///< "<2": the releases that take it
    std::string error;            ///< the last line that Python prints
    std::string printed;          ///< what the package prints besides
    bool absent = false;          ///< the package is not installed
  };
  std::optional<RefusedModule> refused;
  std::string raised_at;  ///< where code raises the error, as Edge::asked_at; empty: not known
  std::string advice;     ///< what that error says behind "pip install ", to the end of its line
  std::string near_name;  ///< of a module that is not installed: the module or distribution that is called nearly so
  /// What its code asks for and no file can tell: it is decided at run time.
  struct Unfollowed {
    std::string what;     ///< "a library whose name is computed"
    bool certain = true;  ///< it asks; false: a compiled module, of which only that is known what it may ask for
    std::string file;
    std::size_t line = 0;
    std::string module;  ///< that was being imported
    std::string code;    ///< the line of the file
  };
  std::vector<Unfollowed> unfollowed;
  std::vector<std::string> notes;  ///< what was not followed, one sentence each
};

/// A version that one object wants from another and does not get.
struct VersionProblem {
  ObjectId object = 0;               ///< who wants it
  std::optional<ObjectId> provider;  ///< who should define it
  std::string file, version;
  bool weak = false;
  bool no_versions_at_all = false;  ///< the provider has no version table: only a warning
  /// vd_version of the record at which the loader gave up looking, even for a weak version: it knows only 1.
  std::optional<std::uint16_t> unknown_format = std::nullopt;
  std::string message = "";  ///< the loader's own line
};

/// A file that was found and mapped, and that the loader refuses once everything is mapped.
struct Objection {
  ObjectId object = 0;
  std::string message;  ///< the loader's own line
  /// Of Windows: what it refuses in a manifest, "C:\\a\\b.manifest, line 4: ..."; empty: the message is an assembly
  /// that is not there.
  std::string manifest_fault = {};
};

/// A program of a package that a process of its own would fail to start.
struct FailedProgram {
  std::string path;
  std::string library;  ///< the first that it does not find; empty: something else is wrong
  std::string error;    ///< the loader's own line
};

/// What the simulated process did with all requests.
struct Resolution {
  World world;
  /// Of a package alone: its compiled modules that no import reaches, and that another package refuses.
  std::vector<Import::RefusedModule> refused_modules;
  bool imports_reach_modules = true;  ///< false: no import reaches any compiled module of it
  LibcVersion libc;
  std::uint16_t machine = 0;
  std::string secure_because;   ///< why the program is a secure process (AT_SECURE); empty if its file makes it none
  bool windows = false;         ///< the loader is that of Windows; `libc` means nothing
  std::vector<Object> objects;  ///< in the loader's order: each target's search list after the one before
  std::vector<Target> targets;
  std::vector<Import> imports;
  std::vector<VersionProblem> version_problems;
  std::vector<Objection> objections;
  std::vector<FailedProgram> failed_programs;  ///< of packages, beside the one that is the process
  std::vector<std::string> notes;              ///< facts of the world a reader should know, one sentence each
  std::vector<std::string> limits;             ///< what was not read, or not searched, as a limit of ours was reached
  std::size_t constants_left_out = 0;  ///< files in archives whose constants were not searched for names of libraries
};

}  // namespace cudald
