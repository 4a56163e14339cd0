#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <cudald/file_system.h>

#include "image/read_only_data.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Bytes of a file at their places, for what looks through all of its code and data: of an ELF file those that a loader
/// maps, up to the last of them, and zeros for what only linkers and debuggers read; of other files all. GPU code is
/// not read either: zeros stand in its place.
class MappedBytes {
 public:
  /// Of a file that is no image, without one.
  MappedBytes(const File&, const Image*);

  /// Fewer than there should be where the file ends, none if it could not be read.
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  bool read(const File&, const FileRange&);

  std::unique_ptr<char[], Free> bytes_;
  std::size_t size_ = 0;
};

/// How many bytes that are.
std::uint64_t mapped_size(const Image&);

}  // namespace cudald
