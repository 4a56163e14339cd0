#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <cudald/file_system.h>

#include "rewrite/new_file.h"
#include "rewrite/scratch_store.h"

namespace cudald {

/// The new content of a member of an archive.
struct NewMember {
  Piece data;  ///< as it stands in the archive
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;
  std::string sha256;  ///< in hexadecimal digits
};

/// Compresses a file as a member that has this method, stored or deflated; `scratch` takes the compressed bytes. The
/// same bytes for the same file.
Result<NewMember> make_new_member(std::shared_ptr<const File>, std::uint16_t method,
                                  const std::shared_ptr<ScratchStore>& scratch);
/// The same of a text.
Result<NewMember> make_new_member(const std::string& text, std::uint16_t method,
                                  const std::shared_ptr<ScratchStore>& scratch);

}  // namespace cudald
