#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/knowledge.h>
#include <cudald/report.h>
#include <cudald/writers.h>

namespace cudald {

/// How much is known of a package of a lock.
enum class LockedState {
  read,      ///< its wheel is at hand and was opened
  declared,  ///< it is not at hand; what it brings is known by tables
  unknown,   ///< it is not at hand, and nothing is known of what it brings
  source,    ///< no wheel fits: an installer would build it
  misfit,    ///< the lock names no wheel for this machine and Python, nor a source
};

std::string_view to_string(LockedState);

/// What a package has to do with CUDA.
struct CudaPart {
  std::string release;     ///< "12.8", "12": that it brings or is built for; empty: none is known
  std::string cudnn;       ///< that it brings or is built for
  std::string source;      ///< by what that is known; empty: the bytes of its files
  bool is_part = false;    ///< it brings libraries of CUDA and is nothing else
  bool needs_gpu = false;  ///< it is built for CUDA
};

/// What the libraries of a package have for a GPU, by the one that has least.
enum class GpuSupport { machine_code, ptx, none };

std::string_view to_string(GpuSupport);

struct PackageGpus {
  std::string package;
  std::vector<GpuSupport> support;  ///< for each GPU that was asked about
};

/// A package of a lock as it would be installed.
struct DeployedPackage {
  std::string name, version;
  std::string file;         ///< the wheel's name; may be empty
  std::string archive;      ///< its path, where it is at hand
  std::string url, sha256;  ///< as the lock states them; may be empty
  LockedState state = LockedState::unknown;
  std::uint64_t size = 0;      ///< of the wheel; 0: not known
  bool without_index = false;  ///< its local version is on no index that the lock names
  bool top_level = false;      ///< no other package of the lock requires it
  std::vector<std::string> required_by;
  std::vector<std::string> missing;  ///< what it requires that the lock lacks, as its metadata says
  std::vector<std::string> unmet;    ///< "requires numpy<2, and numpy 2.1.0 is installed": of an environment
  std::vector<std::string> gone;     ///< files of its RECORD that are missing, below site-packages: likewise
  std::vector<PlacedLibrary> libraries;
  CudaPart cuda;
};

/// A whole lock: what is installed, what becomes of each top-level package alone, and of all in one process.
struct Deployment {
  std::string given;     ///< the lock, as it was named
  std::string kind;      ///< "uv.lock"
  std::string python;    ///< "3.12"
  std::string platform;  ///< "linux-x86_64"
  bool windows = false;
  std::shared_ptr<const Knowledge> knowledge = built_in_knowledge();
  std::vector<DeployedPackage> packages;
  std::size_t left_out = 0;  ///< of the lock's packages, which are not for this machine and Python
  std::vector<std::string> notes;
  std::string install = "pip install ";  ///< what installs into it, with a blank at its end

  std::vector<std::size_t> asked;  ///< of the top-level packages those that were read, by number
  std::vector<Report> alone;       ///< of each of these; empty where there is but one
  Report together;                 ///< of all of them in one process, with the findings about the lock as a whole

  // What the whole comes to.
  std::string driver;     ///< the oldest driver on which all of it runs; empty: none is known to be needed
  std::string driver_by;  ///< the package that sets it: "torch 2.9.1, CUDA 12.8"
  std::string driver_source;
  std::uint64_t bytes = 0, cuda_bytes = 0;  ///< of all wheels whose size is known; of the parts of CUDA among them
  std::size_t sizes_unknown = 0;
  std::vector<PackageGpus> gpus;  ///< of the packages that have GPU code which was read
};

/// The answer for people, on one screen, and as JSON (schema cudald/deployment 1.1).
void write_deployment(const Deployment&, const TextStyle&, std::ostream&);
void write_deployment_json(const Deployment&, bool compact, std::ostream&);

}  // namespace cudald
