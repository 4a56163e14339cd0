#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "package/requirement.h"
#include "package/wheel_texts.h"

namespace cudald {

/// An installed distribution that lists files which are no longer there, or not as it lists them.
struct DamagedPackage {
  std::string name, version;
  std::vector<std::string> gone;  ///< absolute paths, the first ones
};

/// METADATA of a distribution that is installed in a site-packages folder; nullopt if it is not there.
std::optional<WheelMetadata> installed_metadata(const FileSystem&, const std::string& site,
                                                std::string_view distribution);

/// The tags that WHEEL of an installed distribution states: "cp311-cp311-linux_x86_64"; empty if it is not there.
std::vector<std::string> installed_wheel_tags(const FileSystem&, const std::string& site, std::string_view name);

/// Whether a text may be the name of a distribution, and is no library's or program's file. Source: PEP 508, "Names".
bool is_distribution_name(std::string_view);

/// The modules that an installed distribution brings, for others to import: "sklearn" of scikit-learn,
/// "google.protobuf" of protobuf; if one is called like the distribution, that one. Empty if it is not there.
std::vector<std::string> modules_of_distribution(const FileSystem&, const std::string& site, std::string_view name);

/// The files that an installed distribution has put into the bin directory of its environment: absolute paths.
std::vector<std::string> programs_of_distribution(const FileSystem&, const std::string& site, std::string_view name);

/// The files that its RECORD lists, relative to site-packages; empty if it is not there.
std::set<std::string> files_of_distribution(const FileSystem&, const std::string& site, std::string_view name);

/// The names of the modules and distributions in a folder of sys.path.
std::set<std::string> installed_names(const FileSystem&, const std::string& site);

/// The distribution whose RECORD lists a file that is gone and would be a module, "numpy.linalg._umath_linalg".
std::optional<DamagedPackage> package_that_lost_module(const FileSystem&, const std::string& site,
                                                       const std::string& module);

/// The distribution that has put a file there which no longer has the size that RECORD states.
std::optional<DamagedPackage> package_of_altered(const FileSystem&, const std::string& site, const std::string& path);

/// A distribution that is installed in a release that another one does not allow.
struct UnmetRequirement {
  std::string name, version;  ///< that is installed; no version: it is not
  std::string wanted;         ///< "torch==2.8.0"
};

/// What a distribution requires, without an extra, and has in another release. Markers that need values which are not
/// given do not count.
std::vector<UnmetRequirement> unmet_requirements(const FileSystem&, const std::string& site,
                                                 std::string_view distribution, const MarkerValues& values = {});

/// What a distribution requires, without an extra, and what is not installed in any release: their versions are empty.
std::vector<UnmetRequirement> absent_requirements(const FileSystem&, const std::string& site,
                                                  std::string_view distribution, const MarkerValues& values);

/// The same with who requires it: "torch 2.3.1".
struct UnmetBy {
  std::string by;
  UnmetRequirement unmet;
};

/// The unmet requirements of all that is installed there.
std::vector<UnmetBy> all_unmet(const FileSystem&, const std::string& site);

/// The distributions that are installed there and allow no release which these requirements do, without those that are
/// among them.
std::vector<std::string> requirers_that_exclude(const FileSystem&, const std::string& site,
                                                const std::vector<Requirement>&, const MarkerValues&);

/// What the extras of a distribution ask for, and what is installed in an older release.
std::vector<UnmetRequirement> unmet_by_extra(const FileSystem&, const std::string& site, std::string_view distribution);

/// What an extra of a distribution asks for in that very release of the distribution, as it is released together with
/// it, and what is installed in another one: jax-cuda12-plugin 0.5.1 beside jax 0.4.35.
std::vector<UnmetRequirement> unmet_in_step(const FileSystem&, const std::string& site, std::string_view distribution);

/// An installed distribution that requires this one in releases of which none is allowed by the specifiers, too, and
/// what it requires: "numpy>=1.25" where "<1.25" is given. nullopt if there is none.
std::optional<UnmetBy> opposed_requirement(const FileSystem&, const std::string& site, std::string_view distribution,
                                           std::string_view specifiers, const MarkerValues&);

/// The lowest "<2.7" that an installed distribution requires of this one without an extra, above a release; empty if
/// there is none.
std::string lowest_bound(const FileSystem&, const std::string& site, std::string_view distribution,
                         std::string_view above);

/// The first line of Requires-Dist, of any distribution that is installed there, that asks for this one without an
/// extra: "PyYAML>=5.3"; empty if there is none. `with`: only one whose specifiers have that text.
std::string installed_requirement(const FileSystem&, const std::string& site, std::string_view distribution,
                                  std::string_view with = "");

}  // namespace cudald
