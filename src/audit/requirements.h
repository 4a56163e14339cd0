#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/knowledge.h>
#include <cudald/world.h>

#include "knowledge/known_packages.h"
#include "knowledge/providers.h"
#include "package/package_tree.h"
#include "package/requirement.h"

namespace cudald {

/// Whether pip, by these specifiers, takes a release that has the library: one of those in which it was seen, or a
/// newer one if the newest that was looked at has it. Source: pip takes the newest release that is allowed.
bool brings(const Provider&, std::string_view specifiers);

/// What the installed packages require in a Python with these marker values. Their lines are read once for all
/// questions; the tree must stay as it is.
class RequirementGraph {
 public:
  RequirementGraph(const PackageTree&, const MarkerValues&);

  /// Each distribution that is required, once. `extras` are asked of the packages numbered `asked`; other packages have
  /// the extras that others ask of them. What is at hand is followed further; of what is not, and is known, so is what
  /// it is known to require.
  std::vector<RequiredPackage> active(const std::set<std::size_t>& asked, const std::set<std::string>& extras);

 private:
  struct Line {
    std::size_t length{};                    ///< of its text
    std::optional<Requirement> requirement;  ///< if it can be read; else it does not hold, whatever is asked for
    bool holds = false;                      ///< where no extra is asked for
    bool asks_for_extras = false;            ///< another answer is possible with them
  };
  class Follower;

  /// The lines of a package, or of one that is known.
  const std::vector<Line>& read(const std::vector<std::string>& lines);

  const PackageTree& tree_;
  MarkerValues values_;
  std::map<std::string, std::size_t> numbers_;  ///< of packages at hand, by distribution
  std::map<const std::vector<std::string>*, std::vector<Line>> lines_;
};

/// The same for one question.
std::vector<RequiredPackage> active_requirements(const PackageTree&, const std::set<std::size_t>& asked,
                                                 const MarkerValues&, const std::set<std::string>& extras);

/// What markers ask for in the world of a tag.
MarkerValues marker_values(const World&);

/// The extras that markers of a package ask for, in their order.
std::vector<std::string> extras_of(const Package&);

/// What a required distribution is known to bring; nullopt if it may bring what is not known.
std::optional<std::vector<BroughtLibrary>> brought_by(std::string_view distribution, std::string_view specifiers,
                                                      bool windows, const Knowledge&);

/// Which requirements of a package bring a library.
struct Bringers {
  std::map<std::string, std::vector<std::string>, std::less<>> by_library;  ///< names of DLLs in lower case
  bool complete = true;  ///< it is known of all requirements what they bring
};
Bringers bringers_of(const Package&, const PackageTree&, const MarkerValues&, bool windows, const Knowledge&);

/// Where a library stands that nothing is known to bring; whether something of which that is not known may bring it.
Standing standing_of_unbrought(std::string_view name, bool may_be_brought);

}  // namespace cudald
