#include "scan/shards.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <queue>
#include <tuple>

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::size_t most_shards = 1'000'000;

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// How much a shard has been given.
struct Load {
  std::size_t small{};  ///< targets whose bytes matter less than their number
  std::uint64_t bytes{};
  std::size_t index{};
};

}  // namespace

Result<Shard> shard_of(std::string_view text) {
  const auto fault = [](std::string message) { return Error{ErrorCode::usage, std::move(message)}; };
  const auto slash = text.find('/');
  const auto number = number_of(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : number_of(text.substr(slash + 1));
  if (!number || !count) return fault("it is written I/N, such as 2/7");
  if (*count == 0 || *count > most_shards) return fault(fmt::format("N is 1 to {}", most_shards));
  if (*number == 0 || *number > *count) return fault(fmt::format("shards count from 1, here to {}", *count));
  return Shard{*number - 1, *count};
}

std::string name_of(const Shard& shard) { return fmt::format("shard-{}-of-{}", shard.index + 1, shard.count); }

std::vector<std::size_t> largest_first(const std::vector<WorkItem>& items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&items](std::size_t a, std::size_t b) {
    return std::tie(items[b].bytes, items[a].target) < std::tie(items[a].bytes, items[b].target);
  });
  return order;
}

std::vector<std::size_t> shards_of(const std::vector<WorkItem>& items, std::size_t count) {
  std::vector<std::size_t> shards(items.size(), 0);
  if (count <= 1) return shards;
  // Each goes to the shard that has least so far, the largest first. Of small ones the number counts first: their time
  // is hardly in their bytes.
  const auto is_later = [](const Load& a, const Load& b) {
    return std::tie(a.small, a.bytes, a.index) > std::tie(b.small, b.bytes, b.index);
  };
  std::priority_queue<Load, std::vector<Load>, decltype(is_later)> loads(is_later);
  for (std::size_t i = 0; i < count; ++i) loads.push({0, 0, i});
  for (const auto item : largest_first(items)) {
    auto load = loads.top();
    loads.pop();
    shards[item] = load.index;
    load.bytes += items[item].bytes;
    load.small += items[item].bytes < fixed_cost ? 1 : 0;
    loads.push(load);
  }
  return shards;
}

std::vector<std::size_t> items_of(const std::vector<WorkItem>& items, const Shard& shard) {
  const auto shards = shards_of(items, shard.count);
  auto order = largest_first(items);
  std::erase_if(order, [&](std::size_t item) { return shards[item] != shard.index; });
  return order;
}

}  // namespace cudald
