#include "os/this_windows.h"

namespace cudald {

const ThisWindows* this_windows() { return nullptr; }

}  // namespace cudald
