#include "base/isal_library.h"

namespace cudald {

const IsalLibrary& IsalLibrary::get() {
  static const auto linked = [] {
    IsalLibrary library;
#define CUDALD_LINK(name) library.name = &::name;
    CUDALD_OF_ISAL(CUDALD_LINK)
#undef CUDALD_LINK
    return library;
  }();
  return linked;
}

}  // namespace cudald
