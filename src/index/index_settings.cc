#include "index/index_settings.h"

#include <algorithm>
#include <cctype>
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

struct StatedIndex {
  std::string stated;  ///< without its login
  PlainAddress place;  ///< without the slashes at its end as well
};

/// nullopt if it is none that can be asked.
std::optional<StatedIndex> index_at(std::string_view address) {
  auto stated = without_login(address).url;
  while (address.ends_with('/')) address.remove_suffix(1);
  if (address.find("://") == std::string_view::npos) return std::nullopt;
  return StatedIndex{std::move(stated), without_login(address)};
}

void add_index(const StatedIndex& index, IndexSettings& settings) {
  settings.indexes.push_back(index.place.url);
  settings.keyring.indexes.push_back(index.stated);
}

/// "UV_INDEX_MY_INDEX_USERNAME" of an index called "my-index", and its password.
std::optional<Login> login_of_index(std::string_view name, const Environment& environment) {
  std::string stem = "UV_INDEX_";
  for (const char c : name)
    stem += std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                : '_';
  const auto user = environment.variable(stem + "_USERNAME"), password = environment.variable(stem + "_PASSWORD");
  if (!user && !password) return std::nullopt;
  return Login{user.value_or(""), password.value_or("")};
}

class IndexReader {
 public:
  IndexReader(const Environment& environment, const FileSystem& files) : environment_(environment) {
    for (const auto& path : pip_conf_files(environment))
      if (const auto text = read_file(files, path, most_index_settings))
        for (auto& [key, value] : read_pip_conf(*text)) conf_[key] = std::move(value);
  }

  IndexSettings read(const UvSettings& uv) {
    read_indexes(uv);
    read_connection();
    read_keyring(uv);
    return std::move(settings_);
  }

 private:
  /// The first of the variables that is set, else what pip's files say under the key.
  std::string stated(std::initializer_list<const char*> variables, const std::string& key) {
    for (const auto* name : variables)
      if (const auto value = environment_.variable(name); value && !value->empty()) return std::string(*value);
    return key.empty() ? "" : conf_[key];
  }

  /// pip asks all indexes. uv asks the default one last, and only the first that knows a project counts.
  void read_indexes(const UvSettings& uv) {
    const auto extra = stated({"UV_INDEX", "UV_EXTRA_INDEX_URL"}, "");
    auto main = stated({"UV_DEFAULT_INDEX", "UV_INDEX_URL"}, "");
    is_uv_ = !extra.empty() || !main.empty() || !uv.indexes.empty();
    const auto strategy = stated({"UV_INDEX_STRATEGY"}, "");
    settings_.first_alone = is_uv_ && !(strategy.empty() ? uv.strategy : strategy).starts_with("unsafe-");
    add_words(extra);
    for (const auto& index : uv.indexes) {
      if (index.always)
        if (const auto place = index_at(index.url)) settings_.keyring.always.push_back(place->stated);
      if (!index.is_default) add(index.name, index.url, index.is_explicit);
      if (index.is_default && main.empty()) main = index.name + "=" + index.url;
    }
    add_words(main.empty() ? stated({"PIP_INDEX_URL"}, "index-url") : main);
    if (!is_uv_) add_words(stated({"PIP_EXTRA_INDEX_URL"}, "extra-index-url"));
  }

  void add_words(std::string_view words) {
    for (const auto word : split(words, " \t\n")) {
      // uv allows a name before it: "torch=https://..."
      const auto name = word.find('=');
      const bool has_name = name < word.find("://");
      add(has_name ? word.substr(0, name) : "", has_name ? word.substr(name + 1) : word, false);
    }
  }

  void add(std::string_view name, std::string_view address, bool login_alone) {
    const auto index = index_at(address);
    if (!index) return;
    auto login = index->place.login;
    if (!login && !name.empty()) login = login_of_index(name, environment_);
    if (login) settings_.logins.try_emplace(origin_of(index->place.url), std::move(*login));
    const auto& indexes = settings_.indexes;
    if (login_alone)
      settings_.keyring.indexes.push_back(index->stated);
    else if (std::find(indexes.begin(), indexes.end(), index->place.url) == indexes.end())
      add_index(*index, settings_);
  }

  void read_connection() {
    settings_.ca_file = stated({"PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"}, "cert");
    settings_.proxy = stated({"PIP_PROXY"}, "proxy");
    // libcurl knows this one in small letters alone. For a CGI program, which has REQUEST_METHOD, it is what a client
    // sent.
    const auto has = [&](const char* name) { return !environment_.variable(name).value_or("").empty(); };
    if (!has("http_proxy") && !has("REQUEST_METHOD"))
      settings_.plain_proxy = environment_.variable("HTTP_PROXY").value_or("");
    settings_.netrc_file = environment_.variable("NETRC").value_or("");
    const auto timeout = stated({"UV_HTTP_TIMEOUT", "PIP_DEFAULT_TIMEOUT"}, "timeout");
    constexpr std::size_t most_digits = 4;
    if (!timeout.empty() && timeout.size() <= most_digits &&
        timeout.find_first_not_of("0123456789") == std::string::npos)
      settings_.timeout = std::chrono::seconds(std::stoi(timeout));
  }

  /// The setting of the program whose indexes are asked; where neither names one, of pip if that has one.
  void read_keyring(const UvSettings& uv) {
    auto& keyring = settings_.keyring;
    const auto of_pip = stated({"PIP_KEYRING_PROVIDER"}, "keyring-provider");
    keyring.is_of_uv = is_uv_ || (settings_.indexes.empty() && of_pip.empty());
    const std::string variable = keyring.is_of_uv ? "UV_KEYRING_PROVIDER" : "PIP_KEYRING_PROVIDER";
    keyring.name = keyring.is_of_uv ? stated({"UV_KEYRING_PROVIDER"}, "") : of_pip;
    keyring.setting = environment_.variable(variable).value_or("").empty() ? "keyring-provider" : variable;
    if (keyring.is_of_uv && keyring.name.empty()) keyring.name = uv.keyring;
  }

  const Environment& environment_;
  bool is_uv_ = false;
  std::map<std::string, std::string> conf_;
  IndexSettings settings_;
};

}  // namespace

IndexSettings read_index_settings(const UvSettings& uv, const Environment& environment, const FileSystem& files) {
  return IndexReader(environment, files).read(uv);
}

std::string with_variables(std::string_view text, const Environment& environment) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  std::string expanded;
  while (!text.empty()) {
    const auto begin = std::min(text.find("${"), text.size());
    expanded += text.substr(0, begin);
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_not_of(letters, 2), text.size());
    const bool named = end > 2 && end < text.size() && text[end] == '}';
    const auto value = named ? environment.variable(std::string(text.substr(2, end - 2))) : std::nullopt;
    const auto taken = std::min(named ? end + 1 : std::size_t{2}, text.size());
    if (value && !value->empty())
      expanded += *value;
    else
      expanded += text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return expanded;
}

void add_locked_indexes(const LockedIndexes& locked, const Environment& environment, IndexSettings& settings) {
  if (locked.alone) {
    settings.indexes.clear();
    settings.keyring.indexes.clear();
  }
  for (const auto& url : locked.urls)
    if (auto index = index_at(with_variables(url, environment))) {
      if (index->place.login) settings.logins.try_emplace(origin_of(index->place.url), *index->place.login);
      add_index(*index, settings);
    }
}

}  // namespace cudald
