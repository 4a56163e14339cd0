#include "base/parallel.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace cudald {
namespace {

/// Threads that were allowed, until they have ended.
class Allowance {
 public:
  Allowance(ThreadLimit& limit, std::size_t wanted) : limit_(limit), count_(limit.take(wanted)) {}
  ~Allowance() { limit_.give_back(count_); }
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;
  std::size_t count() const { return count_; }

 private:
  ThreadLimit& limit_;
  std::size_t count_;
};

}  // namespace

ThreadLimit::ThreadLimit(std::size_t most) : most_(most) {}

std::size_t ThreadLimit::most() const {
  // Counting reads a file of the system, and short questions start no thread.
  if (most_ == 0) most_ = std::max(1U, std::thread::hardware_concurrency());
  return most_;
}

std::size_t ThreadLimit::take(std::size_t wanted) {
  if (wanted == 0) return 0;
  const auto most_others = most() - 1;
  auto busy = busy_.load();
  while (busy < most_others) {
    const auto taken = std::min(most_others - busy, wanted);
    if (busy_.compare_exchange_weak(busy, busy + taken)) return taken;
  }
  return 0;
}

void for_each_index(ThreadLimit& limit, std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::exception_ptr fault;
  std::size_t fault_index = count;
  const auto run = [&] {
    for (auto index = next++; index < count && !failed; index = next++) {
      try {
        work(index);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (index < fault_index) {
          fault = std::current_exception();
          fault_index = index;
        }
        failed = true;
      }
    }
  };
  {
    const Allowance others(limit, count < 2 ? 0 : count - 1);
    std::vector<std::jthread> threads;
    threads.reserve(others.count());
    try {
      while (threads.size() < others.count()) threads.emplace_back(run);
    } catch (const std::system_error&) {
      // The system gives no more of them; it goes on with fewer.
    }
    run();
  }
  if (fault) std::rethrow_exception(fault);
}

}  // namespace cudald
