#pragma once

#include <string>
#include <utility>

#include "binary/bytes/readers.h"
#include "binary/cached_readings.h"

namespace cudald {

struct Image;  // cudald/image.h

/// The GPU code of large files of this machine's disk, kept from run to run: its headers lie all over such a file. What
/// is kept costs a question as much as what is read. May be asked by several threads.
class KeptGpuCode {
 public:
  /// As KeptRecords.
  explicit KeptGpuCode(std::string folder) : readings_(std::move(folder), "GPU code") {}

  /// As read_gpu_code() for one file, which is asked if it is not there.
  GpuCodeReading read(const File&, const Image&);
  /// Whether anything was kept.
  bool has_kept() const { return readings_.has_kept(); }

 private:
  KeptReadings readings_;
};

}  // namespace cudald
