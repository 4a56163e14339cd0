// A library that is not found is called as another distribution calls it: the file that needs it was built there, and
// no package has that name here. Or it lies where no loader looks, as a toolchain does. Source: data/linux-names.json.

#include "check/fixes/other_system.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "knowledge/linux_names.h"

namespace cudald {
namespace {

void add_build_here(const Object& requester, Finding& finding) {
  const auto name = short_name(requester);
  if (name.ends_with(".node")) {
    finding.fixes.push_back({fmt::format("build {} on this system", name), "npm rebuild",
                             "in the directory of the program's package.json; it needs a compiler"});
    return;
  }
  finding.fixes.push_back({fmt::format("take the build of {} for this system, or build it here", name), "", ""});
}

/// A library of another system: none of its packages is for this one.
void add_foreign_build(const Object& requester, const std::string& library, const NameOfSystems& named,
                       Finding& finding) {
  const auto name = short_name(requester);
  finding.message += fmt::format("; it is a library of {}, for which {} was built", named.who, name);
  finding.evidence.push_back({fmt::format("{} belongs to {}", library, named.who), "", Basis::table, named.source});
  finding.fixes.push_back({fmt::format("take the build of {} for Linux, or compile it for Linux", name), "", ""});
  finding.does_not_help.push_back(
      fmt::format("a {} from {}: it is made for the C library of that system", library, named.who));
}

}  // namespace

bool add_other_system(const Object& requester, const std::string& library, const SystemPackages& system,
                      Finding& finding) {
  if (const auto named = name_of_systems(library)) {
    const auto is_here = [&](const std::string& word) { return system.is(word); };
    if (named->systems.empty()) {
      add_foreign_build(requester, library, *named, finding);
      return true;
    }
    if (!system.is_known() || std::any_of(named->systems.begin(), named->systems.end(), is_here)) return false;
    finding.message += fmt::format("; that is the name on {}: {} was built there", named->who, short_name(requester));
    finding.evidence.push_back(
        {fmt::format("{} is called so on {}, elsewhere {}", library, named->who, named->elsewhere), "", Basis::table,
         named->source});
    add_build_here(requester, finding);
    return true;
  }
  const auto installation = installation_of(library);
  if (!installation || installation->who.empty()) return false;
  finding.evidence.push_back(
      {fmt::format("{} belongs to {}", library, installation->who), "", Basis::table, installation->source});
  if (installation->fix.empty()) return false;
  finding.fixes.push_back({installation->fix, installation->command, ""});
  return true;
}

}  // namespace cudald
