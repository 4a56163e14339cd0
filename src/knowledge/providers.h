#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cudald/knowledge.h>

namespace cudald {

/// A distribution that carries a library, and where in site-packages it puts it.
struct Provider {
  std::string distribution, version, folder;
  std::string requirement;  ///< what to hand to pip: the name, or the name with a version that still has the file
  std::string oldest;       ///< release in which the file was seen; `version` is the newest
  std::string source;       ///< with the day on which it was checked
  bool likely = true;       ///< nothing repeats its proof: it is told as likely
};

/// A package of a system's own archive, or of NVIDIA's.
struct SystemPackage {
  std::string command;  ///< "apt install libcublas11"
  std::string version;  ///< may be empty
  std::string system;   ///< "Debian 12 (non-free)"
  std::string folder;   ///< absolute
  std::string source;   ///< with the day on which it was checked
  bool likely = true;   ///< nothing repeats its proof: it is told as likely
};

/// How to say that a package has a file: "provides", or "likely provides".
template <typename Package>
std::string_view carries(const Package& package) {
  return package.likely ? "likely provides" : "provides";
}

/// Which distributions of the Python package index carry exactly this file name (data/providers.json), each once, by
/// the newest release that has it; empty if none is known. The case of DLLs' names does not matter.
std::vector<Provider> providers_of(std::string_view library, const Knowledge&);

/// Of these, those for one major of CUDA, "11"; all where none is for it, or nothing is asked.
std::vector<Provider> providers_of(std::string_view library, std::string_view cuda_major, const Knowledge&);

/// Of several, at least one, the one for the newest CUDA, as their rows are in that order; of those that put the
/// library where the first does, which is the usual place.
const Provider& newest_usual(const std::vector<Provider>&);

/// What a distribution, by its normal name, carries for one system: each library and the rows that say so, one for each
/// run of releases that have it in one folder.
std::vector<std::pair<std::string, Provider>> libraries_of(std::string_view distribution, bool windows,
                                                           const Knowledge&);

/// Which packages of systems carry it; of a name without version, libX.so, those that carry it in any version.
std::vector<SystemPackage> system_packages_of(std::string_view library, const Knowledge&);

/// The same library in other versions: libcudart.so.12 and .13 of libcudart.so.11.0.
std::vector<std::string> other_versions_of(std::string_view library, const Knowledge&);

/// A name in the table that may be meant; empty if none is like it. Names that differ in their numbers alone are of
/// another ABI, and never meant.
std::string similar_library(std::string_view library, const Knowledge&);

/// Where that table comes from as a whole, for the evidence: the file and the day on which it was checked.
std::string providers_source(const Knowledge&);

}  // namespace cudald
