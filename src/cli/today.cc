#include "cli/today.h"

#include <charconv>
#include <ctime>

#include <fmt/format.h>

namespace cudald {

std::string today_of(const Environment& environment, int days_before) {
  constexpr std::time_t day_length = 24 * 60 * 60;
  std::time_t now = std::time(nullptr);
  if (const auto stated = environment.variable("SOURCE_DATE_EPOCH"))
    std::from_chars(stated->data(), stated->data() + stated->size(), now);
  now -= days_before * day_length;
  std::tm day{};
  ::gmtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

}  // namespace cudald
