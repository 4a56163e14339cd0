#include "cli/output/progress.h"

#include <chrono>

#include <fmt/format.h>

#include <cudald/writers.h>

namespace cudald {
namespace {

constexpr auto first_wait = std::chrono::milliseconds(500);
constexpr auto wait = std::chrono::milliseconds(150);
constexpr std::string_view turning = "|/-\\";
constexpr std::size_t bar_width = 24;

}  // namespace

Progress::Progress(std::ostream& out, Style style, std::string what, std::size_t total)
    : out_(out), style_(style), what_(std::move(what)), total_(total) {
  if (style_ == Style::line) thread_ = std::thread([this] { run(); });
}

Progress::~Progress() { end(); }

void Progress::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
  clear();
}

void Progress::answered() {
  const auto count = ++answered_;
  if (style_ != Style::plain) return;
  const std::lock_guard lock(mutex_);
  out_ << fmt::format("cudald: {} of {} done\n", count, total_) << std::flush;
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  auto next = first_wait;
  // By the clock of the day: to wait by the steady one needs glibc 2.30, and more machines are to run this program.
  while (!ended_.wait_until(lock, std::chrono::system_clock::now() + next, [this] { return end_; })) {
    write();
    next = wait;
  }
}

void Progress::write() {
  const std::size_t count = answered_;
  std::string line = fmt::format("{} {}", turning[turns_++ % turning.size()], escaped(what_));
  if (total_ > 1) {
    const auto filled = bar_width * count / total_;
    line += fmt::format("  [{}{}] {}/{} {}%", std::string(filled, '#'), std::string(bar_width - filled, '.'), count,
                        total_, 100 * count / total_);
  }
  // A line that wraps could not be taken back.
  constexpr std::size_t most = 78;
  if (line.size() > most) line = line.substr(0, most - 3) + "...";
  out_ << "\r\x1b[K" << line << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (shown_) out_ << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace cudald
