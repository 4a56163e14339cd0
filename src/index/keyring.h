#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/address.h"

namespace cudald {

/// How a keyring is asked: as which installer does, and by which program.
struct KeyringSettings {
  bool as_uv = false;                ///< else as pip does
  std::string program;               ///< the path of `keyring`; empty: it is not asked, for the reason `refusal`
  std::string refusal;               ///< what is told where it would be asked
  std::vector<std::string> indexes;  ///< as they are stated, without logins
  std::vector<std::string> always;   ///< those of uv of which a login is asked for without the name of a user
  std::string netrc;                 ///< the text of that file, which counts more
  std::map<std::string, std::string> environment = {};
  std::string folder = "/";
  std::chrono::milliseconds patience{60'000};
};

/// What a keyring answers.
struct KeyringAnswer {
  std::optional<Login> login;
  std::string fault;        ///< why there is none; neither a login nor what the program writes as its answer
  bool gives_none = false;  ///< it has answered, and there is none: the next name may have one
};

/// Runs `keyring` for one service: an address or a host. Without the name of a user the keyring is to tell it. What
/// could be taken for an option of the program is not handed to it. Source: pip, _internal/network/auth.py,
/// KeyRingCliProvider, and before its release 26.2, where the keyring is older than 25.2.1; uv,
/// uv-auth/src/keyring.rs, fetch_subprocess.
KeyringAnswer ask_keyring(const KeyringSettings&, const std::string& service, const std::string& user);

/// Under which names the login for an address is looked up, in order; and the first of them or the server, for which
/// it is looked up once. Source: pip, _get_new_credentials; uv, KeyringProvider::fetch.
struct KeyringServices {
  std::vector<std::string> names;
  std::string once_for;
};
KeyringServices keyring_services(const KeyringSettings&, const std::string& url);

/// Whether uv asks for a login without knowing a user. Source: uv's documentation, `authenticate = "always"`.
bool is_always_asked(const KeyringSettings&, const std::string& url);

}  // namespace cudald
