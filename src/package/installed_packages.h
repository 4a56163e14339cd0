#pragma once

#include <map>
#include <string>

#include <cudald/file_system.h>
#include <cudald/resolution.h>

namespace cudald {

/// Which package of an environment claims a file: by the RECORD files of its site-packages, and by its conda-meta
/// folder. Each folder's claims are read once.
class InstalledPackages {
 public:
  explicit InstalledPackages(const FileSystem& files) : files_(files) {}

  /// nullptr if no package claims the path.
  const PackageName* package_of(const std::string& path);

 private:
  using Claims = std::map<std::string, PackageName>;  ///< by path

  const Claims& of_site_packages(const std::string& folder);
  const Claims& of_conda(const std::string& prefix);

  const FileSystem& files_;
  std::map<std::string, Claims> claims_;  ///< by folder
};

}  // namespace cudald
