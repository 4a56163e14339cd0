#include "fs/restart_points.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;

std::unique_ptr<DeflatePosition> position(std::uint64_t output) {
  auto made = std::make_unique<DeflatePosition>();
  made->input = output / 2;
  made->output = output;
  return made;
}

std::shared_ptr<RestartPoints> points_up_to(std::uint64_t end) {
  auto points = std::make_shared<RestartPoints>(0);
  for (std::uint64_t at = 0; at <= end; at += megabyte) points->note(*position(at));
  return points;
}

TEST_CASE("a place is approached from the last point in front of it, unless the stream is nearer") {
  const auto points = points_up_to(40 * megabyte);
  CHECK(points->count() == 5);
  struct Row {
    std::uint64_t now, wanted, begins;
  };
  for (const auto& [now, wanted, begins] : {
           Row{0, 39 * megabyte, 32 * megabyte},
           Row{39 * megabyte, 39 * megabyte, 39 * megabyte},
           Row{40 * megabyte, 39 * megabyte, 32 * megabyte},
           Row{33 * megabyte, 39 * megabyte, 33 * megabyte},
           Row{50 * megabyte, 8 * megabyte, 8 * megabyte},
       }) {
    CAPTURE(now);
    const auto stream = position(now);
    CHECK(points->approach(wanted, *stream));
    CHECK(stream->output == begins);
    CHECK(stream->input == begins / 2);
  }
  CHECK_FALSE(points->approach(megabyte, *position(9 * megabyte)));
}

TEST_CASE("of a long stream fewer points are kept, and of streams those of the last") {
  CHECK(points_up_to(600 * megabyte)->count() < 64);
  CHECK(points_up_to(600 * megabyte)->count() > 30);
  RecentRestartPoints recent;
  std::vector<std::weak_ptr<RestartPoints>> all;
  for (int i = 0; i < 10; ++i) {
    auto points = points_up_to(400 * megabyte);
    all.push_back(points);
    recent.keep(points);
  }
  recent.keep(all[7].lock());
  recent.keep(points_up_to(400 * megabyte));
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(all[i].expired() == (i != 7 && i != 9));
  }
}

}  // namespace
}  // namespace cudald
