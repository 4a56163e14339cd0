#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cudald/file_system.h>

#include "archive/archive.h"

namespace cudald {

/// Files of which only the names are known, by number: they can be found, and hold nothing that could be read.
class NamesOnly final : public Archive {
 public:
  explicit NamesOnly(std::vector<std::string> names) : names_(std::move(names)) {}

  std::string_view name(std::size_t member) const override { return names_[member]; }
  FileStatus status(std::size_t member) const override;
  Result<std::shared_ptr<const File>> open(std::size_t member, const FileStatus&,
                                           const std::string& shown) const override;

 private:
  std::vector<std::string> names_;
};

}  // namespace cudald
