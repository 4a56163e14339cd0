#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "binary/image_store.h"

namespace cudald {

/// A file that lies outside the search and might be what was meant.
struct Whereabouts {
  std::string path;
  bool exact_name{};   ///< the very name; else the same library with another version at its end
  bool same_soname{};  ///< another file name, but its DT_SONAME is the name that is asked for, or what others call the
                       ///< same library, or a link of that name beside it was made for it
  bool fits{};         ///< an ELF file of the asking object's class and machine
  bool renamed{};      ///< the same library under the name that a wheel's repair tool gave it, or without that name
  bool other_case{};   ///< the name but for the case of its letters: on macOS and Windows they are one
};

/// Looks for a missing library, and its siblings of another version, in the folders that a user's copy usually lies in:
/// beside what is loaded, in the requester's environment (lib, site-packages/nvidia/*/lib, NAME.libs), in CUDA
/// toolkits, in the folders that were searched, and in those of ld.so.cache. Only lists folders; nothing is loaded.
std::vector<Whereabouts> find_whereabouts(const std::string& name, ObjectId requester, const Edge&, const Report&,
                                          ImageStore&);

/// Of a library that no known package has: where it lies below the directories for what is installed without packages,
/// /opt and /usr/local, as deep as a compiler of Intel is unpacked. The first ones; so much is listed and no more.
std::vector<Whereabouts> find_below_opt(const std::string& name, const Image& requester, ImageStore&);

/// The same where users install for themselves: in lib and lib64 of their directories, and of each directory there, as
/// --prefix=$HOME/gdal and ~/miniconda3 have them.
std::vector<Whereabouts> find_in_homes(const std::string& name, const Image& requester, const Query&, ImageStore&);

/// The same in the tree of directories that the requester lies in, as a checkout or an SDK has it: below the
/// directories up to three levels above its own.
std::vector<Whereabouts> find_in_project(const std::string& name, const Object& requester, ImageStore&);

/// "libcudart.so" for "libcudart.so.11.0": the name without its version.
std::string unversioned_name(const std::string& library);

/// Where a name without a number, "libvulkan.so", is asked for, and the library is there under its own name: of several
/// the one with the highest number; nullptr if it is not so.
const Whereabouts* linker_target(const Edge&, const std::vector<Whereabouts>&);

}  // namespace cudald
