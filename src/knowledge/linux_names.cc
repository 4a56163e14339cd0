// What the name of a library says: data/linux-names.json.

#include "knowledge/linux_names.h"

#include <algorithm>

#include "base/json.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "base/wildcard.h"
#include "embedded.h"

namespace cudald {
namespace {

const nlohmann::json& table() {
  static const auto parsed = parse_table(embedded_linux_names());
  return parsed;
}

/// The first row of a section whose patterns fit; nullptr if none does.
const nlohmann::json* row_of(const char* section, const std::string& library) {
  for (const auto& row : table().at(section))
    if (matches_any(library, row.at("libraries").get<std::vector<std::string>>())) return &row;
  return nullptr;
}

std::string source_of(const nlohmann::json& row) {
  return row.at("source").get<std::string>() + ", " + table().at("checked").get<std::string>();
}

}  // namespace

std::optional<NameOfSystems> name_of_systems(const std::string& library) {
  const auto* row = row_of("single_systems", library);
  if (row == nullptr) return std::nullopt;
  return NameOfSystems{row->at("systems"), row->at("who"), row->at("elsewhere"),
                       row->value("same", std::vector<std::string>()), source_of(*row)};
}

std::optional<SuccessorOfLibrary> successor_of(const std::string& library) {
  const auto* row = row_of("successors", library);
  if (row == nullptr) return std::nullopt;
  return SuccessorOfLibrary{row->at("by"), row->at("says"), source_of(*row)};
}

std::optional<InstalledLibrary> installation_of(const std::string& library) {
  const auto* row = row_of("installations", library);
  if (row == nullptr) return std::nullopt;
  return InstalledLibrary{row->at("who"), row->at("directories"), row->at("fix"), row->at("command"), source_of(*row)};
}

std::optional<CompiledHere> compiled_here(std::string_view path) {
  for (const auto& row : table().at("compiled_here")) {
    const auto mark = row.at("mark").get<std::string>();
    const auto at = path.find(mark);
    if (at == std::string_view::npos) continue;
    const auto begin = at + mark.size();
    const std::string release(path.substr(begin, path.find('/', begin) - begin));
    CompiledHere found{row.at("what"), row.at("command")};
    replace_all(found.what, "{}", release);
    replace_all(found.command, "{}", shell_word(release));
    return found;
  }
  return std::nullopt;
}

std::optional<SeparatePart> separate_part(const std::string& path) {
  constexpr std::string_view place = "{number}";
  const std::string name(path.substr(path.rfind('/') + 1));
  for (const auto& row : table().at("separate_parts")) {
    const auto files = row.at("files").get<std::vector<std::string>>();
    const auto mark = row.at("path").get<std::string>();
    const auto begin = mark.find(place);
    const auto before = mark.substr(0, begin), behind = mark.substr(begin + place.size());
    const auto end = path.find(behind, before.size());
    if (std::find(files.begin(), files.end(), name) == files.end() || !path.starts_with(before) ||
        end == std::string::npos)
      continue;
    const auto number = path.substr(begin, end - begin);
    if (number.empty() || number.find_first_not_of("0123456789.") != std::string::npos) continue;
    SeparatePart part{row.at("says"), row.at("packages"), source_of(row)};
    for (auto& [system, package] : part.packages) replace_all(package, place, number);
    return part;
  }
  return std::nullopt;
}

const std::vector<ForeignBuilder>& foreign_builders() {
  static const auto rows = [] {
    std::vector<ForeignBuilder> made;
    for (const auto& row : table().at("foreign_builders")) made.push_back({row.at("program"), row.at("command")});
    return made;
  }();
  return rows;
}

namespace {

/// "program-options" of "libboost_program_options.so.1.74.0".
std::string part_of_name(const std::string& library) {
  const auto begin = library.find('_') + 1;
  std::string part = library.substr(begin, library.find(".so", begin) - begin);
  std::replace(part.begin(), part.end(), '_', '-');
  return part;
}

}  // namespace

std::optional<LibraryReleases> releases_with(const std::string& library) {
  const auto* row = row_of("releases", library);
  if (row == nullptr) return std::nullopt;
  LibraryReleases releases{
      {}, row->value("none", std::vector<std::string>{}), row->value("conda", ""), source_of(*row)};
  for (const auto& each : row->at("had"))
    releases.had.push_back({each.at("system"), each.value("package", ""), each.at("first"), each.value("last", ""),
                            each.value("image", "")});
  for (auto& release : releases.had) replace_all(release.package, "{}", part_of_name(library));
  for (const auto& each : row->value("elsewhere", nlohmann::json::array()))
    releases.elsewhere.push_back({each.at("system"), each.at("who"), each.at("enable"), each.at("package")});
  return releases;
}

std::optional<CompatPackage> compat_package(const std::string& library) {
  const auto* row = row_of("compat_packages", library);
  if (row == nullptr) return std::nullopt;
  return CompatPackage{row->at("system"), row->at("package"), source_of(*row)};
}

std::optional<EarlierArchive> earlier_archive(const PackagedRelease& had, const std::string& now,
                                              const std::string& mirror) {
  std::optional<EarlierArchive> found;
  for (const auto& row : table().at("archives")) {
    if (row.at("system") != had.system) continue;
    for (const auto& release : row.at("releases")) {
      const std::string number = release.at(0);
      const bool in_range = !version_less(number, had.first) && (had.last.empty() || !version_less(had.last, number));
      if (!in_range || !version_less(number, now)) continue;
      found = EarlierArchive{number, release.at(1), row.at("line"), source_of(row)};
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
      found.source = section.at("source").get<std::string>() + ", " + table().at("checked").get<std::string>();
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
  return table().at("libstdcxx").at("abi").value(version.substr(of_abi.size()), "");
}

}  // namespace

std::optional<ReleaseOfGlibc> release_with_glibc(const std::string& system, const std::string& glibc) {
  return first_release_with(table().at("glibc"), system, glibc);
}

std::optional<ReleaseOfGlibc> release_with_libstdcxx(const std::string& system, const std::string& version) {
  const auto glibcxx = glibcxx_of(version);
  return glibcxx.empty() ? std::nullopt : first_release_with(table().at("libstdcxx"), system, glibcxx);
}

std::optional<NewerLibstdcxx> newer_libstdcxx(const std::string& system, const std::string& release,
                                              const std::string& version) {
  const auto glibcxx = glibcxx_of(version);
  const auto& section = table().at("libstdcxx");
  for (const auto& row : section.at("newer"))
    for (const auto& each : row.at("releases"))
      if (!glibcxx.empty() && row.at("system") == system && (release.empty() || each.at(0) == release) &&
          !version_less(each.at(1).get<std::string>(), glibcxx))
        return NewerLibstdcxx{
            row.at("who"), row.at("needs"), row.at("enable"), row.at("package"),
            section.at("source").get<std::string>() + ", " + table().at("checked").get<std::string>()};
  return std::nullopt;
}

std::string libstdcxx_of_conda() { return table().at("libstdcxx").at("conda"); }

std::vector<std::string> openers_of(const std::string& path) {
  for (const auto& row : table().at("openers")) {
    const auto other = row.at("not_in").get<std::vector<std::string>>();
    if (path.ends_with(row.at("ending").get<std::string>()) &&
        path.find(row.at("part").get<std::string>()) != std::string::npos &&
        std::none_of(other.begin(), other.end(),
                     [&](const std::string& part) { return path.find(part) != std::string::npos; })) {
      auto programs = row.at("programs").get<std::vector<std::string>>();
      const auto before = path.substr(0, path.find(row.at("part").get<std::string>()));
      for (auto& program : programs) replace_all(program, "{before}", before);
      return programs;
    }
  }
  return {};
}

const std::vector<ModuleHost>& module_hosts() {
  static const auto hosts = [] {
    std::vector<ModuleHost> result;
    for (const auto& row : table().at("hosts"))
      result.push_back({row.at("name"), row.at("module"), row.at("program"), row.at("texts"),
                        row.value("releases", std::map<std::string, std::string>{}), row.at("result"), row.at("fix"),
                        source_of(row)});
    return result;
  }();
  return hosts;
}

}  // namespace cudald
