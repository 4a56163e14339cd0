#pragma once

#include <memory>
#include <string>

#include <cudald/file_system.h>
#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "binary/elf/rehearsal.h"
#include "binary/image_store.h"

namespace cudald {

/// Reads the tables, texts and GPU code of a file; null if it cannot be opened, or is nothing that loaders map.
inline std::unique_ptr<File> read_library_tables(ImageStore& images, const std::string& path) {
  const auto& opened = images.open(path);
  auto file = images.files().open(path);
  if (!opened.image || !file) return nullptr;
  images.gpu_code(path);
  images.library_texts(path);
  (void)read_pe_symbols(**file, *opened.image);
  read_all_tables(**file);
  return std::move(*file);
}

}  // namespace cudald
