#pragma once

#include <set>
#include <string>
#include <vector>

#include <cudald/finding.h>

#include "cli/options/settings.h"

namespace cudald {

// Suppressions of a scan. The process that judges a target knows which were of use there; only the merge knows which
// were of use nowhere.

/// "ignored CUD501 object=*.so", as the list of a scan states it among its options.
std::string stated(const Suppression&);

/// What a process writes after its document, and what it is taken from again.
std::string used_line(const std::vector<std::string>& used);
std::vector<std::string> take_used_line(std::string& output);

/// CUD903 for each suppression among the options of a scan that was not used, unless these leave CUD903 out.
std::vector<Finding> unused_suppressions(const std::vector<std::string>& options, const std::set<std::string>& used,
                                         const std::string& today);

}  // namespace cudald
