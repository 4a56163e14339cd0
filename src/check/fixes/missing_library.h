#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "check/fixes/whereabouts.h"
#include "store/store.h"

namespace cudald {

/// What brings a library, in parts: one command can then bring several.
struct Remedy {
  std::string install;      ///< "pip install "; empty: the library is there
  std::string requirement;  ///< the words behind it
  std::string folder;       ///< to be added to the search; empty: the loader looks there
  std::string then = {};    ///< a command behind that; empty: none
};

/// What the fixes of all libraries that one object misses share; what is found out is found out once.
struct RequesterFixes {
  std::optional<Installer> installer;
  std::optional<std::string> cuda_major;
  std::map<std::string, Remedy> remedies;  ///< by the name of the library
};

/// A library that an object asks for and does not get, and the finding that says so. Each kind of fix reads here what
/// it depends on, and puts here what it has.
struct MissingLibrary {
  /// Of a finding that names its object.
  MissingLibrary(Report&, Store&, const Edge&, const std::vector<Whereabouts>&, Finding&, RequesterFixes&);

  Report& report;
  Store& store;
  ImageStore& images;
  const PackageTree& packages;
  const Object& requester;
  const Edge& edge;
  const std::vector<Whereabouts>& found;  ///< files that might be what was meant
  Finding& finding;
  RequesterFixes& of_requester;
  std::map<std::string, Remedy>& remedies;

  void offer(Fix fix) const { finding.fixes.push_back(std::move(fix)); }

  /// What installs packages of Python where the requester lies.
  const Installer& installer() const;
  /// "11" if what the requester asks for, it itself, or all runtimes of the process are of CUDA 11; empty if nothing
  /// tells.
  const std::string& cuda_major() const;
  /// The environment of conda that the requester, the program or the stated prefix belongs to; empty if it is none.
  std::string conda_prefix() const;
  /// The absolute path that was tried.
  std::string place_of(const Probe&) const;
  template <typename Predicate>
  bool is_tried(Predicate predicate) const {
    return std::any_of(edge.search.probes.begin(), edge.search.probes.end(), predicate);
  }
  /// Whether some path that was tried lies in that folder of a site-packages.
  bool is_searched(const std::string& folder) const;
};

/// Whether a file lies where packages of Python are installed, or in a wheel.
bool is_of_python(const Object&);

}  // namespace cudald
