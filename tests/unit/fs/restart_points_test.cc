#include "fs/restart_points.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;

std::unique_ptr<DeflatePosition> position(std::uint64_t output) {
  auto made = std::make_unique<DeflatePosition>();
  isal_inflate_init(&made->state);
  made->state.total_out = static_cast<std::uint32_t>(output);
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
    CHECK(stream->state.total_out == begins);
  }
  CHECK_FALSE(points->approach(megabyte, *position(9 * megabyte)));
}

TEST_CASE("points lie closer together near the ends, and one at the end itself") {
  constexpr auto size = 600 * megabyte + 5;
  RestartPoints points(size);
  for (std::uint64_t at = 0; at < size; at += megabyte / 4) points.note(*position(at));
  points.note(*position(size));
  const auto nearest = [&](std::uint64_t wanted) {
    const auto stream = position(size);
    return points.approach(wanted, *stream) ? wanted - stream->output : wanted;
  };
  CHECK(nearest(5 * megabyte) <= 2 * megabyte);
  CHECK(nearest(20 * megabyte) <= 6 * megabyte);
  CHECK(nearest(size / 2) <= 20 * megabyte);
  CHECK(nearest(size - 5 * megabyte) <= 3 * megabyte);
  CHECK(points.count() < 75);
  const auto begin = position(0);
  CHECK(points.approach(size, *begin));
  CHECK(begin->output == size);
}

TEST_CASE("of a long stream fewer points are kept, and of streams those of the last") {
  CHECK(points_up_to(1000 * megabyte)->count() < 96);
  CHECK(points_up_to(1000 * megabyte)->count() > 48);
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
