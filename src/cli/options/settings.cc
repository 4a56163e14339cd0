#include "cli/options/settings.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/similar_word.h"
#include "base/toml.h"
#include "base/usage_error.h"
#include "cli/options/option_table.h"
#include "cli/options/option_values.h"
#include "cli/options/policy_table.h"
#include "os/this_windows.h"
#include "os/typed_path.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_settings = 1 << 20;
constexpr std::string_view policy_prefix = "policy.";

std::string at_line(const std::string& file, std::size_t line) { return fmt::format("{}:{}", file, line); }

bool is_day(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  return true;
}

/// Why a key is none, or its values do not fit; nothing if all is well.
std::optional<std::string> fault_of(const std::string& key, const std::vector<std::string>& values) {
  if (key.starts_with(policy_prefix)) {
    const auto name = key.substr(policy_prefix.size());
    std::vector<std::string_view> known;
    for (const auto& row : policy_table()) known.push_back(row.name);
    const auto* row = find_policy(name);
    if (row == nullptr) return fmt::format("unknown rule `{}` in [policy]{}", escaped(name), did_you_mean(name, known));
    Policy scratch;
    const auto complaint = row->apply(scratch, values);
    return complaint ? std::optional(fmt::format("`{}`: {}", key, *complaint)) : std::nullopt;
  }
  const auto* rule = find_option(key);
  if (rule == nullptr || rule->in_files == InFiles::no) {
    auto known = setting_names();
    known.insert(known.end(), {"policy", "ignore"});
    return fmt::format("unknown key `{}`{}", escaped(key), did_you_mean(key, known));
  }
  if (rule->in_files == InFiles::one && values.size() != 1) return fmt::format("`{}` takes one value", key);
  Options scratch;
  scratch.command = Command::check;
  for (const auto& value : values)
    if (auto complaint = apply_setting(*rule, scratch, value)) return *complaint;
  return std::nullopt;
}

class Reader {
 public:
  Reader(const SettingSources& sources, const FileSystem& files) : sources_(sources), files_(files) {}

  Result<Settings> read() {
    // The strongest first: what is set already is not set again.
    if (auto error = add_words()) return std::move(*error);
    if (auto error = add_variables()) return std::move(*error);
    if (auto error = add_files()) return std::move(*error);
    return std::move(settings_);
  }

 private:
  std::optional<Error> add(const std::string& key, std::vector<std::string> values, const std::string& origin) {
    if (auto fault = fault_of(key, values)) return usage_error(fmt::format("{}: {}", escaped(origin), *fault));
    settings_.keys.try_emplace(key, Setting{std::move(values), origin});
    return std::nullopt;
  }

