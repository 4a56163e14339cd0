#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "knowledge/knowledge.h"

namespace cudald {

/// A row is a fact if it names the test that repeats its proof, and a likelihood otherwise.
template <typename Row>
using Statement = std::variant<Proven<Row>, Likely<Row>>;

/// The rows of a section, looked for and read when they are first asked for, by whichever thread.
template <typename Row>
class LazyRows {
 public:
  using Read = std::vector<Row> (*)(const TableValue& section);
  LazyRows(Read read, TableValue table, std::string_view section) : read_(read), table_(table), section_(section) {}
  const std::vector<Row>& operator()() const {
    std::call_once(once_, [this] { rows_ = read_(table_.at(section_)); });
    return rows_;
  }

 private:
  Read read_;
  TableValue table_;
  std::string_view section_;
  mutable std::once_flag once_;
  mutable std::vector<Row> rows_;
};

/// The rows as they stand in the file, in plain types. Most questions need those of one or two sections.
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
  const std::string own;  ///< empty of a table that was compiled in
  const TableValue whole;

  /// Of a table that was compiled in.
  explicit Table(std::string_view bytes);
  /// Of one that was made of JSON.
  explicit Table(std::string bytes);
  Table(TableValue built_in, std::string bytes);
  /// The sections and the day on which each was checked last.
  std::vector<std::pair<std::string, std::string>> days() const;

  LazyRows<Driver> drivers;
  LazyRows<Floor> floors;
  LazyRows<Library> libraries;
  LazyRows<Architecture> architectures;
  LazyRows<SharedName> shared_names;
  LazyRows<Build> builds;
  LazyRows<Framework> frameworks;
};

}  // namespace cudald
