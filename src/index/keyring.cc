#include "index/keyring.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "base/trimmed.h"
#include "base/utf8.h"
#include "os/child_process.h"

namespace cudald {
namespace {

constexpr std::size_t most_answer = 64 << 10, most_told = 200;

/// The address without its path.
std::string_view server_of(std::string_view url) {
  const auto host = url.find("://");
  return host == std::string_view::npos ? url : url.substr(0, url.find_first_of("/?#", host + 3));
}

std::string_view path_of(std::string_view url) {
  const auto path = url.substr(server_of(url).size());
  return path.substr(0, path.find_first_of("?#"));
}

/// Host and port, that of the scheme only where `any_port`.
std::string host_of(std::string_view url, bool any_port) {
  auto host = std::string(server_of(url).substr(std::min(url.find("://") + 3, url.size())));
  if (any_port) return host;
  for (const auto& [scheme, port] : {std::pair("https:", ":443"), std::pair("http:", ":80")})
    if (url.starts_with(scheme) && host.ends_with(port)) host.resize(host.size() - std::strlen(port));
  return host;
}

/// What is below an index of uv: also beside a folder that is called `simple`.
/// Source: uv-distribution-types/src/index_url.rs, root().
bool is_below(std::string_view url, std::string_view index) {
  while (index.ends_with('/')) index.remove_suffix(1);
  for (const std::string_view name : {"/simple", "/+simple"})
    if (index.ends_with(name)) {
      index.remove_suffix(name.size());
      break;
    }
  const auto path = path_of(url), root = path_of(index);
  return origin_of(url) == origin_of(index) && path.starts_with(root) &&
         (path.size() == root.size() || path[root.size()] == '/');
}

/// In how many folders the paths agree.
std::size_t common_folders(std::string_view one, std::string_view other) {
  const auto left = split(path_of(one), "/"), right = split(path_of(other), "/");
  const auto ends = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<std::size_t>(ends.first - left.begin());
}

/// The index that an address of pip belongs to, of those of that server the one that has most folders in common.
const std::string* index_of_pip(const std::vector<std::string>& indexes, const std::string& url) {
  const std::string* best = nullptr;
  for (const auto& index : indexes)
    if (origin_of(index) == origin_of(url) &&
        (best == nullptr || common_folders(index, url) > common_folders(*best, url)))
      best = &index;
  return best;
}

/// The last line that says something: of a failure of Python that is the fault. What stands in the answer is not told.
std::string told_by(const Ended& ended) {
  std::string told;
  for (const auto line : split(ended.complaints, "\n"))
    if (const auto words = trimmed(line); !words.empty()) told = valid_utf8(words.substr(0, most_told));
  for (const auto line : split(ended.output, "\n"))
    if (const auto words = trimmed(line); !words.empty() && told.find(words) != std::string::npos) told.clear();
  return told;
}

KeyringAnswer failed(const Ended& ended, const KeyringSettings& settings) {
  switch (ended.end) {
    case ProcessEnd::timed_out:
      return {{},
              fmt::format("`keyring` did not end within {} s",
                          std::chrono::duration_cast<std::chrono::seconds>(settings.patience).count())};
    case ProcessEnd::crashed: return {{}, fmt::format("`keyring` was ended by signal {}", ended.status)};
    case ProcessEnd::not_started:
      return {{}, fmt::format("`keyring` cannot be started: {}", std::strerror(ended.status))};
    case ProcessEnd::exited: break;
  }
  const auto told = told_by(ended);
  return {{},
          fmt::format("`keyring` has no login: exit status {}{}{}", ended.status, told.empty() ? "" : ": ", told),
          true};
}

Ended run_keyring(const KeyringSettings& settings, std::vector<std::string> words) {
  words.insert(words.begin(), settings.program);
  Command command{std::move(words), settings.environment, settings.folder, true};
  if (!settings.as_uv) command.environment["PYTHONIOENCODING"] = "utf-8";
  return run_child(command, settings.patience);
}

bool is_good(const Ended& ended) { return ended.end == ProcessEnd::exited && ended.status == 0; }

bool is_text(const std::string& text) { return text.find('\0') == std::string::npos && valid_utf8(text) == text; }

KeyringAnswer login_or_fault(Login login) {
  if (!is_text(login.user) || !is_text(login.password) || login.password.empty())
    return {{}, "what `keyring` answers is not a login"};
  return {std::move(login), ""};
}

/// A keyring that does not know how to tell the name of a user.
bool is_old(const Ended& ended) {
  return ended.end == ProcessEnd::exited && ended.status != 0 &&
         ended.complaints.find("unrecognized arguments") != std::string::npos &&
         ended.complaints.find("--mode") != std::string::npos;
}

KeyringAnswer too_old() { return {{}, "`keyring` is too old to tell the name of a user: it must be at least 25.2.1"}; }

KeyringAnswer plain_password(const KeyringSettings& settings, const std::string& service, const std::string& user) {
  const auto ended = run_keyring(settings, {"get", service, user});
  if (!is_good(ended)) return failed(ended, settings);
  // pip takes off the end of the line alone.
  const auto end = ended.output.find_last_not_of(settings.as_uv ? all_blanks : "\n");
  return login_or_fault({user, ended.output.substr(0, end + 1)});
}

KeyringAnswer ask_as_pip(const KeyringSettings& settings, const std::string& service, const std::string& user) {
  std::vector<std::string> words = {"--mode=creds", "--output=json", "get", service};
  if (!user.empty()) words.push_back(user);
  const auto ended = run_keyring(settings, std::move(words));
  if (is_old(ended)) return user.empty() ? too_old() : plain_password(settings, service, user);
  if (!is_good(ended)) return failed(ended, settings);
  const auto answer = ended.output.size() <= most_answer ? parse_json(ended.output) : nlohmann::json();
  return login_or_fault({text_at(answer, "username"), text_at(answer, "password")});
}

KeyringAnswer ask_as_uv(const KeyringSettings& settings, const std::string& service, const std::string& user) {
  if (!user.empty()) return plain_password(settings, service, user);
  const auto ended = run_keyring(settings, {"get", service, "--mode", "creds"});
  if (is_old(ended)) return too_old();
  if (!is_good(ended)) return failed(ended, settings);
  const auto lines = split(ended.output, "\n");
  if (lines.size() < 2) return {{}, "what `keyring` answers is not a login"};
  return login_or_fault({std::string(trimmed(lines[0], "\r")), std::string(trimmed(lines[1], "\r"))});
}

}  // namespace

KeyringAnswer ask_keyring(const KeyringSettings& settings, const std::string& service, const std::string& user) {
  if (settings.program.empty()) return {{}, settings.refusal};
  // An address may stand in a lock of which nobody knows who wrote it, and `keyring` loads what its options name.
  if (service.starts_with('-') || user.starts_with('-'))
    return {{}, "`keyring` is not asked for a name that begins with a hyphen", true};
  if (!is_text(service) || !is_text(user)) return {{}, "`keyring` is not asked for a name that is not text", true};
  return settings.as_uv ? ask_as_uv(settings, service, user) : ask_as_pip(settings, service, user);
}

KeyringServices keyring_services(const KeyringSettings& settings, const std::string& url) {
  KeyringServices services;
  if (settings.as_uv) {
    const auto index = std::find_if(settings.indexes.begin(), settings.indexes.end(),
                                    [&](const std::string& each) { return is_below(url, each); });
    const bool known = index != settings.indexes.end();
    auto service = known ? *index : url;
    if (path_of(service).empty()) service.insert(server_of(service).size(), "/");
    services.once_for = known ? service : origin_of(url);
    services.names = {service, host_of(url, false)};
    if (!url.starts_with("https:"))
      services.names.push_back(std::string(server_of(url).substr(0, url.find("://") + 3)) + host_of(url, false));
    return services;
  }
  if (const auto* index = index_of_pip(settings.indexes, url))
    services.names.push_back(*index + (index->ends_with('/') ? "" : "/"));
  services.names.push_back(host_of(url, true));
  services.once_for = services.names.front();
  return services;
}

bool is_always_asked(const KeyringSettings& settings, const std::string& url) {
  return std::any_of(settings.always.begin(), settings.always.end(),
                     [&](const std::string& index) { return is_below(url, index); });
}

}  // namespace cudald
