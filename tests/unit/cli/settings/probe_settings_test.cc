#include "cli/settings/probe_settings.h"

#include <chrono>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("each process of a probe has a minute, or the time that is stated") {
  Options options;
  CHECK(probe_settings(options).timeout == std::chrono::seconds(60));
  options.run.timeout = std::chrono::milliseconds(1500);
  const auto settings = probe_settings(options);
  CHECK(settings.timeout == std::chrono::milliseconds(1500));
  CHECK(settings.child.starts_with('/'));
  CHECK(settings.child.ends_with("/cudald-probe-child"));
}

}  // namespace
}  // namespace cudald
