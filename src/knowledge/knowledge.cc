#include "knowledge/knowledge.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version_order.h"
#include "knowledge/knowledge_table.h"

namespace cudald {
namespace {

bool is_between(std::string_view version, std::string_view first, std::string_view last) {
  return !version_less(version, first) && (last.empty() || !version_less(last, version));
}

/// "12.8.1" -> "12.8": updates of a release share its rows.
std::string_view release(std::string_view cuda) {
  const auto dot = cuda.find('.');
  const auto second = dot == std::string_view::npos ? dot : cuda.find('.', dot + 1);
  return cuda.substr(0, std::min(second, cuda.size()));
}

int major_number(std::string_view version) {
  return std::atoi(std::string(version.substr(0, version.find('.'))).c_str());
}

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// The facts of some rows for which a test holds.
template <typename T, typename Rows, typename Test>
std::optional<Proven<T>> first_fact(const Rows& rows, Test fits) {
  for (const auto& row : rows)
    if (const auto* fact = std::get_if<Proven<T>>(&row.row); fact != nullptr && fits(row, *fact)) return *fact;
  return std::nullopt;
}

template <typename T, typename Rows, typename Test>
std::optional<Likely<T>> first_guess(const Rows& rows, Test fits) {
  for (const auto& row : rows)
    if (const auto* guess = std::get_if<Likely<T>>(&row.row); guess != nullptr && fits(row, guess->guess()))
      return *guess;
  return std::nullopt;
}

}  // namespace

Knowledge::Knowledge(std::unique_ptr<const Table> table) : Knowledge(std::move(table), {}) {}

Knowledge::Knowledge(std::unique_ptr<const Table> table, NewerTables newer)
    : table_(std::move(table)), newer_(std::make_unique<const NewerTables>(std::move(newer))) {}

const Knowledge::NewerTables& Knowledge::newer_tables() const { return *newer_; }

const nlohmann::json* Knowledge::newer_table(std::string_view name) const {
  const auto found = newer_->find(name);
  return found == newer_->end() ? nullptr : &found->second;
}

Knowledge::~Knowledge() = default;

std::optional<Proven<DriverNeed>> Knowledge::driver_of(std::string_view cuda, CudaPlatform platform) const {
  return first_fact<DriverNeed>(table_->drivers(), [&](const Table::Driver& row, const DriverNeed& need) {
    return row.cuda == release(cuda) && row.platform == platform && !need.version.empty();
  });
}

std::optional<Proven<DriverNeed>> Knowledge::driver_floor(int cuda_major, CudaPlatform platform) const {
  return first_fact<DriverNeed>(table_->floors(), [&](const Table::Floor& row, const DriverNeed& need) {
    return row.cuda_major == cuda_major && row.platform == platform && !need.version.empty();
  });
}

std::optional<Proven<DriverNeed>> Knowledge::least_driver(std::string_view cuda, CudaPlatform platform) const {
  const auto floor = driver_floor(major_number(cuda), platform);
  const auto own = driver_of(cuda, platform);
  return !floor || (own && version_less(own->version, floor->version)) ? own : floor;
}

bool Knowledge::is_older_driver(std::string_view driver, const DriverNeed& needed, CudaPlatform platform) const {
  if (driver.find('.') != std::string_view::npos) return version_less(driver, needed.version);
  auto branch = major_number(driver);
  // Windows' drivers of branch R470 are 471 to 474: the branch is called by what it is on Linux.
  if (platform == CudaPlatform::windows)
    for (const auto& row : table_->drivers()) {
      const auto* fact = std::get_if<Proven<DriverNeed>>(&row.row);
      if (row.platform != CudaPlatform::linux || fact == nullptr || major_number(fact->version) != major_number(driver))
        continue;
      if (const auto there = driver_of(row.cuda, platform)) branch = std::max(branch, major_number(there->version));
    }
  return branch < major_number(needed.version);
}

std::string Knowledge::newest_cuda_on(std::string_view driver, CudaPlatform platform) const {
  std::string newest;
  for (const auto& row : table_->drivers()) {
    const auto least = least_driver(row.cuda, platform);
    if (least && !is_older_driver(driver, *least, platform) && (newest.empty() || version_less(newest, row.cuda)))
      newest = row.cuda;
  }
  return newest;
}

std::string Knowledge::cuda_of_driver(std::string_view driver, CudaPlatform platform) const {
  std::string newest;
  for (const auto& row : table_->drivers()) {
    const auto own = driver_of(row.cuda, platform);
    if (own && !is_older_driver(driver, *own, platform) && (newest.empty() || version_less(newest, row.cuda)))
      newest = row.cuda;
  }
  return newest;
}

bool Knowledge::is_older_than_release(std::string_view driver, std::string_view cuda, CudaPlatform platform) const {
  return std::any_of(table_->drivers().begin(), table_->drivers().end(), [&](const Table::Driver& row) {
    const auto own = version_less(release(cuda), row.cuda) ? std::nullopt : driver_of(row.cuda, platform);
    return own && is_older_driver(driver, *own, platform);
  });
}

int Knowledge::newest_major() const {
  int newest = 0;
  for (const auto& row : table_->drivers()) newest = std::max(newest, major_number(row.cuda));
  return newest;
}

std::vector<Proven<NamedRelease>> Knowledge::releases_of(std::string_view library) const {
  std::vector<Proven<NamedRelease>> found;
  for (const auto& row : table_->libraries()) {
    const auto* fact = std::get_if<Proven<NamedRelease>>(&row.row);
    const bool windows = row.platform == CudaPlatform::windows;
    if (fact != nullptr && !fact->name.empty() && (windows ? is_same_name(fact->name, library) : fact->name == library))
      found.push_back(*fact);
  }
  return found;
}

std::optional<Proven<NamedRelease>> Knowledge::name_of(CudaKind kind, std::string_view cuda,
                                                       CudaPlatform platform) const {
  return first_fact<NamedRelease>(table_->libraries(), [&](const Table::Library& row, const NamedRelease& named) {
    return row.platform == platform && named.kind == kind && !named.name.empty() &&
           is_between(release(cuda), named.first, named.last);
  });
}

std::optional<Proven<ArchitectureSpan>> Knowledge::toolkits_for(std::string_view architecture) const {
  return first_fact<ArchitectureSpan>(table_->architectures(),
                                      [&](const auto& row, const auto&) { return row.name == architecture; });
}

std::optional<Likely<ArchitectureSpan>> Knowledge::likely_toolkits_for(std::string_view architecture) const {
  return first_guess<ArchitectureSpan>(table_->architectures(),
                                       [&](const auto& row, const auto&) { return row.name == architecture; });
}

std::optional<int> Knowledge::major_of(CudaKind kind, std::string_view version) const {
  std::optional<int> major;
  for (const auto& row : table_->shared_names())
    if (row.kind == kind && !version_less(version, row.since)) major = row.cuda_major;
  return major;
}

std::string Knowledge::release_of_build(CudaKind kind, std::string_view build_id) const {
  for (const auto& row : table_->builds())
    if (row.kind == kind && row.id == build_id)
      return row.first == row.last ? row.first : fmt::format("{} to {}", row.first, row.last);
  return "";
}

std::optional<Proven<FrameworkBuild>> Knowledge::framework(std::string_view project, std::string_view version,
                                                           CudaPlatform platform) const {
  return first_fact<FrameworkBuild>(table_->frameworks(), [&](const auto& row, const FrameworkBuild& build) {
    return row.platform == platform && build.project == project && is_between(version, build.first, build.last);
  });
}

std::vector<Proven<FrameworkBuild>> Knowledge::framework(std::string_view project, CudaPlatform platform) const {
  std::vector<Proven<FrameworkBuild>> builds;
  for (const auto& row : table_->frameworks())
    if (const auto* fact = std::get_if<Proven<FrameworkBuild>>(&row.row);
        fact != nullptr && row.platform == platform && fact->project == project)
      builds.push_back(*fact);
  return builds;
}

std::vector<std::pair<std::string, std::string>> Knowledge::days() const { return table_->days(); }

}  // namespace cudald
