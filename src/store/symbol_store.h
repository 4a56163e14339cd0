#pragma once

#include <list>
#include <memory>
#include <unordered_map>

#include <cudald/file_system.h>
#include <cudald/resolution.h>

namespace cudald {

class SymbolTable;  // image/symbol_table.h

/// Symbol tables of the files in use, read on demand. Tables of files that recur in many processes (libc) are kept,
/// within a bound on memory.
class SymbolStore {
 public:
  explicit SymbolStore(const FileSystem& files) : files_(files) {}

  /// `with_defined`: also references to symbols that the file defines itself; such tables are not kept.
  std::shared_ptr<const SymbolTable> get(const Object&, bool with_defined);

 private:
  static constexpr std::size_t most_kept_bytes = std::size_t{32} << 20;

  const FileSystem& files_;
  std::unordered_map<const Image*, std::shared_ptr<const SymbolTable>> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace cudald
