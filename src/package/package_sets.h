#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "package/package_tree.h"

namespace cudald {

/// The packages that questions install one after another, read once while the questions install the same. For trees
/// that take archives from one tree; may be asked by several threads.
class PackageSets {
 public:
  /// `for_later`: others may install the same. Without it nothing is kept.
  explicit PackageSets(bool for_later = true) : for_later_(for_later) {}

  /// Installs the archives into a tree in which nothing is: of each its number, or why it is not installed.
  std::vector<Result<std::size_t>> install(PackageTree& into, const std::vector<std::string>& archives,
                                           const InflateLimits&);

 private:
  struct Known {
    std::vector<std::string> archives;
    InflateLimits limits;
    std::unique_ptr<const PackageTree> tree;
    std::vector<Result<std::size_t>> numbers;
  };

  const bool for_later_;
  std::mutex mutex_;
  std::shared_ptr<const Known> last_;
};

}  // namespace cudald
