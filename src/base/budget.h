#pragma once

#include <cstdint>

#include <cudald/limits.h>
#include <cudald/result.h>

namespace cudald {

/// What is spent on one question, or on one file of it. Every reader that takes a count, a length or an offset from a
/// file asks here before it allocates, copies or loops, and gives up with ErrorCode::limit at the first "no".
///
/// For one thread. A file that is read ahead on another thread has a budget of its own, which is added to the
/// question's when that file is asked for: what is refused never depends on threads.
class Budget {
 public:
  explicit Budget(const CostLimits& = {});
  /// For the next question: nothing is spent yet.
  void restart(const CostLimits& = {});
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// Each notes the cost and says whether it was within the limits; once one was not, all say no.
  [[nodiscard]] bool read(std::uint64_t bytes) { return spend(read_, bytes); }
  [[nodiscard]] bool keep(std::uint64_t bytes) { return spend(kept_, bytes); }
  [[nodiscard]] bool step(std::uint64_t count = 1) { return spend(steps_, count); }
  /// Whether so much is left.
  bool allows(const Cost& more) const {
    return met_ == nullptr && more.read <= read_.limit - read_.spent && more.kept <= kept_.limit - kept_.spent &&
           more.steps <= steps_.limit - steps_.spent;
  }
  /// From now on the same is spent, and the limits are the same, as of another one.
  void take_over(const Budget&);
  /// Adds what a file cost that had a budget of its own.
  [[nodiscard]] bool add(const Cost&);
  [[nodiscard]] bool add(const Budget& file) { return add(file.cost()); }
  Cost cost() const { return {read_.spent, kept_.spent, steps_.spent}; }
  bool exhausted() const { return met_ != nullptr; }
  /// Which limit was met, in words for CUD902; only after a "no".
  Error error() const;

  /// One level deeper for as long as it lives; false if that is too deep. Being too deep exhausts nothing.
  class Descent {
   public:
    explicit Descent(Budget& budget) : budget_(budget), fits_(++budget.depth_ <= budget.most_depth_) {}
    ~Descent() { --budget_.depth_; }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
    explicit operator bool() const { return fits_; }

   private:
    Budget& budget_;
    bool fits_;
  };

 private:
  struct Account {
    std::uint64_t spent = 0, limit = 0;
    const char* unit = "";
  };

  bool spend(Account& account, std::uint64_t more) {
    if (met_ != nullptr || more > account.limit - account.spent) return refuse(account);
    account.spent += more;
    return true;
  }
  bool refuse(const Account&);

  Account read_, kept_, steps_;
  const Account* met_ = nullptr;  ///< the limit that was met first
  std::uint32_t depth_ = 0, most_depth_ = 0;
};

}  // namespace cudald
