// A library that a package does not have itself, as another distribution brings it which the package requires.
// Sources: core metadata specifications, "Requires-Dist"; PEP 508.

#include "check/fixes/lacked_requirement.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/trimmed.h"
#include "package/version.h"

namespace cudald {
namespace {

/// "cudf" of libcudf.so.2 and of libcudf.
std::string project_called(std::string_view name) {
  if (name.starts_with("lib")) name.remove_prefix(3);
  return normal_distribution_name(name.substr(0, name.find(".so")));
}

/// Whether a distribution is called like the library, or is of the project of one that has it: tensorrt of
/// tensorrt-cu12-libs. What is known to have it itself is for those who know where it lands.
bool brings(const std::string& distribution, const std::string& library, const std::vector<std::string>& providers) {
  for (const auto& provider : providers)
    if (normal_distribution_name(provider).starts_with(distribution + "-")) return true;
  return project_called(split(distribution, "-").front()) == project_called(file_name(library));
}

}  // namespace

std::optional<LackedRequirement> lacked_requirement(const PackageName& package, const std::string& library,
                                                    const std::vector<std::string>& providers,
                                                    const Installer& installer, const FileSystem& files) {
  const auto values = installer.marker_values();
  auto all = absent_requirements(files, installer.site(), package.name, values);
  const auto unmet = unmet_requirements(files, installer.site(), package.name, values);
  all.insert(all.end(), unmet.begin(), unmet.end());
  for (const auto& one : all) {
    if (!brings(normal_distribution_name(one.name), library, providers)) continue;
    const auto state = one.version.empty() ? std::string("which is not in the same site-packages")
                                           : fmt::format("and {} {} is installed", one.name, one.version);
    return LackedRequirement{one.wanted,
                             fmt::format("{} {} requires {}, {}", package.name, package.version, one.wanted, state)};
  }
  return std::nullopt;
}

}  // namespace cudald
