#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// A library that a distribution brings, and where in site-packages.
struct BroughtLibrary {
  std::string name, folder;
};

/// What is known of a distribution that is not at hand, as one release of it has it (data/requirements.json).
struct KnownPackage {
  std::string name, version;
  std::vector<std::string> modules;  ///< what Python imports; dotted in a namespace: "cuda.core"
  std::vector<std::string> requires_dist;
  std::vector<BroughtLibrary> libraries;  ///< for Linux on x86-64
  std::string python;                     ///< its Requires-Python; empty: not noted
};

/// The release that pip would take by these specifiers, as far as releases are known; nullptr if none is that fits.
/// `distribution` is the normal name.
const KnownPackage* known_release(std::string_view distribution, std::string_view specifiers);

/// The version that pip chooses for a Python, "3.11": that of the newest known release, or the one that is pinned.
/// Empty if that is not known. Source: pip takes the newest release that the specifiers and Requires-Python allow.
std::string chosen_version(std::string_view distribution, std::string_view specifiers, std::string_view python);

/// The version that a clause "==12.8.90" of specifiers names, also with ".*"; empty if none does.
std::string pinned_version(std::string_view specifiers);

/// What that release brings for Python to import; where none that fits is known, what the newest one brings: names
/// hardly ever change.
std::vector<std::string> known_modules(std::string_view distribution, std::string_view specifiers);

/// Whether a distribution of which too little is known may bring a library, by itself or by what it requires. Who
/// brings libraries of NVIDIA, of which `of_nvidia` says that it is one, and those of frameworks, is a closed list.
bool may_bring(std::string_view distribution, std::string_view library, bool of_nvidia);

/// A module whose files several distributions install, each its own build of one project.
struct SharedModule {
  std::string module;  ///< empty: none is known
  std::string source;
  std::vector<std::string> distributions = {};  ///< patterns: "cupy-cuda1*"
};

/// The module that a distribution installs as a build of a project that has several.
SharedModule shared_module_of(std::string_view distribution);

/// The distribution that is known to bring a module, or a package around it; of a namespace by itself, one that has a
/// part of it. Of several the one that is called like it; empty if none is known.
std::string distribution_of_module(std::string_view module);

/// Whether a distribution is known that shares the directory at the top with others and brings this part of it:
/// google.protobuf, ruamel.yaml.
bool is_part_of_namespace(std::string_view module);

/// What to hand to pip for a module that older releases of a distribution bring, and the newest no longer does:
/// "setuptools<=81.0.0"; empty if that is known of none.
std::string older_release_with_module(std::string_view module);

/// The option of pip that names the index with such releases of a distribution: "--extra-index-url https://..." for
/// torch 2.4.1+cu121; empty if that is not known.
std::string index_with_local_version(std::string_view distribution, std::string_view version);

/// The name under which the project of a distribution goes on, whose own newest release cannot be installed: tensorflow
/// for tensorflow-gpu; empty for any other. `distribution` is the normal name.
std::string later_name(std::string_view distribution);

/// A distribution of a name under which users expect another project.
struct OtherProject {
  std::string is;       ///< "a toolkit for Pyramid"
  std::string wanted;   ///< "NVIDIA's Apex"
  std::string install;  ///< what to hand to pip install
  std::string source;
};
/// nullopt if the distribution, by its normal name, is none.
std::optional<OtherProject> other_project_of(std::string_view distribution);

/// A release of a distribution that has removed or added a name of one of its modules.
struct ChangedName {
  std::string distribution;
  std::string releases;  ///< that have the name: "<1.24", ">=3.20"
  std::string again;     ///< the release that has it again; empty: none
  std::string python;    ///< the newest for which there are wheels of these; empty: any
  std::string source;
  std::string today;  ///< what code writes in its place with other releases: "tensorflow.compat.v1.Session"; or empty
  /// A distribution that has to be of these releases as well, and that it does not require: "jaxlib"; or empty.
  std::string together;
  bool is_needed = false;  ///< an argument without which a function works in these releases alone

  /// " 'jaxlib<0.4.25'", what to hand to pip as well; mostly empty.
  std::string other_words() const;
  /// What to hand to pip for all: "'jax<0.4.25' 'jaxlib<0.4.25'".
  std::string words_for_pip() const;
};
/// Of a name whose module nobody states: what all rows agree on that have it; nullopt if they do not, or none does.
std::optional<ChangedName> changed_name_anywhere(std::string_view name);
/// nullopt if that is not known: `name` may be a submodule.
std::optional<ChangedName> changed_name(std::string_view module, std::string_view name);
/// Of an argument of a function: "Client.__init__()", or "__init__()" as Python before 3.10 calls it, has it in some
/// releases, "load(...)" works without it. Where `distribution` is empty, all rows have to agree. nullopt if that is
/// not known.
std::optional<ChangedName> changed_argument(std::string_view called, std::string_view argument,
                                            std::string_view distribution);

/// Whether known distributions have parts of it, and none has it whole.
bool is_known_namespace(std::string_view module);

/// Where that comes from, for the evidence: the index, and the day on which it was asked.
std::string requirements_source();

}  // namespace cudald
