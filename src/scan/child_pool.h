#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cudald {

struct ChildLimits {
  std::chrono::milliseconds time{600'000};
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< of data: heap, stacks of threads; not of files that are read
  std::size_t output = std::size_t{256} << 20;
};

enum class ChildEnd { exited, crashed, timed_out, out_of_memory, too_much_output, not_started };

/// What a child process has left.
struct EndedChild {
  std::size_t id{};
  ChildEnd end{};
  int status{};                    ///< exit status, number of the signal, or errno of what could not be started
  std::string output, complaints;  ///< standard output, and the beginning of standard error
  double seconds{};
  std::uint64_t most_memory{};  ///< resident bytes at its most
};

/// Runs pieces of work in child processes of this very program, several at a time, each in a group of its own and
/// within limits: whatever happens in one is a value here. They are forked, so the process must have one thread only.
/// When this process dies, however it does, they die as well.
class ChildPool {
 public:
  explicit ChildPool(ChildLimits);
  ~ChildPool();
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  /// Starts one. `work` returns the exit status; what it writes to standard output and error is taken.
  void start(std::size_t id, const std::function<int()>& work);
  std::size_t running() const;
  /// Waits until one has ended, at most `patience`; none if none has.
  std::optional<EndedChild> wait(std::chrono::milliseconds patience);

 private:
  struct Child;

  std::optional<EndedChild> ended();
  std::optional<ChildEnd> beyond_limits(const Child&) const;
  EndedChild reap(std::size_t at, std::optional<ChildEnd> because);

  ChildLimits limits_;
  std::vector<Child> children_;
  std::vector<EndedChild> not_started_;
};

}  // namespace cudald
