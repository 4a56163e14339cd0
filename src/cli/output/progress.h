#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace cudald {

/// A line on the terminal that says how far long work has come; it is gone when the work is done.
class Progress {
 public:
  enum class Style { none, line, plain };

  /// `what` is the work's name, `total` how many questions it has. Nothing is written in the first half second.
  Progress(std::ostream&, Style, std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more question is answered. From any thread.
  void answered();
  /// Takes the line away for good: other text is written to the terminal from now on.
  void end();

 private:
  void run();
  void write();
  void clear();

  std::ostream& out_;
  const Style style_;
  const std::string what_;
  const std::size_t total_;
  std::atomic<std::size_t> answered_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false, shown_ = false;
  std::size_t turns_ = 0;
  std::thread thread_;
};

}  // namespace cudald
