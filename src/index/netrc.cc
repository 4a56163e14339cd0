#include "index/netrc.h"

#include <algorithm>
#include <vector>

#include "base/path.h"
#include "base/trimmed.h"

namespace cudald {
namespace {

/// The words of a file, without its macros, which end at an empty line.
std::vector<std::string_view> netrc_words(std::string_view text) {
  std::vector<std::string_view> words;
  bool in_macro = false;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (trimmed(line).empty()) in_macro = false;
    if (in_macro || trimmed(line).starts_with('#')) continue;
    for (const auto word : split(line, " \t\r")) {
      if (word == "macdef") in_macro = true;
      if (in_macro) break;
      const bool quoted = word.size() > 1 && word.starts_with('"') && word.ends_with('"');
      if (!word.empty()) words.push_back(quoted ? word.substr(1, word.size() - 2) : word);
    }
  }
  return words;
}

}  // namespace

std::optional<Login> login_in_netrc(std::string_view text, std::string_view host, std::string_view user) {
  const auto words = netrc_words(text);
  Login login;
  bool for_host = false;
  const auto found = [&] { return for_host && !login.password.empty() && (user.empty() || login.user == user); };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "default" || (words[i] == "machine" && has_value)) {
      if (found()) return login;
      login = {};
      for_host = words[i] == "default" || words[++i] == host;
    } else if (words[i] == "login" && has_value) {
      login.user = words[++i];
    } else if (words[i] == "password" && has_value) {
      login.password = words[++i];
    }
  }
  if (found()) return login;
  return std::nullopt;
}

}  // namespace cudald
