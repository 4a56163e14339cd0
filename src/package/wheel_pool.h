#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>

#include "base/budget.h"
#include "package/wheel_texts.h"

namespace cudald {

/// Wheels in folders, from which those are taken that somebody requires, as pip would with --no-index --find-links.
class WheelPool {
 public:
  explicit WheelPool(const FileSystem& files) : files_(files) {}

  void add_folder(const std::string& folder);
  bool empty() const { return wheels_.empty(); }

  /// For what a wheel is chosen.
  struct Environment {
    std::string python_version;            ///< "3.11"; empty: any
    std::string machine;                   ///< "x86_64"
    std::optional<LibcVersion> musl = {};  ///< nullopt: glibc, of any version
    std::string windows_tag = {};          ///< "win_amd64", of a Python on Windows; empty: Linux
  };
  /// The path of the newest wheel of a distribution (its normal name) that fits the environment and all these
  /// specifiers; empty if there is none. Source of what fits: PEP 425, PEP 600 and PEP 656.
  std::string choose(const std::string& distribution, const std::vector<std::string>& specifiers,
                     const Environment&) const;
  /// Of a distribution.
  std::size_t count(const std::string& distribution) const;
  bool has(const std::string& distribution) const { return wheels_.contains(distribution); }
  /// The distribution whose wheel has a member below that folder or module file of site-packages; empty if none has, or
  /// when the budget is spent on reading their directories.
  std::string distribution_of(const std::string& module, Budget&) const;
  /// The newest Python that some wheel is made for: "3.11"; empty if they are for any.
  std::string newest_python() const;

 private:
  struct Wheel {
    std::string path;
    WheelFileName name;
  };

  const FileSystem& files_;
  std::map<std::string, std::vector<Wheel>> wheels_;  ///< by normal distribution name
};

}  // namespace cudald
