#pragma once

#include <optional>
#include <string_view>

#include "net/address.h"

namespace cudald {

/// The login that a netrc file has for a host, of that user where one is named. libcurl reads the file by itself; this
/// is for what must be known before a request. Source: curl's documentation, ".netrc"; Python's netrc.
std::optional<Login> login_in_netrc(std::string_view text, std::string_view host, std::string_view user);

}  // namespace cudald
