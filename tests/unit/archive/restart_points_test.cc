#include "archive/restart_points.h"

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
    const auto& seen_now = now;
    CAPTURE(seen_now);
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
  const auto onward = position(0);
  CHECK(points.approach(size, *onward));
  CHECK(onward->output == size);
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

TEST_CASE("how far the points of a stream lie apart, from its front to its end") {
  constexpr std::uint64_t size = 640;  // MiB
  RestartPoints points(size * megabyte);
  for (std::uint64_t at = 0; at <= size; ++at) points.note(*position(at * megabyte));
  std::vector<std::uint64_t> found;
  for (std::uint64_t wanted = 1; wanted <= size; ++wanted) {
    const auto stream = position((size + 1) * megabyte);
    if (points.approach(wanted * megabyte, *stream) && stream->output == wanted * megabyte) found.push_back(wanted);
  }
  std::vector<std::uint64_t> expected{1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64};
  for (std::uint64_t at = 84; at <= 544; at += 20) expected.push_back(at);
  for (const auto at : {564, 580, 592, 602, 610, 616, 621, 625, 628, 631, 633, 635, 636, 637, 638, 639, 640})
    expected.push_back(static_cast<std::uint64_t>(at));
  CHECK(found == expected);
  CHECK(points.count() == expected.size());
}

TEST_CASE(
    "points of a stream of unknown length lie 8 MiB apart until there are more than 96, then every second stays") {
  const auto points = points_up_to(768 * megabyte);
  CHECK(points->count() == 96);
  points->note(*position(776 * megabyte));
  CHECK(points->count() == 48);
  const auto stream = position(1000 * megabyte);
  CHECK(points->approach(31 * megabyte, *stream));
  CHECK(stream->output == 16 * megabyte);
  CHECK_FALSE(points->approach(15 * megabyte, *position(20 * megabyte)));
  points->note(*position(783 * megabyte));
  CHECK(points->count() == 48);
  points->note(*position(784 * megabyte));
  CHECK(points->count() == 49);
  // What is known is not noted again.
  points->note(*position(784 * megabyte));
  CHECK(points->count() == 49);
}

TEST_CASE("of a small stream the end is a point from 1 MiB on") {
  for (const auto& [size, count] : {std::pair{megabyte, 1U}, {megabyte - 1, 0U}, {7 * megabyte, 1U}}) {
    const auto& seen_size = size;
    CAPTURE(seen_size);
    RestartPoints points(size);
    points.note(*position(0));
    points.note(*position(size / 2));
    points.note(*position(size));
    CHECK(points.count() == count);
  }
  RestartPoints points(7 * megabyte);
  points.note(*position(7 * megabyte - 1));
  CHECK(points.count() == 0);
}

TEST_CASE("of streams that were opened last 192 points are kept, each stream counting as one more") {
  const auto stays = [](std::uint64_t first, std::uint64_t second) {
    RecentRestartPoints recent;
    auto older = points_up_to(first * 8 * megabyte);
    CHECK(older->count() == first);
    const std::weak_ptr<RestartPoints> watched = older;
    recent.keep(older);
    older.reset();
    recent.keep(points_up_to(second * 8 * megabyte));
    return !watched.expired();
  };
  CHECK(stays(95, 95));
  CHECK_FALSE(stays(95, 96));
  CHECK_FALSE(stays(96, 95));
}

}  // namespace
}  // namespace cudald
