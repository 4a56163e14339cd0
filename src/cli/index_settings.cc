#include "cli/index_settings.h"

#include <algorithm>
#include <optional>

#include "base/path.h"
#include "base/trimmed.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_index_settings = 1 << 20;

/// The keys of [global] and [install], the second counting more. Values of several lines are joined by blanks.
std::map<std::string, std::string> read_pip_conf(std::string_view text) {
  std::map<std::string, std::string> keys, install;
  std::string section, last;
  for (const auto line : split(text, "\n")) {
    const auto words = trimmed(line);
    if (words.empty() || words.starts_with('#') || words.starts_with(';')) continue;
    auto& here = section == "install" ? install : keys;
    if (words.starts_with('[') && words.ends_with(']')) {
      section = words.substr(1, words.size() - 2);
      last.clear();
    } else if ((line.starts_with(' ') || line.starts_with('\t')) && !last.empty()) {
      here[last] += " " + std::string(words);
    } else if (const auto equal = words.find_first_of("=:");
               equal != std::string_view::npos && (section == "global" || section == "install")) {
      last = trimmed(words.substr(0, equal));
      here[last] = trimmed(words.substr(equal + 1));
    }
  }
  for (auto& [key, value] : install) keys[key] = std::move(value);
  return keys;
}

/// Its files, the weakest first.
std::vector<std::string> pip_conf_files(const Environment& environment) {
  std::vector<std::string> files = {"/etc/pip.conf"};
  const auto home = environment.variable("HOME").value_or("");
  const auto config = environment.variable("XDG_CONFIG_HOME").value_or(home + "/.config");
  if (!home.empty()) files.insert(files.end(), {home + "/.pip/pip.conf", config + "/pip/pip.conf"});
  if (const auto venv = environment.variable("VIRTUAL_ENV"); venv && !venv->empty())
    files.push_back(*venv + "/pip.conf");
  if (const auto stated = environment.variable("PIP_CONFIG_FILE"); stated && !stated->empty()) files.push_back(*stated);
  return files;
}

void add_indexes(std::string_view words, IndexSettings& settings) {
  for (auto word : split(words, " \t\n")) {
    // uv allows a name before it: "torch=https://..."
    if (const auto name = word.find('='); name < word.find("://")) word = word.substr(name + 1);
    while (word.ends_with('/')) word.remove_suffix(1);
    if (word.find("://") == std::string_view::npos) continue;
    auto plain = without_login(word);
    if (plain.login) settings.logins.try_emplace(origin_of(plain.url), std::move(*plain.login));
    auto& indexes = settings.indexes;
    if (std::find(indexes.begin(), indexes.end(), plain.url) == indexes.end()) indexes.push_back(std::move(plain.url));
  }
}

}  // namespace

IndexSettings read_index_settings(const Environment& environment, const FileSystem& files) {
  IndexSettings settings;
  std::map<std::string, std::string> conf;
  for (const auto& path : pip_conf_files(environment))
    if (const auto text = read_file(files, path, most_index_settings))
      for (auto& [key, value] : read_pip_conf(*text)) conf[key] = std::move(value);
  const auto stated = [&](std::initializer_list<const char*> variables, const char* key) {
    for (const auto* name : variables)
      if (const auto value = environment.variable(name); value && !value->empty()) return std::string(*value);
    return conf[key];
  };
  add_indexes(stated({"UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"}, "index-url"), settings);
  add_indexes(stated({"UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"}, "extra-index-url"), settings);
  settings.ca_file = stated({"PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}, "cert");
  settings.proxy = stated({"PIP_PROXY"}, "proxy");
  // libcurl knows this one in small letters alone. For a CGI program, which has REQUEST_METHOD, it is what a client
  // sent.
  const auto has = [&](const char* name) { return !environment.variable(name).value_or("").empty(); };
  if (!has("http_proxy") && !has("REQUEST_METHOD"))
    settings.plain_proxy = environment.variable("HTTP_PROXY").value_or("");
  settings.netrc_file = environment.variable("NETRC").value_or("");
  const auto timeout = stated({"UV_HTTP_TIMEOUT", "PIP_DEFAULT_TIMEOUT"}, "timeout");
  constexpr std::size_t most_digits = 4;
  if (!timeout.empty() && timeout.size() <= most_digits && timeout.find_first_not_of("0123456789") == std::string::npos)
    settings.timeout = std::chrono::seconds(std::stoi(timeout));
  return settings;
}

}  // namespace cudald
