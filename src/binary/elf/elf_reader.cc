#include <elf.h>

#include <algorithm>

#include <cudald/image.h>

#include "binary/bytes/file_window.h"
#include "binary/elf/elf_dynamic.h"
#include "binary/elf/elf_layout.h"
#include "binary/elf/elf_notes.h"
#include "binary/elf/elf_reader.h"

namespace cudald {
namespace {

FileType file_type(std::uint16_t number) {
  switch (number) {
    case ET_NONE: return FileType::none;
    case ET_REL: return FileType::relocatable;
    case ET_EXEC: return FileType::executable;
    case ET_DYN: return FileType::shared;
    case ET_CORE: return FileType::core;
    default: return FileType::other;
  }
}

class ElfReader {
 public:
  ElfReader(const File& file, Budget& budget) : file_(file), budget_(budget) {}

  std::shared_ptr<Image> read(std::span<const std::byte> start) {
    image_->file_size = file_.status().size;
    if (read_header(start)) read_program_headers();
    return image_;
  }

 private:
  /// False if what follows the header means nothing to us.
  bool read_header(std::span<const std::byte> start) {
    Image& image = *image_;
    const ByteReader ident(start, ByteOrder::little);
    if (!ident.holds(0, EI_NIDENT) || ident.unchecked<std::uint32_t>(0) != 0x464c457f) return false;
    image.elf.header.has_magic = true;
    image.elf.header.file_class = ident.unchecked<std::uint8_t>(EI_CLASS);
    image.elf.header.data_encoding = ident.unchecked<std::uint8_t>(EI_DATA);
    image.elf.header.ident_version = ident.unchecked<std::uint8_t>(EI_VERSION);
    image.elf.header.os_abi = ident.unchecked<std::uint8_t>(EI_OSABI);
    image.elf.header.abi_version = ident.unchecked<std::uint8_t>(EI_ABIVERSION);
    for (std::size_t i = EI_PAD; i < EI_NIDENT; ++i) image.elf.header.zero_padding &= start[i] == std::byte{0};
    image.elf.header.app_image = start[8] == std::byte{'A'} && start[9] == std::byte{'I'};
    const bool class_known = image.elf.header.file_class == ELFCLASS32 || image.elf.header.file_class == ELFCLASS64;
    if (!class_known ||
        (image.elf.header.data_encoding != ELFDATA2LSB && image.elf.header.data_encoding != ELFDATA2MSB))
      return false;

    layout_.is_64 = image.elf.header.file_class == ELFCLASS64;
    image.byte_order = image.elf.header.data_encoding == ELFDATA2LSB ? ByteOrder::little : ByteOrder::big;
    const ByteReader header(start, image.byte_order);
    if (!header.holds(0, layout_.header_size())) return false;
    image.format = layout_.is_64 ? Format::elf64 : Format::elf32;
    image.type = file_type(header.unchecked<std::uint16_t>(16));
    image.machine = header.unchecked<std::uint16_t>(18);
    image.elf.header.version = header.unchecked<std::uint32_t>(20);
    const auto word = layout_.word();
    program_headers_at_ = *layout_.word_at(header, 24 + word);
    const auto tail = 24 + 3 * word;  // e_flags
    image.elf.header.flags = header.unchecked<std::uint32_t>(tail);
    image.elf.header.program_header_size_ok =
        header.unchecked<std::uint16_t>(tail + 6) == layout_.program_header_size();
    program_header_count_ = header.unchecked<std::uint16_t>(tail + 8);
    return image.elf.header.program_header_size_ok;
  }

  void read_program_headers() {
    Image& image = *image_;
    const auto size = program_header_count_ * layout_.program_header_size();
    FileWindow window(file_, image.byte_order, &budget_);
    const auto table = window.bytes(program_headers_at_, size);
    if (table.size() != size) {
      image.elf.header.program_headers_readable = false;
      image.defects.push_back({"the program headers run past the end of the file", program_headers_at_, false});
      return;
    }
    const ByteReader bytes(table, image.byte_order);
    std::optional<ProgramHeader> dynamic;
    std::vector<ProgramHeader> notes;
    for (std::uint64_t at = 0; at < size; at += layout_.program_header_size()) {
      const auto header = program_header_at(layout_, bytes, at);
      switch (header.type) {
        case PT_LOAD:
          image.elf.load_segments.push_back({header.offset, header.address, header.file_size, header.memory_size,
                                             header.alignment, (header.flags & PF_W) != 0, (header.flags & PF_X) != 0});
          break;
        case PT_DYNAMIC:
          image.elf.has_dynamic_segment = true;
          image.elf.empty_dynamic_segment |= header.file_size == 0;
          if (header.file_size != 0) dynamic = header;
          break;
        case PT_INTERP: read_interpreter(window, header); break;
        case PT_NOTE: notes.push_back(header); break;
        case PT_GNU_STACK: image.elf.executable_stack = (header.flags & PF_X) != 0; break;
        case PT_TLS:
          image.elf.tls_size = header.memory_size;
          image.elf.tls_alignment = std::max<std::uint64_t>(header.alignment, 1);
          image.elf.tls_address = header.address;
          break;
        default: break;
      }
    }
    check_load_segments();
    if (notes.size() > most_note_segments) {
      image.defects.push_back({"more note segments than are read", std::nullopt, true});
      notes.resize(most_note_segments);
    }
    NoteReader note_reader(window, layout_, image);
    for (const auto& note : notes) note_reader.read(note);
    if (dynamic) read_elf_dynamic(window, layout_, *dynamic, image);
  }

  void check_load_segments() {
    for (const auto& segment : image_->elf.load_segments) {
      const bool outside = segment.offset > image_->file_size || segment.file_size > image_->file_size - segment.offset;
      if (!outside) continue;
      image_->defects.push_back(
          {"a load segment runs past the end of the file: it was cut short", segment.offset, false});
      return;
    }
  }

  void read_interpreter(FileWindow& window, const ProgramHeader& header) {
    constexpr std::size_t longest_path = 4096;
    auto text = window.string(header.offset, header.offset + std::min<std::uint64_t>(header.file_size, longest_path),
                              longest_path);
    if (text) {
      image_->elf.interpreter = std::move(text);
    } else {
      image_->defects.push_back({"PT_INTERP holds no terminated path", header.offset, false});
    }
  }

  static constexpr std::size_t most_note_segments = 64;

  const File& file_;
  Budget& budget_;
  ElfLayout layout_{};
  std::shared_ptr<Image> image_ = std::make_shared<Image>();
  std::uint64_t program_headers_at_ = 0;
  std::uint64_t program_header_count_ = 0;
};

}  // namespace

std::shared_ptr<Image> read_elf_image(const File& file, std::span<const std::byte> start, Budget& budget) {
  return ElfReader(file, budget).read(start);
}

}  // namespace cudald
