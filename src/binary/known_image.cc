#include "binary/known_image.h"

#include <elf.h>

namespace cudald {

std::shared_ptr<Image> known_image(ImageSource source, std::uint16_t machine, Format format, ByteOrder order,
                                   const std::string& soname) {
  auto image = std::make_shared<Image>();
  image->source = source;
  image->machine = machine;
  image->format = format;
  image->byte_order = order;
  image->type = FileType::shared;
  image->soname = soname;
  if (image->is_pe()) {
    image->pe.emplace();
    return image;
  }
  image->file_size = sizeof(Elf64_Ehdr);
  auto& header = image->elf.header;
  header.has_magic = true;
  header.file_class = format == Format::elf64 ? ELFCLASS64 : ELFCLASS32;
  header.data_encoding = order == ByteOrder::little ? ELFDATA2LSB : ELFDATA2MSB;
  header.ident_version = EV_CURRENT;
  header.version = EV_CURRENT;
  // What one package brings finds its own neighbours, as NVIDIA's libraries do.
  if (source == ImageSource::requirement) image->elf.runpath = "$ORIGIN";
  image->elf.load_segments.emplace_back();
  image->elf.has_dynamic_segment = true;
  image->elf.executable_stack = false;
  return image;
}

}  // namespace cudald
