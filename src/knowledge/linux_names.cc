// What the name of a library says: data/linux-names.json.

#include "knowledge/linux_names.h"

#include <algorithm>

#include "base/json.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "embedded.h"
#include "knowledge/table_rows.h"

namespace cudald {
namespace {

const nlohmann::json& table() {
  static const auto parsed = parse_table(embedded_linux_names());
  return parsed;
}

/// The first row of a section that is for a library; nullptr if none is.
const nlohmann::json* row_of(const char* section, const std::string& library) {
  return row_for(table().at(section), library);
}

std::string source_of(const nlohmann::json& row) { return source_and_day(row, table()); }

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

std::optional<CLibrary> c_library_with(const std::string& symbol) {
  for (const auto& row : table().at("c_libraries"))
    if (matches_any(symbol, row.at("symbols").get<std::vector<std::string>>()))
      return CLibrary{row.at("who"), row.at("library"), row.value("elsewhere", row.at("library").get<std::string>()),
                      row.at("link"), source_of(row)};
  return std::nullopt;
}

std::optional<VendorPackage> vendor_package(const std::string& path, const std::string& library) {
  for (const auto& row : table().at("vendor_packages"))
    if (path.starts_with(row.at("below").get_ref<const std::string&>()) &&
        matches_any(library, row.at("libraries").get<std::vector<std::string>>()))
      return VendorPackage{row.at("who"), row.at("package"), row.at("systems"), source_of(row)};
  return std::nullopt;
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

std::optional<HostPart> host_part_with(const std::string& symbol) {
  for (const auto& row : table().at("host_parts"))
    if (matches_any(symbol, row.at("symbols").get<std::vector<std::string>>()))
      return HostPart{row.at("host"), row.at("module"), row.at("packages"), row.at("bundled"), source_of(row)};
  return std::nullopt;
}

}  // namespace cudald
