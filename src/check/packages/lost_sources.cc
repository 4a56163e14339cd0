// An editable installation is a .pth file with the directory of the sources, or a finder that has it: where that is
// moved or left out of an image, nothing is found, and Python says no more than that the module is not there.
// Source: PEP 660; setuptools 70 setuptools/command/editable_wheel.py and develop.py.
#include "check/packages/lost_sources.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <vector>

#include "base/path.h"
#include "base/trimmed.h"
#include "check/packages/lacked_names.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_text = 256 << 10;
constexpr std::size_t most_looked_through = 200;

struct LostSources {
  std::string file, directory;
  bool named = false;  ///< they are those of the module that is missing
};

/// The distribution of "__editable__.toolx-0.3.0.pth"; empty of other files.
std::string distribution_of_pth(std::string_view name) {
  constexpr std::string_view before = "__editable__.";
  if (!name.starts_with(before)) return {};
  name.remove_prefix(before.size());
  return normal_distribution_name(name.substr(0, name.find('-')));
}

/// Lines of a .pth file that name a directory which is not there.
void add_lost_lines(const FileSystem& files, const std::string& site, const std::string& name, const std::string& top,
                    std::vector<LostSources>& lost) {
  const auto text = read_file(files, site + "/" + name, most_text);
  if (!text) return;
  const auto wanted = normal_distribution_name(top);
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto written = trimmed(line);
    if (written.empty() || written.starts_with('#') || written.starts_with("import ")) continue;
    const auto directory = normal_path(absolute_path(std::string(written), site));
    if (files.status(directory)) continue;
    const bool named = distribution_of_pth(name) == wanted ||
                       normal_distribution_name(file_name(directory)) == wanted ||
                       normal_distribution_name(file_name(parent_path(directory))) == wanted;
    lost.push_back({site + "/" + name, directory, named});
  }
}

/// The place that a finder of setuptools has for a module: `MAPPING: dict[str, str] = {'toolx': '/home/me/toolx'}`.
std::optional<LostSources> place_of_finder(const FileSystem& files, const std::string& path, const std::string& top) {
  const auto text = read_file(files, path, most_text);
  const auto table = text ? text->find("\nMAPPING") : std::string::npos;
  if (table == std::string::npos) return std::nullopt;
  const auto key = "'" + top + "': '";
  const auto end = text->find('}', table), at = text->find(key, table);
  if (at == std::string::npos || at > end) return std::nullopt;
  const auto begin = at + key.size();
  auto place = text->substr(begin, text->find('\'', begin) - begin);
  if (files.status(place) || files.status(place + ".py")) return std::nullopt;
  return LostSources{path, std::move(place), true};
}

std::vector<LostSources> lost_sources(const FileSystem& files, const std::string& site, const std::string& top) {
  std::vector<LostSources> lost;
  const auto entries = files.list(site);
  if (!entries) return lost;
  std::size_t read = 0;
  for (const auto& name : *entries) {
    const bool is_pth = name.ends_with(".pth");
    if (read >= most_looked_through || !(is_pth || (name.starts_with("__editable__") && name.ends_with("_finder.py"))))
      continue;
    ++read;
    if (is_pth) add_lost_lines(files, site, name, top, lost);
    if (auto place = is_pth ? std::nullopt : place_of_finder(files, site + "/" + name, top)) lost.push_back(*place);
  }
  return lost;
}

}  // namespace

bool tell_lost_sources(const Import& import, const Import::MissingModule& missing, const Installer& installer,
                       const FileSystem& files, Finding& finding) {
  auto site = installer.site();
  if (site.empty() && !import.python.empty())
    site = fmt::format("{}/lib/python{}/site-packages", parent_path(parent_path(import.python)), import.python_version);
  const auto top = top_of(missing.name);
  for (const auto& one : lost_sources(files, site, top)) {
    if (!one.named) continue;
    finding.message = fmt::format("the module {} is not found: the sources of its editable installation are gone", top);
    finding.evidence.push_back({fmt::format("{} leads to {}, which does not exist", file_name(one.file), one.directory),
                                one.file, Basis::proven, ""});
    finding.fixes.push_back(
        {fmt::format("install it again from the directory where its sources are now: {}-e DIRECTORY",
                     installer.install()),
         "", fmt::format("or put them back to {}", one.directory)});
    return true;
  }
  return false;
}

}  // namespace cudald
