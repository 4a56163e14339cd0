#include "base/isal_library.h"
#include "os/loaded_library.h"

namespace cudald {
namespace {

[[noreturn]] void fail_without_isal(const std::string& why) {
  throw MissingLibrary("ISA-L cannot be loaded: " + why + " (Debian, Ubuntu: apt-get install libisal2)");
}

IsalLibrary load_isal_library() {
  auto loaded = LoadedLibrary::load({"libisal.so.2"});
  if (!loaded) fail_without_isal(loaded.error().message);
  IsalLibrary library;
#define CUDALD_TAKE(name) loaded->take(library.name, #name);
  CUDALD_OF_ISAL(CUDALD_TAKE)
#undef CUDALD_TAKE
  if (!loaded->fault().empty()) fail_without_isal(loaded->fault());
  return library;
}

}  // namespace

const IsalLibrary& IsalLibrary::get() {
  static const auto loaded = load_isal_library();
  return loaded;
}

}  // namespace cudald
