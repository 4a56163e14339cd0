#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include <cudald/environment.h>

namespace cudald {

/// The folder in which is kept what was read of packages: $XDG_CACHE_HOME/cudald/ranges-1, or below ~/.cache; empty if
/// neither is named. The number is that of the form of its files: another version of cudald reads none that it does not
/// know.
std::string cache_folder(const Environment&);

/// What lies in it.
struct CacheSize {
  std::uint64_t files = 0, bytes = 0;
};
CacheSize cache_size(const std::string& folder);
/// Makes the folder. False if that fails.
bool make_cache(const std::string& folder);
/// Takes the files away that were used longest ago, until no more than `most` bytes are left, and what a run left
/// behind that was ended while it wrote.
void trim_cache(const std::string& folder, std::uint64_t most);
/// Takes all away. False if something stays.
bool clear_cache(const std::string& folder);

}  // namespace cudald
