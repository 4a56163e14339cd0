#include "archive/archive_library.h"

namespace cudald {

const Result<ArchiveLibrary>& ArchiveLibrary::get() {
  static const Result<ArchiveLibrary> linked = [] {
    ArchiveLibrary library;
#define CUDALD_LINK(name) library.name = &archive_##name;
    CUDALD_OF_LIBARCHIVE(CUDALD_LINK)
#undef CUDALD_LINK
    return library;
  }();
  return linked;
}

}  // namespace cudald
