#include "fs/file_part.h"

namespace cudald {

FilePart::FilePart(const File& file, std::uint64_t offset, std::uint64_t size)
    : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)) {
  if (const auto read = file.read(offset, {bytes_.get(), size})) size_ = *read;
}

}  // namespace cudald
