#pragma once

#include <memory>
#include <string>

#include <cudald/session.h>

#include "base/refusals.h"
#include "binary/cached_facts.h"
#include "package/package_sets.h"
#include "pyimport/run/import_store.h"

namespace cudald {

/// What questions about one tree have in common, whichever threads answer them: the packages that they install, the
/// Python code that they follow, what was found in large files. Each part guards itself.
struct SharedReadings {
  /// `for_later`: false for a question that no others follow. `folder`: where all but packages are kept for the next
  /// run.
  explicit SharedReadings(bool later = true, const std::string& folder = "")
      : packages(later), imports(later, folder), facts(folder), for_later(later), folder_(folder) {}

  /// Whether what was read may lack something that the system refused, so that no other question may use it.
  bool are_in_doubt() const { return refusals_.any(); }
  /// Others in their place, in which nothing is.
  std::shared_ptr<SharedReadings> anew() const { return std::make_shared<SharedReadings>(for_later, folder_); }

  /// Whether anything was kept for the next run.
  bool has_kept() const { return imports.has_kept() || facts.has_kept(); }

  PackageSets packages;
  ImportStore imports;
  KeptFacts facts;
  const bool for_later;

 private:
  const std::string folder_;
  const Refusals refusals_;
};

}  // namespace cudald
