#include "check/fixes/library_installs.h"

#include <algorithm>

#include "check/findings/cuda_objects.h"
#include "check/findings/system_packages.h"
#include "check/fixes/conda_library.h"
#include "check/fixes/python_library.h"
#include "knowledge/gpu_use.h"
#include "knowledge/linux_names.h"
#include "knowledge/providers.h"

namespace cudald {
namespace {

/// Whether the archive of the distribution has the library.
bool has_system_package(const MissingLibrary& missing, const std::string& library) {
  if (missing.report.query.prefix || is_cuda_library_name(library)) return false;
  const auto packages = system_packages_of(library, knowledge_of(missing.report));
  return std::any_of(packages.begin(), packages.end(),
                     [](const SystemPackage& package) { return package.system.starts_with("Debian "); }) &&
         SystemPackages(missing.images).takes_debian_packages();
}

}  // namespace

void add_installs(const MissingLibrary& missing) {
  add_conda_fixes(missing);
  if (!missing.finding.fixes.empty() || is_of_python(missing.requester) ||
      !has_system_package(missing, missing.edge.name))
    add_pip_fixes(missing);
}

}  // namespace cudald
