#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "rewrite/edit_elf.h"
#include "unit/tree/faulty_file.h"

namespace cudald {

inline std::shared_ptr<const File> file_of(std::string bytes) { return std::make_shared<FaultyFile>(std::move(bytes)); }

/// All bytes of a file.
inline std::string bytes_of(const File& file) {
  std::string bytes(file.status().size, '\0');
  REQUIRE(*file.read(0, std::as_writable_bytes(std::span(bytes))) == bytes.size());
  return bytes;
}

/// What an edit makes of a file.
struct Edited {
  EditRoom room = EditRoom::in_place;
  std::uint64_t growth = 0;
  std::string bytes;
  std::shared_ptr<const Image> image;
};

inline Edited edited(std::string bytes, const ElfEdits& edits, std::uint64_t largest_bss = 1 << 20) {
  const auto file = file_of(std::move(bytes));
  auto made = edit_elf(file, "/file", edits, largest_bss);
  if (!made) FAIL(made.error().message);
  const NewFile new_file(file, made->pieces);
  return {made->room, made->growth, bytes_of(new_file), *read_image(new_file)};
}

/// Why an edit is refused.
inline std::string refusal(std::string bytes, const ElfEdits& edits) {
  const auto made = edit_elf(file_of(std::move(bytes)), "/file", edits);
  return made ? "not refused" : made.error().message;
}

}  // namespace cudald
