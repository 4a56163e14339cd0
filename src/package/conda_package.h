#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive.h"
#include "archive/sieved_file.h"
#include "archive/stream_budget.h"
#include "tree/path_tree.h"

namespace cudald {

/// What info/index.json says.
struct CondaIndex {
  std::string name, version, build;
  std::vector<std::string> depends;
  bool noarch_python = false;
};

/// A file or link of a package, and where conda puts it.
struct CondaFile {
  std::string path;          ///< in the prefix
  std::string link;          ///< target of a symbolic link; empty: a file
  std::uint32_t entry = 0;   ///< the member that stands for it
  std::uint32_t member = 0;  ///< whose bytes it has: names of one file (hard links) have the same
};

/// A package as it would be unpacked and linked into an environment.
struct CondaPackage {
  CondaIndex index;
  std::string placeholder;       ///< the prefix that stands in its binaries until they are installed; mostly empty
  std::vector<CondaFile> files;  ///< in the archive's order
  std::unique_ptr<Archive> archive;
  std::uint64_t inflated = 0;  ///< bytes of its tars, as far as they were read
  ZipProblems problems;
};

/// ".conda", ".tar.bz2".
bool is_conda_package_name(std::string_view path);

/// Opens a package of either format; error if it is none. Sources: conda-package-handling, "conda file format"
/// (a zip of metadata.json, info-*.tar.zst and pkg-*.tar.zst); conda-build, "Conda package specification"; conda
/// core/link.py and gateways/disk/create.py for noarch packages.
Result<CondaPackage> open_conda_package(std::shared_ptr<const File>, const std::string& path, const Rehearsal&,
                                        const InflateLimits&);

/// Where a package's file is installed, relative to the prefix. An environment has one Python, so that its
/// lib/python3.N is written lib/python3.
std::string conda_installed_path(std::string_view name, bool noarch_python);

}  // namespace cudald
