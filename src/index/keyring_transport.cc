#include "index/keyring_transport.h"

#include <map>
#include <mutex>
#include <utility>

#include "index/netrc.h"

namespace cudald {
namespace {

constexpr int wants_login = 401, refuses_login = 403;
constexpr const char* needs_user =
    "uv asks a keyring for a user whom the address names (https://USER@host), or for an index with "
    "authenticate = \"always\"";

class KeyringTransport final : public HttpTransport {
 public:
  KeyringTransport(std::unique_ptr<HttpTransport> server, std::shared_ptr<const KeyringSettings> settings,
                   AskKeyring ask)
      : server_(std::move(server)), settings_(std::move(settings)), ask_(std::move(ask)) {}

  Result<HttpAnswer> transfer(const HttpRequest& request) override {
    auto login = request.login;
    if (const auto known = logins_.find(origin_of(request.url)); !login && known != logins_.end())
      login = known->second;
    // Without a host there is nobody to ask.
    if ((login && !login->password.empty()) || origin_of(request.url).empty()) return server_->transfer(request);
    const auto user = login ? login->user : "";
    auto asked = request;
    auto found = before_request(request.url, user);
    if (found.login) asked.login = found.login;
    auto answer = server_->transfer(asked);
    if (!answer || answer->status != wants_login || settings_->as_uv || found.is_from_keyring)
      return told(std::move(answer), found);
    found = look_up(request.url, user);
    if (!found.login) return told(std::move(answer), found);
    asked.login = found.login;
    return told(server_->transfer(asked), found);
  }

  void add_login(const std::string& origin, const Login& login) override {
    logins_.try_emplace(origin, login);
    server_->add_login(origin, login);
  }

 private:
  struct Found {
    std::optional<Login> login = {};
    bool is_from_keyring = false;
    std::string fault = {};
  };

  /// What is known of a login without having asked the server.
  Found before_request(const std::string& url, const std::string& user) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = found_.find({origin_of(url), user}); known != found_.end()) return {known->second, true};
    }
    const bool always = settings_->as_uv && is_always_asked(*settings_, url);
    if (user.empty() && !always) return {{}, false, settings_->as_uv ? needs_user : ""};
    auto host = origin_of(url).substr(url.find("://") + 3);
    host.resize(host.rfind(':'));
    // pip takes whatever login netrc has for the host.
    if (auto login = login_in_netrc(settings_->netrc, host, settings_->as_uv ? user : ""))
      return {std::move(login), false, ""};
    return settings_->as_uv ? look_up(url, user) : Found{};
  }

  /// Of several threads one asks, and the others wait for what it is told.
  Found look_up(const std::string& url, const std::string& user) {
    const std::lock_guard lock(mutex_);
    const auto place = std::pair(origin_of(url), user);
    if (const auto known = found_.find(place); known != found_.end()) return {known->second, true};
    const auto services = keyring_services(*settings_, url);
    auto& fault = faults_[{services.once_for, user}];
    if (fault.empty()) fault = given_up_;
    for (auto name = services.names.begin(); fault.empty() && name != services.names.end(); ++name) {
      auto answer = ask_(*name, user);
      if (answer.login) return {found_.try_emplace(place, std::move(*answer.login)).first->second, true};
      if (!answer.gives_none || std::next(name) == services.names.end()) fault = answer.fault;
      if (!answer.gives_none) given_up_ = answer.fault;
    }
    return {{}, false, fault};
  }

  static Result<HttpAnswer> told(Result<HttpAnswer> answer, const Found& found) {
    if (!answer || (answer->status != wants_login && answer->status != refuses_login)) return answer;
    answer->remark = found.is_from_keyring ? "it does not accept the login that `keyring` has" : found.fault;
    return answer;
  }

  std::unique_ptr<HttpTransport> server_;
  std::shared_ptr<const KeyringSettings> settings_;
  AskKeyring ask_;
  std::map<std::string, Login> logins_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Login> found_;         ///< by server and user
  std::map<std::pair<std::string, std::string>, std::string> faults_;  ///< where there is none, by index and user
  std::string given_up_;                                               ///< why it is no longer asked
};

}  // namespace

std::unique_ptr<HttpTransport> make_keyring_transport(std::unique_ptr<HttpTransport> server,
                                                      std::shared_ptr<const KeyringSettings> settings, AskKeyring ask) {
  return std::make_unique<KeyringTransport>(std::move(server), std::move(settings), std::move(ask));
}

}  // namespace cudald
