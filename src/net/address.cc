#include "net/address.h"

#include <algorithm>
#include <charconv>

namespace cudald {
namespace {

/// What follows "://" up to the path; empty if there is no host.
std::string_view authority_of(std::string_view url) {
  const auto begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  const auto rest = url.substr(begin + 3);
  return rest.substr(0, rest.find_first_of("/?#"));
}

/// The folder of a path, with the slash at its end.
std::string folder_of(std::string_view page) {
  page = page.substr(0, page.find_first_of("?#"));
  const auto host = page.find("://") + 3;
  const auto slash = page.rfind('/');
  return slash < host ? std::string(page) + "/" : std::string(page.substr(0, slash + 1));
}

}  // namespace

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char value = 0;
    const bool escape = text[i] == '%' && i + 2 < text.size();
    const auto* begin = text.data() + i + 1;
    if (escape && std::from_chars(begin, begin + 2, value, 16).ptr == begin + 2) {
      plain += static_cast<char>(value);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

PlainAddress without_login(std::string_view url) {
  const auto authority = authority_of(url);
  const auto at = authority.rfind('@');
  if (at == std::string_view::npos) return {std::string(url), std::nullopt};
  const auto begin = static_cast<std::size_t>(authority.data() - url.data());
  const auto words = authority.substr(0, at);
  const auto colon = words.find(':');
  Login login{without_escapes(words.substr(0, colon)), ""};
  if (colon != std::string_view::npos) login.password = without_escapes(words.substr(colon + 1));
  return {std::string(url.substr(0, begin)) + std::string(url.substr(begin + at + 1)), std::move(login)};
}

std::string origin_of(std::string_view url) {
  auto host = authority_of(url);
  if (const auto at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  if (host.empty()) return "";
  const auto scheme = url.substr(0, url.find("://"));
  auto origin = std::string(scheme) + "://" + std::string(host);
  std::transform(origin.begin(), origin.end(), origin.begin(), [](unsigned char c) { return std::tolower(c); });
  // Of an IPv6 address the colons stand in brackets.
  const bool has_port = host.find(':', host.rfind(']') == std::string_view::npos ? 0 : host.rfind(']')) != host.npos;
  if (!has_port) origin += origin.starts_with("https:") ? ":443" : ":80";
  return origin;
}

std::string whole_address(std::string_view address, std::string_view page) {
  if (address.find("://") < address.find_first_of("/?#") || page.find("://") == std::string_view::npos)
    return std::string(address);
  if (address.starts_with("//")) return std::string(page.substr(0, page.find("://") + 1)) + std::string(address);
  if (address.starts_with('?')) return std::string(page.substr(0, page.find_first_of("?#"))) + std::string(address);
  auto folder = folder_of(page);
  const auto root = folder.find('/', folder.find("://") + 3) + 1;
  if (address.starts_with('/')) return folder.substr(0, root - 1) + std::string(address);
  for (;;) {
    if (address.starts_with("./")) {
      address.remove_prefix(2);
    } else if (address.starts_with("../")) {
      address.remove_prefix(3);
      if (folder.size() > root) folder.resize(folder.rfind('/', folder.size() - 2) + 1);
    } else {
      return folder + std::string(address);
    }
  }
}

}  // namespace cudald
