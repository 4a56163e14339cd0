#include "check/fixes/installer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "knowledge/known_packages.h"
#include "package/dist_info.h"
#include "package/package_tree.h"
#include "package/requirement.h"
#include "package/site_packages.h"

namespace cudald {
namespace {

/// The environment that a site-packages folder belongs to: what stands before /lib/python3.11/.
std::string prefix_of_site(const std::string& site) {
  for (const std::string_view library : {"/lib/python3", "/lib64/python3", "/Lib/site-packages"})
    if (const auto at = site.find(library); at != std::string::npos) return site.substr(0, at);
  return "";
}

/// "3.11" of .../lib/python3.11/site-packages; empty if it does not say.
std::string python_of_site(const std::string& site) {
  constexpr std::string_view mark = "/python";
  const auto at = site.rfind(mark);
  if (at == std::string::npos) return "";
  const auto version = site.substr(at + mark.size());
  return version.substr(0, version.find('/'));
}

/// A path of the tree as Windows spells it, by the drive of the program, whose path is known in both ways: "C:" of a
/// copy of that drive.
std::string spelled_for_windows(std::string path, const Report& report) {
  std::replace(path.begin(), path.end(), '/', '\\');
  if (report.resolution.objects.empty()) return path;
  const auto& program = report.resolution.objects.front();
  auto tail = program.path;
  std::replace(tail.begin(), tail.end(), '/', '\\');
  const auto& name = program.load_name;
  return name.ends_with(tail) ? name.substr(0, name.size() - tail.size()) + path : path;
}

/// The program of a Python of Windows; that of a virtual environment lies in Scripts. Empty if there is none.
std::string python_of_windows(const std::string& prefix, const FileSystem& files) {
  const auto own = prefix + "/Scripts/python.exe";
  if (is_file(files, prefix + "/pyvenv.cfg") && is_file(files, own)) return own;
  return is_file(files, prefix + "/python.exe") ? prefix + "/python.exe" : "";
}

bool is_made_by_uv(const FileSystem& files, const std::string& prefix) {
  constexpr std::uint64_t most_text = 1 << 16;
  const auto text = read_file(files, prefix + "/pyvenv.cfg", most_text);
  return text && ("\n" + *text).find("\nuv = ") != std::string::npos;
}

std::string installing(const std::string& python, bool uv) {
  return uv ? "uv pip install --python " + python + " " : python + " -m pip install ";
}

/// The extra that a marker asks for: "with-cuda" of `extra == "with-cuda"`; empty if it asks for none.
std::string extra_in(const std::string& marker) {
  const auto at = marker.find("extra");
  const auto open = at == std::string::npos ? at : marker.find_first_of("'\"", at);
  if (open == std::string::npos) return "";
  const auto close = marker.find(marker[open], open + 1);
  return close == std::string::npos ? "" : marker.substr(open + 1, close - open - 1);
}

}  // namespace

Installer::Installer(const Report& report, const Object& requester, const FileSystem& files)
    : files_(files), requester_(requester), site_(site_packages_of(requester.path)) {
  if (requester.path.starts_with(PackageTree::prefix)) site_.clear();
  const auto prefix =
      report.query.prefix ? absolute_path(*report.query.prefix, report.query.environment.cwd) : prefix_of_site(site_);
  if (const auto own = report.resolution.windows && !prefix.empty() ? python_of_windows(prefix, files) : "";
      !own.empty()) {
    const auto spelled = spelled_for_windows(own, report);
    python_ = spelled.find_first_of(" &()^") == std::string::npos ? spelled : windows_word(spelled);
    uv_ = is_made_by_uv(files, prefix);
    return;
  }
  if (prefix.empty() || !is_file(files, prefix + "/bin/python")) return;
  python_ = shell_word(prefix + "/bin/python");
  uv_ = is_made_by_uv(files, prefix);
}

std::string Installer::install() const {
  if (python_ == "python3") return "pip install ";
  return installing(python_, uv_);
}

std::string Installer::in_environment(std::string command) const {
  constexpr std::string_view pip = "pip install ";
  if (command.starts_with(pip) && command.find('\n') == std::string::npos) command.replace(0, pip.size(), install());
  return command;
}

std::string Installer::uninstall() const {
  auto command = install();
  constexpr std::string_view word = "install ";
  command.replace(command.rfind(word), word.size(), "uninstall ");
  return uv_ ? command : command + "-y ";
}

std::string Installer::upgrade(const std::vector<std::string>& wanted) const {
  std::string before, words;
  for (const auto& word : wanted) {
    const auto requirement = parse_requirement(word);
    const auto later = requirement ? later_name(normal_distribution_name(requirement->name)) : "";
    // Both have files of the same names.
    if (!later.empty()) before += uninstall() + shell_word(requirement->name) + "\n";
    words += " " + shell_word(later.empty() ? word : later);
  }
  return before + install() + "--upgrade" + words;
}

Fix Installer::reinstall(const std::string& name, const std::string& version) const {
  return {fmt::format("install the files of {} {} again", name, version),
          install_again() + shell_word(name + "==" + version), ""};
}

Fix Installer::newest_of(const PackageName& asker, const PackageName& owner) const {
  // What else is installed may not go along with the newest one.
  auto wanted = installed_requirement(files_, site_, owner.name, "<");
  if (wanted.empty()) wanted = owner.name;
  return {fmt::format("use newer releases of {} and {}, which go together", asker.name, owner.name),
          upgrade({asker.name, wanted}),
          fmt::format("if {} {} or {} {} has a newer one", asker.name, asker.version, owner.name, owner.version)};
}

std::string Installer::bounded(const std::string& wanted) const {
  constexpr std::string_view least = ">=";
  const auto requirement = parse_requirement(wanted);
  if (site_.empty() || !requirement || !requirement->specifiers.starts_with(least)) return wanted;
  const auto above = std::string_view(requirement->specifiers).substr(least.size());
  if (above.find(',') != std::string_view::npos) return wanted;
  const auto bound = lowest_bound(files_, site_, requirement->name, above);
  return bound.empty() ? wanted : wanted + "," + bound;
}

Fix Installer::required_by(const std::string& by, const UnmetRequirement& unmet) const {
  Fix fix{fmt::format("the {} that {} requires", unmet.name, by), install() + shell_word(bounded(unmet.wanted)), ""};
  const auto requirement = parse_requirement(unmet.wanted);
  if (site_.empty() || !requirement) return fix;
  const auto opposed = opposed_requirement(files_, site_, unmet.name, requirement->specifiers, marker_values());
  if (opposed)
    fix.side_effect = fmt::format(
        "no release fits {} as well, which requires {}: one of the two has to be in another "
        "release",
        opposed->by, opposed->unmet.wanted);
  return fix;
}

void Installer::add_reinstallation(const DamagedPackage& damaged, Finding& finding) const {
  const auto& path = damaged.gone.front();
  finding.evidence.push_back(
      {fmt::format("{} {} lists {} in its RECORD, and the file is missing", damaged.name, damaged.version, path), path,
       Basis::proven, ""});
  finding.fixes.push_back(reinstall(damaged.name, damaged.version));
}

std::string Installer::word_for(const std::string& distribution, const std::string& otherwise) const {
  if (site_.empty() || !requester_.package) return otherwise;
  const auto metadata = installed_metadata(files_, site_, requester_.package->name);
  if (!metadata) return otherwise;
  std::string by_extra;
  for (const auto& line : metadata->requires_dist) {
    const auto requirement = parse_requirement(line);
    if (!requirement || requirement->name != normal_distribution_name(distribution)) continue;
    const auto extra = extra_in(requirement->marker);
    // pip installs all that an installed package requires and that is missing, if it is asked for that package again.
    if (extra.empty())
      return lacks_others(*metadata, requirement->name) ? metadata->name + "==" + metadata->version
                                                        : distribution + requirement->specifiers;
    if (by_extra.empty()) by_extra = fmt::format("{}[{}]=={}", metadata->name, extra, metadata->version);
  }
  return by_extra.empty() ? otherwise : by_extra;
}

MarkerValues Installer::marker_values() const { return linux_marker_values(python_of_site(site_), "x86_64"); }

bool Installer::lacks_others(const WheelMetadata& metadata, const std::string& known) const {
  const auto absent = absent_requirements(files_, site_, metadata.name, marker_values());
  return std::any_of(absent.begin(), absent.end(), [&](const UnmetRequirement& one) { return one.name != known; });
}

std::string install_into(const FileSystem& files, const std::string& prefix, const std::string& python) {
  return installing(python, is_made_by_uv(files, prefix));
}

std::string python_release(const Report& report) {
  for (const auto& import : report.resolution.imports)
    if (!import.python_version.empty()) return import.python_version;
  return "";
}

std::string place_in_packages(const Import& import) {
  if (import.python.empty() || import.python_version.empty()) return "";
  return fmt::format("{}/lib/python{}/site-packages/x", parent_path(parent_path(import.python)), import.python_version);
}

}  // namespace cudald
