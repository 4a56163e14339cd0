#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <cudald/query.h>
#include <cudald/resolution.h>
#include <cudald/symbols.h>

#include "process/walk.h"
#include "pyimport/run_import.h"
#include "session/session_state.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Why a file cannot be the start of a process.
inline Error not_loadable(const std::string& path, std::string why) {
  return {ErrorCode::malformed, std::move(why), path};
}

/// What the parts of a run share: the question, what was installed for it, and what could not even be tried.
struct RunState {
  RunState(const Query& asked, SessionState& kept) : query(asked), session(kept), store(kept.store) {}

  std::string absolute(const std::string& path) const;
  bool is_folder_of_packages(const std::string& given) const;
  bool has_folders_of_packages() const;
  void refuse(const std::string& given, Error);
  /// Where a target lies, see find_target: the tree is asked once, while it stays as it is. What is marked as a module
  /// is no file, whatever else is called so.
  std::optional<std::string> find(const std::string& given);

  const Query& query;
  SessionState& session;
  Store& store;
  std::map<std::string, std::size_t> installed;  ///< what was given, and its number among the packages
  World world;
  std::vector<FailedProgram> failed_programs;
  std::vector<std::string> notes;
  std::vector<Target> refused;
  Budget python_cost{python_limits};  ///< of the imports of one target

 private:
  struct Found {
    std::string given;
    std::vector<std::string> tree;  ///< what was installed then
    std::optional<std::string> path;
  };
  std::optional<Found> found_;
};

/// The files of a package that a process of this platform loads.
struct PackageFiles {
  std::vector<std::string> modules;           ///< extension modules of Python
  std::vector<std::string> libraries;         ///< the others
  std::vector<std::string> programs;          ///< that are no scripts
  std::shared_ptr<const Image> typical = {};  ///< what a process must be made for to load them; none: it has neither
};

/// The part of a run that differs between Linux and Windows: how a process begins, and how it makes the requests.
class Platform {
 public:
  virtual ~Platform() = default;

  /// Nullptr before it is started.
  virtual Walk* process() = 0;
  /// The Python in which modules are looked up.
  virtual const PythonEnvironment& python() = 0;

  /// Installs what the targets require, as far as folders of wheels hold it.
  virtual void take_from_pools() = 0;
  /// The modules that a target means, one or those of a distribution; empty if it means none. `is_file`: some file or
  /// program answers to it as well.
  virtual std::vector<std::string> modules_named(const std::string& given, bool is_file) = 0;
  /// The programs that a distribution which a target names has put into the environment's bin directory.
  virtual std::vector<std::string> programs_named(const std::string& given) = 0;
  /// Why a module that is not there cannot be imported.
  virtual Error no_module(const std::string& given) = 0;
  /// Error if a process of this platform can load nothing of it.
  virtual Result<PackageFiles> files_of(const std::string& given, const Package&) = 0;

  /// A file, a program or a library: the process begins with it, or loads it. `path` is where it was found, if it was.
  virtual void add_file(const std::string& given, const std::optional<std::string>& path) = 0;
  /// Starts the process in which Python code runs: the interpreter, or a neutral program that can load files like
  /// `like`, if that is known. Error if such a process is not simulated.
  virtual std::optional<Error> start_python(const std::string& given, const Image* like) = 0;
  /// Makes the requests of `import module`. Returns Python's last line if it fails, else nothing.
  virtual std::string import(const std::string& module) = 0;
  /// Loads a file of a package, as the code that belongs to it would.
  virtual void load_file(const std::string& path, const DlopenRequest&) = 0;
  /// What a process of its own would make of a program; nullopt if it starts.
  virtual std::optional<FailedProgram> try_program(const std::string& path) = 0;
  /// A call of dlopen or LoadLibrary that the user asks about.
  virtual void call(const DlopenRequest&) = 0;
  /// Notes what packages load on use, as far as it is known beside the imports: one package, or else all of which
  /// something is mapped. Returns the package's own files that are told by that.
  virtual std::set<std::string> load_later(const Package*) = 0;
  /// The functions that were looked up as files were loaded; nullopt if that is done afterwards.
  virtual std::optional<SymbolReport> symbols() = 0;
};

std::unique_ptr<Platform> make_linux_platform(RunState&);
std::unique_ptr<Platform> make_windows_platform(RunState&);

/// Installs what the targets require, as far as the folders of wheels that were given hold it, for a Python of Windows
/// or of Linux.
void take_from_folders(RunState&, PythonEnvironment, bool windows);

/// Whether the query is about a process of Windows: it says so, or its first target is a PE file, a wheel of such, or
/// the name of a DLL for which folders are given.
bool is_for_windows(RunState&);

}  // namespace cudald
