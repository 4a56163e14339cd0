#pragma once

#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"

namespace cudald {

/// What a file of these bytes says of itself.
inline std::shared_ptr<const Image> image_of_bytes(std::string bytes, FileTraits traits = {}) {
  MemoryFileSystem files;
  files.add_file("/file", std::move(bytes), traits);
  auto image = read_image(**files.open("/file"));
  REQUIRE(image);
  return *image;
}

inline std::shared_ptr<const Image> image_of(const ElfSpec& spec) { return image_of_bytes(elf(spec)); }

/// The defects, a line each.
inline std::string defects(const Image& image) {
  std::string text;
  for (const auto& defect : image.defects) text += (defect.limit ? "limit: " : "") + defect.message + "\n";
  return text;
}

}  // namespace cudald
