#pragma once

#include <cstdint>
#include <string_view>

#include <cudald/file_system.h>

#include "base/read_buffer.h"

namespace cudald {

/// Bytes of a file, into memory that is not cleared before: for large parts that are looked at once.
class FilePart {
 public:
  FilePart(const File&, std::uint64_t offset, std::uint64_t size);

  /// Fewer than were asked for where the file ends, none if it could not be read.
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  ReadBuffer bytes_;
};

}  // namespace cudald
