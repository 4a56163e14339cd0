#pragma once

#include <map>
#include <string>
#include <vector>

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "check/fixes/whereabouts.h"
#include "store/store.h"

namespace cudald {

struct Provider;  // knowledge/providers.h

/// What helps against a library that is not found. Commands are meant to be pasted, and to do what they say: after the
/// first of them the same question is answered otherwise.
class LibraryFixes {
 public:
  LibraryFixes(Report& report, Store& state)
      : report_(report), state_(state), images_(state.images), packages_(state.packages) {}

  /// For a finding about one search, which names its object and edge. `decisive` is the probe that ended the search at
  /// an unusable file, or nullptr.
  void add_fixes(const std::vector<Whereabouts>&, const Probe* decisive, Finding&);
  /// Where one object misses several libraries: to the first of these findings, what helps against all of them.
  void add_common_fixes();
  /// What installs the library that a request of the requester did not find; the finding names its object.
  void add_installs(const Object& requester, const Edge&, Finding&);

 private:
  /// What would answer a finding.
  struct Remedy {
    std::string install;      ///< "pip install "; empty: the library is there
    std::string requirement;  ///< the words behind it
    std::string folder;       ///< to be added to the search; empty: the loader looks there
    std::string then = {};    ///< a command behind that; empty: none
  };

  const Object& requester_of(const Finding& finding) const { return report_.resolution.objects[*finding.object]; }
  bool add_own_prefix(const Object& requester, const std::string& folder, Finding&) const;
  std::string add_path_fixes(const Object& requester, const std::string& path, Finding&) const;
  std::string add_system_search(const std::string& path, const Edge&, Finding&) const;
  std::optional<Fix> link_to_uncached(const std::string& path, const Edge&) const;
  std::string add_to_conf(const std::string& path, const std::string& name, Finding&) const;
  std::string musl_path_file() const;
  void add_required_release(const std::vector<Whereabouts>& found, const Object& requester, Finding&);
  bool add_right_build(const Object& requester, const Edge& edge, Finding&);
  bool add_framework_build(const Object& requester, const Edge&, const std::string& distribution, Finding&);
  bool add_framework(const Object& requester, const Edge& edge, Finding&);
  bool has_system_package(const std::string& library) const;
  bool add_framework_import(const Object& requester, const std::string& path, Finding&) const;
  bool is_searched(const Edge&, const std::string& folder) const;
  void add_file_that_is_there(const std::vector<Whereabouts>&, const Object& requester, const Edge&, Finding&);
  void add_plain_name(const Whereabouts&, const Object& requester, const Edge&, Finding&);
  bool is_in_own_search(const Object& requester, const std::string& folder) const;
  bool add_other_libc(const Edge&, Finding&) const;
  void add_admitted_kernel(const std::string& path, Finding&) const;
  void add_link(const Whereabouts&, const Object& requester, const Edge&, Finding&);
  void add_own_link(const Whereabouts&, const Object& requester, const Edge&, Finding&) const;
  void add_replaced_name(const Whereabouts&, const Object& requester, const Edge&, Finding&);
  void add_useless_link(const std::vector<Whereabouts>&, const Object& requester, const Edge&, Finding&) const;
  void add_system_package(const std::vector<Whereabouts>&, const Object& requester, const Edge&, Finding&);
  bool add_to_deployment(const SystemPackages&, const Object& requester, const Edge&, Finding&) const;
  std::string debian_name(const SystemPackages&, const std::string& library, const std::string& release) const;
  bool add_to_distroless(const SystemPackages&, const Edge&, Finding&) const;
  bool add_foreign_package(const SystemPackages&, const Object& requester, const Edge&, Finding&);
  bool add_lacking_release(const SystemPackages&, const std::vector<Whereabouts>&, const Object& requester, const Edge&,
                           Finding&);
  void add_other_version(const SystemPackages&, const Object& requester, const Edge&, Finding&) const;
  bool add_own_part(const Object& requester, const Edge&, Finding&);
  void add_remedy(const Edge&, const Finding&);
  void add_other_release(const std::vector<Whereabouts>&, const Object& requester, Finding&);
  bool add_place_of_driver(const Edge&, const std::string& path, Finding&) const;
  void add_mended_file(const std::vector<Whereabouts>&, const Probe& unusable, Finding&);
  bool add_lacked_requirement(const Object& requester, const Edge&, Finding&);
  bool add_required_package(const Object& requester, const Edge&, Finding&) const;
  void add_conda_fixes(const Object& requester, const Edge&, Finding&);
  bool add_lost_target(const SystemPackages&, const Edge&, Finding&) const;
  void add_release_of_conda(const Object& requester, const Edge&, const std::string& prefix, Finding&);
  void add_newer_release(const std::vector<Whereabouts>& found, const Object& requester, Finding&);
  void add_release_for_installed(const Object& requester, const std::vector<Provider>&, Finding&);
  void add_pip_fixes(const Object& requester, const Edge&, Finding&);
  std::string conda_prefix(const Object& requester) const;
  const std::string& cuda_major_of(const Object& requester);
  const Installer& installer_of(const Object& requester) const;
  bool add_lost_file(const Object& requester, const Edge&, Finding&);
  void add_lost_file_at(const Object& requester, const std::string& path, Finding&);
  void add_build_for_installed_cuda(const std::vector<Whereabouts>&, const Object& requester, Finding&);
  void add_fix_for(const std::vector<ObjectId>& requesters, Finding& first);

  Report& report_;
  Store& state_;
  ImageStore& images_;
  const PackageTree& packages_;
  std::map<const Object*, std::string> cuda_majors_;            ///< asked for each library that an object misses
  mutable std::map<const Object*, Installer> installers_;       ///< likewise
  std::map<ObjectId, std::map<std::string, Remedy>> remedies_;  ///< by requester and name of the library
};

}  // namespace cudald
