#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/result.h>

namespace cudald {

enum class LockKind { pylock, uv_lock, requirements, pip_report, conda_explicit, conda_lock };

/// "a uv.lock", as people are told of it.
std::string_view name_of(LockKind);

/// A file from which a package can be installed.
struct LockedFile {
  std::string name;        ///< without a folder: "torch-2.9.1-cp311-cp311-manylinux_2_28_x86_64.whl"
  std::string url;         ///< may be empty
  std::string path;        ///< on this machine, relative to the lock file; mostly empty
  std::string sha256;      ///< in hexadecimal digits; may be empty
  std::uint64_t size = 0;  ///< 0: not stated
  /// Whether its METADATA lies beside it, with ".metadata" behind its address, and the hash of that, which may be
  /// empty.
  bool has_metadata = false;
  std::string metadata_sha256 = {};
  std::string requires_python = {};  ///< ">=3.9", as an index says it; mostly empty
  bool yanked = false;               ///< taken back by its author: only who names its version gets it (PEP 592)
  std::string uploaded = {};         ///< "2021-02-01T12:30:00.000000Z"; empty: the index does not say (PEP 700)
};

/// That a package needs another one.
struct LockedNeed {
  std::string name;     ///< normal
  std::string version;  ///< only where the lock has several of that name
  std::string marker;
  std::vector<std::string> extras;
  std::string for_extra, for_group;  ///< it is needed only if that is asked for
};

/// A package, pinned to one version.
struct LockedPackage {
  std::string name;  ///< normal
  std::string version;
  std::string marker;  ///< it is installed only where that holds
  std::vector<LockedFile> wheels;
  std::vector<std::string> hashes;  ///< in hexadecimal digits, of files that are not named
  bool from_source = false;         ///< an sdist, a folder or a checkout is what would be installed where no wheel fits
  bool is_root = false;             ///< the project itself, which is not judged
  bool requested = false;           ///< the lock says that somebody asked for it by name
  bool needs_known = false;         ///< `needs` is all that it needs
  std::vector<LockedNeed> needs;
  std::string platform;  ///< of conda: "linux-64"
  std::size_t line = 0;  ///< where it stands in the lock; 0: that is not known
};

/// The indexes that a file of requirements names, with logins and ${VARIABLES} as they stand there.
struct LockedIndexes {
  std::vector<std::string> urls;  ///< beside those of the settings
  bool alone = false;             ///< in place of those
};

struct LockFile {
  LockKind kind = LockKind::requirements;
  std::string requires_python;
  std::string python;  ///< the version that it was made with, where it is for no other: "3.11"
  std::vector<std::string> default_groups;
  std::vector<std::string> find_links;  ///< folders that it names as sources of wheels
  LockedIndexes indexes;
  std::vector<LockedPackage> packages;
  bool is_graph = false;  ///< which packages are installed follows from what the roots need
};

/// Reads a file that a lock names, by its path relative to the lock's folder.
using ReadNamed = std::function<Result<std::string>(const std::string& path)>;

/// Which lock this is, by its name and its first bytes. False if it is none: `kind` is then left alone.
bool recognise_lock(std::string_view file_name, std::string_view text, LockKind& kind);

/// What the lines of a text are, all of them: no lines of a requirements file, bare names as a list of modules has
/// them, too, or requirements of which one says more than a name. Source: PEP 508; pip, requirements file format.
enum class RequirementLines { none, names, requirements };
RequirementLines requirement_lines(std::string_view text);

/// Reads a lock. Errors, whose message names the line where there is one: malformed; usage if something is not pinned
/// to one version, with the command that pins it; limit.
Result<LockFile> read_lock(LockKind, std::string_view text, const ReadNamed&);

}  // namespace cudald
