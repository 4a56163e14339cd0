#pragma once

#include <cudald/session.h>

#include "package/package_sets.h"
#include "python/import_store.h"

namespace cudald {

/// What questions about one tree have in common, whichever threads answer them: the packages that they install, and the
/// Python code that they follow. Each part guards itself.
struct SharedReadings {
  PackageSets packages;
  ImportStore imports;
  bool for_later = true;  ///< false: for one question, and no others follow
};

}  // namespace cudald
