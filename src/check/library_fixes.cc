#include "check/library_fixes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/cuda_objects.h"
#include "check/install_commands.h"
#include "check/other_abi.h"
#include "check/patchelf_fix.h"
#include "cuda/conda_packages.h"
#include "cuda/providers.h"
#include "package/requirement.h"

namespace cudald {
namespace {

std::string relative_path(const std::string& from, const std::string& to) {
  const auto a = split(from, "/"), b = split(to, "/");
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  std::string result;
  for (auto i = same; i < a.size(); ++i) result += "/..";
  for (auto i = same; i < b.size(); ++i) (result += '/') += b[i];
  return result;
}

bool is_system_path(const std::string& path) {
  return path.starts_with("/usr/lib") || path.starts_with("/lib") || path.starts_with("/usr/bin");
}

/// "11" if what the object asks for, it itself, or all runtimes of the process are of CUDA 11; empty if nothing tells.
std::string cuda_major(const Object& object, const Report& report, Store& state) {
  for (const auto& edge : object.edges)
    for (const std::string_view stem : {"libcudart.so.", "libcublas.so."})
      if (edge.name.starts_with(stem)) return edge.name.substr(stem.size(), 2);
  if (const auto cuda = object.cuda ? most_telling(object.path, state) : nullptr; cuda && !cuda->built_for_cuda.empty())
    return cuda->built_for_cuda.substr(0, cuda->built_for_cuda.find('.'));
  std::set<int> majors;
  for (const auto id : all_runtimes(report.resolution)) majors.insert(report.resolution.objects[id].cuda->major);
  return majors.size() == 1 && *majors.begin() != 0 ? std::to_string(*majors.begin()) : "";
}

/// Of two releases of one package, "cudatoolkit=11.1" and "cudatoolkit=11.8", the older: only it has what asks for it.
void add_requirement(std::set<std::string>& words, const std::string& word) {
  const auto name = word.substr(0, word.find('=') + 1);
  for (const auto& other : words)
    if (name.ends_with('=') && other.starts_with(name)) {
      if (word < other) {
        words.erase(other);
        words.insert(word);
      }
      return;
    }
  words.insert(word);
}

}  // namespace

const std::string& LibraryFixes::cuda_major_of(const Object& requester) {
  const auto [place, is_new] = cuda_majors_.try_emplace(&requester);
  if (is_new) place->second = cuda_major(requester, report_, state_);
  return place->second;
}

std::string LibraryFixes::python() const {
  if (!report_.query.prefix) return "python3";
  const auto python = absolute_path(*report_.query.prefix, report_.query.environment.cwd) + "/bin/python";
  return is_file(images_.files(), python) ? shell_word(python) : "python3";
}

std::string LibraryFixes::pip_install() const {
  return python() == "python3" ? "pip install " : python() + " -m pip install ";
}

void LibraryFixes::add_fixes(const std::vector<Whereabouts>& found, const Probe* decisive, Finding& finding) {
  const auto& requester = requester_of(finding);
  const auto& edge = requester.edges[*finding.edge];
  if (decisive != nullptr) {
    add_mended_file(found, *decisive, finding);
    return;
  }
  if (edge.name == "libcuda.so.1") {
    finding.fixes.push_back(
        {"libcuda.so.1 belongs to the NVIDIA driver; on Debian", "sudo apt install libcuda1",
         "needs the non-free component; in a container the host's driver is mounted: docker run --gpus all"});
    finding.does_not_help.push_back(
        "the toolkit's stubs/libcuda.so: it is for linking only and answers every call with an error");
    return;
  }
  for (const auto& where : found)
    if (where.exact_name && where.fits) {
      const std::string folder(parent_path(where.path));
      add_path_fixes(requester, folder, finding);
      remedies_[*finding.object][edge.name] = {"", "", shell_folder(folder), false};
      break;
    }
  if (finding.fixes.empty())
    for (const auto& where : found)
      if (where.same_soname && where.fits) {
        const auto folder = std::string(parent_path(where.path));
        finding.fixes.push_back(
            {"give the library the name it is asked by",
             "ln -s " + shell_word(std::string(file_name(where.path))) + " " + shell_word(folder + "/" + edge.name),
             "the folder must be one that the loader searches; in a system folder: sudo ldconfig"});
        break;
      }
  const bool here = !finding.fixes.empty();
  if (!here && !add_required_package(requester, edge, finding)) add_installs(requester, edge, finding);
  for (const auto& where : found)
    if (!where.exact_name && !where.same_soname && where.fits) {
      finding.does_not_help.push_back(fmt::format(
          "a symlink {} -> {}: it is another ABI; its versions and symbols differ", edge.name, file_name(where.path)));
      break;
    }
  if (finding.fixes.empty())
    for (const auto& package : system_packages_of(edge.name))
      finding.fixes.push_back({fmt::format("{} of {} carries it", package.package, package.system),
                               "sudo apt install " + package.package,
                               fmt::format("it lands in {}, where every loader looks", package.folder)});
  if (finding.fixes.empty())
    finding.fixes.push_back({"find the package that carries it", "apt-file search --regexp '/" + edge.name + "$'",
                             "needs: sudo apt install apt-file && sudo apt-file update"});
}

/// The file at which the search ends has to go, and a good one has to take its place.
void LibraryFixes::add_mended_file(const std::vector<Whereabouts>& found, const Probe& unusable, Finding& finding) {
  const auto& requester = requester_of(finding);
  const auto& edge = requester.edges[*finding.edge];
  const auto move = "mv " + shell_word(unusable.path) + " " + shell_word(unusable.path + ".unusable");
  const auto bad = normal_path(absolute_path(unusable.path, report_.query.environment.cwd));
  const auto good = std::find_if(found.begin(), found.end(), [&](const Whereabouts& where) {
    return where.exact_name && where.fits && where.path != bad;
  });
  if (good != found.end()) {
    const std::string folder(parent_path(good->path));
    const auto listed = split(report_.query.environment.variable("LD_LIBRARY_PATH").value_or(""), ":");
    const bool searched = is_system_path(good->path) || std::find(listed.begin(), listed.end(), folder) != listed.end();
    finding.fixes.push_back({fmt::format("move the unusable file away; a usable one lies in {}", folder),
                             searched ? move : move + "\n" + export_search_path({shell_folder(folder)}, python()), ""});
  } else {
    add_installs(requester, edge, finding);
    remedies_[*finding.object].erase(edge.name);
    for (auto& fix : finding.fixes) {
      fix.title = "move the unusable file away; " + fix.title;
      fix.command = move + "\n" + fix.command;
    }
    if (finding.fixes.empty())
      finding.fixes.push_back({"move the unusable file away, or replace it by the right one", move,
                               "the search then goes on to the next folder"});
  }
  finding.does_not_help.push_back("another copy later in the search: the loader stops at the first bad file");
}

/// What installs the library: in an environment of conda, first what conda has.
void LibraryFixes::add_installs(const Object& requester, const Edge& edge, Finding& finding) {
  add_conda_fixes(requester, edge, finding);
  add_pip_fixes(requester, edge, finding);
}

void LibraryFixes::add_path_fixes(const Object& requester, const std::string& folder, Finding& finding) const {
  finding.fixes.push_back({"for this shell only", export_search_path({shell_folder(folder)}, python()),
                           "every program started from it then prefers the libraries in that folder"});
  const std::string prefix(parent_path(folder));
  if (images_.folder_exists(prefix + "/conda-meta"))
    finding.fixes.push_back(
        {"for this conda environment only, from its next activation on",
         fmt::format("conda env config vars set -p {} LD_LIBRARY_PATH={}", shell_word(prefix), shell_word(folder)),
         "every program in it then prefers the libraries in that folder"});
  if (is_system_path(requester.path)) return;
  const auto element = "$ORIGIN" + relative_path(std::string(parent_path(requester.path)), folder);
  const bool rpath = requester.image->elf.rpath && !requester.image->elf.runpath;
  const auto options = fmt::format("{}--add-rpath '{}'", rpath ? "--force-rpath " : "", element);
  finding.fixes.push_back(patchelf_fix("for this file only", options, requester, packages_));
}

/// Whether some path that was tried lies in that folder of a site-packages.
bool LibraryFixes::is_searched(const Edge& edge, const std::string& folder) const {
  const auto end = "/" + folder + "/" + edge.name;
  return std::any_of(edge.search.probes.begin(), edge.search.probes.end(), [&](const Probe& probe) {
    return normal_path(absolute_path(probe.path, report_.query.environment.cwd)).ends_with(end);
  });
}

/// A wheel that was given without what it requires: pip would bring that along.
bool LibraryFixes::add_required_package(const Object& requester, const Edge& edge, Finding& finding) const {
  const auto* package = packages_.package_of(requester.path);
  if (package == nullptr) return false;
  for (const auto& provider : providers_of(edge.name))
    for (const auto& line : package->requires_dist) {
      const auto requirement = parse_requirement(line);
      if (!requirement || requirement->name != normal_distribution_name(provider.distribution)) continue;
      const auto wanted = requirement->name + requirement->specifiers;
      finding.evidence.push_back(
          {fmt::format("{} requires {}, which carries it, and which is not given here", package->name, wanted), "",
           Basis::proven, ""});
      finding.fixes.push_back(
          {"give the wheels it requires as well; pip install does so by itself",
           fmt::format("pip download -d wheels {0}\ncudald {0} --with wheels", shell_word(package->archive)), ""});
      return true;
    }
  return false;
}

/// The environment of conda that the requester, the program or the stated prefix belongs to; empty if it is none.
std::string LibraryFixes::conda_prefix(const Object& requester) const {
  std::vector<std::string> places{requester.path, report_.resolution.objects.front().path};
  if (report_.query.prefix)
    places.push_back(absolute_path(*report_.query.prefix, report_.query.environment.cwd) + "/lib");
  for (const auto& place : places)
    for (auto folder = parent_path(place); folder.size() > 1; folder = parent_path(folder))
      if (images_.folder_exists(std::string(folder) + "/conda-meta")) return std::string(folder);
  return "";
}

void LibraryFixes::add_conda_fixes(const Object& requester, const Edge& edge, Finding& finding) {
  const auto prefix = conda_prefix(requester);
  if (prefix.empty()) return;
  auto packages = conda_packages_of(edge.name);
  const auto major = cuda_major_of(requester);
  const auto fits = [&](const CondaProvider& package) {
    return !package.cuda || std::to_string(*package.cuda) == major;
  };
  if (std::any_of(packages.begin(), packages.end(), fits))
    std::erase_if(packages, [&](const CondaProvider& package) { return !fits(package); });
  const auto folder = prefix + "/lib";
  const bool searched = is_searched(edge, folder.substr(1));
  for (const auto& package : packages) {
    auto command = conda_install(package, prefix);
    if (!searched) command += "\n" + export_search_path({shell_word(folder)}, python());
    finding.fixes.push_back({fmt::format("{} of {} carries exactly this file", package.package, package.channel),
                             std::move(command),
                             searched ? fmt::format("it lands in {}, where the loader looks for it", folder)
                                      : fmt::format("it lands in {}, where the loader looks only if told so", folder)});
    finding.evidence.push_back({fmt::format("{} of {} carries {}", package.package, package.channel, edge.name), "",
                                Basis::table, package.source});
    auto& remedy = remedies_[*finding.object][edge.name];
    if (remedy.folder.empty())
      remedy = {fmt::format("conda install -p {} -c {} ", shell_word(prefix), package.channel), package.requirement,
                shell_word(folder), searched};
  }
}

void LibraryFixes::add_pip_fixes(const Object& requester, const Edge& edge, Finding& finding) {
  const auto& name = edge.name;
  const auto providers = providers_of(name, cuda_major_of(requester));
  const auto site = site_folder(requester.path);
  for (const auto& provider : providers) {
    const bool searched = is_searched(edge, provider.folder);
    auto command = pip_install() + shell_word(provider.requirement);
    if (!searched) command += "\n" + export_search_path({(site.empty() ? "$site/" : site) + provider.folder}, python());
    finding.fixes.push_back(
        {fmt::format("{} carries exactly this file", provider.distribution), std::move(command),
         searched
             ? fmt::format("it lands in site-packages/{}, where the loader looks for it", provider.folder)
             : fmt::format("it lands in site-packages/{}, where the loader looks only if told so", provider.folder)});
    finding.evidence.push_back({fmt::format("{} {} carries {}", provider.distribution, provider.version, name), "",
                                Basis::table, providers_source()});
    auto& remedy = remedies_[*finding.object][name];
    if (remedy.folder.empty())
      remedy = {pip_install(), shell_word(provider.requirement), (site.empty() ? "$site/" : site) + provider.folder,
                searched};
  }
}

void LibraryFixes::add_common_fixes() {
  for (const auto& entry : remedies_) {
    const auto requester = entry.first;
    const auto& remedies = entry.second;
    if (remedies.size() < 2) continue;
    const auto first = std::find_if(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
      return finding.object == requester && finding.edge && remedies.contains(finding.subject);
    });
    std::map<std::string, std::set<std::string>> installs;
    std::vector<std::string> folders;
    for (const auto& [name, remedy] : remedies) {
      if (!remedy.requirement.empty())
        for (const auto word : split(remedy.requirement, " "))
          add_requirement(installs[remedy.install], std::string(word));
      if (!remedy.searched && std::find(folders.begin(), folders.end(), remedy.folder) == folders.end())
        folders.push_back(remedy.folder);
    }
    std::vector<std::string> lines;
    for (const auto& [install, words] : installs) lines.push_back(install + fmt::format("{}", fmt::join(words, " ")));
    if (!folders.empty()) lines.push_back(export_search_path(folders, python()));
    const auto missing = std::count_if(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
      return finding.object == requester && finding.edge;
    });
    const auto what = static_cast<std::size_t>(missing) == remedies.size()
                          ? fmt::format("all {} libraries", remedies.size())
                          : fmt::format("{} of the {} libraries", remedies.size(), missing);
    const auto command = fmt::format("{}", fmt::join(lines, "\n"));
    // One package may bring them all: then that is said once.
    std::erase_if(first->fixes, [&](const Fix& fix) { return fix.command == command; });
    first->fixes.insert(
        first->fixes.begin(),
        {fmt::format("against {} that {} misses", what, file_name(report_.resolution.objects[requester].path)), command,
         folders.empty() ? "" : "for this shell; every program started from it then prefers these libraries"});
  }
}

}  // namespace cudald
