#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "package/wheel_texts.h"

namespace cudald {

/// Wheels in folders, from which those are taken that somebody requires, as pip would with --no-index --find-links.
class WheelPool {
 public:
  explicit WheelPool(const FileSystem& files) : files_(files) {}

  void add_folder(const std::string& folder);
  bool empty() const { return wheels_.empty(); }

  /// The path of the newest wheel of a distribution (its normal name) that fits the Python ("3.11"; empty: any), the
  /// machine ("x86_64") and all these specifiers; empty if there is none.
  std::string choose(const std::string& distribution, const std::vector<std::string>& specifiers,
                     const std::string& python_version, const std::string& machine) const;
  bool has(const std::string& distribution) const { return wheels_.contains(distribution); }
  /// The distribution whose wheel has a member below that folder or module file of site-packages; empty if none has.
  std::string distribution_of(const std::string& module) const;
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
