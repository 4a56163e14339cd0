#include "tree/file_part.h"

namespace cudald {

FilePart::FilePart(const File& file, std::uint64_t offset, std::uint64_t size) : bytes_(size) {
  const auto read = file.read(offset, bytes_.room());
  bytes_.cut(read ? *read : 0);
}

}  // namespace cudald
