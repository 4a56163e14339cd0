#include "session/installed_deployment.h"

#include <algorithm>

#include "base/library_name.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "binary/image_store.h"
#include "check/fixes/installer.h"
#include "lock/choose.h"
#include "machine/windows_host.h"
#include "machine/windows_tree.h"
#include "package/dist_info.h"
#include "package/requirement.h"
#include "package/site_packages.h"
#include "package/version.h"
#include "pyimport/run_import.h"
#include "session/deployment.h"

namespace cudald {
namespace {

constexpr std::size_t most_gone = 100;
constexpr std::uint64_t most_record = std::uint64_t{16} << 20;

/// They came with the environment, and nobody imports them.
bool is_installer(const std::string& name) { return name == "pip" || name == "setuptools" || name == "wheel"; }

/// The Python of Windows in a folder, as far as it says where packages are installed.
std::optional<PythonEnvironment> windows_python_in(const std::string& prefix, const FileSystem& files) {
  ImageStore images(files);
  const auto host = neutral_windows({}, false);
  WindowsTree tree(images, host);
  auto windows = std::make_shared<WindowsPython>();
  windows->spelled = [&tree](const std::string& path) { return tree.spelled(path); };
  windows->find = [&tree](const std::string& path) { return tree.find(path); };
  auto found = find_windows_python(prefix, files, windows);
  if (!found) return std::nullopt;
  found->environment.windows.reset();
  return std::move(found->environment);
}

class InstalledPlanner {
 public:
  InstalledPlanner(const PythonEnvironment& python, bool windows, const FileSystem& files)
      : python_(python), files_(files) {
    plan_.windows = windows;
  }

  Deployment run(std::shared_ptr<const Knowledge> knowledge) {
    plan_.knowledge = knowledge ? std::move(knowledge) : built_in_knowledge();
    plan_.kind = "environment";
    plan_.python = python_.version;
    plan_.platform = (plan_.windows ? "windows-" : "linux-") + python_.machine;
    for (const auto& folder : python_.path)
      if (folder.ends_with("-packages")) add_all(folder);
    find_needs();
    for (auto& package : plan_.packages) know_cuda(package, plan_);
    // REQUESTED tells little: `pip install -r` writes it for all that a list pins.
    find_top_level(plan_, std::vector<bool>(plan_.packages.size()));
    for (auto& package : plan_.packages) package.top_level &= !is_installer(package.name);
    std::erase_if(plan_.asked, [this](std::size_t number) { return is_installer(plan_.packages[number].name); });
    return std::move(plan_);
  }

 private:
  void add_all(const std::string& site) {
    const auto names = files_.list(site);
    for (const auto& name : names ? *names : std::vector<std::string>())
      if (name.ends_with(".dist-info")) add(site, site + "/" + name);
  }

  void add(const std::string& site, const std::string& folder) {
    const auto text = read_file(files_, folder + "/METADATA", most_record);
    const auto metadata = text ? parse_wheel_metadata(*text) : WheelMetadata();
    DeployedPackage package;
    package.name = normal_distribution_name(metadata.name);
    package.version = metadata.version;
    package.state = LockedState::read;
    if (package.name.empty()) take_folder_name(folder, package);
    const auto& all = plan_.packages;
    const auto is_same = [&](const DeployedPackage& each) { return each.name == package.name; };
    // Of two, the folder that is searched first counts.
    if (package.name.empty() || std::any_of(all.begin(), all.end(), is_same)) return;
    take_record(site, folder, package);
    requires_.push_back(metadata.requires_dist);
    plan_.packages.push_back(std::move(package));
  }

