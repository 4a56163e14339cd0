#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cudald/file_system.h>

#include "lock/lock_file.h"
#include "package/package_tree.h"

namespace cudald {

// What a word means that somebody typed as a target: decided here, once, by the name and the tree, for all commands.
// What only a process can decide, as which module or program a name means, is left to session/resolve.cc.

/// A file, or a path at which there is none: whoever opens it says why it cannot be judged.
struct FileTarget {};
/// A tar with the root of a tree: an image as `docker save` writes it.
struct ImageTarget {};
/// A lock, or a requirements file that pins nothing, under any name.
struct LockTarget {
  std::string given;      ///< as it was named; "-"
  std::string directory;  ///< in which it lies
  std::string text;
  LockKind kind = LockKind::requirements;
};
/// A virtual environment, or one of conda.
struct EnvironmentTarget {
  std::string prefix;
};
/// A directory that stands for the packages, libraries and programs in it and below, in the order of their paths. None
/// if it holds nothing of the kind.
struct DirectoryTarget {
  struct Entry {
    std::string given;  ///< beginning as the directory was named
    bool is_program = false;
  };
  std::vector<Entry> entries;
};
/// A module of Python: marked as one, or a directory with an __init__.py.
struct ModuleTarget {};
/// The name of a library, which the loader looks for.
struct LibraryTarget {};
/// Any other name: a program of PATH, a module, a distribution.
struct NameTarget {};

using TypedTarget = std::variant<FileTarget, PackageTarget, ImageTarget, LockTarget, EnvironmentTarget, DirectoryTarget,
                                 ModuleTarget, LibraryTarget, NameTarget>;

/// A target as it was typed, with what it means.
struct Typed {
  std::string given;
  TypedTarget target;
};

/// What `given` means in a tree, from the directory `cwd` on. Of a directory at most `most` entries are taken.
TypedTarget classify(const std::string& given, const FileSystem&, const std::string& cwd, std::size_t most = 100'000);

/// What a directory stands for, even if it means something else: an environment, a module.
DirectoryTarget open_directory(const std::string& given, const std::string& path, const FileSystem&,
                               std::size_t most = 100'000);
/// The lock that lies there; nullopt if it is none.
std::optional<LockTarget> lock_target(const std::string& given, const FileSystem&, const std::string& cwd);

/// Whether a file of that name is a package or a library.
bool is_target_name(std::string_view name);

}  // namespace cudald
