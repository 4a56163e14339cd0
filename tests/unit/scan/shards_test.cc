#include "scan/shards.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <fmt/format.h>

namespace cudald {
namespace {

/// Sizes as of an index: most small, few large.
std::vector<WorkItem> drawn(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> size(12.5, 2.5);
  std::vector<WorkItem> items;
  for (std::size_t i = 0; i < count; ++i)
    items.push_back({fmt::format("p{:05}.whl", i), static_cast<std::uint64_t>(std::min(size(random), 9e8)), ""});
  return items;
}

TEST_CASE("shards are written as people count") {
  CHECK(*shard_of("2/7") == Shard{1, 7});
  CHECK(name_of({1, 7}) == "shard-2-of-7");
  for (const auto* wrong : {"0/7", "8/7", "1/0", "1", "a/b", "1/7x", "", "-1/7", "1/9999999"})
    CHECK_FALSE(shard_of(wrong));
  CHECK(shard_of("1").error().message == "it is written I/N, such as 2/7");
  CHECK(shard_of("1/0").error().message == "N is 1 to 1000000");
  CHECK(shard_of("1/1000001").error().message == "N is 1 to 1000000");
  CHECK(*shard_of("1000000/1000000") == Shard{999'999, 1'000'000});
  CHECK(shard_of("8/7").error().message == "shards count from 1, here to 7");
  CHECK(*shard_of("7/7") == Shard{6, 7});
}

TEST_CASE("every target is in exactly one shard, the same each time") {
  const auto items = drawn(1000, 1);
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}}) {
    std::set<std::size_t> seen;
    for (std::size_t index = 0; index < count; ++index)
      for (const auto item : items_of(items, {index, count})) CHECK(seen.insert(item).second);
    CHECK(seen.size() == items.size());
    CHECK(shards_of(items, count) == shards_of(items, count));
  }
}

TEST_CASE("no shard of 8 has more than 1.3 times the mean bytes, or its one largest") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto items = drawn(60 + 40 * seed, seed);
    const double mean = static_cast<double>(bytes_of(items)) / 8;
    for (std::size_t index = 0; index < 8; ++index) {
      std::uint64_t bytes = 0, largest = 0;
      for (const auto item : items_of(items, {index, 8})) {
        bytes += items[item].bytes;
        largest = std::max(largest, items[item].bytes);
      }
      CHECK(static_cast<double>(bytes) <= std::max(1.3 * mean, static_cast<double>(largest) + 0.3 * mean));
    }
  }
}

TEST_CASE("small targets are spread by their number, as their time is not in their bytes") {
  auto items = drawn(0, 0);
  for (int i = 0; i < 4; ++i) items.push_back({fmt::format("large{}", i), std::uint64_t{900} << 20, ""});
  for (int i = 0; i < 4000; ++i) items.push_back({fmt::format("small{}", i), 20'000, ""});
  for (std::size_t index = 0; index < 4; ++index) CHECK(items_of(items, {index, 4}).size() == 1001);
}

TEST_CASE("the largest come first") {
  const std::vector<WorkItem> items{{"a", 1, ""}, {"b", 9, ""}, {"c", 9, ""}};
  CHECK(largest_first(items) == std::vector<std::size_t>{1, 2, 0});
}

TEST_CASE("a target of a mebibyte is no small one, and each goes to the shard that has least") {
  const std::uint64_t border = std::uint64_t{1} << 20;
  using Indices = std::vector<std::size_t>;
  CHECK(shards_of({{"a", border, ""}, {"b", border - 1, ""}, {"c", 10, ""}}, 2) == Indices{0, 1, 0});
  CHECK(shards_of({{"a", border - 1, ""}, {"b", border - 2, ""}, {"c", 10, ""}}, 2) == Indices{0, 1, 1});
  CHECK(shards_of({{"a", 5 * border, ""}, {"b", 3 * border, ""}, {"c", 2 * border, ""}, {"d", border, ""}}, 2) ==
        Indices{0, 1, 1, 0});
  CHECK(shards_of({{"a", 0, ""}, {"b", 0, ""}, {"c", 0, ""}, {"d", 0, ""}}, 3) == Indices{0, 1, 2, 0});
  CHECK(shards_of({{"a", 1, ""}, {"b", 2, ""}}, 1) == Indices{0, 0});
  CHECK(shards_of({{"a", 1, ""}, {"b", 2, ""}}, 0) == Indices{0, 0});
  CHECK(shards_of({}, 2).empty());
  CHECK(items_of({{"a", 1, ""}, {"b", 2, ""}, {"c", 3, ""}}, {0, 2}) == Indices{2});
  CHECK(items_of({{"a", 1, ""}, {"b", 2, ""}, {"c", 3, ""}}, {1, 2}) == Indices{1, 0});
}

TEST_CASE("of targets of one size the order is that of their names") {
  CHECK(largest_first({{"c", 9, ""}, {"b", 9, ""}, {"d", 10, ""}, {"a", 0, ""}}) ==
        std::vector<std::size_t>{2, 1, 0, 3});
  CHECK(largest_first({}).empty());
}

TEST_CASE("what is wrong with a shard is told by what it is") {
  const auto told = [](std::string_view text) {
    const auto shard = shard_of(text);
    REQUIRE_FALSE(shard);
    CHECK(shard.error().code == ErrorCode::usage);
    return shard.error().message;
  };
  for (const auto* text : {"1/", "/7", "1/7/", "x/7", "1/x", "+1/7", " 1/7", "99999999999999999999/7"})
    CHECK(told(text) == "it is written I/N, such as 2/7");
  CHECK(told("0/7") == "shards count from 1, here to 7");
  CHECK(told("0/0") == "N is 1 to 1000000");
  CHECK(*shard_of("1/1") == Shard{0, 1});
  CHECK(name_of({0, 1}) == "shard-1-of-1");
}

}  // namespace
}  // namespace cudald
