#include "package/package_sets.h"

namespace cudald {
namespace {

std::vector<Result<std::size_t>> install_each(PackageTree& tree, const std::vector<std::string>& archives,
                                              const InflateLimits& limits) {
  std::vector<Result<std::size_t>> numbers;
  for (const auto& archive : archives) numbers.push_back(tree.install(archive, limits));
  return numbers;
}

}  // namespace

std::vector<Result<std::size_t>> PackageSets::install(PackageTree& into, const std::vector<std::string>& archives,
                                                      const InflateLimits& limits) {
  if (!for_later_) return install_each(into, archives, limits);
  // Whoever comes meanwhile waits: it wants the same.
  const std::unique_lock lock(mutex_);
  if (last_ == nullptr || last_->archives != archives || last_->limits != limits) {
    auto known = std::make_shared<Known>();
    known->archives = archives;
    known->limits = limits;
    auto tree = into.empty_like();
    known->numbers = install_each(*tree, archives, limits);
    known->tree = std::move(tree);
    last_ = std::move(known);
  }
  into.install_all_of(*last_->tree);
  return last_->numbers;
}

}  // namespace cudald
