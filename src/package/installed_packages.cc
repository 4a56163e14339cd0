#include "package/installed_packages.h"

#include <algorithm>

#include "base/bounded_json.h"
#include "base/find_bytes.h"
#include "base/path.h"
#include "base/read_buffer.h"
#include "package/site_packages.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_record = std::uint64_t{64} << 20;
/// Of all environments of a question together. One with CUDA and a thousand packages comes to a tenth of that.
constexpr CostLimits limits{.read = std::uint64_t{128} << 20, .kept = std::uint64_t{64} << 20, .steps = 300'000};

/// It has a dozen values for each file of a package.
constexpr CostLimits conda_meta_limits{.kept = std::uint64_t{96} << 20};

constexpr std::string_view dist_info_suffix = ".dist-info";
/// What is searched by one step of the budget.
constexpr std::uint64_t searched_in_a_step = 1 << 16;

constexpr std::string_view shared_object = ".so";

/// What a loader can map.
bool may_be_loaded(std::string_view path) {
  const auto name = file_name(path);
  return name.find(shared_object) != std::string_view::npos || name.find('.') == std::string_view::npos;
}

/// Appends the lines of a text that have a part.
void add_lines_with(std::string_view part, std::string_view text, std::string& lines) {
  for (;;) {
    const auto at = find_bytes(text, part);
    if (at == std::string_view::npos) return;
    const auto before = text.substr(0, at).rfind('\n');
    const auto begin = before == std::string_view::npos ? 0 : before + 1;
    const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines += text.substr(begin, end - begin);
    text.remove_prefix(end);
  }
}

/// Takes the lines of a text that have a part, as the text comes by in pieces.
class LinePicker {
 public:
  explicit LinePicker(std::string_view part) : part_(part) {}

  void take(std::string_view piece) {
    const auto end = piece.rfind('\n') + 1;  // 0 where there is none
    if (end != 0 && !open_.empty()) {
      const auto first = piece.find('\n') + 1;
      add_lines_with(part_, open_ += piece.substr(0, first), lines_);
      add_lines_with(part_, piece.substr(first, end - first), lines_);
      open_.clear();
    } else {
      add_lines_with(part_, piece.substr(0, end), lines_);
    }
    open_ += piece.substr(end);
  }

  std::string end() {
    add_lines_with(part_, open_, lines_);
    return std::move(lines_);
  }

 private:
  std::string_view part_;
  std::string lines_, open_;  ///< open: a line whose end has not come yet
};

}  // namespace

InstalledPackages::InstalledPackages(const FileSystem& files) : files_(files), budget_(limits) {}

const PackageName* InstalledPackages::package_of(const std::string& path) {
  for (const std::string_view mark : {"/site-packages/", "/dist-packages/"})
    if (const auto at = path.find(mark); at != std::string::npos)
      if (const auto* package = claimed_in(path.substr(0, at + mark.size() - 1), path)) return package;
  const auto* claims = claims_around(std::string(parent_path(path)));
  if (claims == nullptr) return nullptr;
  const auto found = claims->find(path);
  return found == claims->end() ? nullptr : &found->second;
}

bool InstalledPackages::is_of_conda(const std::string& path) {
  const auto* claims = claims_around(std::string(parent_path(path)));
  return claims != nullptr && claims->contains(path);
}

std::string InstalledPackages::conda_requirement(const std::string& path, const std::string& name) {
  const auto* claims = claims_around(std::string(parent_path(path)));
  const auto claim = claims == nullptr ? Claims::const_iterator() : claims->find(path);
  if (claims == nullptr || claim == claims->end()) return "";
  for (const auto& line : depends_[{claims, claim->second.name}]) {
    auto words = split(line, " ");
    std::erase(words, "");
    if (words.size() > 1 && words[0] == name)
      return std::string(words[0]) + (std::string("=<>!~").find(words[1][0]) == std::string::npos ? "=" : "") +
             std::string(words[1]);
  }
  return "";
}

std::string InstalledPackages::conda_channel(const std::string& path) {
  const auto* claims = claims_around(std::string(parent_path(path)));
  const auto claim = claims == nullptr ? Claims::const_iterator() : claims->find(path);
  return claims == nullptr || claim == claims->end() ? "" : channels_[{claims, claim->second.name}];
}

