#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "archive/archive.h"
#include "archive/restart_points.h"
#include "archive/sieved_file.h"
#include "package/wheel_layout.h"
#include "package/wheel_texts.h"
#include "tree/empty_tree.h"
#include "tree/path_tree.h"

namespace cudald {

/// A wheel or conda package that is virtually installed.
struct Package {
  std::string archive;        ///< its path as given; empty if only names of its files are known
  std::string name, version;  ///< from METADATA or index.json, else from the file name
  std::string requires_python;
  std::vector<std::string> requires_dist;
  std::vector<std::string> tags;
  std::vector<std::string> depends;    ///< of a conda package
  std::vector<std::string> libraries;  ///< paths of its shared objects in the tree, in the archive's order
  std::vector<std::string> programs;   ///< the same of other files that may be executed: programs and scripts
  std::vector<std::string> unusable;   ///< the same of what is named like a library and whose place cannot be trusted
  bool for_macos = false;              ///< a member is a .dylib
  ZipProblems problems;
  std::vector<WheelProblem> wheel_problems;
};

/// Whether a path names a package that can be installed, by its suffix.
bool is_package_name(std::string_view path);

/// A target that is a package, or a member of one: "x.whl", "x.whl!/pkg/lib.so".
struct PackageTarget {
  std::string archive;  ///< empty: neither
  std::string member;   ///< empty: the package as a whole
};
PackageTarget package_target(std::string_view given);

/// What makes a tree of packages what it is.
struct TreeDescription {
  std::vector<std::string> parts;  ///< what was installed, in order, and what it lies over
  /// Of two trees that take archives from one tree and say the same, all files are the same.
  bool whole = true;
  /// Of two trees that say the same, all installed files are the same, also in another run.
  bool lasting = true;
};

/// A tree in which wheels and conda packages are installed without being extracted: a base tree, and over it one folder
/// that holds what installers would put there. Members are decompressed as streams, when somebody reads them.
class PackageTree final : public FileSystem {
 public:
  /// `rehearse` reads of a library what will be read of it, see SievedFile.
  explicit PackageTree(
      const FileSystem& base, Rehearsal rehearse = [](const File&) {})
      : archives_from_(base), base_(&base), rehearse_(std::move(rehearse)) {}

  /// From now on the folder lies over another tree, which must outlive this one, or over none. Archives are taken from
  /// the first one. `name` tells the other tree from others where its files do not.
  void stand_on(const FileSystem& base, std::string name) {
    base_ = &base;
    base_name_ = std::move(name);
  }
  void stand_on_nothing() { base_ = &nothing_; }

  /// The environment's folder, and its site-packages, in this tree.
  static constexpr std::string_view prefix = "/.wheels";
  static constexpr std::string_view site_packages = "/.wheels/lib/python3/site-packages";
  /// Where libraries lie that a platform tag promises.
  static constexpr std::string_view promised = "/.wheels/promised";

  /// Installs one package after another; later ones replace files of earlier ones, as pip does. Error if the file
  /// cannot be read or is no package; what is merely wrong with it stands in the package's problems.
  Result<std::size_t> install(const std::string& archive, const InflateLimits& = {});
  /// Installs a package of which only names of files are known, as paths below the prefix: they can be found and not
  /// be read. Its number; what is in the place of a file already stays there.
  std::size_t install_names(const std::string& name, const std::string& version, const std::vector<std::string>& paths);
  /// A tree with nothing installed that takes archives from where this one does.
  std::unique_ptr<PackageTree> empty_like() const { return std::make_unique<PackageTree>(archives_from_, rehearse_); }
  /// Installs what is installed in another tree into this one, in which nothing is: both take archives from one tree.
  void install_all_of(const PackageTree& other);
  const std::vector<Package>& packages() const { return packages_; }
  TreeDescription description() const;
  /// Whether a path leads into the installed folder.
  bool is_installed(const std::string& path) const { return find(path).has_value(); }
  /// The package that a path of this tree belongs to; nullptr if none.
  const Package* package_of(const std::string& path) const;
  /// "torch.whl!/torch/lib/libc10.so" for a path in the installed folder; other paths as they are.
  std::string shown(const std::string& path) const;
  /// Members that somebody has read and whose bytes are damaged: by their paths in the tree.
  std::map<std::string, Error> damaged_members() const;
  /// Where the library or program of that name in its archive is installed; nullopt if the package has none.
  std::optional<std::string> path_of(std::size_t package, std::string_view member) const;
  /// "torch.whl" or "torch.whl!/torch/lib/libc10.so", by numbers; a long name is cut.
  std::string name_in_archive(std::size_t package, std::optional<std::size_t> member) const;

  Result<FileStatus> status(const std::string& path) const override;
  Result<std::unique_ptr<File>> open(const std::string& path) const override;
  Result<std::string> real_path(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& path) const override;
  bool has_name(const std::string& path) const override;

 private:
  struct Installed {
    std::uint32_t archive = 0, member = 0;
    std::uint32_t entry = 0;  ///< whose name it has: another one's than its bytes if it is a hard link
  };

  Result<std::size_t> install_wheel(const std::string& archive, std::shared_ptr<const File>, const InflateLimits&);
  Result<std::size_t> install_conda(const std::string& archive, std::shared_ptr<const File>, const InflateLimits&);
  /// What was found to be damaged. Files that were opened may outlive the tree.
  struct Damage {
    std::mutex mutex;
    std::map<std::string, Error> members;
  };
  class WatchedFile;

  bool add_file(const std::string& path, const Installed&);
  void tell_what_is_left_out(Package&) const;

  /// The path, with a conda placeholder at its front replaced by the installed folder.
  std::string relocated(const std::string& path) const;
  /// Where a path leads in the installed folder; nullopt if it does not lead there.
  std::optional<Result<PathTree::Place>> find(const std::string& path) const;
  const Installed* installed_at(const std::string& path) const;
  /// Empty if there is no such member; nullopt and a problem if it cannot be read.
  std::optional<std::string> text_of(const ZipArchive&, const std::string& name, ZipProblems&) const;
  Result<std::shared_ptr<const File>> open_member(const Installed&, const std::string& path) const;
  FileStatus status_of(const Installed&) const;

  const FileSystem& archives_from_;
  const FileSystem* base_;
  std::string base_name_;
  Rehearsal rehearse_;
  EmptyTree nothing_;
  std::vector<std::string> history_;  ///< what was installed
  bool lasting_ = true;               ///< that names contents
  std::shared_ptr<RecentRestartPoints> restart_points_ = std::make_shared<RecentRestartPoints>();
  std::vector<std::shared_ptr<const Archive>> archives_;  ///< one for each package, of the same number
  std::vector<Package> packages_;
  std::uint64_t readable_bytes_ = 0;       ///< of all packages, inflated
  std::vector<std::string> placeholders_;  ///< of conda packages
  PathTree tree_;                          ///< of the installed folder
  std::vector<Installed> installed_;       ///< the files of the tree, by number

  std::shared_ptr<Damage> damage_ = std::make_shared<Damage>();

  // Members that were read before: where inflating can start again is worth keeping.
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::size_t, std::size_t>, std::weak_ptr<const File>> open_;
  mutable std::list<std::shared_ptr<const File>> recent_;
};

}  // namespace cudald
