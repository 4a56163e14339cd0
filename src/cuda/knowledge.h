#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/cuda_library.h>
#include <cudald/knowledge.h>

namespace cudald {

enum class CudaPlatform { linux, windows };

/// Where a statement of the table comes from. One that is not verified must not be told as a fact.
struct KnowledgeSource {
  std::string text;  ///< with the day on which it was checked
  bool verified = true;
};

/// The releases of CUDA in which a library has this name.
struct NamedRelease {
  CudaKind kind = CudaKind::cudart;
  std::string name;
  std::string first, last;  ///< "11.0", "11.8"; last empty: no end is known
  KnowledgeSource source;
};

/// The driver that something needs.
struct DriverNeed {
  std::string version;  ///< "520.61.05"
  KnowledgeSource source;
};

/// What a release of a framework was built for.
struct FrameworkBuild {
  std::string project, first, last;
  std::string cuda;   ///< "11.2"; empty: without GPU support
  std::string cudnn;  ///< "8", "9.10.2"; empty: not known
  KnowledgeSource source;
};

/// Since which toolkit code can be made for a GPU, and until which; `until` itself no longer can.
struct ArchitectureSpan {
  std::string since, until;  ///< until empty: still
  KnowledgeSource source;
};

/// The table that knowledge.h of the library speaks of.
class Knowledge {
 public:
  /// The driver that this release brings along: any code of it runs.
  std::optional<DriverNeed> driver_of(std::string_view cuda, CudaPlatform) const;
  /// The oldest driver on which releases of this major run at all (minor-version compatibility).
  std::optional<DriverNeed> driver_floor(int cuda_major, CudaPlatform) const;
  /// The oldest driver on which this release runs: that of its major, or, where there is no such compatibility (before
  /// CUDA 11), the one that it brings along.
  std::optional<DriverNeed> least_driver(std::string_view cuda, CudaPlatform) const;
  /// The newest release of CUDA whose driver is not newer than this one; empty if there is none.
  std::string newest_cuda_of(std::string_view driver, CudaPlatform) const;

  /// Which releases of CUDA a library of this name belongs to: several for libcurand.so.10. Names of DLLs in any case.
  std::vector<NamedRelease> releases_of(std::string_view library) const;
  /// The name that a library has in a release, on one platform.
  std::optional<NamedRelease> name_of(CudaKind, std::string_view cuda, CudaPlatform) const;

  /// Since when, and how long, toolkits can make code for "sm_90".
  std::optional<ArchitectureSpan> toolkits_for(std::string_view architecture) const;

  /// The CUDA release that cuDNN 9.10.2 for CUDA 12 was built with; empty if it is not known.
  std::string cuda_of_cudnn(std::string_view cudnn, int cuda_major) const;

  /// The major of CUDA that a version of a library belongs to whose name several majors share; nullopt if not known.
  std::optional<int> major_of(CudaKind, std::string_view version) const;
  /// The releases that have a file of this build-id: "12.8.90", or "8.8.0.121 to 8.9.2.26" where several share one;
  /// empty if it is not known.
  std::string release_of_build(CudaKind, std::string_view build_id) const;

  /// What this release of a framework was built for.
  std::optional<FrameworkBuild> framework(std::string_view project, std::string_view version, CudaPlatform) const;
  /// All of a project, the oldest first.
  std::vector<FrameworkBuild> framework(std::string_view project, CudaPlatform) const;

  struct Table;
  explicit Knowledge(std::unique_ptr<const Table>);
  ~Knowledge();

 private:
  std::unique_ptr<const Table> table_;
};

}  // namespace cudald