namespace {

/// "bioconda" of https://conda.anaconda.org/bioconda/linux-64, which may be the name alone; empty for conda's defaults.
std::string channel_name(const std::string& address) {
  if (address.find("/pkgs/") != std::string::npos || address == "defaults") return "";
  auto parts = split(address, "/");
  std::erase(parts, "");
  constexpr std::string_view systems[] = {"linux-", "win-", "osx-", "noarch"};
  if (parts.size() > 1 && std::any_of(std::begin(systems), std::end(systems),
                                      [&](std::string_view system) { return parts.back().starts_with(system); }))
    parts.pop_back();
  return parts.empty() ? "" : std::string(parts.back());
}

}  // namespace

/// A conda environment's libraries lie below its lib folder, or beside it.
const InstalledPackages::Claims* InstalledPackages::claims_around(const std::string& folder) {
  constexpr std::size_t most_known = 10'000;
  if (claims_around_.size() == most_known) claims_around_.clear();
  const auto [place, is_new] = claims_around_.try_emplace(folder);
  if (!is_new) return place->second;
  for (std::string_view above = folder; above.size() > 1; above = parent_path(above))
    if (const auto& claims = of_conda(std::string(above)); !claims.empty()) return place->second = &claims;
  return nullptr;
}

/// The packages whose names begin like the folder of the file are asked first: torch before nvidia_cublas_cu12.
const PackageName* InstalledPackages::claimed_in(const std::string& folder, const std::string& path) {
  // Nothing else is ever asked for but sources by which an import fails.
  const bool of_windows = path.ends_with(".pyd") || path.ends_with(".dll");
  if (!may_be_loaded(path) && !of_windows && !path.ends_with(".py")) return nullptr;
  auto& place = site(folder);
  const auto [answer, is_new] = place.answers.try_emplace(path);
  auto& package = answer->second;
  const auto relative = std::string_view(path).substr(folder.size() + 1);
  const auto top = normal_distribution_name(relative.substr(0, relative.find_first_of("/.")));
  for (const bool likely : {true, false}) {
    for (auto& dist_info : place.dist_infos) {
      if (!is_new || package) break;
      if (dist_info.normal_name.starts_with(top) == likely && lists(folder, dist_info, path))
        package = name_of(folder, dist_info);
    }
  }
  return package ? &*package : nullptr;
}

Record InstalledPackages::rows_with(std::string_view name, const std::string& folder, DistInfo& dist_info) {
  const auto place = folder + "/" + dist_info.folder + "/RECORD";
  const bool among_them = name.find(shared_object) != std::string_view::npos && name.find('\n') == std::string::npos;
  auto& lines = among_them ? dist_info.shared_objects : dist_info.record;
  if (!lines) {
    lines = among_them ? shared_objects_of(place) : text_of(place, 1).value_or("");
    if (!fits(budget_.keep(lines->size()), place)) lines = "";
  }
  if (lines->empty()) return {};
  auto record = parse_record(*lines, name);
  if (!fits(budget_.step(1 + lines->size() / searched_in_a_step + record.rows.size()), place)) return {};
  return record;
}

std::string InstalledPackages::shared_objects_of(const std::string& record) {
  const auto file = files_.open(record);
  if (!file) return "";
  const auto size = (*file)->status().size;
  if (size > most_record || !fits(budget_.read(size), record)) return "";
  LinePicker picker(shared_object);
  constexpr std::size_t piece_size = 1 << 15;
  ReadBuffer buffer(std::min<std::uint64_t>(piece_size, size));
  for (std::uint64_t offset = 0; offset < size;) {
    const auto got = (*file)->read(offset, buffer.room());
    if (!got || *got == 0) break;
    const std::string_view piece(reinterpret_cast<const char*>(buffer.data()), *got);
    if (piece.find('"') != std::string_view::npos) return text_of(record, 1).value_or("");
    picker.take(piece);
    offset += *got;
  }
  return picker.end();
}

bool InstalledPackages::lists(const std::string& folder, DistInfo& dist_info, const std::string& path) {
  const auto record = rows_with(file_name(path), folder, dist_info);
  return std::any_of(record.rows.begin(), record.rows.end(),
                     [&](const RecordRow& row) { return normal_path(absolute_path(row.path, folder)) == path; });
}

std::optional<DamagedPackage> InstalledPackages::package_that_lost(const std::string& folder,
                                                                   const std::string& library) {
  for (auto& dist_info : site(folder).dist_infos) {
    DamagedPackage package;
    const auto record = rows_with(library, folder, dist_info);
    for (const auto& row : record.rows) {
      auto path = normal_path(absolute_path(row.path, folder));
      if (file_name(row.path) == library && !files_.status(path)) package.gone.push_back(std::move(path));
    }
    if (package.gone.empty()) continue;
    const auto& [name, version] = name_of(folder, dist_info);
    package.name = name;
    package.version = version;
    return package;
  }
  return std::nullopt;
}

