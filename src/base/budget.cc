#include "base/budget.h"

#include <fmt/format.h>

namespace cudald {

Budget::Budget(const CostLimits& limits)
    : read_{0, limits.read, "bytes are read"},
      kept_{0, limits.kept, "bytes of names and entries are kept"},
      steps_{0, limits.steps, "steps are taken"},
      most_depth_(limits.depth) {}

bool Budget::add(const Budget& file) {
  return spend(read_, file.read_.spent) && spend(kept_, file.kept_.spent) && spend(steps_, file.steps_.spent);
}

Error Budget::error() const {
  const auto& account = met_ != nullptr ? *met_ : steps_;
  return {ErrorCode::limit, fmt::format("no more than {} {} for it", account.limit, account.unit), "", std::nullopt, 0};
}

bool Budget::refuse(const Account& account) {
  if (met_ == nullptr) met_ = &account;
  return false;
}

}  // namespace cudald
