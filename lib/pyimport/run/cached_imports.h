#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cudald/file_system.h>

#include "cache/cached_records.h"
#include "pyimport/run/followed_import.h"

namespace cudald::python {

/// Imports that were followed, kept from run to run. May be asked by several threads.
class KeptImports {
 public:
  /// As KeptRecords.
  explicit KeptImports(std::string folder) : records_(std::move(folder), "import") {}

  explicit operator bool() const { return static_cast<bool>(records_); }
  /// What lies there for a key, if all that it hung on is as it was. `number`: processes may answer one import
  /// differently, so that there may be several.
  std::optional<FollowedImport> find(std::string_view key, std::size_t number, const PythonEnvironment&,
                                     const FileSystem&) const;
  void keep(std::string_view key, std::size_t number, const FollowedImport&);
  /// Whether anything was.
  bool has_kept() const { return records_.has_kept(); }

 private:
  KeptRecords records_;
};

}  // namespace cudald::python
