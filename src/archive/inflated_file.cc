#include "archive/inflated_file.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/crc32.h"
#include "base/isal_library.h"
#include "base/read_buffer.h"
#include "os/memory.h"

namespace cudald {
namespace {

constexpr std::uint64_t block_size = std::uint64_t{1} << 18;
constexpr std::uint64_t early_bytes = std::uint64_t{2} << 20;  // headers and, mostly, the string and version tables
constexpr std::size_t most_recent_blocks = 16;
// Going back costs: a hostile file sends its reader to and fro. Twice is what real libraries need.
constexpr std::uint64_t most_rounds = 4;
constexpr std::uint64_t free_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t large_bytes = std::uint64_t{64} << 20;
constexpr std::size_t input_size = std::size_t{1} << 17;
constexpr const char* wrong_checksum = "its bytes do not match their checksum (CRC-32)";

class InflatedFile final : public File {
 public:
  InflatedFile(std::shared_ptr<const File> archive, const DeflatedRange& range, FileStatus status, std::string name,
               std::shared_ptr<StreamBudget> budget, std::shared_ptr<RestartPoints> points)
      : archive_(std::move(archive)),
        range_(range),
        status_(status),
        name_(std::move(name)),
        budget_(std::move(budget)),
        restart_points_(points ? std::move(points) : std::make_shared<RestartPoints>(range.gzip ? 0 : range.size)) {
    status_.size = range.size;
    begin();
  }

  InflatedFile(const InflatedFile&) = delete;
  InflatedFile& operator=(const InflatedFile&) = delete;
  /// Its blocks lay between what readers made of them, and the C library gives back only what lies behind all that.
  ~InflatedFile() override {
    if (furthest_ < large_bytes) return;
    recent_.clear();
    early_.clear();
    give_memory_back();
  }

  const FileStatus& status() const override { return status_; }
  bool is_stream() const override { return true; }

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

  std::optional<Error> verify() const override {
    const std::lock_guard lock(mutex_);
    if (fault_) return fault_;
    if (range_.gzip) return std::nullopt;  // it has checksums of its own, which reading to its end compares
    go_back_before(checked_);
    while (now_.output < range_.size)
      if (const auto block = inflate_block(); !block) return block.error();
    if (crc32_ != range_.crc32) return fault(wrong_checksum);
    std::uint8_t byte = 0;
    const auto more = inflate_some(&byte, 1);
    if (!more) return more.error();
    if (*more > 0) return fault("it inflates to more bytes than its directory entry says");
    return std::nullopt;
  }

 private:
  using Block = ReadBuffer;

  /// What is damaged once stays so: nobody need inflate it again to see that.
  Error fault(std::string what, ErrorCode code = ErrorCode::malformed) const {
    if (!fault_) fault_ = Error{code, std::move(what), name_, range_.offset + now_.input, 0};
    return *fault_;
  }

  Result<const Block*> block_at(std::uint64_t number) const {
    if (const auto known = early_.find(number); known != early_.end()) return &known->second;
    for (auto entry = recent_.begin(); entry != recent_.end(); ++entry)
      if (entry->first == number) {
        recent_.splice(recent_.begin(), recent_, entry);
        return &recent_.front().second;
      }
    go_back_before(number * block_size);
    while (now_.output < end_) {
      const auto here = now_.output / block_size;
      auto block = inflate_block();
      if (!block) return block.error();
      if (here < early_bytes / block_size && !early_.contains(here)) {
        const auto& kept = early_[here] = std::move(*block);
        if (here == number) return &kept;
      } else if (here == number) {
        recent_.emplace_front(number, std::move(*block));
        if (recent_.size() > most_recent_blocks) recent_.pop_back();
        return &recent_.front().second;
      }
    }
    static const Block nothing;
    return &nothing;
  }

  void go_back_before(std::uint64_t offset) const {
    const auto before = now_.output;
    const bool reached = restart_points_->approach(offset, now_);
    if (reached && now_.output == before) return;
    input_used_ = input_filled_ = 0;
    if (!reached) begin();
  }

  void begin() const {
    now_.input = now_.output = 0;
    IsalLibrary::get().isal_inflate_init(&now_.state);
    now_.state.crc_flag = range_.gzip ? ISAL_GZIP : ISAL_DEFLATE;
  }

  /// After the end of a gzip member: whether another one follows. Zeros behind the last one are padding.
  Result<bool> next_gzip_member() const {
    if (input_used_ == input_filled_) {
      if (now_.input >= range_.compressed_size) return false;
      if (auto error = fill_input()) return std::move(*error);
    }
    if (input_[input_used_] == 0) return false;
    IsalLibrary::get().isal_inflate_reset(&now_.state);
    now_.state.crc_flag = ISAL_GZIP;
    return true;
  }

