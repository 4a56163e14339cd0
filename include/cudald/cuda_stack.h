#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cudald/cuda_library.h>
#include <cudald/environment.h>
#include <cudald/file_system.h>
#include <cudald/gpu_architecture.h>
#include <cudald/knowledge.h>
#include <cudald/resolution.h>

namespace cudald {

/// A folder in which a loader, a toolkit or an environment keeps libraries.
enum class StackPlace { ld_library_path, path, cache, system_folder, toolkit, prefix };

/// "ld-library-path", "path", "cache", "system-folder", "toolkit", "prefix".
std::string_view to_string(StackPlace);

/// One file that is a library of CUDA, by its bytes.
struct CudaCopy {
  std::string path;  ///< absolute, symbolic links followed
  std::string name;  ///< what a loader asks for: its DT_SONAME, else the file's name
  StackPlace place = StackPlace::system_folder;
  CudaLibrary library;
  std::optional<PackageName> package;
};

struct CudaToolkit {
  std::string path;     ///< symbolic links followed
  std::string version;  ///< "12.4.1"; empty: not told
  std::string known_by;
};

/// A Python package that uses the GPU.
struct GpuFramework {
  PackageName package;
  std::string cuda, cudnn;  ///< what it was built for; empty: not told
  std::string known_by;
};

/// The NVIDIA driver, or what there is of it.
struct DriverFound {
  std::string version;  ///< "535.104.05"; empty: none is here
  std::string known_by;
  std::string module_version;  ///< of the kernel module, if it is told
  std::string module_known_by;
};

/// What a machine, tree or environment has of CUDA.
struct CudaStack {
  std::shared_ptr<const Knowledge> knowledge = built_in_knowledge();  ///< by which it is judged
  std::string sysroot = "/";
  std::string prefix;    ///< empty: none
  std::string platform;  ///< "linux-x86_64"
  std::string libc;      ///< "glibc-2.36"; empty: not told
  int x86_64_level = 0;
  DriverFound driver;
  std::vector<std::string> gpu_models;  ///< as the driver calls them
  std::vector<GpuArchitecture> gpus;    ///< as the user says, else by their numbers on the bus
  std::vector<CudaToolkit> toolkits;
  std::vector<CudaCopy> copies;
  std::vector<GpuFramework> frameworks;
  std::vector<std::pair<std::string, std::string>> variables;  ///< of the environment, as far as loaders look at them
  std::vector<std::string> remarks;                            ///< what is odd about it, one sentence each
};

/// Looks around in a tree. `prefix` is a Python or conda environment, or empty; `is_host`: the tree is the machine that
/// runs, whose /proc may be asked.
CudaStack survey(const FileSystem&, const Environment&, const std::string& prefix, bool is_host,
                 std::shared_ptr<const Knowledge>);

/// Adds the remarks, once everything else is filled in.
void add_remarks(CudaStack&, const FileSystem&);

/// The folders in which the copies of the prefix lie, else those of the toolkits, without repetition.
std::vector<std::string> cuda_folders(const CudaStack&);

}  // namespace cudald
