#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <cudald/file_system.h>

namespace cudald {

/// Bytes of a file, into memory that is not cleared before: for large parts that are looked at once.
class FilePart {
 public:
  FilePart(const File&, std::uint64_t offset, std::uint64_t size);

  /// Fewer than were asked for where the file ends, none if it could not be read.
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes_.get()), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace cudald
