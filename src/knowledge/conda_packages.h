#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/knowledge.h>

namespace cudald {

/// A package of conda that carries a library, in the folder lib of its environment.
struct CondaProvider {
  std::string package, channel;
  std::string requirement;     ///< for conda install: "cudnn=8.9 cudatoolkit=11.8"
  std::optional<int> cuda;     ///< the major of CUDA that it is for
  std::string oldest, newest;  ///< releases that were seen; may be empty
  std::string source;          ///< with the day on which it was checked
  bool likely = true;          ///< nothing repeats its proof: it is told as likely
};

/// Which packages of conda carry exactly this file name (data/conda-packages.json); empty if none is known.
std::vector<CondaProvider> conda_packages_of(std::string_view library, const Knowledge&);

struct CondaContents {
  std::vector<std::string> libraries;
  bool likely = false;  ///< nothing repeats the proof of some of it
};

/// What a package carries, of those that are for this major of CUDA, or for any.
CondaContents libraries_of_conda(std::string_view package, std::optional<int> cuda, const Knowledge&);

/// The command that installs packages into an environment; without one, into the active environment.
std::string conda_install(const CondaProvider&, const std::string& prefix = "");

}  // namespace cudald
