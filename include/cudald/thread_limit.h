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

  std::size_t most() const;
  /// How many threads may be started now beside those at work: at most `wanted`, maybe none. Never waits.
  std::size_t take(std::size_t wanted);
  /// For threads that have ended.
  void give_back(std::size_t count) { busy_ -= count; }

 private:
  mutable std::atomic<std::size_t> most_;  ///< 0: the processors were not counted yet
  std::atomic<std::size_t> busy_ = 0;
};

}  // namespace cudald
