#pragma once

#include <string_view>
#include <vector>

#include <cudald/result.h>

#include "lock/lock_file.h"

namespace cudald {

/// What is asked of an index for one project, in its Accept header.
constexpr std::string_view index_page_type =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01";
/// No project on the index has a fifth of these.
constexpr std::size_t most_index_files = 100'000;

/// The wheels that an index has of a project, with whole addresses. Source: the simple repository API, in JSON (PEP
/// 691, PEP 700) and in HTML (PEP 503, PEP 658, PEP 714). Errors: malformed, limit.
Result<std::vector<LockedFile>> read_index_page(std::string_view text, std::string_view page_url);
Result<std::vector<LockedFile>> read_index_html(std::string_view html, std::string_view page_url);

/// Adds the wheels of its version to a package, with local versions if it is pinned to none; where it has hashes, those
/// alone that have one of them.
void take_wheels(const std::vector<LockedFile>& files, LockedPackage&);

}  // namespace cudald