  /// Inflates from the present place to the end of its block.
  Result<Block> inflate_block() const {
    if (fault_) return *fault_;
    if (inflated_ / most_rounds > range_.size + free_bytes)
      return fault(
          fmt::format("its tables are scattered so that it would have to be inflated more than {} times", most_rounds),
          ErrorCode::limit);
    restart_points_->note(now_);
    Block block(std::min(block_size, range_.size - now_.output));
    auto* const bytes = reinterpret_cast<std::uint8_t*>(block.room().data());
    std::size_t filled = 0;
    while (filled < block.size()) {
      const auto produced = inflate_some(bytes + filled, block.size() - filled);
      if (!produced) return produced.error();
      filled += *produced;
      if (*produced > 0) continue;
      if (!range_.gzip) return fault("it inflates to fewer bytes than its directory entry says");
      const auto another = next_gzip_member();
      if (!another) return another.error();
      if (*another) continue;
      block.cut(filled);
      end_ = now_.output + filled;
      break;
    }
    if (now_.output == checked_) {
      crc32_ = crc32_after(crc32_, block);
      checked_ += block.size();
    }
    now_.output += block.size();
    inflated_ += block.size();
    const auto fresh = now_.output - std::min(now_.output, furthest_);
    furthest_ += fresh;
    if (now_.output == range_.size) restart_points_->note(now_);
    if (range_.gzip)
      if (auto error = check_proportion(now_.output, now_.input, StreamSpeed::fast, name_)) return std::move(*error);
    if (budget_)
      if (auto error = budget_->spend(block.size(), fresh, StreamSpeed::fast, name_)) return std::move(*error);
    return block;
  }

  /// Inflates up to `room` bytes; 0 only at the end of the stream.
  Result<std::size_t> inflate_some(std::uint8_t* out, std::size_t room) const {
    auto& state = now_.state;
    while (state.block_state != ISAL_BLOCK_FINISH) {
      if (input_used_ == input_filled_)
        if (auto error = fill_input()) return *error;
      state.next_in = input_.data() + input_used_;
      state.avail_in = static_cast<std::uint32_t>(input_filled_ - input_used_);
      state.next_out = out;
      state.avail_out = static_cast<std::uint32_t>(room);
      const auto in_before = state.avail_in;
      const auto outcome = IsalLibrary::get().isal_inflate(&state);
      const auto consumed = in_before - state.avail_in;
      const auto produced = room - state.avail_out;
      input_used_ += consumed;
      now_.input += consumed;
      if (outcome < 0) return fault("its compressed bytes are damaged");
      if (produced > 0) return produced;
      // Without input there may still be bytes that the decoder has taken in before.
      if (consumed == 0 && state.block_state != ISAL_BLOCK_FINISH)
        return fault(in_before == 0 ? "its compressed bytes end too early" : "its compressed bytes are damaged");
    }
    return std::size_t{0};
  }

  /// Leaves the input empty at the end of the compressed bytes.
  std::optional<Error> fill_input() const {
    const auto left = range_.compressed_size - std::min(now_.input, range_.compressed_size);
    input_.resize(std::min<std::uint64_t>(range_.compressed_size, input_size));
    const auto room = std::as_writable_bytes(std::span(input_)).first(std::min<std::uint64_t>(left, input_.size()));
    // Where nothing is left there may be no place either that it could be read to.
    const auto got =
        room.empty() ? Result<std::size_t>(std::size_t{0}) : archive_->read(range_.offset + now_.input, room);
    if (!got) return got.error();
    input_used_ = 0;
    input_filled_ = *got;
    return std::nullopt;
  }

  std::shared_ptr<const File> archive_;
  DeflatedRange range_;
  FileStatus status_;
  std::string name_;
  std::shared_ptr<StreamBudget> budget_;
  std::shared_ptr<RestartPoints> restart_points_;

  // Reading moves the stream, but what a reader sees never changes.
  mutable std::mutex mutex_;
  mutable DeflatePosition now_;
  mutable std::vector<std::uint8_t> input_;
  mutable std::size_t input_used_ = 0, input_filled_ = 0;
  mutable std::uint64_t checked_ = 0;  // how many bytes from the start crc32_ covers
  mutable std::uint32_t crc32_ = 0;
  mutable std::uint64_t inflated_ = 0;  // bytes, those that were inflated again included
  mutable std::uint64_t furthest_ = 0;  // bytes that came out at least once
  mutable std::optional<Error> fault_;
  mutable std::uint64_t end_ = UINT64_MAX;  ///< of what comes out, once it is known
  mutable Block passing_;                   ///< what came out last, unless it is kept
  mutable std::map<std::uint64_t, Block> early_;
  mutable std::list<std::pair<std::uint64_t, Block>> recent_;
};

}  // namespace

std::unique_ptr<File> make_inflated_file(std::shared_ptr<const File> archive, const DeflatedRange& range,
                                         FileStatus status, std::string name, std::shared_ptr<StreamBudget> budget,
                                         std::shared_ptr<RestartPoints> points) {
  return std::make_unique<InflatedFile>(std::move(archive), range, status, std::move(name), std::move(budget),
                                        std::move(points));
}

std::optional<Error> check_crc32(const File& file, std::uint32_t expected, const std::string& name) {
  std::vector<std::byte> block(block_size);
  std::uint32_t crc32 = 0;
  for (std::uint64_t at = 0;;) {
    const auto got = file.read(at, block);
    if (!got) return got.error();
    if (*got == 0) break;
    crc32 = crc32_after(crc32, std::span(block).first(*got));
    at += *got;
  }
  if (crc32 == expected) return std::nullopt;
  return Error{ErrorCode::malformed, wrong_checksum, name};
}

}  // namespace cudald
