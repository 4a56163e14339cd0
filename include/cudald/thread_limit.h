#pragma once

#include <atomic>
#include <cstddef>

namespace cudald {

/// How many threads may work at a time, the one that asks included. One for all sessions of a program: what is free is
/// shared among them. Safe to use from several threads at a time.
class ThreadLimit {
 public:
  /// `most` of at least 1; 0: as many as there are processors. With 1, no thread is ever started.
  explicit ThreadLimit(std::size_t most = 0);
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  std::size_t most() const { return most_; }
  /// How many threads may be started now beside those at work: at most `wanted`, maybe none. Never waits.
  std::size_t take(std::size_t wanted);
  /// For threads that have ended.
  void give_back(std::size_t count) { free_ += count; }

 private:
  std::size_t most_;
  std::atomic<std::size_t> free_;
};

}  // namespace cudald
