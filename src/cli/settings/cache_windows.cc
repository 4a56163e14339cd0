// The build for Windows keeps nothing from run to run.
#include "cli/settings/cache.h"

namespace cudald {

std::string cache_folder(const Environment&) { return ""; }

std::string cache_folder(const Options&, const Host&) { return ""; }

CacheSize cache_size(const std::string&) { return {}; }

bool make_cache(const std::string&) { return false; }

void trim_cache(const std::string&, std::uint64_t) {}

void trim_cache_now_and_then(const std::string&, std::uint64_t) {}

void keep(const KeptTree&, const std::string&) {}

bool clear_cache(const std::string&) { return true; }

}  // namespace cudald
