#pragma once

#include <string_view>
#include <vector>

#include <cudald/result.h>

#include "lock/lock_file.h"

namespace cudald {

/// What is asked of an index for one project, in its Accept header.
constexpr std::string_view index_page_type = "application/vnd.pypi.simple.v1+json";

/// The wheels that an index has of a project, with whole addresses. Source: the simple repository API in JSON (PEP 691,
/// PEP 700). Errors: malformed, limit.
Result<std::vector<LockedFile>> read_index_page(std::string_view json, std::string_view page_url);

/// Gives a package the wheels of its version; where it has hashes, those alone that have one of them.
void take_wheels(const std::vector<LockedFile>& files, LockedPackage&);

}  // namespace cudald
