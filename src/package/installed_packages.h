#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/resolution.h>

#include "base/budget.h"
#include "package/dist_info.h"
#include "package/wheel_texts.h"

namespace cudald {

/// Which package of an environment claims a file: by the RECORD files of its site-packages, and by its conda-meta
/// folder. Each of those files is read once, the likely ones first: a RECORD is searched for the name of the file, and
/// only lines that have it are taken apart.
class InstalledPackages {
 public:
  explicit InstalledPackages(const FileSystem& files);

  /// nullptr if no package claims the path.
  const PackageName* package_of(const std::string& path);
  /// Whether a package of conda claims it.
  bool is_of_conda(const std::string& path);
  /// What the package of conda that claims the path requires of the one with this name: "icu>=58.2,<59.0a0"; empty if
  /// it does not.
  std::string conda_requirement(const std::string& path, const std::string& name);
  /// The channel from which the package of conda that claims the path was installed: "bioconda"; empty if it is not
  /// known.
  std::string conda_channel(const std::string& path);
  /// The distribution in a site-packages folder whose RECORD lists a library of that name which is gone: "libfoo.so.1".
  std::optional<DamagedPackage> package_that_lost(const std::string& site, const std::string& library);
  /// The distributions in a site-packages directory that lack libraries which their RECORD lists: those that have one
  /// of these normal names, or whose names begin so, and others as far as the libraries lie in a directory called so.
  std::vector<DamagedPackage> packages_without_libraries(const std::string& site, const std::set<std::string>& names);
  /// A package that lists a file in its RECORD, with the size and the SHA-256 that it states.
  struct Claim {
    PackageName package;
    std::optional<std::uint64_t> size;
    std::string hash;  ///< as RECORD has it; empty if there is none
  };
  /// All of them, for a library in a site-packages directory.
  std::vector<Claim> claims_on(const std::string& path);
  /// The folder whose claims were more than are read, and which limit that was; of it no package is told. nullopt:
  /// none.
  const std::optional<Error>& limit() const { return limit_; }

 private:
  using Claims = std::map<std::string, PackageName>;  ///< by path

  struct DistInfo {
    std::string folder;                              ///< its name: "torch-2.9.1.dist-info"
    std::string normal_name;                         ///< "torch-2-9-1-dist-info"
    std::optional<std::string> shared_objects = {};  ///< the lines of its RECORD that have ".so", once they were read:
                                                     ///< few of many, and what is asked for mostly
    std::optional<std::string> record = {};          ///< all of it, once that was read
    std::optional<PackageName> name = {};            ///< once it was asked for
  };
  struct Site {
    std::vector<DistInfo> dist_infos;
    std::map<std::string, std::optional<PackageName>> answers;  ///< by path
  };

  const PackageName* claimed_in(const std::string& folder, const std::string& path);
  bool lists(const std::string& folder, DistInfo&, const std::string& path);
  /// The lines of its RECORD that have a name; none if it cannot be read, or the limits are met.
  Record rows_with(std::string_view name, const std::string& folder, DistInfo&);
  const PackageName& name_of(const std::string& folder, DistInfo&);
  Site& site(const std::string& folder);
  const Claims& of_conda(const std::string& prefix);
  /// Those of the innermost conda environment that a folder lies in; nullptr: it lies in none.
  const Claims* claims_around(const std::string& folder);
  void read_conda_meta(const std::string& path, const std::string& prefix, Claims&);
  /// The lines of a RECORD that have ".so"; where quotes may join lines, all of it. Empty if it cannot be read, or the
  /// limits are met.
  std::string shared_objects_of(const std::string& record);
  /// nullopt if it cannot be read, or the limits are met.
  std::optional<std::string> text_of(const std::string& path, std::uint64_t times);
  bool fits(bool within_limits, const std::string& path);
  bool claim(std::string path, const PackageName&, Claims&);

  const FileSystem& files_;
  std::map<std::string, Site> sites_;                                                  ///< by folder
  std::map<std::string, Claims> claims_;                                               ///< of conda, by folder
  std::map<std::pair<const Claims*, std::string>, std::vector<std::string>> depends_;  ///< of its packages, by name
  std::map<std::pair<const Claims*, std::string>, std::string> channels_;              ///< the same
  std::unordered_map<std::string, const Claims*> claims_around_;
  Budget budget_;
  std::optional<Error> limit_;
};

}  // namespace cudald
