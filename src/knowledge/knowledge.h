#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <cudald/cuda_library.h>
#include <cudald/knowledge.h>

namespace cudald {

enum class CudaPlatform { linux, windows };

/// Where a row comes from, with the day, and the test that repeats what it says. Only the reader of the tables makes
/// one, of a row that names its test.
class Proof {
 public:
  const std::string& source() const { return source_; }

 private:
  friend class RowReader;
  Proof(std::string source, std::string test) : source_(std::move(source)), test_(std::move(test)) {}
  std::string source_, test_;
};

/// A row that may be told as a fact: there is none without a proof.
template <typename Row>
class Proven : public Row {
 public:
  Proven(Row row, Proof proof) : Row(std::move(row)), proof_(std::move(proof)) {}
  const std::string& source() const { return proof_.source(); }

 private:
  Proof proof_;
};

/// A row that no test repeats. What it says is told as likely, or not at all.
template <typename Row>
class Likely {
 public:
  Likely(Row row, std::string source) : row_(std::move(row)), source_(std::move(source)) {}
  const Row& guess() const { return row_; }
  const std::string& source() const { return source_; }

 private:
  Row row_;
  std::string source_;
};

/// The releases of CUDA in which a library has this name.
struct NamedRelease {
  CudaKind kind = CudaKind::cudart;
  std::string name;
  std::string first, last;  ///< "11.0", "11.8"; last empty: no end is known
};

/// The driver that something needs.
struct DriverNeed {
  std::string version;  ///< "520.61.05"
};

/// What a release of a framework was built for.
struct FrameworkBuild {
  std::string project, first, last;
  std::string cuda;                                 ///< "11.2"; empty: without GPU support
  std::string cudnn;                                ///< "8", "9.10.2"; empty: not known
  std::string python_first = {}, python_last = {};  ///< for which some of them has wheels; empty: not known
};

/// Since which toolkit code can be made for a GPU, and until which; `until` itself no longer can.
struct ArchitectureSpan {
  std::string since, until;  ///< until empty: still
};

/// The table that knowledge.h of the library speaks of.
class Knowledge {
 public:
  /// The driver that this release brings along: any code of it runs.
  std::optional<Proven<DriverNeed>> driver_of(std::string_view cuda, CudaPlatform) const;
  /// The oldest driver on which releases of this major run at all (minor-version compatibility).
  std::optional<Proven<DriverNeed>> driver_floor(int cuda_major, CudaPlatform) const;
  /// The oldest driver on which this release runs: that of its major, or the one that it brings along, where that is
  /// older or there is no such compatibility (before CUDA 11).
  std::optional<Proven<DriverNeed>> least_driver(std::string_view cuda, CudaPlatform) const;
  /// Whether a driver is older than one that is needed. A branch, "535", counts as its newest driver.
  bool is_older_driver(std::string_view driver, const DriverNeed& needed, CudaPlatform) const;
  /// The newest release of CUDA that runs on this driver, by minor-version compatibility; empty if there is none.
  std::string newest_cuda_on(std::string_view driver, CudaPlatform) const;
  /// The newest release of CUDA that a driver has all of, as nvidia-smi says it: it compiles no newer PTX.
  std::string cuda_of_driver(std::string_view driver, CudaPlatform) const;
  /// Whether a driver is known to be older than the one of a release: than that of the release or of one before it. Of
  /// a release whose driver no document names, a newer driver than all that are known may be the one.
  bool is_older_than_release(std::string_view driver, std::string_view cuda, CudaPlatform) const;
  /// The newest major that any row tells of.
  int newest_major() const;

  /// Which releases of CUDA a library of this name belongs to: several for libcurand.so.10. Names of DLLs in any case.
  std::vector<Proven<NamedRelease>> releases_of(std::string_view library) const;
  /// The name that a library has in a release, on one platform.
  std::optional<Proven<NamedRelease>> name_of(CudaKind, std::string_view cuda, CudaPlatform) const;

  /// Since when, and how long, toolkits can make code for "sm_90".
  std::optional<Proven<ArchitectureSpan>> toolkits_for(std::string_view architecture) const;
  /// The same by a row that no test repeats.
  std::optional<Likely<ArchitectureSpan>> likely_toolkits_for(std::string_view architecture) const;

  /// The major of CUDA that a version of a library belongs to whose name several majors share; nullopt if not known.
  std::optional<int> major_of(CudaKind, std::string_view version) const;
  /// The releases that have a file of this build-id: "12.8.90", or "8.8.0.121 to 8.9.2.26" where several share one;
  /// empty if it is not known.
  std::string release_of_build(CudaKind, std::string_view build_id) const;

  /// What this release of a framework was built for.
  std::optional<Proven<FrameworkBuild>> framework(std::string_view project, std::string_view version,
                                                  CudaPlatform) const;
  /// All of a project, the oldest first.
  std::vector<Proven<FrameworkBuild>> framework(std::string_view project, CudaPlatform) const;

  /// The sections of the table and the day on which each was checked last.
  std::vector<std::pair<std::string, std::string>> days() const;

  using NewerTables = std::map<std::string, nlohmann::json, std::less<>>;
  /// The tables besides data/cuda.json over which rows of --knowledge were laid, by their files' names.
  const NewerTables& newer_tables() const;
  /// One of them; nullptr: it is as it was when this library was built.
  const nlohmann::json* newer_table(std::string_view name) const;

  struct Table;
  explicit Knowledge(std::unique_ptr<const Table>);
  Knowledge(std::unique_ptr<const Table>, NewerTables);
  ~Knowledge();

 private:
  std::unique_ptr<const Table> table_;
  std::unique_ptr<const NewerTables> newer_;
};

/// Newer rows over what is known; the table that they are of is told by `schema`. Error{usage}, with the place of what
/// is wrong.
Result<std::shared_ptr<const Knowledge>> lay_over(const Knowledge&, std::string_view json);

}  // namespace cudald
