// Which releases of a system have which libraries, C library and repositories: data/system-releases.json.

#include "knowledge/system_releases.h"

#include <algorithm>

#include "base/json.h"
#include "base/replace_all.h"
#include "base/version_order.h"
#include "embedded.h"
#include "knowledge/table_rows.h"

namespace cudald {
namespace {

const nlohmann::json& releases_table() {
  static const auto parsed = parse_table(embedded_system_releases());
  return parsed;
}

/// "program-options" of "libboost_program_options.so.1.74.0".
std::string part_of_name(const std::string& library) {
  const auto begin = library.find('_') + 1;
  std::string part = library.substr(begin, library.find(".so", begin) - begin);
  std::replace(part.begin(), part.end(), '_', '-');
  return part;
}

}  // namespace

std::optional<LibraryReleases> releases_with(const std::string& library) {
  const auto* row = row_for(releases_table().at("releases"), library);
  if (row == nullptr) return std::nullopt;
  LibraryReleases releases{{},
                           row->value("none", std::vector<std::string>{}),
                           row->value("conda", ""),
                           source_and_day(*row, releases_table())};
  for (const auto& each : row->at("had"))
    releases.had.push_back({each.at("system"), each.value("package", ""), each.at("first"), each.value("last", ""),
                            each.value("image", "")});
  for (auto& release : releases.had) replace_all(release.package, "{}", part_of_name(library));
  for (const auto& each : row->value("elsewhere", nlohmann::json::array()))
    releases.elsewhere.push_back({each.at("system"), each.at("who"), each.at("enable"), each.at("package")});
  return releases;
}

std::optional<CompatPackage> compat_package(const std::string& library) {
  const auto* row = row_for(releases_table().at("compat_packages"), library);
  if (row == nullptr) return std::nullopt;
  return CompatPackage{row->at("system"), row->at("package"), source_and_day(*row, releases_table())};
}

std::optional<EarlierArchive> earlier_archive(const PackagedRelease& had, const std::string& now,
                                              const std::string& mirror) {
  std::optional<EarlierArchive> found;
  for (const auto& row : releases_table().at("archives")) {
    if (row.at("system") != had.system) continue;
    for (const auto& release : row.at("releases")) {
      const std::string number = release.at(0);
      const bool in_range = !version_less(number, had.first) && (had.last.empty() || !version_less(had.last, number));
      if (!in_range || !version_less(number, now)) continue;
      found = EarlierArchive{number, release.at(1), row.at("line"), source_and_day(row, releases_table())};
      replace_all(found->line, "{codename}", found->codename);
      replace_all(found->line, "{mirror}", mirror.empty() ? row.at("mirror").get<std::string>() : mirror);
    }
  }
  return found;
}

namespace {

/// The first release of a system in a section of `systems` that has this version or a newer one.
std::optional<ReleaseOfGlibc> first_release_with(const nlohmann::json& section, const std::string& system,
                                                 const std::string& version) {
  for (const auto& row : section.at("systems")) {
    if (row.at("system") != system) continue;
    for (const auto& release : row.at("releases")) {
      ReleaseOfGlibc found{release.at(0), release.at(1), row.at("image"), row.value("distroless", ""), ""};
      if (version_less(found.glibc, version)) continue;
      replace_all(found.image, "{}", found.release);
      replace_all(found.distroless, "{}", found.release);
      found.source = source_and_day(section, releases_table());
      return found;
    }
  }
  return std::nullopt;
}

/// "3.4.32" of "GLIBCXX_3.4.32", "3.4.29" of "CXXABI_1.3.13"; empty if it is not known.
std::string glibcxx_of(const std::string& version) {
  constexpr std::string_view own = "GLIBCXX_", of_abi = "CXXABI_";
  if (version.starts_with(own)) return version.substr(own.size());
  if (!version.starts_with(of_abi)) return "";
  return releases_table().at("libstdcxx").at("abi").value(version.substr(of_abi.size()), "");
}

}  // namespace

std::optional<ReleaseOfGlibc> release_with_glibc(const std::string& system, const std::string& glibc) {
  return first_release_with(releases_table().at("glibc"), system, glibc);
}

std::optional<ReleaseOfGlibc> release_with_libstdcxx(const std::string& system, const std::string& version) {
  const auto glibcxx = glibcxx_of(version);
  return glibcxx.empty() ? std::nullopt : first_release_with(releases_table().at("libstdcxx"), system, glibcxx);
}

std::optional<NewerLibstdcxx> newer_libstdcxx(const std::string& system, const std::string& release,
                                              const std::string& version) {
  const auto glibcxx = glibcxx_of(version);
  const auto& section = releases_table().at("libstdcxx");
  for (const auto& row : section.at("newer"))
    for (const auto& each : row.at("releases"))
      if (!glibcxx.empty() && row.at("system") == system && (release.empty() || each.at(0) == release) &&
          !version_less(each.at(1).get<std::string>(), glibcxx))
        return NewerLibstdcxx{row.at("who"), row.at("needs"), row.at("enable"), row.at("package"),
                              source_and_day(section, releases_table())};
  return std::nullopt;
}

std::string libstdcxx_of_conda() { return releases_table().at("libstdcxx").at("conda"); }

}  // namespace cudald
