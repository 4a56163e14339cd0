#include "cli/commands/scan_progress.h"

#include <algorithm>

#include <fmt/format.h>

namespace cudald {
namespace {

/// What a target costs in time beside its bytes, as bytes.
constexpr double cost_of_target = 1 << 20;

}  // namespace

std::string spoken_size(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  if (amount < 1e6) return fmt::format("{:.0f} kB", amount / 1e3);
  if (amount < 1e9) return fmt::format("{:.1f} MB", amount / 1e6);
  return amount < 1e12 ? fmt::format("{:.2f} GB", amount / 1e9) : fmt::format("{:.2f} TB", amount / 1e12);
}

std::string spoken_time(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<long>(seconds / 60);
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string progress_words(const ScanCount& count, double seconds) {
  auto words = count.all_targets == 0 ? fmt::format("{} targets, {}", count.targets, spoken_size(count.bytes))
                                      : fmt::format("{} of {} targets, {} of {}", count.targets, count.all_targets,
                                                    spoken_size(count.bytes), spoken_size(count.all_bytes));
  if (seconds > 0)
    words += fmt::format(", {}/s", spoken_size(static_cast<std::uint64_t>(static_cast<double>(count.bytes) / seconds)));
  if (count.all_targets > count.targets && count.targets > 0) {
    const auto done = static_cast<double>(count.bytes) + cost_of_target * static_cast<double>(count.targets);
    const auto left = static_cast<double>(count.all_bytes - std::min(count.bytes, count.all_bytes)) +
                      cost_of_target * static_cast<double>(count.all_targets - count.targets);
    words += fmt::format(", {} left", spoken_time(seconds * left / done));
  }
  if (count.not_judged > 0) words += fmt::format(", {} not judged", count.not_judged);
  return words;
}

void ScanProgress::tell(const ScanCount& count) {
  if (style_ == Progress::Style::none) return;
  const bool line = style_ == Progress::Style::line;
  const auto now = Clock::now();
  if (now - told_ < (line ? std::chrono::milliseconds(500) : std::chrono::seconds(10))) return;
  told_ = now;
  const auto words = fmt::format("{}: {}", name_, progress_words(count, seconds()));
  if (line)
    out_ << "\r\x1b[K" << words.substr(0, 118) << std::flush;
  else
    out_ << "cudald: " << words << '\n' << std::flush;
  shown_ = line;
}

void ScanProgress::end() {
  if (shown_) out_ << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace cudald
