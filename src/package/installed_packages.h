#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <cudald/file_system.h>
#include <cudald/resolution.h>

#include "base/budget.h"

namespace cudald {

/// Which package of an environment claims a file: by the RECORD files of its site-packages, and by its conda-meta
/// folder. Each folder's claims are read once.
class InstalledPackages {
 public:
  explicit InstalledPackages(const FileSystem& files);

  /// nullptr if no package claims the path.
  const PackageName* package_of(const std::string& path);
  /// The folder whose claims were more than are read, and which limit that was; of it no package is told. nullopt:
  /// none.
  const std::optional<Error>& limit() const { return limit_; }

 private:
  using Claims = std::map<std::string, PackageName>;  ///< by path

  const Claims& of_site_packages(const std::string& folder);
  const Claims& of_conda(const std::string& prefix);
  void read_dist_info(const std::string& folder, const std::string& name, Claims&);
  void read_conda_meta(const std::string& path, const std::string& prefix, Claims&);
  /// nullopt if it cannot be read, or the limits are met.
  std::optional<std::string> text_of(const std::string& path, std::uint64_t times);
  bool claim(std::string path, const PackageName&, Claims&);

  const FileSystem& files_;
  std::map<std::string, Claims> claims_;  ///< by folder
  Budget budget_;
  std::optional<Error> limit_;
};

}  // namespace cudald