  std::optional<Error> add_words() {
    for (const auto& word : sources_.config) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) continue;
      // As TOML would read it: gpu=["sm_80"]; else the text as it is.
      const auto name = word.substr(0, equals), text = word.substr(equals + 1);
      std::vector<std::string> values{text};
      if (const auto parsed = read_toml("value = " + text, ""); parsed && !parsed->empty())
        values = parsed->front().values;
      if (auto error = add(name, std::move(values), "--config")) return error;
    }
    return std::nullopt;
  }

  std::optional<Error> add_variables() {
    if (sources_.isolated) return std::nullopt;
    for (const auto name : setting_names()) {
      std::string variable = "CUDALD_";
      for (const char c : name)
        variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const auto found = sources_.variables.find(variable);
      if (found == sources_.variables.end() || found->second.empty()) continue;
      std::vector<std::string> values{found->second};
      if (find_option(name)->in_files == InFiles::list) {
        values.clear();
        for (const auto part : split(found->second, ",")) values.emplace_back(part);
      }
      if (auto error = add(std::string(name), std::move(values), variable)) return error;
    }
    return std::nullopt;
  }

  std::optional<Error> add_files() {
    bool stated = false;
    for (const auto& word : sources_.config) {
      if (word.find('=') != std::string::npos) continue;
      stated = true;
      const auto path = absolute_path(word, sources_.cwd);
      if (!is_file(files_, path)) return usage_error(fmt::format("--config {}: no such file", escaped(word)));
      if (auto error = add_file(path, file_name(path) == "pyproject.toml")) return error;
    }
    if (stated || sources_.isolated) return std::nullopt;
    for (const bool project : {false, true})
      if (auto error = add_nearest(project ? "pyproject.toml" : "cudald.toml", project)) return error;
    const auto own = users_file();
    return own.empty() || !is_file(files_, own) ? std::nullopt : add_file(own, false);
  }

  /// The file of that name in the current folder or the nearest above it that has something for us.
  std::optional<Error> add_nearest(const std::string& name, bool project) {
    const auto before = settings_.files.size();
    for (auto folder = normal_path(sources_.cwd);; folder = std::string(parent_path(folder))) {
      const auto path = (folder == "/" ? "" : folder) + "/" + name;
      if (is_file(files_, path))
        if (auto error = add_file(path, project)) return error;
      if (settings_.files.size() > before || folder == "/" || folder.empty()) return std::nullopt;
    }
  }

  std::string users_file() const {
    const auto value = [this](const char* name) {
      const auto found = sources_.variables.find(name);
      return found == sources_.variables.end() ? std::string() : found->second;
    };
    if (this_windows() != nullptr) return tree_path_of_typed(value("APPDATA")) + "/cudald/config.toml";
    const auto config = value("XDG_CONFIG_HOME"), home = value("HOME");
    if (config.starts_with('/')) return config + "/cudald/config.toml";
    return home.starts_with('/') ? home + "/.config/cudald/config.toml" : "";
  }

  std::optional<Error> add_file(const std::string& path, bool project) {
    const auto text = read_file(files_, path, most_settings);
    // Of others' files only that part is ours.
    const bool mentions = text && text->find("cudald") != std::string::npos;
    if (project && !mentions) return std::nullopt;
    if (!text) return usage_error(fmt::format("{}: {}", escaped(path), text.error().message));
    const auto keys = read_toml(*text, project ? "tool.cudald" : "");
    if (!keys) return usage_error(fmt::format("{}: {}", escaped(path), escaped(keys.error().message)));
    if (keys->empty() && project) return std::nullopt;
    settings_.files.push_back(path);
    for (const auto& key : *keys)
      if (auto error = add_key(path, key)) return error;
    return std::nullopt;
  }

  std::optional<Error> add_key(const std::string& path, const TomlKey& key) {
    if (key.name == "policy" && !key.list && key.values.empty()) {
      for (const auto& rule : key.keys)
        if (auto error = add(std::string(policy_prefix) + rule.name, rule.values, at_line(path, rule.line)))
          return error;
      return std::nullopt;
    }
    if (key.name == "policy" && key.tables.empty())
      return usage_error(fmt::format("{}: `policy` is a table: [policy]", at_line(escaped(path), key.line)));
    if (key.name == "ignore")
      for (const auto& table : key.tables)
        if (auto error = add_suppression(path, table)) return error;
    if (!key.keys.empty() || (!key.tables.empty() && key.name != "ignore"))
      return usage_error(fmt::format("{}: unknown table `{}`", at_line(escaped(path), key.line), escaped(key.name)));
    if (key.values.empty() && !key.tables.empty()) return std::nullopt;
    return add(key.name, key.values, at_line(path, key.line));
  }

  std::optional<Error> add_suppression(const std::string& path, const TomlKey& table) {
    Suppression entry;
    entry.origin = at_line(path, table.line);
    const std::map<std::string_view, std::string*> fields = {{"code", &entry.code},
                                                             {"object", &entry.object},
                                                             {"subject", &entry.subject},
                                                             {"reason", &entry.reason},
                                                             {"until", &entry.until}};
    const auto fault = [&](const std::string& message) {
      return usage_error(fmt::format("{}: {}", escaped(entry.origin), message));
    };
    for (const auto& key : table.keys) {
      const auto field = fields.find(key.name);
      if (field == fields.end()) {
        std::vector<std::string_view> known;
        for (const auto& [name, unused] : fields) known.push_back(name);
        return fault(fmt::format("unknown key `{}` in [[ignore]]{}", escaped(key.name), did_you_mean(key.name, known)));
      }
      if (key.values.size() != 1 || key.list) return fault(fmt::format("`{}` takes one value", key.name));
      *field->second = key.values.front();
    }
    if (entry.code.empty()) return fault("an entry of [[ignore]] needs a `code`");
    if (entry.reason.empty()) return fault("an entry of [[ignore]] needs a `reason`");
    if (!entry.until.empty() && !is_day(entry.until))
      return fault(fmt::format("`until` is a day such as 2027-01-01, not `{}`", escaped(entry.until)));
    std::vector<std::string> codes;
    if (auto complaint = add_codes(codes, entry.code)) return fault(*complaint);
    if (codes.size() != 1) return fault("`code` is one code");
    entry.code = codes.front();
    settings_.suppressions.push_back(std::move(entry));
    return std::nullopt;
  }

  const SettingSources& sources_;
  const FileSystem& files_;
  Settings settings_;
};

}  // namespace

std::vector<std::string_view> setting_names() {
  std::vector<std::string_view> names;
  for (const auto& rule : option_table())
    if (rule.in_files != InFiles::no) names.push_back(rule.name);
  return names;
}

Policy Settings::policy() const {
  Policy policy;
  for (const auto& [key, setting] : keys)
    if (key.starts_with(policy_prefix)) find_policy(key.substr(policy_prefix.size()))->apply(policy, setting.values);
  return policy;
}

Result<Settings> read_settings(const SettingSources& sources, const FileSystem& files) {
  return Reader(sources, files).read();
}

}  // namespace cudald
