#include "cli/settings/today.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>

#include <fmt/format.h>

namespace cudald {
namespace {

bool is_leap_year(std::int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/// "2026-11-27", of the days since the beginning of the year 1. Not by gmtime_r, which reads the time zone of this
/// machine first, nor by the calendar of std::chrono, which GCC 10 lacks.
std::string text_of_day(std::int64_t days) {
  std::int64_t year = 1;
  const auto length = [&year] { return is_leap_year(year) ? 366 : 365; };
  for (; days >= length(); ++year) days -= length();
  std::size_t month = 0;
  constexpr std::array<int, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const auto days_of_month = [&] { return lengths[month] + (month == 1 && is_leap_year(year) ? 1 : 0); };
  for (; days >= days_of_month(); ++month) days -= days_of_month();
  return fmt::format("{:04}-{:02}-{:02}", year, month + 1, days + 1);
}

}  // namespace

std::string today_of(const Environment& environment, int days_before) {
  constexpr std::time_t day_length = 24 * 60 * 60;
  std::time_t now = std::time(nullptr);
  if (const auto stated = environment.variable("SOURCE_DATE_EPOCH"))
    std::from_chars(stated->data(), stated->data() + stated->size(), now);
  // SOURCE_DATE_EPOCH may be any number: the years 1 to 9999 have a form.
  constexpr std::int64_t until_1970 = 719'162, last_day = 3'652'058;
  return text_of_day(std::clamp<std::int64_t>(now / day_length - days_before + until_1970, 0, last_day));
}

}  // namespace cudald
