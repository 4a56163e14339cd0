#include "archive/restart_points.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "base/isal_library.h"
#include "base/read_buffer.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_points = 96, distances = 32;
constexpr std::uint64_t distance_at_ends = std::uint64_t{1} << 20, parts_to_the_end = 4;
constexpr std::size_t most_recent_points = 192;  // of 55 KB at most

/// Of the decoder's buffer of 64 KB only what the next bytes may refer to is in use.
std::size_t used_bytes(const inflate_state& state) {
  const auto most = sizeof state.tmp_out_buffer;
  return offsetof(inflate_state, tmp_out_buffer) +
         std::min(most, static_cast<std::size_t>(std::max({state.tmp_out_valid, state.tmp_out_processed, 0})));
}

/// Nothing if it cannot be done.
std::vector<std::byte> deflated(std::span<const std::byte> bytes) {
  constexpr std::size_t room_for_headers = 1024;
  ReadBuffer out(bytes.size() + room_for_headers);
  const auto stream = std::make_unique<isal_zstream>();  // not all of it is what the library initialises
  IsalLibrary::get().isal_deflate_stateless_init(stream.get());
  stream->end_of_stream = 1;
  stream->next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data()));
  stream->avail_in = static_cast<std::uint32_t>(bytes.size());
  stream->next_out = reinterpret_cast<std::uint8_t*>(out.room().data());
  stream->avail_out = static_cast<std::uint32_t>(out.size());
  if (IsalLibrary::get().isal_deflate_stateless(stream.get()) != COMP_OK) return {};
  return {out.begin(), out.begin() + stream->total_out};
}

bool inflate_into(std::span<std::byte> out, const std::vector<std::byte>& bytes) {
  const std::unique_ptr<inflate_state> state(new inflate_state);  // its buffers are not cleared
  IsalLibrary::get().isal_inflate_init(state.get());
  state->next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data()));
  state->avail_in = static_cast<std::uint32_t>(bytes.size());
  state->next_out = reinterpret_cast<std::uint8_t*>(out.data());
  state->avail_out = static_cast<std::uint32_t>(out.size());
  return IsalLibrary::get().isal_inflate_stateless(state.get()) == ISAL_DECOMP_OK;
}

}  // namespace

RestartPoints::RestartPoints(std::uint64_t size)
    : size_(size), most_distance_(std::max(least_distance, size / distances)) {}

std::uint64_t RestartPoints::distance_at(std::uint64_t output) const {
  if (size_ < least_distance) return most_distance_;
  const auto to_end = std::min(output, size_ - std::min(size_, output));
  return std::clamp(to_end / parts_to_the_end, distance_at_ends, most_distance_);
}

void RestartPoints::note(const DeflatePosition& now) {
  const std::lock_guard lock(mutex_);
  const auto next = points_.upper_bound(now.output);
  const auto before = next == points_.begin() ? 0 : std::prev(next)->first;
  // Whoever has been at the end need not inflate what lies in front of it to be there again.
  const bool at_end = now.output == size_ && size_ >= distance_at_ends;
  if (now.output == before || (!at_end && now.output - before < distance_at(now.output))) return;
  const auto used = std::as_bytes(std::span(&now.state, 1)).first(used_bytes(now.state));
  auto state = deflates() ? deflated(used) : std::vector(used.begin(), used.end());
  if (state.empty()) return;
  points_.emplace_hint(next, now.output, Point{now.input, std::move(state)});
  if (points_.size() <= most_points) return;
  // Longer than was known: fewer points will do.
  most_distance_ *= 2;
  std::uint64_t kept = 0;
  std::erase_if(points_, [&](const auto& point) {
    const bool is_near = point.first - kept < most_distance_;
    if (!is_near) kept = point.first;
    return is_near;
  });
}

bool RestartPoints::approach(std::uint64_t offset, DeflatePosition& now) const {
  const std::lock_guard lock(mutex_);
  const auto next = points_.upper_bound(offset);
  const bool known = next != points_.begin();
  if (now.output <= offset && (!known || std::prev(next)->first <= now.output)) return true;
  if (!known) return false;
  const auto& [output, point] = *std::prev(next);
  const auto state = std::as_writable_bytes(std::span(&now.state, 1));
  if (!deflates())
    std::copy(point.state.begin(), point.state.end(), state.begin());
  else if (!inflate_into(state, point.state))
    return false;
  now.input = point.input;
  now.output = output;
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
