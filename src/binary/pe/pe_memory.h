#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/pe.h>

#include "binary/bytes/file_window.h"

namespace cudald {

/// A PE file as Windows maps it: checked reads by address (RVA). Behind the bytes that a section has in the file, its
/// memory is zero.
class PeMemory {
 public:
  PeMemory(const File&, const PeFacts&, Budget* = nullptr);

  /// How many bytes are mapped from `address` on without a gap between sections; 0 if none.
  std::uint64_t mapped(std::uint64_t address) const;

  template <std::unsigned_integral T>
  std::optional<T> number(std::uint64_t address) {
    const auto place = find(address);
    if (!place || place->mapped < sizeof(T)) return std::nullopt;
    if (place->in_file >= sizeof(T)) return window_.number<T>(place->offset);
    if (place->in_file == 0) return T{0};
    const auto some = bytes(address, sizeof(T));
    return ByteReader(some, ByteOrder::little).number<T>(0);
  }

  /// The string at `address`, if it ends within `longest` bytes.
  std::optional<std::string> string(std::uint64_t address, std::size_t longest);

  /// Fewer bytes where the memory ends. `length` must be known to be small.
  std::vector<std::byte> bytes(std::uint64_t address, std::uint64_t length);

 private:
  struct Region {
    std::uint64_t address, size;      ///< in memory
    std::uint64_t offset, file_size;  ///< its bytes that exist in the file
  };
  struct Place {
    std::uint64_t mapped;   ///< bytes from the address to the region's end
    std::uint64_t offset;   ///< of the address in the file
    std::uint64_t in_file;  ///< bytes from there that exist
  };

  void add(std::uint64_t address, std::uint64_t size, std::uint64_t offset, std::uint64_t file_size);
  std::optional<Place> find(std::uint64_t address) const;

  FileWindow window_;
  std::vector<Region> regions_;  ///< by address
};

}  // namespace cudald
