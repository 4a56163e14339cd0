#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cudald/file_system.h>

#include "base/read_buffer.h"

namespace cudald {

/// The names of a file's symbols. A loader looks at few of them: of a table that was not read as a whole, blocks are
/// read when a name in them is asked for, from the file, which is opened again. For one thread.
class StringTable {
 public:
  using Opener = std::function<Result<std::shared_ptr<const File>>()>;

  StringTable() = default;
  /// All of it.
  explicit StringTable(ReadBuffer bytes) : bytes_(std::move(bytes)) {}
  /// What stands at `offset` in a file.
  StringTable(Opener opener, std::uint64_t offset, std::uint64_t size);

  std::size_t size() const { return bytes_.size(); }
  /// The string that begins there, where it stays; nothing if it has more than `longest` bytes or no end.
  std::string_view at(std::uint64_t offset, std::size_t longest) const;
  /// The bytes from there on, at most so many; fewer at the end.
  std::string_view beginning(std::uint64_t offset, std::size_t most) const;
  /// Whether a name stands there as a whole string.
  bool has(std::uint64_t offset, std::string_view name) const;

  /// Reads all that was not read yet.
  void read_all() const { have(0, size()); }
  /// For as long as `file` is open, it need not be opened again; nullptr ends that.
  void use(const File* file) { open_file_ = file; }
  /// Whether something that was asked for could not be read.
  bool is_broken() const { return broken_; }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 14;

  /// Sees to it that so many bytes are there.
  void have(std::size_t begin, std::size_t end) const {
    if (!lacks_.empty()) read_blocks(begin / block_size, (end + block_size - 1) / block_size);
  }
  void read_blocks(std::size_t first, std::size_t last) const;
  bool read(std::size_t begin, std::size_t end) const;
  const char* text(std::size_t offset) const { return reinterpret_cast<const char*>(bytes_.data()) + offset; }

  mutable ReadBuffer bytes_;
  Opener opener_;
  const File* open_file_ = nullptr;
  std::uint64_t offset_ = 0;
  mutable std::vector<bool> lacks_;  ///< by block; none if all has been read
  mutable bool broken_ = false;
};

/// Opens files of a tree again for their tables, one after another: the last one stays open. For one thread.
class Reopener {
 public:
  explicit Reopener(const FileSystem& files) : files_(files) {}
  /// May be asked longer than the Reopener lives, while its tree does.
  StringTable::Opener of(std::string path) const;

 private:
  struct Last {
    std::string path;
    std::shared_ptr<const File> file;
  };

  const FileSystem& files_;
  std::shared_ptr<Last> last_ = std::make_shared<Last>();
};

}  // namespace cudald
