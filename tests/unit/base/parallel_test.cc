#include "base/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace cudald {
namespace {

/// How many threads were at work at a time, at most, and how many different ones.
class Watch {
 public:
  void work() {
    const auto now = ++busy_;
    {
      const std::lock_guard lock(mutex_);
      most_ = std::max(most_, now);
      ids_.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --busy_;
  }
  int most() const { return most_; }
  const std::set<std::thread::id>& ids() const { return ids_; }

 private:
  std::atomic<int> busy_ = 0;
  std::mutex mutex_;
  int most_ = 0;
  std::set<std::thread::id> ids_;
};

TEST_CASE("each number is worked on once") {
  ThreadLimit limit(4);
  std::vector<std::atomic<int>> times(100);
  for_each_index(limit, times.size(), [&](std::size_t index) { ++times[index]; });
  for (const auto& count : times) CHECK(count == 1);
}

TEST_CASE("with a limit of one, all is done in the thread that asks") {
  ThreadLimit limit(1);
  Watch watch;
  for_each_index(limit, 20, [&](std::size_t) { watch.work(); });
  CHECK(watch.ids() == std::set{std::this_thread::get_id()});
}

TEST_CASE("the limit holds for work within work") {
  ThreadLimit limit(3);
  Watch watch;
  for_each_index(limit, 6, [&](std::size_t) { for_each_index(limit, 6, [&](std::size_t) { watch.work(); }); });
  CHECK(watch.most() <= 3);
  CHECK(limit.take(10) == 2);  // all were given back
}

TEST_CASE("an exception in any thread comes out in the thread that asks, and ends the work") {
  for (const std::size_t most : {1U, 4U}) {
    CAPTURE(most);
    ThreadLimit limit(most);
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t index) {
      if (index == 3) throw std::runtime_error("the third");
      ++done;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    CHECK_THROWS_WITH(for_each_index(limit, 1000, work), "the third");
    CHECK(done < 1000);
    CHECK(limit.take(10) == most - 1);
  }
}

}  // namespace
}  // namespace cudald
