#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/result.h>

namespace cudald {

/// A release of Linux, "5.10.0", as numbers.
using KernelRelease = std::array<std::uint32_t, 3>;

enum class LibcKind { glibc, musl };

struct LibcVersion {
  LibcKind kind = LibcKind::glibc;
  int major = 2, minor = 36;

  bool operator==(const LibcVersion&) const = default;

  bool at_least(int wanted_major, int wanted_minor) const {
    return major != wanted_major ? major > wanted_major : minor >= wanted_minor;
  }
};

/// 5, 10 and 0 of "5.10.0-28-amd64"; nullopt if it is no such text.
std::optional<KernelRelease> kernel_release(std::string_view);

/// "glibc-2.36" or "musl-1.2" as on the command line; Error{usage} for anything else.
Result<LibcVersion> parse_libc(std::string_view);

/// What the processor can do, as far as a loader asks.
struct Cpu {
  int x86_64_level = 0;                  ///< 1 to 4 for x86-64-v1 to -v4; 0 where it does not apply
  std::string platform = "x86_64";       ///< AT_PLATFORM, or glibc's own "haswell" and "xeon_phi" on Intel
  std::vector<std::string> hwcap_names;  ///< legacy folders besides the platform, in bit order

  bool operator==(const Cpu&) const = default;
};

/// The processor cudald runs on (cpuid; glibc sysdeps/x86/cpu-features.c).
Cpu host_cpu();
/// A processor of level 1 to 4 as a stated, neutral one.
Cpu x86_64_cpu(int level);

/// Who starts a program.
struct UserId {
  std::uint32_t uid = 0, gid = 0;

  bool operator==(const UserId&) const = default;
};

/// Everything a loader consults besides the files it loads: a plain value.
struct Environment {
  std::map<std::string, std::string> variables;  ///< LD_LIBRARY_PATH and so on
  std::map<std::string, std::string> stated;     ///< those that the user stated: a process of Windows has these alone
  std::string cwd = "/";                         ///< absolute; empty elements of a search path mean it
  std::vector<std::string> preload;              ///< as if put before LD_PRELOAD's own
  std::optional<LibcVersion> libc;               ///< stated by the user; else read out of the tree
  std::optional<std::uint16_t> machine;          ///< stated by the user; else the first target's
  Cpu cpu;
  bool cpu_stated = false;              ///< by the user
  bool secure = false;                  ///< AT_SECURE: set-user-ID and the like
  std::optional<KernelRelease> kernel;  ///< that runs; nullopt: of another machine, and not known
  UserId user;                          ///< who starts it
  std::string user_name;                ///< the same as stated, a name or numbers; empty: `user` counts
  std::string driver;       ///< "535.104.05": NVIDIA's driver is taken to be there; empty: as the tree tells
  bool any_driver = false;  ///< the same of a driver of which nothing more is said

  std::vector<std::string> dll_path;                     ///< Windows: the folders of PATH
  std::vector<std::string> dll_directories;              ///< Windows: as if os.add_dll_directory was called for each
  std::optional<std::uint32_t> default_dll_directories;  ///< Windows: as if SetDefaultDllDirectories was called

  bool operator==(const Environment&) const = default;
  std::optional<std::string> variable(const std::string& name) const;
};

/// The environment of the calling process: its variables, folder and processor.
Environment host_environment();

}  // namespace cudald
