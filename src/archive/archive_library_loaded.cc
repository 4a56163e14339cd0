#include "archive/archive_library.h"
#include "os/loaded_library.h"

namespace cudald {
namespace {

Error archive_library_fault(const std::string& what) {
  return {ErrorCode::unreadable,
          "libarchive cannot be loaded: " + what + " (Debian, Ubuntu: apt-get install libarchive13)"};
}

Result<ArchiveLibrary> load_archive_library() {
  auto loaded = LoadedLibrary::load({"libarchive.so.13"});
  if (!loaded) return archive_library_fault(loaded.error().message);
  ArchiveLibrary library;
#define CUDALD_TAKE(name) loaded->take(library.name, "archive_" #name);
  CUDALD_OF_LIBARCHIVE(CUDALD_TAKE)
#undef CUDALD_TAKE
  if (!loaded->fault().empty()) return archive_library_fault(loaded->fault());
  return library;
}

}  // namespace

const Result<ArchiveLibrary>& ArchiveLibrary::get() {
  static const Result<ArchiveLibrary> loaded = load_archive_library();
  return loaded;
}

}  // namespace cudald
