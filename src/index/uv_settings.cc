#include "index/uv_settings.h"

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/toml.h"
#include "base/usage_error.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_uv_settings = 1 << 20;

class UvReader {
 public:
  UvReader(const Environment& environment, const FileSystem& files) : environment_(environment), files_(files) {}

  Result<UvSettings> read(std::string folder) {
    for (;;) {
      if (add(absolute_path("uv.toml", folder), "") || add(absolute_path("pyproject.toml", folder), "tool.uv")) break;
      if (folder == "/" || folder.empty()) break;
      folder = parent_path(folder);
    }
    const auto config = environment_.variable("XDG_CONFIG_HOME").value_or("");
    const auto home = environment_.variable("HOME").value_or("");
    if (!config.empty() || !home.empty()) add((config.empty() ? home + "/.config" : config) + "/uv/uv.toml", "");
    add("/etc/uv/uv.toml", "");
    if (fault_) return std::move(*fault_);
    return std::move(settings_);
  }

 private:
  /// Whether there is such a file with such a table.
  bool add(const std::string& path, std::string_view table) {
    const auto text = read_file(files_, path, most_uv_settings);
    if (!text) return false;
    const auto keys = read_toml(*text, table);
    if (!keys) {
      if (!fault_) fault_ = usage_error(fmt::format("--online: {}: {}", escaped(path), escaped(keys.error().message)));
      return true;
    }
    if (const auto* indexes = find_key(*keys, "index"))
      for (const auto& index : indexes->tables)
        settings_.indexes.push_back(
            {text_at(index.keys, "name"), text_at(index.keys, "url"), text_at(index.keys, "default") == "true",
             text_at(index.keys, "explicit") == "true", text_at(index.keys, "authenticate") == "always"});
    if (const auto* extra = find_key(*keys, "extra-index-url"))
      for (const auto& url : extra->values) settings_.indexes.push_back({"", url, false, false});
    if (const auto url = text_at(*keys, "index-url"); !url.empty()) settings_.indexes.push_back({"", url, true, false});
    if (settings_.strategy.empty()) settings_.strategy = text_at(*keys, "index-strategy");
    if (settings_.keyring.empty()) settings_.keyring = text_at(*keys, "keyring-provider");
    return !keys->empty();
  }

  const Environment& environment_;
  const FileSystem& files_;
  UvSettings settings_;
  std::optional<Error> fault_;
};

}  // namespace

Result<UvSettings> read_uv_settings(const std::string& folder, const Environment& environment,
                                    const FileSystem& files) {
  return UvReader(environment, files).read(folder);
}

}  // namespace cudald
