#include "image/mapped_size.h"

#include <algorithm>

#include <cudald/image.h>

namespace cudald {

std::uint64_t mapped_size(const Image& image) {
  std::uint64_t end = 0;
  for (const auto& segment : image.elf.load_segments)
    if (segment.offset <= image.file_size && segment.file_size <= image.file_size - segment.offset)
      end = std::max(end, segment.offset + segment.file_size);
  return end == 0 ? image.file_size : end;
}

}  // namespace cudald
