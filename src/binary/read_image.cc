#include <elf.h>

#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include "binary/bytes/readers.h"
#include "binary/elf/elf_reader.h"
#include "binary/pe/pe_reader.h"

namespace cudald {

void tell_limit(const Budget& budget, std::vector<Defect>& defects) {
  // Before what was said because nothing more was there to read.
  if (budget.exhausted()) defects.insert(defects.begin(), {budget.error().message, std::nullopt, true});
}

Result<std::shared_ptr<const Image>> read_image(const File& file) {
  Budget budget(limits_of_one_file);
  return read_image(file, budget);
}

Result<std::shared_ptr<const Image>> read_image(const File& file, Budget& budget) {
  std::byte start[sizeof(Elf64_Ehdr)];
  const auto got = file.read(0, start);
  if (!got) return got.error();
  const bool mz = *got >= 2 && start[0] == std::byte{'M'} && start[1] == std::byte{'Z'};
  const auto image = mz ? read_pe_image(file, budget) : read_elf_image(file, std::span(start).first(*got), budget);
  if (image->is_pe() || !image->elf.load_segments.empty()) note_gpu_code(file, budget, *image);
  tell_limit(budget, image->defects);
  return std::shared_ptr<const Image>(image);
}

}  // namespace cudald
