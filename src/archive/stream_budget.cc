#include "archive/stream_budget.h"

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::uint64_t most_ratio = 100;

constexpr std::uint64_t unsuspicious_bytes(StreamSpeed speed) {
  return speed == StreamSpeed::slow ? std::uint64_t{512} << 20 : std::uint64_t{4} << 30;
}

/// Bytes that may come out once more than once, of however small an archive.
constexpr std::uint64_t free_bytes_again(StreamSpeed speed) { return unsuspicious_bytes(speed) / 4; }

Error limit(std::string what, const std::string& name) { return {ErrorCode::limit, std::move(what), name}; }

}  // namespace

std::optional<Error> check_proportion(std::uint64_t output, std::uint64_t input, StreamSpeed speed,
                                      const std::string& name) {
  if (output <= unsuspicious_bytes(speed) || output / most_ratio <= input) return std::nullopt;
  return limit(fmt::format("inflates beyond all proportion: from {} to {} bytes and more", input, output), name);
}

std::optional<Error> StreamBudget::spend(std::uint64_t bytes, std::uint64_t fresh, StreamSpeed speed,
                                         const std::string& name) {
  // What was read before may be read again: then the members in front of the limit still stand.
  if (fresh > 0 && (fresh_ += fresh) > most_total_)
    return limit(fmt::format("inflates to more than the {} bytes of --max-total", most_total_), name);
  if (fresh > 0)
    if (auto error = check_proportion(fresh_, archive_bytes_, speed, name)) return error;
  const auto again = again_ += bytes - fresh;
  if (again <= free_bytes_again(speed) || again / most_ratio <= archive_bytes_) return std::nullopt;
  return limit(fmt::format("would have to be inflated again and again: {} bytes more than once so far, of an archive "
                           "of {} bytes",
                           again, archive_bytes_),
               name);
}

}  // namespace cudald
