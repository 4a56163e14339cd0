#include "package/wheel_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "archive/zip_bytes.h"
#include "archive/zip_names.h"
#include "base/windows_path.h"

namespace cudald {
namespace {

constexpr std::string_view dist_info = ".dist-info";
constexpr std::string_view data = ".data";

// In the order of WheelProblemKind.
constexpr std::array<std::string_view, wheel_problem_kinds> kind_names = {
    "no-dist-info",        "several-dist-info", "name-differs",  "wheel-version",       "foreign-data-folder",
    "unknown-data-scheme", "same-place",        "record-broken", "record-lacks-member", "record-lists-missing",
    "record-twice",        "record-size",       "record-hash",
};

/// Problems of a kind beyond the first few are as good as the first few.
class Problems {
 public:
  void add(WheelProblemKind kind, std::optional<std::size_t> member, std::string message) {
    constexpr std::size_t most_of_a_kind = ZipProblems::most_kept_of_a_kind;
    if (++counts_[static_cast<std::size_t>(kind)] <= most_of_a_kind)
      list_.push_back({kind, member, std::move(message)});
  }
  std::vector<WheelProblem> take() { return std::move(list_); }

 private:
  std::vector<WheelProblem> list_;
  std::array<std::size_t, wheel_problem_kinds> counts_{};
};

std::string_view first_part(std::string_view name) { return name.substr(0, name.find('/')); }

/// `name` without its first part, or nullopt if it has no other.
std::optional<std::string_view> behind_first_part(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return name.substr(slash + 1);
}

std::string below(std::string_view folder, std::string_view path) {
  return folder.empty() ? std::string(path) : fmt::format("{}/{}", folder, path);
}

std::string_view distribution_of(std::string_view prefix) { return prefix.substr(0, prefix.find('-')); }

bool is_data_folder_of(std::string_view folder, std::string_view prefix) {
  return folder.size() == prefix.size() + data.size() && folder.starts_with(prefix) && folder.ends_with(data);
}

/// pip installs the root first, then .data, and of that the scripts last.
int turn(std::string_view name, std::string_view prefix) {
  if (!is_data_folder_of(first_part(name), prefix)) return 0;
  const auto scheme_path = behind_first_part(name);
  return scheme_path && first_part(*scheme_path) == "scripts" ? 2 : 1;
}

bool same_package(std::string_view a, std::string_view b) {
  return normal_distribution_name(a) == normal_distribution_name(b);
}

bool same_version(std::string_view a, std::string_view b) { return normal_version(a) == normal_version(b); }

}  // namespace

std::string_view to_string(WheelProblemKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::optional<std::string> installed_path(std::string_view member, std::string_view prefix,
                                          const InstallFolders& folders) {
  if (!is_safe_zip_name(member) || member.ends_with('/')) return std::nullopt;
  const auto path = plain_zip_name(member);
  if (path.empty()) return std::nullopt;
  if (!is_data_folder_of(first_part(path), prefix)) return below(folders.site_packages, path);

  const auto scheme_path = behind_first_part(path);
  const auto rest = scheme_path ? behind_first_part(*scheme_path) : std::nullopt;
  if (!rest) return std::nullopt;
  const auto scheme = first_part(*scheme_path);
  if (scheme == "purelib" || scheme == "platlib") return below(folders.site_packages, *rest);
  if (scheme == "scripts") return below(folders.scripts, *rest);
  if (scheme == "headers") return below(below(folders.headers, distribution_of(prefix)), *rest);
  if (scheme == "data") {
    const auto& same = folders.site_packages_in_data;
    if (!same.empty() && folded(*rest).starts_with(same + "/"))
      return below(folders.site_packages, rest->substr(same.size() + 1));
    return below(folders.data, *rest);
  }
  return std::nullopt;
}

std::optional<std::string> find_dist_info(std::span<const ZipMember> members, const WheelFileName* file_name,
                                          std::vector<WheelProblem>& problems) {
  std::vector<std::string_view> found;
  for (const auto& member : members) {
    const auto folder = first_part(member.name);
    if (folder.size() == member.name.size() || !folder.ends_with(dist_info)) continue;
    if (found.empty() || found.back() != folder) found.push_back(folder);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.empty()) {
    problems.push_back({WheelProblemKind::no_dist_info, std::nullopt, "has no .dist-info directory: not a wheel"});
    return std::nullopt;
  }
  if (found.size() > 1)
    problems.push_back({WheelProblemKind::several_dist_info, std::nullopt,
                        fmt::format("has {} .dist-info directories, among them {} and {}: pip refuses it", found.size(),
                                    cudald::quoted(found[0]), cudald::quoted(found[1]))});
  for (auto folder : found) {
    folder.remove_suffix(dist_info.size());
    if (file_name != nullptr && same_package(distribution_of(folder), file_name->distribution))
      return std::string(folder);
  }
  return std::string(found.front().substr(0, found.front().size() - dist_info.size()));
}

WheelLayout lay_out_wheel(std::span<const ZipMember> members, std::string_view prefix, const InstallFolders& folders) {
  struct Placed {
    std::string path;
    int turn;
    std::size_t member;
    auto operator<=>(const Placed&) const = default;
  };
  std::vector<Placed> placed;
  Problems problems;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto name = members[i].name;
    const auto folder = first_part(name);
    auto path = installed_path(name, prefix, folders);
    if (folder.ends_with(data) && !members[i].folder && is_safe_zip_name(name)) {
      if (!is_data_folder_of(folder, prefix))
        problems.add(WheelProblemKind::foreign_data_folder, i,
                     fmt::format("is in {}, which is not the wheel's own .data directory: pip accepts it, other "
                                 "installers do not",
                                 cudald::quoted(folder)));
      else if (!path)
        problems.add(WheelProblemKind::unknown_data_scheme, i,
                     "is in none of the parts of .data that an installer knows: pip refuses the wheel");
    }
    if (path) placed.push_back({std::move(*path), turn(name, prefix), i});
  }

  std::sort(placed.begin(), placed.end());
  WheelLayout layout;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const bool replaced = i + 1 < placed.size() && placed[i].path == placed[i + 1].path;
    if (!replaced) {
      layout.files.push_back({std::move(placed[i].path), placed[i].member});
      continue;
    }
    // Of names that mean the same the archive's own problems speak already.
    const auto other = members[placed[i + 1].member].name;
    if (plain_zip_name(members[placed[i].member].name) != plain_zip_name(other))
      problems.add(WheelProblemKind::same_place, placed[i].member,
                   fmt::format("is installed in the same place as {}, which replaces it", cudald::quoted(other)));
  }
  layout.problems = problems.take();
  return layout;
}

