#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/finding.h>
#include <cudald/report.h>

#include "check/findings/system_packages.h"
#include "knowledge/knowledge.h"
#include "knowledge/system_releases.h"

namespace cudald {

/// A library of which it is known that no package of this release of the system has it: it was dropped before, or came
/// later.
struct LackingRelease {
  LibraryReleases library;
  std::string system;     ///< "Ubuntu 22.04"
  std::string text;       ///< "no package of Ubuntu 22.04 has it: Ubuntu 18.04 to 21.10 have it, as libssl1.1"
  PackagedRelease image;  ///< in which its package can be installed; without an image if none is known
  bool later = false;     ///< it came with a later release
};

/// nullopt where a package may have it.
std::optional<LackingRelease> lacking_release(const std::string& library, const SystemPackages&);

/// What installs the package of this release that is known to have it; nullopt if none is.
std::optional<Fix> package_of_release(const std::string& library, const SystemPackages&);

/// What installs a package that keeps an older soname beside the newer one; nullopt if none is known there.
std::optional<Fix> compat_fix(const std::string& library, const SystemPackages&);

/// What installs the package of an earlier release of the system beside those of this one: as it is older, nothing
/// else changes. nullopt where none is known, or it came with a later release.
struct EarlierPackage {
  std::string begin;    ///< "echo 'deb ...' | sudo tee ... && sudo apt update && sudo apt install "
  std::string package;  ///< "libssl1.1"
  std::string release;  ///< "Ubuntu 20.04"
  std::string source;
};
std::optional<EarlierPackage> earlier_package(const LackingRelease&, const SystemPackages&);
/// The same as a fix.
Fix fix_of(const EarlierPackage&);

/// What installs a library on the system of the tree, where no file tells more of it than its name: the package of
/// this release, of an earlier one, or what has the library by its name. nullopt where that is only searched for.
std::optional<Fix> system_fix(const std::string& library, const SystemPackages&, const Knowledge&);

/// What installs the library of conda-forge into an environment of its own; for programs of glibc on x86-64.
struct CondaCopy {
  std::string install;  ///< "conda create ... "
  std::string words;    ///< behind it: "openssl=1.1.1"
  std::string folder;   ///< where it lands, for a shell
};
/// `program` is a word in the name of the environment. nullopt where conda-forge is not known to have the library.
std::optional<CondaCopy> copy_of_conda(const LackingRelease&, const std::string& program);

/// What runs a program where the package of a library is, the first of those that are missing; the program is a path
/// of a program of Linux, which is seen from the current directory if it is not absolute.
Fix container_fix(const LackingRelease&, const std::vector<std::string>& libraries, const std::string& program,
                  const SystemPackages&);

}  // namespace cudald
