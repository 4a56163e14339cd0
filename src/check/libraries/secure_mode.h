#pragma once

#include <string>

#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// The path at which a search would have found the library if the process were not a secure one (AT_SECURE): in a
/// folder of LD_LIBRARY_PATH or of $ORIGIN. Empty: there is none.
std::string hidden_by_secure_mode(const Report&, const Object& requester, const Edge&, ImageStore&);
/// Whether the loader refuses the name itself, which holds $ORIGIN.
bool is_refused_token(const Edge&);
/// Why it is a secure process, and what makes the library known nevertheless.
void explain_secure_mode(const Report&, const Object& requester, const Edge&, const std::string& hidden, ImageStore&,
                         Finding&);

}  // namespace cudald
