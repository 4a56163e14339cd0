#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include <cudald/environment.h>

#include "cache/cached_tree.h"
#include "cli/options/options.h"
#include "cli/output/host.h"

namespace cudald {

/// The folder in which is kept what was read of packages: $XDG_CACHE_HOME/cudald/facts-1, or below ~/.cache; empty if
/// neither is named. The number is that of the form of its files: another version of cudald reads none that it does not
/// know.
std::string cache_folder(const Environment&);
/// The same; empty if the options say that nothing is kept, or others may write to it.
std::string cache_folder(const Options&, const Host&);

constexpr std::uint64_t most_cache_bytes = std::uint64_t{4} << 30;

/// What lies in it.
struct CacheSize {
  std::uint64_t files = 0, bytes = 0;
};
CacheSize cache_size(const std::string& folder);
/// Makes the folder, which else is made when something is kept. False if that fails.
bool make_cache(const std::string& folder);
/// Takes the files away that were used longest ago, until no more than `most` bytes are left, and what a run left
/// behind that was ended while it wrote.
void trim_cache(const std::string& folder, std::uint64_t most);
/// The same, unless that was done within a minute: to look at all files costs more than many an answer.
void trim_cache_now_and_then(const std::string& folder, std::uint64_t most);
/// Keeps what was read of wheels on this machine, within the limits of the cache. Where nothing can be written, nothing
/// is kept.
void keep(const KeptTree&, const std::string& folder);
/// Takes all away that is ours. False if something stays.
bool clear_cache(const std::string& folder);

}  // namespace cudald
