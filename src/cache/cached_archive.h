#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/checked_blocks.h"

namespace cudald {

/// What is kept of one archive from run to run: the bytes that were read of it and of its members as they came out, and
/// which members are known to be whole. It lies in one file, in blocks with checksums that are compared before a byte
/// of them is used; what does not agree is not there. Parts are the archive itself, 0, and its members, counted from 1.
/// What is added is there for the next run, so that this one reads what it would read without.
class KeptArchive {
 public:
  enum class Mark : std::uint64_t {
    whole = 1,   ///< the member's size and checksum agree with the archive's directory
    passed = 2,  ///< all of the member has gone by, and what matters of its GPU code is among the bytes
  };

  /// What lies in the file at `path`, if that was written for this key and this form; else nothing yet.
  static std::shared_ptr<KeptArchive> open(std::string path, std::string key);
  /// An entry that takes the place of what lies there when it is saved.
  static std::shared_ptr<KeptArchive> make(std::string path, std::string key);
  ~KeptArchive();
  KeptArchive(const KeptArchive&) = delete;
  KeptArchive& operator=(const KeptArchive&) = delete;

  const std::string& key() const { return key_; }
  /// Of the archive; nullopt if nothing is known of it yet.
  std::optional<std::uint64_t> size() const;
  void set_size(std::uint64_t);

  /// Whether all of these bytes were there when it was opened, in one piece, and are as they were kept.
  bool holds(std::size_t part, std::uint64_t offset, std::uint64_t size) const;
  /// False unless all of these bytes are there.
  bool copy(std::size_t part, std::uint64_t offset, std::span<std::byte> into) const;
  void add(std::size_t part, std::uint64_t offset, std::span<const std::byte> bytes);
  bool has(std::size_t part, Mark) const;
  void set(std::size_t part, Mark);
  /// Nothing is kept of that part: each run is to find what is wrong with it.
  void forget(std::size_t part);
  /// Nothing is kept of the archive, and what was is taken away.
  void forget_all();

  /// Whether these bytes of a part differ from those of them that are there.
  bool contradicts(std::size_t part, std::uint64_t offset, std::span<const std::byte> bytes) const;

  /// Whether there is anything to save.
  bool is_new() const;
  /// Writes a file beside the one at `path`, whose folder is made, and renames it, if there is anything new. False if
  /// that fails; nothing is left behind then.
  bool save();

 private:
  struct Piece {
    std::uint64_t length{};
    std::uint64_t at{};  ///< among the blocks, or in the scratch file
    bool fresh{};        ///< added in this run: in the scratch file
  };
  struct Part {
    std::map<std::uint64_t, Piece> pieces;  ///< by offset; none overlaps the next
    std::uint64_t marks = 0, new_marks = 0;
    bool forgotten = false;

    /// Nothing is left of a piece that does not agree with its checksums: it is read anew, and kept.
    void drop(std::map<std::uint64_t, Piece>::iterator piece) {
      pieces.erase(piece);
      marks = 0;
    }
  };

  KeptArchive(std::string path, std::string key) : path_(std::move(path)), key_(std::move(key)) {}
  bool load();
  bool load_parts(std::span<const std::byte> table, std::uint64_t length);
  Part* find(std::size_t number) const;
  /// Takes away the pieces that do not agree with their checksums.
  void drop_damaged(Part&);
  /// Offset and length of the pieces, those made one that touch.
  static std::vector<std::array<std::uint64_t, 2>> joined(const Part&);
  /// Writes the bytes of all parts from there on.
  bool write_parts(int out, std::uint64_t at, BlockChecksums&) const;
  bool write_file(int out);
  bool read(const Piece&, std::uint64_t skip, std::span<std::byte> into) const;

  std::string path_, key_;
  int file_ = -1, scratch_ = -1;
  std::optional<std::uint64_t> size_;
  std::uint64_t scratch_end_ = 0;
  bool is_new_ = false, forgotten_ = false;
  mutable std::map<std::size_t, Part> parts_;
  mutable CheckedBlocks blocks_;
  mutable std::mutex mutex_;
};

}  // namespace cudald
