#include "cli/settings/today.h"

#include <charconv>
#include <chrono>
#include <ctime>

#include <fmt/format.h>

namespace cudald {

std::string today_of(const Environment& environment, int days_before) {
  constexpr std::time_t day_length = 24 * 60 * 60;
  std::time_t now = std::time(nullptr);
  if (const auto stated = environment.variable("SOURCE_DATE_EPOCH"))
    std::from_chars(stated->data(), stated->data() + stated->size(), now);
  now -= days_before * day_length;
  // gmtime_r reads the time zone of this machine first, which says nothing of a day in UTC.
  const std::chrono::sys_seconds second{std::chrono::seconds(now)};
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(second));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

}  // namespace cudald
