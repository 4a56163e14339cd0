#include "base/refusals.h"

#include <algorithm>
#include <cerrno>
#include <mutex>

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::size_t most_noted = 256;  ///< the rest is counted

struct Log {
  struct Entry {
    Error error;
    bool told = false;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
  std::size_t count = 0;
};

/// Never destroyed: threads may end after main.
Log& log_of_process() {
  static auto& log = *new Log;
  return log;
}

bool is_same(const Error& a, const Error& b) { return a.path == b.path && a.message == b.message; }

void add_once(std::vector<Error>& errors, const Error& error) {
  if (std::none_of(errors.begin(), errors.end(), [&](const Error& known) { return is_same(known, error); }))
    errors.push_back(error);
}

}  // namespace

void note_refusal(Error error) {
  auto& log = log_of_process();
  const std::lock_guard lock(log.mutex);
  ++log.count;
  if (log.entries.size() < most_noted) log.entries.push_back({std::move(error)});
}

bool is_answer(int system_error) {
  return system_error == ENOENT || system_error == ENOTDIR || system_error == EACCES || system_error == ELOOP ||
         system_error == ENAMETOOLONG;
}

Refusals::Refusals() {
  auto& log = log_of_process();
  const std::lock_guard lock(log.mutex);
  begin_ = log.count;
}

bool Refusals::any() const {
  auto& log = log_of_process();
  const std::lock_guard lock(log.mutex);
  return log.count != begin_;
}

std::vector<Error> Refusals::errors(bool told) const {
  auto& log = log_of_process();
  const std::lock_guard lock(log.mutex);
  std::vector<Error> errors;
  for (auto i = std::min(begin_, log.entries.size()); i < log.entries.size(); ++i) {
    log.entries[i].told = log.entries[i].told || told;
    add_once(errors, log.entries[i].error);
  }
  // Of those that were only counted none is known.
  if (errors.empty() && log.count != begin_) errors.push_back(log.entries.back().error);
  return errors;
}

std::vector<Error> untold_refusals() {
  auto& log = log_of_process();
  const std::lock_guard lock(log.mutex);
  std::vector<Error> errors;
  const auto is_told = [&](const Error& error) {
    return std::any_of(log.entries.begin(), log.entries.end(),
                       [&](const Log::Entry& each) { return each.told && is_same(each.error, error); });
  };
  for (const auto& entry : log.entries)
    if (!entry.told && !is_told(entry.error)) add_once(errors, entry.error);
  return errors;
}

std::string text_of_refusal(const Error& error) {
  const std::string what = error.path.empty() ? "a file" : error.path;
  return fmt::format("{} cannot be read: {}", what, error.message);
}

}  // namespace cudald
