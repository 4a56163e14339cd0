#pragma once

#include "image/elf_layout.h"
#include "image/file_window.h"

namespace cudald {

struct Image;  // cudald/image.h

/// Reads the notes of one PT_NOTE segment into `image`: ABI tag, build-id, GNU properties, dlopen notes.
void read_notes(FileWindow&, const ElfLayout&, const ProgramHeader& segment, Image& image);

}  // namespace cudald