std::vector<WheelProblem> check_wheel_identity(const WheelFileName* file_name, std::string_view prefix,
                                               const WheelMetadata* metadata, const WheelSettings* settings) {
  Problems problems;
  const auto compare = [&](std::string_view what, std::string_view name, std::string_view version) {
    if (!same_package(name, file_name->distribution) || !same_version(version, file_name->version))
      problems.add(WheelProblemKind::name_differs, std::nullopt,
                   fmt::format("is {} {} by its file name, {} {} by its {}", cudald::quoted(file_name->distribution),
                               file_name->version, cudald::quoted(name), version, what));
  };
  if (file_name != nullptr) {
    const auto distribution = distribution_of(prefix);
    compare(".dist-info directory", distribution, prefix.substr(std::min(distribution.size() + 1, prefix.size())));
    if (metadata != nullptr) compare("METADATA", metadata->name, metadata->version);
  }
  if (settings != nullptr) {
    const auto& version = settings->wheel_version;
    unsigned major = 0;
    const auto [end, fault] = std::from_chars(version.data(), version.data() + version.size(), major);
    if (version.empty())
      problems.add(WheelProblemKind::wheel_version, std::nullopt, "has a WHEEL file without a Wheel-Version");
    else if (fault != std::errc() || major != 1)
      problems.add(WheelProblemKind::wheel_version, std::nullopt,
                   fmt::format("has the Wheel-Version {}; installers know 1", cudald::quoted(version)));
  }
  return problems.take();
}

std::vector<WheelProblem> check_record(const Record& record, std::span<const ZipMember> members,
                                       std::string_view prefix) {
  Problems problems;
  if (record.broken_rows > 0)
    problems.add(WheelProblemKind::record_broken, std::nullopt,
                 fmt::format("has {} rows in RECORD that are not path, hash and size", record.broken_rows));
  if (!record.complete)
    problems.add(WheelProblemKind::record_broken, std::nullopt,
                 fmt::format("has a RECORD of more than {} rows", most_zip_members));

  std::vector<const RecordRow*> rows;
  for (const auto& row : record.rows) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const RecordRow* a, const RecordRow* b) { return a->path < b->path; });
  const auto name_of_record = fmt::format("{}{}/RECORD", prefix, dist_info);
  const auto needs_no_row = [&](std::string_view name) {
    return name == name_of_record || name == name_of_record + ".jws" || name == name_of_record + ".p7s";
  };

  std::vector<bool> matched(rows.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& member = members[i];
    if (member.folder) continue;
    const auto row = std::lower_bound(rows.begin(), rows.end(), member.name,
                                      [](const RecordRow* a, std::string_view name) { return a->path < name; });
    if (row == rows.end() || (*row)->path != member.name) {
      if (record.complete && !needs_no_row(member.name))
        problems.add(WheelProblemKind::record_lacks_member, i, "is not listed in RECORD");
      continue;
    }
    matched[static_cast<std::size_t>(row - rows.begin())] = true;
    if (needs_no_row(member.name)) continue;
    if (member.usable && (*row)->size && *(*row)->size != member.size)
      problems.add(WheelProblemKind::record_size, i,
                   fmt::format("has {} bytes by RECORD, and {} in the archive", *(*row)->size, member.size));
    if ((*row)->hash.empty())
      problems.add(WheelProblemKind::record_hash, i, "has no hash in RECORD");
    else if ((*row)->algorithm == "md5" || (*row)->algorithm == "sha1")
      problems.add(WheelProblemKind::record_hash, i,
                   fmt::format("has a hash by {} in RECORD; sha256 is the least that is allowed", (*row)->algorithm));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i]->path == rows[i - 1]->path)
      problems.add(WheelProblemKind::record_twice, std::nullopt,
                   fmt::format("lists {} twice in RECORD", cudald::quoted(rows[i]->path)));
    else if (!matched[i])
      problems.add(WheelProblemKind::record_lists_missing, std::nullopt,
                   fmt::format("lists {} in RECORD, and does not hold it", cudald::quoted(rows[i]->path)));
  }
  return problems.take();
}

}  // namespace cudald
