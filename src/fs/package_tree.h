#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "fs/wheel_layout.h"
#include "fs/wheel_texts.h"
#include "fs/zip_directory.h"

namespace cudald {

/// A wheel that is virtually installed.
struct Package {
  std::string archive;        ///< its path as given
  std::string name, version;  ///< from METADATA, else from the file name
  std::string requires_python;
  std::vector<std::string> requires_dist;
  std::vector<std::string> tags;
  std::vector<std::string> libraries;  ///< paths of its shared objects in the tree, in the archive's order
  std::vector<std::string> programs;   ///< the same of other files that may be executed: programs and scripts
  std::vector<std::string> unusable;   ///< the same of what is named like a library and whose place cannot be trusted
  ZipProblems problems;
  std::vector<WheelProblem> wheel_problems;
};

/// A tree in which wheels are installed without being extracted: a base tree, and over it one folder that holds what
/// an installer would put there. Members are inflated as streams, when somebody reads them.
class PackageTree final : public FileSystem {
 public:
  explicit PackageTree(const FileSystem& base) : base_(base) {}

  /// The environment's folder, and its site-packages, in this tree.
  static constexpr std::string_view prefix = "/.wheels";
  static constexpr std::string_view site_packages = "/.wheels/lib/python3/site-packages";

  /// Installs one wheel after another; later ones replace files of earlier ones, as pip does. Error if the file
  /// cannot be read or is no wheel; what is merely wrong with it stands in the package's problems.
  Result<std::size_t> install(const std::string& archive, const InflateLimits& = {});
  const std::vector<Package>& packages() const { return packages_; }
  /// The package that a path of this tree belongs to; nullptr if none.
  const Package* package_of(const std::string& path) const;
  /// "torch.whl!/torch/lib/libc10.so" for a path in the installed folder; other paths as they are.
  std::string shown(const std::string& path) const;
  /// "torch.whl" or "torch.whl!/torch/lib/libc10.so", by numbers; a long name is cut.
  std::string name_in_archive(std::size_t package, std::optional<std::size_t> member) const;

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;

 private:
  struct Archive {
    std::shared_ptr<const File> file;
    ZipDirectory directory;
  };
  struct Installed {
    std::size_t archive = 0, member = 0;
  };

  static bool is_inside(const std::string& normal) { return normal == prefix || normal.starts_with(std::string(prefix) + "/"); }
  /// Empty if there is no such member; nullopt and a problem if it cannot be read.
  std::optional<std::string> text_of(std::size_t archive, const std::string& name, ZipProblems&) const;
  Result<std::shared_ptr<const File>> open_member(const Installed&, const std::string& path) const;
  FileStatus status_of(const Installed&) const;

  const FileSystem& base_;
  std::vector<Archive> archives_;
  std::vector<Package> packages_;  ///< one for each archive, of the same number
  std::uint64_t readable_bytes_ = 0;  ///< of all members, inflated
  std::map<std::string, Installed> files_;                  ///< by path
  std::map<std::string, std::vector<std::string>> folders_; ///< names in each folder, sorted

  // Members that were read before: where inflating can start again is worth keeping.
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, std::size_t>, std::weak_ptr<const File>> open_;
  mutable std::list<std::shared_ptr<const File>> recent_;
};

}  // namespace cudald
