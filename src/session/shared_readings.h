#pragma once

#include <string>
#include <utility>

#include <cudald/session.h>

#include "image/kept_gpu_code.h"
#include "image/kept_library_texts.h"
#include "package/package_sets.h"
#include "python/import_store.h"

namespace cudald {

/// What questions about one tree have in common, whichever threads answer them: the packages that they install, the
/// Python code that they follow, names of libraries and GPU code in large files. Each part guards itself.
struct SharedReadings {
  /// `for_later`: false for a question that no others follow. `folder`: where all but packages are kept for the next
  /// run.
  explicit SharedReadings(bool later = true, std::string folder = "")
      : packages(later), imports(later, folder), texts(folder), gpu_code(std::move(folder)), for_later(later) {}

  /// Whether anything was kept for the next run.
  bool has_kept() const { return imports.has_kept() || texts.has_kept() || gpu_code.has_kept(); }

  PackageSets packages;
  ImportStore imports;
  KeptLibraryTexts texts;
  KeptGpuCode gpu_code;
  const bool for_later;
};

}  // namespace cudald
