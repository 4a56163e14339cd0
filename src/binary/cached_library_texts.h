#pragma once

#include <string>
#include <utility>

#include <cudald/library_texts.h>

#include "binary/cached_readings.h"

namespace cudald {

struct Image;  // cudald/image.h

/// The names of libraries in the read-only data of large files of this machine's disk, kept from run to run: to find
/// them all of such data is read. May be asked by several threads.
class KeptLibraryTexts {
 public:
  /// As KeptRecords.
  explicit KeptLibraryTexts(std::string folder) : readings_(std::move(folder), "library texts") {}

  /// As read_library_texts(), which is asked if they are not there.
  LibraryTexts read(const File&, const Image&);
  /// Whether anything was kept.
  bool has_kept() const { return readings_.has_kept(); }

 private:
  KeptReadings readings_;
};

}  // namespace cudald
