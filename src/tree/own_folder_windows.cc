#include "tree/own_folder.h"

namespace cudald {

std::string distrust_of(const std::string&) { return "this build for Windows keeps no cache"; }

bool make_own_folders(const std::string&) { return false; }

}  // namespace cudald
