#pragma once

#include <string>
#include <utility>

#include <cudald/session.h>

#include "package/package_sets.h"
#include "python/import_store.h"

namespace cudald {

/// What questions about one tree have in common, whichever threads answer them: the packages that they install, and the
/// Python code that they follow. Each part guards itself.
struct SharedReadings {
  /// `for_later`: false for a question that no others follow. `folder`: where imports are kept for the next run.
  explicit SharedReadings(bool later = true, std::string folder = "")
      : packages(later), imports(later, std::move(folder)), for_later(later) {}

  PackageSets packages;
  ImportStore imports;
  const bool for_later;
};

}  // namespace cudald
