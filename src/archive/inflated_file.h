#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <cudald/file_system.h>

#include "archive/restart_points.h"
#include "archive/stream_budget.h"

namespace cudald {

/// Where a deflated member lies in its archive.
struct DeflatedRange {
  std::uint64_t offset{};           ///< of the first compressed byte in the archive
  std::uint64_t compressed_size{};  ///< bytes
  std::uint64_t size{};             ///< bytes after inflating, as the archive's directory states it
  std::uint32_t crc32 = 0;          ///< of the inflated bytes, as the directory states it
  bool gzip = false;                ///< gzip members one after another; `size` is then not known, and very large
};

/// A deflated archive member as a file that can be read at any place. It is inflated as a stream; of what goes by,
/// only a bounded amount is kept: the beginning, the blocks asked for last, and points from which inflating can
/// start again. Memory does not depend on the member's size. `archive` is shared by all members of an archive.
/// `budget`: where what comes out is charged; without one, a member may be inflated four times. `points`: those of
/// whoever opened the same member before.
std::unique_ptr<File> make_inflated_file(std::shared_ptr<const File> archive, const DeflatedRange&, FileStatus,
                                         std::string name, std::shared_ptr<StreamBudget> budget = nullptr,
                                         std::shared_ptr<RestartPoints> points = nullptr);

/// Holds a file that can be read as it is against a checksum. The polynomial is that of APPNOTE 4.4.7.
std::optional<Error> check_crc32(const File&, std::uint32_t expected, const std::string& name);

}  // namespace cudald
