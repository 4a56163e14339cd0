#pragma once

#include <string>
#include <vector>

#include <cudald/finding.h>
#include <cudald/report.h>

#include "check/findings/system_packages.h"
#include "store/store.h"

namespace cudald {

/// What gives a file that asks the system's libstdc++.so.6 for a version which that lacks a newer one. Empty for any
/// other library, and for versions that are not known.
std::vector<Fix> newer_libstdcxx_fixes(const Report&, const Object& object, const Object& provider,
                                       const std::string& version, Store&);

/// What brings a newer libstdc++.so.6 than the system's own packages have; nullopt if nothing is known to.
std::optional<Fix> upgraded_libstdcxx(const std::string& version, const SystemPackages&);

/// What starts a program in a container of an image: with the directory in which it lies, and of a name alone with the
/// program that PATH finds.
std::string in_container(const std::string& program, const std::string& image, const SystemPackages&);

}  // namespace cudald
