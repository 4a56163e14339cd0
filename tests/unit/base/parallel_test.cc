#include "base/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE("without a number there are as many threads as processors, and none where none is wanted") {
  ThreadLimit limit;
  CHECK(limit.take(0) == 0);
  CHECK(limit.most() == std::max(1U, std::thread::hardware_concurrency()));
  const auto taken = limit.take(1000);
  CHECK(taken == limit.most() - 1);
  CHECK(limit.take(1) == 0);
  limit.give_back(taken);
  CHECK(limit.take(1000) == taken);
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

TEST_CASE("of faults at a time that of the lowest number comes out") {
  for (int round = 0; round < 50; ++round) {
    ThreadLimit limit(2);
    std::atomic<int> at_work = 0;
    const auto work = [&](std::size_t index) {
      ++at_work;
      while (at_work < 2) std::this_thread::yield();
      throw std::runtime_error(std::to_string(index));
    };
    CHECK_THROWS_WITH(for_each_index(limit, 2, work), "0");
  }
}

TEST_CASE("threads are taken as far as there are any, and can be given back") {
  ThreadLimit limit(5);
  CHECK(limit.most() == 5);
  CHECK(limit.take(3) == 3);
  CHECK(limit.take(10) == 1);
  CHECK(limit.take(1) == 0);
  limit.give_back(2);
  CHECK(limit.take(1) == 1);
  CHECK(limit.take(2) == 1);
  CHECK(ThreadLimit(1).take(1) == 0);
  CHECK(ThreadLimit(0).most() == std::max(1U, std::thread::hardware_concurrency()));
}

TEST_CASE("nothing and a single piece of work need no other thread") {
  ThreadLimit limit(4);
  int done = 0;
  for_each_index(limit, 0, [&](std::size_t) { ++done; });
  CHECK(done == 0);
  std::thread::id worker;
  std::size_t free = 0;
  for_each_index(limit, 1, [&](std::size_t) {
    worker = std::this_thread::get_id();
    free = limit.take(9);
    limit.give_back(free);
  });
  CHECK(worker == std::this_thread::get_id());
  CHECK(free == 3);
  std::atomic<std::size_t> most_free = 0;
  for_each_index(limit, 2, [&](std::size_t) {
    const auto left = limit.take(9);
    limit.give_back(left);
    most_free = std::max(most_free.load(), left);
  });
  CHECK(most_free <= 2);
  CHECK(limit.take(9) == 3);
}

}  // namespace
}  // namespace cudald
