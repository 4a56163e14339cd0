#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// Reads of a file what readers will ask of it later, as they will.
using Rehearsal = std::function<void(const File&)>;

/// Bytes that may still be kept; shared by all sieves of a tree.
struct SieveBudget {
  std::size_t left = std::size_t{64} << 20;
};

/// An archive that is costly to read anywhere but onwards. While its members go by for the first time, what is likely
/// to be read of them is kept: small files whole, and of ELF files what a rehearsal of their readers touches, which
/// mostly lies at their front. What went by before a rehearsal knew of it is fetched, for all members at once, in one
/// more pass when it is first missed. At most the budget is kept, and 48 MiB of the member in hand; the rest is
/// read from the archive each time.
class SievedFile final : public File {
 public:
  SievedFile(std::shared_ptr<const File> archive, Rehearsal, std::shared_ptr<SieveBudget>);

  /// Goes through the bytes of one member. Members in the archive's order, where going back is costly.
  void sift(std::string_view name, std::uint64_t offset, std::uint64_t size);

  const FileStatus& status() const override { return archive_->status(); }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override;
  bool is_stream() const override { return archive_->is_stream(); }
  bool reads_anywhere(std::uint64_t offset, std::uint64_t size) const override;

 private:
  struct Range {
    std::uint64_t offset{}, length{};
  };
  class Draft;
  using Chunks = std::map<std::uint64_t, std::vector<std::byte>>;

  bool copy_kept(std::uint64_t offset, std::span<std::byte> into) const;
  void finish(Draft&, const Range& member, std::uint64_t position, bool last_chance) const;
  void fetch_missed() const;
  void keep(const Draft&, const Range& member, std::vector<Range> touched) const;

  std::shared_ptr<const File> archive_;
  Rehearsal rehearse_;
  std::shared_ptr<SieveBudget> budget_;

  // What is kept changes how fast an answer comes, never the answer.
  mutable std::mutex mutex_;
  mutable Chunks kept_;                ///< by offset in the archive; none touches the next
  mutable std::vector<Range> missed_;  ///< members that a rehearsal could not finish
};

}  // namespace cudald
