#pragma once

#include <optional>
#include <string>
#include <utility>

#include <cudald/file_system.h>
#include <cudald/library_texts.h>

#include "fs/kept_records.h"

namespace cudald {

struct Image;  // cudald/image.h

/// The names of libraries in the read-only data of large files of this machine's disk, kept from run to run: to find
/// them all of such data is read. A file is the same as long as it has not been changed. May be asked by several
/// threads.
class KeptLibraryTexts {
 public:
  /// As KeptRecords.
  explicit KeptLibraryTexts(std::string folder) : records_(std::move(folder), "library texts") {}

  /// As read_library_texts(), which is asked if they are not there.
  LibraryTexts read(const File&, const Image&);
  /// Whether anything was kept.
  bool has_kept() const { return records_.has_kept(); }

 private:
  KeptRecords records_;
};

}  // namespace cudald
