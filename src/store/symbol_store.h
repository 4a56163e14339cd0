#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/resolution.h>
#include <cudald/thread_limit.h>

#include "base/budget.h"
#include "binary/elf/string_table.h"

namespace cudald {

struct Image;       // cudald/image.h
class SymbolTable;  // binary/elf/symbol_table.h

/// Symbol tables of the files in use, read on demand. Tables of files that recur in many processes (libc) are kept,
/// within a bound on memory.
class SymbolStore {
 public:
  SymbolStore(const FileSystem& files, Budget& budget) : files_(files), budget_(budget), reopener_(files) {}

  /// Without symbols, and with a limit that says why, if the question has no budget left. References to symbols that
  /// the file defines itself are among them if these are functions of the CUDA runtime, of which a process may have
  /// several, or all of them `with_defined`; such tables are not kept.
  std::shared_ptr<const SymbolTable> get(const Object&, bool with_defined = false);
  /// Reads those of large files side by side that will be asked for next, in the same way. What they cost is paid when
  /// they are asked for.
  void read_ahead(const std::vector<Object>&, bool with_defined, ThreadLimit&);

  /// From now on the symbols of a file are known to be these, and are not read.
  void know(std::shared_ptr<const Image> image, std::shared_ptr<const SymbolTable> table) {
    const auto* key = image.get();
    known_[key] = {std::move(table), std::move(image)};
  }

 private:
  static constexpr std::size_t most_kept_bytes = std::size_t{32} << 20;

  struct Known {
    std::shared_ptr<const SymbolTable> table;
    Cost cost;
  };

  /// For many threads.
  Known read(const File&, const Object&, bool with_defined) const;
  /// The table if the question can afford it.
  std::shared_ptr<const SymbolTable> paid(const Known&);

  const FileSystem& files_;
  Budget& budget_;
  Reopener reopener_;
  std::unordered_map<const Image*, Known> kept_;
  std::unordered_map<const Image*, std::optional<Known>> ahead_;  ///< nothing where it could not be read ahead
  std::size_t kept_bytes_ = 0;
  std::unordered_map<const Image*, std::pair<std::shared_ptr<const SymbolTable>, std::shared_ptr<const Image>>> known_;
};

}  // namespace cudald
