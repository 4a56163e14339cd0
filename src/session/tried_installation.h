#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <cudald/file_system.h>

#include "package/package_tree.h"
#include "package/requirement.h"
#include "package/wheel_tags.h"
#include "session/changed_tree.h"
#include "session/wheel_index.h"

namespace cudald {

/// The environment that an installation changes.
struct InstallPlace {
  std::string site;         ///< its site-packages directory, without a slash at its end
  WheelEnvironment wheels;  ///< which wheels fit there
  MarkerValues markers;
};

/// What pip is asked to install.
struct InstallRequest {
  std::vector<Requirement> wanted;
  bool upgrade = false;      ///< also what is there and allowed, to the newest release
  bool again = false;        ///< also what is there in that release
  bool requirements = true;  ///< what the releases require, too
  /// "2021-02-01T12:30:00Z": in the releases of that time, or the first ones that fit after it, whatever is there; with
  /// `upgrade` also what these require and is there. Mostly empty.
  std::string time = {};
};

/// What pip or uv would leave in an environment: wheels of an index lie in the place of what was installed. Nothing is
/// written, and of the wheels only what is asked for is read.
class TriedInstallation {
 public:
  /// `files`: the tree with the environment, in which the wheels can be read. `tree` lies over wheels().
  TriedInstallation(const FileSystem& files, WheelIndex& index, InstallPlace place);

  /// The tree below the one that is changed: all files, and the wheels that were chosen.
  const FileSystem& wheels() const { return wheels_; }
  /// False if it is not known what would be installed, or it cannot be read: no wheel fits, two requirements exclude
  /// each other, the index does not answer.
  bool install(const InstallRequest&, ChangedTree&);
  /// False if the distribution is not installed.
  bool uninstall(const std::string& distribution, ChangedTree&);
  /// "numpy" -> "1.26.4": what was installed, by normal names.
  const std::map<std::string, std::string>& installed() const { return installed_; }

 private:
  struct Wanted {
    std::vector<std::string> specifiers;
    std::set<std::string> extras;
    bool asked = false;  ///< by the command itself
  };

  bool allow_the_others(const std::vector<std::string>& requires_dist, const InstallRequest&) const;
  bool put(const std::string& distribution, const Wanted&, const InstallRequest&, ChangedTree&);
  bool follow(const std::string& distribution, std::size_t package, const Wanted&);
  void lay_out(const std::string& archive, ChangedTree&) const;
  /// Whether its METADATA allows the Python; an index need not say it.
  bool allows_python(const Package&) const;

  const FileSystem& files_;
  WheelIndex& index_;
  InstallPlace place_;
  PackageTree wheels_;
  // Of the command that runs.
  std::map<std::string, Wanted> wanted_;
  std::vector<std::string> queue_;
  std::map<std::string, std::string> decided_;

  std::map<std::string, std::string> installed_;
};

/// What `pip install`, `uv pip install` and `pip uninstall` are asked for by the words behind them; nullopt if an
/// option or an address makes it another question: another index, sources, candidates.
std::optional<InstallRequest> install_request(const std::vector<std::string>& words);

}  // namespace cudald
