#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cudald/result.h>

namespace cudald {

/// Parts of one file that were read from a server. They lie in a file without a name, so that memory holds none of them
/// and nothing is left when the program ends, whatever ends it.
class RangeStore {
 public:
  RangeStore();
  ~RangeStore();
  RangeStore(const RangeStore&) = delete;
  RangeStore& operator=(const RangeStore&) = delete;

  /// How many bytes from `offset` on are there; 0: none.
  std::uint64_t there(std::uint64_t offset) const;
  /// Where the next bytes begin that are there, at or behind `offset`; nullopt if none do.
  std::optional<std::uint64_t> next(std::uint64_t offset) const;
  /// False if they cannot be written.
  bool add(std::uint64_t offset, std::string_view bytes);
  bool copy(std::uint64_t offset, std::span<std::byte> into) const;
  std::uint64_t bytes() const;

 private:
  int file_ = -1;
  std::map<std::uint64_t, std::uint64_t> parts_;  ///< begin -> end; none touches the next
};

}  // namespace cudald
