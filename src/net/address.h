#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cudald {

/// Who asks, as the part before the @ of an address says it, without its escapes.
struct Login {
  std::string user, password;
  bool operator==(const Login&) const = default;
};

/// An address, and the login that stood in it.
struct PlainAddress {
  std::string url;
  std::optional<Login> login;
};

/// "https://me:word@host/x" becomes "https://host/x" and the login. The address alone may be shown and kept.
PlainAddress without_login(std::string_view url);

/// Scheme, host and port, "https://host:443": to whom a login is told. Empty if there is no host.
std::string origin_of(std::string_view url);

/// An address as it stands in a page or a redirect, which may be relative to that of the page. Source: RFC 3986, 5.2.
std::string whole_address(std::string_view address, std::string_view page);

/// Without %XX.
std::string without_escapes(std::string_view text);

}  // namespace cudald
