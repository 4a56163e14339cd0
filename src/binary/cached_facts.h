#pragma once

#include <string>

#include "binary/cached_gpu_code.h"
#include "binary/cached_library_texts.h"
#include "binary/cached_readings.h"

namespace cudald {

/// What was found in large files of this machine's disk, kept from run to run, each kind by itself: to find it, much of
/// such a file is read. May be asked by several threads.
struct KeptFacts {
  /// As KeptRecords.
  explicit KeptFacts(const std::string& folder)
      : gpu_code(folder),
        texts(folder),
        constants(folder, "constants"),
        runtimes(folder, "linked runtimes"),
        requests(folder, "requests of code", smallest_with_code) {}

  /// Whether anything was kept.
  bool has_kept() const {
    return gpu_code.has_kept() || texts.has_kept() || constants.has_kept() || runtimes.has_kept() ||
           requests.has_kept();
  }

  KeptGpuCode gpu_code;
  KeptLibraryTexts texts;
  KeptReadings constants;  ///< where a text stands among them
  KeptReadings runtimes;   ///< the CUDA runtime that is linked into a file
  KeptReadings requests;   ///< what the code of a file may ask for

 private:
  static constexpr std::uint64_t smallest_with_code = std::uint64_t{256} << 10;
};

}  // namespace cudald
