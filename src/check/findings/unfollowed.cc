#include "check/findings/unfollowed.h"

namespace cudald {

std::vector<const Import::Unfollowed*> certainly_unfollowed(const Report& report) {
  std::vector<const Import::Unfollowed*> found;
  for (const Import& import : report.resolution.imports)
    for (const auto& one : import.unfollowed)
      if (one.certain) found.push_back(&one);
  return found;
}

}  // namespace cudald
