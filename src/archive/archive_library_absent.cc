#include "archive/archive_library.h"

namespace cudald {

const Result<ArchiveLibrary>& ArchiveLibrary::get() {
  static const Result<ArchiveLibrary> absent = Error{
      ErrorCode::unreadable, "this build has no libarchive: it reads wheels, but no tar, .conda or compressed file"};
  return absent;
}

}  // namespace cudald
