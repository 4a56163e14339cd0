#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cudald {

/// Releases of a system of which a package has a library.
struct PackagedRelease {
  std::string system;       ///< "debian", "ubuntu", "rhel", "fedora", "amzn", "alpine"
  std::string package;      ///< its name; empty: packages are installed by the name of the library
  std::string first, last;  ///< last empty: it still has it
  std::string image;        ///< a container image in which it can be installed; may be empty
};

/// Which releases have, or had, a library.
struct LibraryReleases {
  std::vector<PackagedRelease> had;
  std::vector<std::string> none;  ///< systems of which no release had it; of others nothing is known
  std::string conda;              ///< for conda install, from conda-forge, for x86-64; may be empty
  std::string source;             ///< with the day on which it was checked
  /// A repository of others that has it for a system.
  struct Elsewhere {
    std::string system, who;      ///< "fedora", "the Copr aflyhorse/libjpeg"
    std::string enable, package;  ///< a command of root, and what can be installed after it
  };
  std::vector<Elsewhere> elsewhere = {};
};
std::optional<LibraryReleases> releases_with(const std::string& library);

/// A package that keeps an older soname beside the newer one, on a system that has no releases.
struct CompatPackage {
  std::string system;   ///< a word of os-release: "arch"
  std::string package;  ///< "libxml2-legacy"
  std::string source;   ///< with the day on which it was checked
};
std::optional<CompatPackage> compat_package(const std::string& library);

/// Where apt finds the packages of an earlier release.
struct EarlierArchive {
  std::string release, codename;  ///< "22.04", "jammy"
  std::string line;               ///< for /etc/apt/sources.list.d
  std::string source;             ///< with the day on which it was checked
};
/// That of the newest release which had a library and is older than `now`, at a mirror or, if that is empty, where all
/// find it; nullopt if none is known.
std::optional<EarlierArchive> earlier_archive(const PackagedRelease& had, const std::string& now,
                                              const std::string& mirror);

/// A release of a distribution by the glibc that it has.
struct ReleaseOfGlibc {
  std::string release, glibc;  ///< "13", "2.41"
  std::string image;           ///< "debian:13-slim"
  std::string distroless;      ///< an image with hardly more than that C library; may be empty
  std::string source;          ///< with the day on which it was checked
};
/// The first release of a distribution, "debian", whose glibc is that one or newer.
std::optional<ReleaseOfGlibc> release_with_glibc(const std::string& system, const std::string& glibc);

/// The same of the first one whose libstdc++.so.6 defines a version, "GLIBCXX_3.4.32" or "CXXABI_1.3.13": `glibc` is
/// then the newest GLIBCXX that it has, "3.4.33". nullopt too for a version that is not known.
std::optional<ReleaseOfGlibc> release_with_libstdcxx(const std::string& system, const std::string& version);

/// What brings a newer libstdc++.so.6 to a release of a system that its own packages do not have.
struct NewerLibstdcxx {
  std::string who;     ///< "the PPA ubuntu-toolchain-r/test"
  std::string needs;   ///< the package of what `enable` starts
  std::string enable;  ///< a command of root
  std::string package;
  std::string source;
};
/// One with a version, for a release; without a release: for any that has one.
std::optional<NewerLibstdcxx> newer_libstdcxx(const std::string& system, const std::string& release,
                                              const std::string& version);
/// The package of conda-forge that has the newest one.
std::string libstdcxx_of_conda();

}  // namespace cudald
