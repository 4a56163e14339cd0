#include "fs/inflated_file.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::uint64_t block_size = std::uint64_t{1} << 18;
constexpr std::uint64_t early_bytes = std::uint64_t{2} << 20;  // headers and, mostly, the string and version tables
constexpr std::size_t most_recent_blocks = 16;
constexpr std::uint64_t most_restart_points = 64;
constexpr std::uint64_t least_restart_distance = std::uint64_t{8} << 20;
constexpr std::size_t input_size = std::size_t{1} << 17;

/// A deflate stream at some place: how much went in and came out, and all that the decoder needs to go on.
struct Position {
  std::uint64_t input = 0;   ///< compressed bytes handed to the decoder and consumed
  std::uint64_t output = 0;  ///< bytes inflated
  inflate_state state;
};

class InflatedFile final : public File {
 public:
  InflatedFile(std::shared_ptr<const File> archive, const DeflatedRange& range, FileStatus status, std::string name)
      : archive_(std::move(archive)),
        range_(range),
        status_(status),
        name_(std::move(name)),
        restart_distance_(range.gzip ? least_restart_distance
                                     : std::max(least_restart_distance, range.size / most_restart_points)) {
    status_.size = range.size;
    begin();
  }

  const FileStatus& status() const override { return status_; }

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    const std::lock_guard lock(mutex_);
    if (offset >= range_.size) return std::size_t{0};
    const auto wanted = std::min<std::uint64_t>(into.size(), range_.size - offset);
    std::uint64_t done = 0;
    while (done < wanted && offset + done < end_) {
      const auto at = offset + done;
      const auto block = block_at(at / block_size);
      if (!block) return block.error();
      const auto skip = at % block_size;
      if (skip >= (*block)->size()) break;
      const auto length = std::min<std::uint64_t>(wanted - done, (*block)->size() - skip);
      std::memcpy(into.data() + done, (*block)->data() + skip, length);
      done += length;
    }
    return static_cast<std::size_t>(done);
  }

 private:
  using Block = std::vector<std::byte>;

  Error fault(const std::string& what) const {
    return {ErrorCode::malformed, what, name_, range_.offset + now_.input, 0};
  }

  Result<const Block*> block_at(std::uint64_t number) const {
    if (const auto known = early_.find(number); known != early_.end()) return &known->second;
    for (auto entry = recent_.begin(); entry != recent_.end(); ++entry)
      if (entry->first == number) {
        recent_.splice(recent_.begin(), recent_, entry);
        return &recent_.front().second;
      }
    go_back_before(number * block_size);
    static const Block nothing;
    for (;;) {
      if (now_.output >= end_) return &nothing;
      const auto here = now_.output / block_size;
      auto block = inflate_block();
      if (!block) return block.error();
      const bool early = now_.output <= early_bytes;
      if (early) early_[here] = *block;
      if (here != number) continue;
      if (early) return &early_[here];
      recent_.emplace_front(number, std::move(*block));
      if (recent_.size() > most_recent_blocks) recent_.pop_back();
      return &recent_.front().second;
    }
  }

  void go_back_before(std::uint64_t offset) const {
    const Position* best = nullptr;
    for (const auto& point : restart_points_)
      if (point->output <= offset && (best == nullptr || point->output > best->output)) best = point.get();
    if (now_.output <= offset && (best == nullptr || best->output <= now_.output)) return;
    input_used_ = input_filled_ = 0;
    if (best != nullptr) {
      now_ = *best;
      return;
    }
    begin();
  }

  void begin() const {
    now_.input = now_.output = 0;
    isal_inflate_init(&now_.state);
    now_.state.crc_flag = range_.gzip ? ISAL_GZIP : ISAL_DEFLATE;
  }

  /// After the end of a gzip member: whether another one follows. Zeros behind the last one are padding.
  Result<bool> next_gzip_member() const {
    if (input_used_ == input_filled_) {
      if (now_.input >= range_.compressed_size) return false;
      const auto filled = fill_input();
      if (!filled) return filled.error();
    }
    if (input_[input_used_] == 0) return false;
    isal_inflate_reset(&now_.state);
    now_.state.crc_flag = ISAL_GZIP;
    return true;
  }

  /// Inflates from the present place to the end of its block.
  Result<Block> inflate_block() const {
    note_restart_point();
    Block block(std::min(block_size, range_.size - now_.output));
    std::size_t filled = 0;
    auto& state = now_.state;
    while (filled < block.size()) {
      if (input_used_ == input_filled_) {
        const auto filled_input = fill_input();
        if (!filled_input) return filled_input.error();
      }
      state.next_in = input_.data() + input_used_;
      state.avail_in = static_cast<std::uint32_t>(input_filled_ - input_used_);
      state.next_out = reinterpret_cast<std::uint8_t*>(block.data()) + filled;
      state.avail_out = static_cast<std::uint32_t>(block.size() - filled);
      const auto in_before = state.avail_in, out_before = state.avail_out;
      const auto outcome = isal_inflate(&state);
      const auto consumed = in_before - state.avail_in, produced = out_before - state.avail_out;
      input_used_ += consumed;
      now_.input += consumed;
      filled += produced;
      if (outcome < 0) return fault("the compressed data are damaged");
      if (filled == block.size()) break;
      if (state.block_state == ISAL_BLOCK_FINISH && range_.gzip) {
        const auto another = next_gzip_member();
        if (!another) return another.error();
        if (*another) continue;
        block.resize(filled);
        end_ = now_.output + filled;
        break;
      }
      if (state.block_state == ISAL_BLOCK_FINISH) return fault("the member is shorter than its directory entry says");
      if (consumed == 0 && produced == 0 && input_used_ != input_filled_) return fault("the compressed data are damaged");
      if (input_used_ == input_filled_ && now_.input >= range_.compressed_size)
        return fault("the compressed data end too early");
    }
    now_.output += filled;
    if (range_.gzip)
      if (auto error = check_proportion(now_.output, now_.input, name_)) return std::move(*error);
    return block;
  }

  Result<std::size_t> fill_input() const {
    const auto left = range_.compressed_size - std::min(now_.input, range_.compressed_size);
    input_.resize(input_size);
    const auto got = archive_->read(range_.offset + now_.input,
                                    std::as_writable_bytes(std::span(input_)).first(std::min<std::uint64_t>(left, input_size)));
    if (!got) return got.error();
    input_used_ = 0;
    input_filled_ = *got;
    if (*got == 0) return fault("the compressed data end too early");
    return *got;
  }

  void note_restart_point() const {
    if (now_.output == 0 || now_.output / restart_distance_ <= last_restart_) return;
    last_restart_ = now_.output / restart_distance_;
    restart_points_.push_back(std::make_unique<Position>(now_));
    if (restart_points_.size() <= most_restart_points) return;
    // Longer than was known: every second point will do.
    std::size_t index = 0;
    std::erase_if(restart_points_, [&index](const auto&) { return ++index % 2 == 1; });
    restart_distance_ *= 2;
    last_restart_ = now_.output / restart_distance_;
  }

  std::shared_ptr<const File> archive_;
  DeflatedRange range_;
  FileStatus status_;
  std::string name_;

  // Reading moves the stream, but what a reader sees never changes.
  mutable std::mutex mutex_;
  mutable Position now_;
  mutable std::vector<std::uint8_t> input_;
  mutable std::size_t input_used_ = 0, input_filled_ = 0;
  mutable std::uint64_t restart_distance_;
  mutable std::uint64_t last_restart_ = 0;
  mutable std::uint64_t end_ = UINT64_MAX;  ///< of what comes out, once it is known
  mutable std::vector<std::unique_ptr<Position>> restart_points_;
  mutable std::map<std::uint64_t, Block> early_;
  mutable std::list<std::pair<std::uint64_t, Block>> recent_;
};

}  // namespace

std::optional<Error> check_proportion(std::uint64_t output, std::uint64_t input, const std::string& name) {
  constexpr std::uint64_t suspicious_bytes = std::uint64_t{4} << 30, most_ratio = 100;
  if (output <= suspicious_bytes || output / most_ratio <= input) return std::nullopt;
  return Error{ErrorCode::limit,
               fmt::format("inflates beyond all proportion: from {} to {} bytes and more", input, output), name,
               std::nullopt, 0};
}

std::unique_ptr<File> make_inflated_file(std::shared_ptr<const File> archive, const DeflatedRange& range,
                                         FileStatus status, std::string name) {
  return std::make_unique<InflatedFile>(std::move(archive), range, status, std::move(name));
}

}  // namespace cudald