  /// Without METADATA that can be read, Python and pip know a package by the name of its folder. What has no RECORD
  /// either is a remnant.
  void take_folder_name(std::string_view folder, DeployedPackage& package) const {
    const auto stem = file_name(folder.substr(0, folder.rfind('.')));
    const auto dash = stem.find('-');
    const auto name = stem.substr(0, dash);
    if (dash == std::string_view::npos || !is_distribution_name(name)) return;
    if (!read_file(files_, std::string(folder) + "/RECORD", most_record)) return;
    package.name = normal_distribution_name(name);
    package.version = stem.substr(dash + 1);
  }

  /// What it has put there.
  void take_record(const std::string& site, const std::string& folder, DeployedPackage& package) {
    const auto text = read_file(files_, folder + "/RECORD", most_record);
    if (!text) return;
    for (const auto& row : parse_record(*text).rows) {
      package.size += row.size.value_or(0);
      const auto name = file_name(row.path);
      const bool library = plan_.windows ? is_dll_name(name) : is_elf_library_name(name);
      if (!library && !name.ends_with(".py")) continue;
      const auto path = normal_path(absolute_path(row.path, site));
      if (!path.starts_with(site + "/")) continue;
      if (package.gone.size() < most_gone && !files_.status(path)) package.gone.push_back(path.substr(site.size() + 1));
      if (!library) continue;
      package.libraries.push_back({std::string(name), std::string(parent_path(path.substr(site.size() + 1)))});
    }
  }

  void find_needs() {
    WheelEnvironment wheels;
    wheels.python_version = python_.version;
    wheels.machine = python_.machine;
    if (plan_.windows) wheels.windows_tag = "win_amd64";
    const auto markers = make_lock_environment(wheels, {}, {}).markers;
    for (std::size_t i = 0; i < plan_.packages.size(); ++i)
      for (const auto& line : requires_[i]) {
        const auto requirement = parse_requirement(line);
        if (requirement && holds(requirement->marker, markers, {})) note_need(i, *requirement);
      }
  }

  void note_need(std::size_t index, const Requirement& requirement) {
    auto& all = plan_.packages;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const DeployedPackage& each) { return each.name == requirement.name; });
    if (found == all.end())
      all[index].missing.push_back(requirement.name + requirement.specifiers);
    else if (found->name != all[index].name)
      found->required_by.push_back(all[index].name);
    if (found != all.end() && !allows(requirement.specifiers, found->version))
      all[index].unmet.push_back(requirement.name + requirement.specifiers + ", and " + found->name + " " +
                                 found->version + " is installed");
  }

  const PythonEnvironment& python_;
  const FileSystem& files_;
  std::vector<std::vector<std::string>> requires_;  ///< of each package
  Deployment plan_;
};

}  // namespace

bool is_environment(const std::string& folder, const FileSystem& files) {
  for (const auto* mark : {"/pyvenv.cfg", "/conda-meta/history"})
    if (files.status(folder + mark)) return true;
  return false;
}

std::optional<Deployment> plan_installed(const std::string& prefix, const FileSystem& files,
                                         std::shared_ptr<const Knowledge> knowledge) {
  const bool windows = is_windows_python(prefix, files);
  const auto python = windows ? windows_python_in(prefix, files) : find_python(prefix, files);
  if (!python || python->version.empty()) return std::nullopt;
  auto plan = InstalledPlanner(*python, windows, files).run(std::move(knowledge));
  plan.install = install_into(files, prefix, shell_word(prefix + "/bin/python"));
  return plan;
}

std::vector<Query> installed_queries(const Deployment& plan, const std::string& prefix, const Query& like) {
  std::vector<Query> queries;
  auto base = like;
  base.prefix = prefix;
  if (!base.windows) base.windows = plan.windows;
  const auto ask = [&](const std::vector<std::size_t>& numbers) {
    auto query = base;
    for (const auto number : numbers) query.targets.push_back(plan.packages[number].name);
    queries.push_back(std::move(query));
  };
  if (plan.asked.size() > 1)
    for (const auto number : plan.asked) ask({number});
  if (!plan.asked.empty()) ask(plan.asked);
  return queries;
}

}  // namespace cudald
