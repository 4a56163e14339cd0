#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/environment.h>
#include <cudald/file_system.h>

#include "base/budget.h"
#include "package/wheel_tags.h"
#include "package/wheel_texts.h"

namespace cudald {

/// Wheels in folders, from which those are taken that somebody requires, as pip would with --no-index --find-links.
class WheelPool {
 public:
  explicit WheelPool(const FileSystem& files) : files_(files) {}

  void add_folder(const std::string& folder);
  bool empty() const { return wheels_.empty(); }

  /// The path of the newest wheel of a distribution (its normal name) that fits the environment and all these
  /// specifiers; empty if there is none.
  std::string choose(const std::string& distribution, const std::vector<std::string>& specifiers,
                     const WheelEnvironment&) const;
  /// Of a distribution.
  std::size_t count(const std::string& distribution) const;
  bool has(const std::string& distribution) const { return wheels_.contains(distribution); }
  /// The distribution whose wheel has that module, else most of its dotted name: many share a namespace such as `cuda`.
  /// Empty if none has a part of it, or when the budget is spent on reading their directories.
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
