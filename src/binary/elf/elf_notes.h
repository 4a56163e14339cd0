#pragma once

#include "binary/bytes/file_window.h"
#include "binary/elf/elf_layout.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Reads the notes of a file's PT_NOTE segments into `image`: ABI tag, build-id, GNU properties, dlopen notes. Segments
/// may share bytes, so there are limits for all of them together.
class NoteReader {
 public:
  NoteReader(FileWindow& window, const ElfLayout& layout, Image& image)
      : window_(window), layout_(layout), image_(image) {}

  void read(const ProgramHeader& segment);

 private:
  void read_dlopen_note(const ByteReader& bytes, std::uint64_t at, std::uint64_t size);
  void tell_limit(const char* message);

  FileWindow& window_;
  const ElfLayout& layout_;
  Image& image_;
  std::uint64_t bytes_ = 0, json_bytes_ = 0;
  std::size_t sonames_ = 0, bad_notes_ = 0;
  bool told_ = false;
};

}  // namespace cudald
