#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cuda/knowledge.h"

namespace cudald {

/// A row is a fact if it names the test that repeats its proof, and a likelihood otherwise.
template <typename Row>
using Statement = std::variant<Proven<Row>, Likely<Row>>;

/// The rows as they stand in the file, in plain types.
struct Knowledge::Table {
  struct Driver {
    std::string cuda;
    CudaPlatform platform = CudaPlatform::linux;
    Statement<DriverNeed> row;
  };
  struct Floor {
    int cuda_major = 0;
    CudaPlatform platform = CudaPlatform::linux;
    Statement<DriverNeed> row;
  };
  struct Library {
    CudaPlatform platform = CudaPlatform::linux;
    Statement<NamedRelease> row;
  };
  struct Architecture {
    std::string name;
    Statement<ArchitectureSpan> row;
  };
  struct SharedName {
    CudaKind kind = CudaKind::cudart;
    std::string since;
    int cuda_major = 0;
  };
  struct Build {
    CudaKind kind = CudaKind::cudart;
    std::string id, first, last;
  };
  struct Framework {
    CudaPlatform platform = CudaPlatform::linux;
    Statement<FrameworkBuild> row;
  };
  std::vector<Driver> drivers;
  std::vector<Floor> floors;
  std::vector<Library> libraries;
  std::vector<Architecture> architectures;
  std::vector<SharedName> shared_names;
  std::vector<Build> builds;
  std::vector<Framework> frameworks;
  std::vector<std::pair<std::string, std::string>> days;
};

}  // namespace cudald
