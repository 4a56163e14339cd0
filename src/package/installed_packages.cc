#include "package/installed_packages.h"

#include "base/json.h"
#include "base/path.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text = std::uint64_t{64} << 20;

/// Only what a loader can map is ever asked for.
bool may_be_loaded(std::string_view path) {
  const auto name = file_name(path);
  return name.find(".so") != std::string_view::npos || name.find('.') == std::string_view::npos;
}

}  // namespace

const PackageName* InstalledPackages::package_of(const std::string& path) {
  for (const std::string_view mark : {"/site-packages/", "/dist-packages/"})
    if (const auto at = path.find(mark); at != std::string::npos) {
      const auto& claims = of_site_packages(path.substr(0, at + mark.size() - 1));
      if (const auto found = claims.find(path); found != claims.end()) return &found->second;
    }
  // A conda environment's libraries lie below its lib folder, or beside it.
  for (auto folder = parent_path(path); folder.size() > 1; folder = parent_path(folder)) {
    const auto& claims = of_conda(std::string(folder));
    if (claims.empty()) continue;
    const auto found = claims.find(path);
    return found == claims.end() ? nullptr : &found->second;
  }
  return nullptr;
}

const InstalledPackages::Claims& InstalledPackages::of_site_packages(const std::string& folder) {
  const auto [place, is_new] = claims_.try_emplace(folder);
  if (!is_new) return place->second;
  const auto names = files_.list(folder);
  if (!names) return place->second;
  for (const auto& name : *names) {
    if (!name.ends_with(".dist-info")) continue;
    const auto identity = name.substr(0, name.size() - 10);
    const auto dash = identity.rfind('-');
    const auto text = read_file(files_, folder + "/" + name + "/RECORD", most_text);
    if (!text || dash == std::string::npos) continue;
    PackageName package{identity.substr(0, dash), identity.substr(dash + 1)};
    // METADATA has the name as its author writes it.
    if (const auto metadata = read_file(files_, folder + "/" + name + "/METADATA", most_text)) {
      auto written = parse_wheel_metadata(*metadata);
      if (!written.name.empty()) package = {std::move(written.name), std::move(written.version)};
    }
    const auto record = parse_record(*text);
    for (const auto& row : record.rows)
      if (may_be_loaded(row.path)) place->second.emplace(normal_path(absolute_path(row.path, folder)), package);
  }
  return place->second;
}

const InstalledPackages::Claims& InstalledPackages::of_conda(const std::string& prefix) {
  const auto [place, is_new] = claims_.try_emplace(prefix + "/conda-meta");
  if (!is_new) return place->second;
  const auto names = files_.list(prefix + "/conda-meta");
  if (!names) return place->second;
  for (const auto& name : *names) {
    if (!name.ends_with(".json")) continue;
    const auto text = read_file(files_, prefix + "/conda-meta/" + name, most_text);
    const auto json = text ? parse_json(*text) : nlohmann::json();
    if (!json.is_object() || !json.contains("files") || !json["files"].is_array()) continue;
    const auto word = [&](const char* key) {
      return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
    };
    const PackageName package{word("name"), word("version")};
    for (const auto& file : json["files"])
      if (file.is_string() && may_be_loaded(file.get_ref<const std::string&>()))
        place->second.emplace(normal_path(prefix + "/" + file.get<std::string>()), package);
  }
  return place->second;
}

}  // namespace cudald
