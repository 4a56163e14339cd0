#pragma once

#include <functional>
#include <memory>

#include "index/keyring.h"
#include "net/http.h"

namespace cudald {

using AskKeyring = std::function<KeyringAnswer(const std::string& service, const std::string& user)>;

/// A transport that asks a keyring for a login of which no password is known: as pip does, after the server has
/// answered 401; as uv does, before the first request, where a user is known or the index says so. It is asked once for
/// each index or server, and no more once it has failed otherwise than by knowing none.
std::unique_ptr<HttpTransport> make_keyring_transport(std::unique_ptr<HttpTransport>,
                                                      std::shared_ptr<const KeyringSettings>, AskKeyring);

}  // namespace cudald
