#pragma once

#include <string>
#include <vector>

#include <cudald/report.h>

#include "package/package_tree.h"

namespace cudald {

/// Where a library stands that was found nowhere, among what a package may count on in the world of its tag.
enum class Standing {
  own,         ///< a package at hand has it, where this search does not look
  declared,    ///< a requirement is known to bring it, likewise
  possible,    ///< a requirement may bring it of which it is not known what it brings
  python,      ///< Python's own library, which some builds of Python have
  undeclared,  ///< nothing brings it
};

struct Account {
  Standing standing = Standing::undeclared;
  std::vector<std::string> by;  ///< the distributions that bring it, or may
};

/// Of a request that found no file at all.
Account account_of(const World&, const PackageTree&, const Edge&);

/// The request that fails because an edge found nothing; nullptr if none does.
const Target* failing_request(const Report&, ObjectId requester, const Edge&);

/// Whether a miss is told as what a package needs and may not count on (CUD501).
bool is_told_as_requirement(const Report&, const PackageTree&, const Edge&);

}  // namespace cudald
