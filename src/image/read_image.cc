#include <elf.h>

#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include "image/elf_reader.h"
#include "image/pe_reader.h"

namespace cudald {

Result<std::shared_ptr<const Image>> read_image(const File& file) {
  std::byte start[sizeof(Elf64_Ehdr)];
  const auto got = file.read(0, start);
  if (!got) return got.error();
  const bool mz = *got >= 2 && start[0] == std::byte{'M'} && start[1] == std::byte{'Z'};
  const auto image = mz ? read_pe_image(file) : read_elf_image(file, std::span(start).first(*got));
  image->has_gpu_code = (image->is_pe() || !image->elf.load_segments.empty()) && has_gpu_code(file, *image);
  return std::shared_ptr<const Image>(image);
}

}  // namespace cudald
