#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// The clock of a file system ticks in steps: a file that is changed twice in one looks the same afterwards. How long
/// these are at most, by a time that it gave, both in nanoseconds: where there is no fraction of a second, it may count
/// seconds, or pairs of them (FAT).
constexpr std::int64_t longest_clock_tick(std::int64_t changed) {
  return changed % 1'000'000'000 == 0 ? 2'000'000'000 : 50'000'000;
}

/// Who keeps paths inside a root: the kernel, by openat2(2) with RESOLVE_IN_ROOT (Linux 5.6), so that what is opened is
/// what was found, even in a tree that somebody changes; or a walk of our own, where it cannot (ENOSYS), or a sandbox
/// forbids it (EPERM).
enum class RootKeeper { kernel, walk };

std::unique_ptr<FileSystem> make_disk_file_system(std::string root, RootKeeper);
/// Whether the kernel can.
bool kernel_keeps_roots();

}  // namespace cudald
