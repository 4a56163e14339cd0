#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <cudald/environment.h>
#include <cudald/gpu_architecture.h>
#include <cudald/limits.h>
#include <cudald/message.h>
#include <cudald/policy.h>
#include <cudald/request.h>
#include <cudald/world.h>

namespace cudald {

struct LinuxHostFile;    // linux_host_file.h
struct WindowsHostFile;  // windows_host_file.h

enum class SymbolCheck { none, all };

/// In which files of a process names of libraries are looked for among the constants.
enum class ConstantScope { none, files, all };  ///< files: not in members of archives that would be decompressed again

/// A distribution of which a lock pins the version.
struct LockedDistribution {
  std::string name, version;  ///< the normal name
};

/// One question: what happens in one process.
struct Query {
  std::vector<std::string> targets;  ///< in process order; the first is the main program
  std::vector<DlopenRequest> dlopens;
  std::vector<std::string> packages;  ///< wheels and conda packages that are installed virtually beside the targets, or
                                      ///< folders of wheels, of which those are taken that the others require; a
                                      ///< target among them is installed in its place
  std::set<std::string> extras;       ///< of the packages that are targets
  std::optional<std::vector<LockedDistribution>> lock;  ///< the packages are those of a lock, which pins these as well;
                                                        ///< beside both nothing is installed
  std::optional<WorldKind> world;  ///< none: `tag` if all targets are packages and nothing else is stated, else `here`
  std::string folder;  ///< where relative names of packages begin; empty: the current folder of the environment
  Environment environment;
  std::string sysroot = "/";
  std::optional<std::string> prefix;  ///< a venv or conda environment in which names are looked up; without it,
                                      ///< modules are looked up in the active one
  std::string python;                 ///< "3.11": the version of Python, where files do not tell
  std::optional<bool> windows;        ///< stated: the loader is that of Windows, or is not; else the files tell
  std::shared_ptr<const WindowsHostFile> windows_host;  ///< the described machine of a process of Windows; may be none
  std::shared_ptr<const LinuxHostFile> linux_host;  ///< the described machine on which files are judged; may be none
  SymbolCheck symbols = SymbolCheck::all;
  bool gpu_code = false;              ///< read which GPUs the objects carry code for
  std::vector<GpuArchitecture> gpus;  ///< those of the machine, for which there should be code; implies gpu_code
  bool machine_gpus = true;  ///< without any: those that this machine has, if it is the one that is asked about; in a
                             ///< report: whether they are such
  ConstantScope constants = ConstantScope::none;
  bool fixes = true;  ///< commands that mend what is missing are looked for: in vain where only the verdict is read
  bool notes = true;  ///< what is only noted is explained: in vain where nobody reads it
  bool require_gpu = false;               ///< a GPU that is not used is an error
  std::optional<MessageReading> message;  ///< that a program of this world has printed: what it proves must be told
  Policy policy;                          ///< what is wanted beside that all loads
  bool keep_bindings = false;
  InflateLimits limits;
  CostLimits costs;
};

/// Where relative names of packages begin.
inline const std::string& package_folder(const Query& query) {
  return query.folder.empty() ? query.environment.cwd : query.folder;
}

}  // namespace cudald
