#include "fs/restart_points.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

namespace cudald {
namespace {

constexpr std::uint64_t most_points = 64;
constexpr std::size_t most_recent_points = 192;  // some 55 KB each

/// Of the decoder's buffer of 64 KB only what the next bytes may refer to is in use.
std::size_t used_bytes(const inflate_state& state) {
  const auto most = sizeof state.tmp_out_buffer;
  return offsetof(inflate_state, tmp_out_buffer) +
         std::min(most, static_cast<std::size_t>(std::max({state.tmp_out_valid, state.tmp_out_processed, 0})));
}

}  // namespace

RestartPoints::RestartPoints(std::uint64_t size) : distance_(std::max(least_distance, size / most_points)) {}

void RestartPoints::note(const DeflatePosition& now) {
  const std::lock_guard lock(mutex_);
  if (now.output < distance_) return;
  const auto next = points_.upper_bound(now.output);
  if (next != points_.begin() && std::prev(next)->first / distance_ == now.output / distance_) return;
  const auto state = std::as_bytes(std::span(&now.state, 1)).first(used_bytes(now.state));
  points_.emplace_hint(next, now.output, Point{now.input, {state.begin(), state.end()}});
  if (points_.size() <= most_points) return;
  // Longer than was known: every second point will do.
  distance_ *= 2;
  std::uint64_t before = 0;
  std::erase_if(points_, [&](const auto& point) {
    const bool near = point.first / distance_ == before;
    before = point.first / distance_;
    return near;
  });
}

bool RestartPoints::approach(std::uint64_t offset, DeflatePosition& now) const {
  const std::lock_guard lock(mutex_);
  const auto next = points_.upper_bound(offset);
  const bool known = next != points_.begin();
  if (now.output <= offset && (!known || std::prev(next)->first <= now.output)) return true;
  if (!known) return false;
  const auto& [output, point] = *std::prev(next);
  now.input = point.input;
  now.output = output;
  std::memcpy(&now.state, point.state.data(), point.state.size());
  return true;
}

std::size_t RestartPoints::count() const {
  const std::lock_guard lock(mutex_);
  return points_.size();
}

void RecentRestartPoints::keep(std::shared_ptr<const RestartPoints> points) {
  const std::lock_guard lock(mutex_);
  recent_.remove(points);
  recent_.push_front(std::move(points));
  std::size_t count = 0;
  const auto first_too_many = std::find_if(recent_.begin(), recent_.end(), [&count](const auto& one) {
    count += 1 + one->count();
    return count > most_recent_points;
  });
  recent_.erase(first_too_many, recent_.end());
}

}  // namespace cudald
