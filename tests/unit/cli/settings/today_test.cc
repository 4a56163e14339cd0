#include "cli/settings/today.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("the day is that of SOURCE_DATE_EPOCH where it is set") {
  Environment environment;
  environment.variables["SOURCE_DATE_EPOCH"] = "1795305600";
  CHECK(today_of(environment) == "2026-11-22");
  CHECK(today_of(environment, 22) == "2026-10-31");
  CHECK(today_of(environment, 366) == "2025-11-21");
  environment.variables["SOURCE_DATE_EPOCH"] = "1709251199";
  CHECK(today_of(environment) == "2024-02-29");
  environment.variables["SOURCE_DATE_EPOCH"] = "0";
  CHECK(today_of(environment) == "1970-01-01");
  CHECK(today_of(environment, 1) == "1969-12-31");
}

}  // namespace
}  // namespace cudald
