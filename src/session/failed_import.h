#pragma once

#include <algorithm>
#include <string>

#include <cudald/report.h>

#include "package/site_packages.h"

namespace cudald {

/// The first import that fails; nullptr if none does.
inline const Import* failed_import(const Report& report) {
  const auto& imports = report.resolution.imports;
  const auto failed = std::find_if(imports.begin(), imports.end(), [](const Import& each) { return each.failed; });
  return failed == imports.end() ? nullptr : &*failed;
}

/// The site-packages directory of its environment; empty if none of its modules lies in one.
inline std::string site_of(const Import& import) {
  std::string site;
  for (const auto& package : import.packages)
    if (site.empty()) site = site_packages_of(package.folder);
  return site;
}

/// Python's own last line of it; empty if none fails.
inline std::string import_error(const Report& report) {
  const auto* failed = failed_import(report);
  return failed == nullptr ? "" : report.resolution.targets[failed->target].error;
}

}  // namespace cudald