std::vector<InstalledPackages::Claim> InstalledPackages::claims_on(const std::string& path) {
  std::vector<Claim> claims;
  for (const std::string_view mark : {"/site-packages/", "/dist-packages/"}) {
    const auto at = path.find(mark);
    if (at == std::string::npos) continue;
    const auto folder = path.substr(0, at + mark.size() - 1);
    for (auto& dist_info : site(folder).dist_infos) {
      const auto record = rows_with(file_name(path), folder, dist_info);
      for (const auto& row : record.rows)
        if (normal_path(absolute_path(row.path, folder)) == path)
          claims.push_back({name_of(folder, dist_info), row.size,
                            row.algorithm == "sha256" ? std::string(row.hash) : std::string()});
    }
  }
  return claims;
}

std::vector<DamagedPackage> InstalledPackages::packages_without_libraries(const std::string& folder,
                                                                          const std::set<std::string>& names) {
  constexpr std::size_t most_named = 20;
  std::vector<DamagedPackage> damaged;
  for (auto& dist_info : site(folder).dist_infos) {
    const auto is_it = [&](const std::string& name) { return dist_info.normal_name.starts_with(name + "-"); };
    const bool meant = std::any_of(names.begin(), names.end(), is_it);
    DamagedPackage package;
    const auto record = rows_with(shared_object, folder, dist_info);
    for (const auto& row : record.rows) {
      const auto top = row.path.substr(0, row.path.find('/'));
      if (!meant && !names.contains(normal_distribution_name(top))) continue;
      auto path = normal_path(absolute_path(row.path, folder));
      if (package.gone.size() < most_named && is_shared_object_name(file_name(row.path)) && !files_.status(path))
        package.gone.push_back(std::move(path));
    }
    if (package.gone.empty()) continue;
    const auto& [name, version] = name_of(folder, dist_info);
    package.name = name;
    package.version = version;
    damaged.push_back(std::move(package));
  }
  return damaged;
}

/// METADATA has the name as its author writes it.
const PackageName& InstalledPackages::name_of(const std::string& folder, DistInfo& dist_info) {
  if (dist_info.name) return *dist_info.name;
  const auto metadata = text_of(folder + "/" + dist_info.folder + "/METADATA", 1);
  auto written = metadata ? parse_wheel_metadata(*metadata) : WheelMetadata{};
  if (!written.name.empty())
    return dist_info.name.emplace(PackageName{std::move(written.name), std::move(written.version)});
  const auto identity = dist_info.folder.substr(0, dist_info.folder.size() - dist_info_suffix.size());
  const auto dash = identity.rfind('-');
  return dist_info.name.emplace(PackageName{identity.substr(0, dash), identity.substr(dash + 1)});
}

InstalledPackages::Site& InstalledPackages::site(const std::string& folder) {
  const auto [place, is_new] = sites_.try_emplace(folder);
  const auto names = is_new ? files_.list(folder) : Result<std::vector<std::string>>(Error{});
  if (!names) return place->second;
  for (const auto& name : *names)
    if (name.ends_with(dist_info_suffix) && name.find('-') < name.size() - dist_info_suffix.size())
      place->second.dist_infos.push_back({name, normal_distribution_name(name)});
  return place->second;
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
  channels_[{&claims, package.name}] = channel_name(word("channel"));
  constexpr std::size_t most_depends = 200;
  if (json.contains("depends") && json["depends"].is_array())
    for (auto& depends = depends_[{&claims, package.name}]; const auto& line : json["depends"])
      if (line.is_string() && depends.size() < most_depends) depends.push_back(line.get<std::string>());
  for (const auto& file : json["files"])
    if (file.is_string() && may_be_loaded(file.get_ref<const std::string&>()) &&
        !claim(prefix + "/" + file.get<std::string>(), package, claims))
      return;
}

std::optional<std::string> InstalledPackages::text_of(const std::string& path, std::uint64_t times) {
  const auto status = files_.status(path);
  if (!status || status->size > most_record || !fits(budget_.read(status->size * times), path)) return std::nullopt;
  auto text = read_file(files_, path, most_record);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

bool InstalledPackages::fits(bool within_limits, const std::string& path) {
  if (!within_limits && !limit_) (limit_ = budget_.error())->path = path;
  return within_limits;
}

bool InstalledPackages::claim(std::string path, const PackageName& package, Claims& claims) {
  constexpr std::uint64_t claim_bytes = 160;  // of one in the map, with the package's name
  if (!fits(budget_.step() && budget_.keep(claim_bytes + path.size()), path)) return false;
  claims.emplace(normal_path(path), package);
  return true;
}

}  // namespace cudald
