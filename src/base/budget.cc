#include "base/budget.h"

#include <fmt/format.h>

namespace cudald {

Budget::Budget(const CostLimits& limits) { restart(limits); }

void Budget::restart(const CostLimits& limits) {
  read_ = {0, limits.read, "bytes would be read"};
  kept_ = {0, limits.kept, "bytes of names and entries would be kept"};
  steps_ = {0, limits.steps, "steps would be needed"};
  met_ = nullptr;
  most_depth_ = limits.depth;
}

void Budget::take_over(const Budget& other) {
  read_ = other.read_, kept_ = other.kept_, steps_ = other.steps_;
  most_depth_ = other.most_depth_;
  met_ = other.met_ == nullptr        ? nullptr
         : other.met_ == &other.read_ ? &read_
         : other.met_ == &other.kept_ ? &kept_
                                      : &steps_;
}

bool Budget::add(const Cost& cost) {
  return spend(read_, cost.read) && spend(kept_, cost.kept) && spend(steps_, cost.steps);
}

Error Budget::error() const {
  const auto& account = met_ != nullptr ? *met_ : steps_;
  return {ErrorCode::limit, fmt::format("more than {} {} for it", account.limit, account.unit)};
}

bool Budget::refuse(const Account& account) {
  if (met_ == nullptr) met_ = &account;
  return false;
}

}  // namespace cudald
