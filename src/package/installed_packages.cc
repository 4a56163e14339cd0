#include "package/installed_packages.h"

#include "base/bounded_json.h"
#include "base/path.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text = std::uint64_t{64} << 20;
/// Of all environments of a question together. One with CUDA and a thousand packages comes to a tenth of that.
constexpr CostLimits limits{.read = std::uint64_t{128} << 20, .kept = std::uint64_t{64} << 20, .steps = 300'000};

/// It has a dozen values for each file of a package.
constexpr CostLimits conda_meta_limits{.kept = std::uint64_t{96} << 20};

/// Only what a loader can map is ever asked for.
bool may_be_loaded(std::string_view path) {
  const auto name = file_name(path);
  return name.find(".so") != std::string_view::npos || name.find('.') == std::string_view::npos;
}

}  // namespace

InstalledPackages::InstalledPackages(const FileSystem& files) : files_(files), budget_(limits) {}

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
  for (const auto& name : *names)
    if (name.ends_with(".dist-info")) read_dist_info(folder, name, place->second);
  return place->second;
}

void InstalledPackages::read_dist_info(const std::string& folder, const std::string& name, Claims& claims) {
  const auto identity = name.substr(0, name.size() - 10);
  const auto dash = identity.rfind('-');
  const auto text = text_of(folder + "/" + name + "/RECORD", 1);
  if (!text || dash == std::string::npos) return;
  PackageName package{identity.substr(0, dash), identity.substr(dash + 1)};
  // METADATA has the name as its author writes it.
  if (const auto metadata = text_of(folder + "/" + name + "/METADATA", 1)) {
    auto written = parse_wheel_metadata(*metadata);
    if (!written.name.empty()) package = {std::move(written.name), std::move(written.version)};
  }
  const auto record = parse_record(*text);
  for (const auto& row : record.rows)
    if (may_be_loaded(row.path) && !claim(absolute_path(row.path, folder), package, claims)) return;
}

const InstalledPackages::Claims& InstalledPackages::of_conda(const std::string& prefix) {
  const auto [place, is_new] = claims_.try_emplace(prefix + "/conda-meta");
  if (!is_new) return place->second;
  const auto names = files_.list(prefix + "/conda-meta");
  if (!names) return place->second;
  for (const auto& name : *names)
    if (name.ends_with(".json")) read_conda_meta(prefix + "/conda-meta/" + name, prefix, place->second);
  return place->second;
}

void InstalledPackages::read_conda_meta(const std::string& path, const std::string& prefix, Claims& claims) {
  constexpr std::uint64_t dearer_than_records = 2;  // JSON takes that much longer
  const auto text = text_of(path, dearer_than_records);
  if (!text) return;
  Budget budget(conda_meta_limits);
  const auto parsed = parse_json(*text, budget);
  if (!parsed && parsed.error().code == ErrorCode::limit && !limit_) (limit_ = parsed.error())->path = path;
  if (!parsed || !parsed->is_object()) return;
  const auto& json = *parsed;
  if (!json.contains("files") || !json["files"].is_array()) return;
  const auto word = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  const PackageName package{word("name"), word("version")};
  for (const auto& file : json["files"])
    if (file.is_string() && may_be_loaded(file.get_ref<const std::string&>()) &&
        !claim(prefix + "/" + file.get<std::string>(), package, claims))
      return;
}

std::optional<std::string> InstalledPackages::text_of(const std::string& path, std::uint64_t times) {
  const auto status = files_.status(path);
  if (!status || status->size > most_text) return std::nullopt;
  if (!budget_.read(status->size * times)) {
    if (!limit_) (limit_ = budget_.error())->path = path;
    return std::nullopt;
  }
  auto text = read_file(files_, path, most_text);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

bool InstalledPackages::claim(std::string path, const PackageName& package, Claims& claims) {
  constexpr std::uint64_t claim_bytes = 160;  // of one in the map, with the package's name
  const auto fits = budget_.step() && budget_.keep(claim_bytes + path.size());
  if (fits) claims.emplace(normal_path(path), package);
  if (!fits && !limit_) (limit_ = budget_.error())->path = path;
  return fits;
}

}  // namespace cudald
