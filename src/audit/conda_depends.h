#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/knowledge.h>
#include <cudald/world.h>

#include "knowledge/conda_packages.h"
#include "package/package_tree.h"

namespace cudald {

/// One line of a conda package's `depends`: "cuda-version >=12.8,<13". Source: conda, "Package match specifications".
struct CondaDepend {
  std::string name, version;
};

/// nullopt for an empty line.
std::optional<CondaDepend> parse_conda_depend(std::string_view line);

/// Whether the installed packages are conda's.
bool are_of_conda(const PackageTree&);

/// What the installed packages depend on, each package once, without those that stand for the machine ("__glibc").
std::vector<RequiredPackage> conda_requirements(const PackageTree&);

/// The glibc that some package asks the machine for; else the oldest that conda-forge builds for.
LibcVersion conda_glibc(const PackageTree&);

/// The libraries that conda's packages take from the machine: those of glibc.
std::vector<std::string> libraries_of_glibc();

/// What a package is known to bring into PREFIX/lib, by data/conda-packages.json; nullopt if nothing is known of it.
std::optional<CondaContents> brought_by_conda(const RequiredPackage&, const std::vector<RequiredPackage>& all,
                                              const Knowledge&);

}  // namespace cudald
