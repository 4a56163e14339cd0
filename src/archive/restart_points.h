#pragma once

#include <isa-l/igzip_lib.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace cudald {

/// A deflate stream at some place: how much went in and came out, and all that the decoder needs to go on.
struct DeflatePosition {
  std::uint64_t input = 0;   ///< compressed bytes handed to the decoder and consumed
  std::uint64_t output = 0;  ///< bytes inflated
  inflate_state state;
};

/// Places from which one stream can be inflated on, whoever came by there: closer together near its ends, where the
/// tables of libraries stand, and a bounded number of all.
class RestartPoints {
 public:
  static constexpr std::uint64_t least_distance = std::uint64_t{8} << 20;

  /// `size`: of what comes out, 0 if that is not known.
  explicit RestartPoints(std::uint64_t size);

  void note(const DeflatePosition&);
  /// Goes to the last place that is known before `offset`, unless the stream itself is nearer. False if it is behind
  /// `offset`, and no place is known.
  bool approach(std::uint64_t offset, DeflatePosition&) const;
  std::size_t count() const;

 private:
  struct Point {
    std::uint64_t input = 0;
    std::vector<std::byte> state;  ///< what of it is in use
  };

  std::uint64_t distance_at(std::uint64_t output) const;
  /// Halves them, which takes as long as inflating 80 KB.
  bool deflates() const { return size_ >= 8 * least_distance; }

  mutable std::mutex mutex_;
  const std::uint64_t size_;
  std::uint64_t most_distance_;
  std::map<std::uint64_t, Point> points_;  ///< by what had come out
};

/// The points of the streams that were opened last, so that who opens one again need not begin at its front. What
/// others hold on to is not counted.
class RecentRestartPoints {
 public:
  void keep(std::shared_ptr<const RestartPoints>);

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<const RestartPoints>> recent_;
};

}  // namespace cudald
