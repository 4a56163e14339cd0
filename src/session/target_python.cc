#include "session/target_python.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <cudald/query.h>

#include "base/path.h"
#include "base/similar_word.h"
#include "knowledge/newest_releases.h"
#include "package/dist_info.h"
#include "package/site_packages.h"
#include "package/version.h"
#include "process/library_kind.h"
#include "pyimport/environment/environment_files.h"
#include "session/active_python.h"

namespace cudald {
namespace {

/// "cuda.bindings" for cuda/bindings/_bindings/cydriver.pyd, where cuda/ has no code of its own: the first folder that
/// has; empty if none does.
std::string module_in_namespace(const std::string& below, const std::string& site, const FileSystem& files) {
  constexpr int deepest = 4;  // "google.cloud.storage" has three
  auto slash = below.find('/');
  for (int depth = 0; depth < deepest && slash != std::string::npos; ++depth, slash = below.find('/', slash + 1)) {
    auto name = below.substr(0, slash);
    if (!is_file(files, site + "/" + name + "/__init__.py")) continue;
    std::replace(name.begin(), name.end(), '/', '.');
    return is_module_name(name) ? name : "";
  }
  return "";
}

}  // namespace

std::string version_of_tags(const std::vector<std::string>& tags) {
  for (const auto& tag : tags) {
    constexpr std::string_view implementation = "cp3";
    const auto abi = tag.find('-');
    const std::string_view rest = std::string_view(tag).substr(abi == std::string::npos ? tag.size() : abi);
    // "cp37-none" is for 3.7 alone: only the stable ABI is for later ones as well.
    if (!tag.starts_with(implementation) || !(rest.starts_with("-cp3") || rest.starts_with("-none-"))) continue;
    if (abi > implementation.size()) return "3." + tag.substr(implementation.size(), abi - implementation.size());
  }
  return "";
}

namespace {

Result<PythonEnvironment> python_of_prefix(const Query& query, const FileSystem& files) {
  const auto prefix = absolute_path(*query.prefix, query.environment.cwd);
  if (auto python = find_python(prefix, files, query.environment.variables, query.environment.cwd))
    return std::move(*python);
  return Error{ErrorCode::absent, "--prefix names " + *query.prefix + ", which is not a directory"};
}

/// The Python into which packages are put that are asked about alone.
PythonEnvironment python_of_packages(const Query& query, const PackageTree& files) {
  PythonEnvironment python;
  python.variables = query.environment.variables;
  python.prefix = python.base_prefix = PackageTree::prefix;
  python.complete = false;
  for (const auto& package : files.packages())
    if (python.version.empty()) python.version = version_of_tags(package.tags);
  return python;
}

/// "tf_keras" for "tf-keras".
std::string module_called_like(std::string distribution) {
  std::replace(distribution.begin(), distribution.end(), '-', '_');
  return distribution;
}

}  // namespace

void put_packages_first(const PackageTree& files, PythonEnvironment& python) {
  const auto others = std::exchange(python.path, {});
  PathBuilder(files, python).add_site(std::string(PackageTree::site_packages));
  // A package is not to say where else on this machine its code may look.
  const auto leads_out = [](const std::string& folder) { return !folder.starts_with(PackageTree::prefix); };
  if (std::erase_if(python.path, leads_out) > 0)
    python.notes.push_back("lines of the packages' .pth files that lead outside of them are not followed");
  python.path.insert(python.path.end(), others.begin(), others.end());
}

Result<PythonEnvironment> find_target_python(const Query& query, const PackageTree& files) {
  const bool with_packages = !files.packages().empty();
  auto python = query.prefix    ? python_of_prefix(query, files)
                : with_packages ? python_of_packages(query, files)
                                : find_active_python(query, files);
  if (!python) return python;
  if (with_packages) put_packages_first(files, *python);
  if (!query.python.empty()) python->version = query.python;
  for (const auto& [name, value] : query.environment.stated) python->stated_variables.insert(name);
  for (const auto& gpu : query.gpus) python->gpus.push_back(gpu.number);
  return python;
}

void enter_world(const World& world, PythonEnvironment& python) {
  const bool of_tag = world.kind == WorldKind::tag;
  if (!of_tag && world.requirements.empty()) return;
  if (of_tag) python.version = world.python;
  // Whoever starts a process sets these, login and Docker among them.
  if (of_tag && python.windows == nullptr)
    python.variables.insert(
        {{"HOME", "/root"}, {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}});
  const bool all_known =
      std::all_of(world.requirements.begin(), world.requirements.end(),
                  [](const RequiredPackage& required) { return required.at_hand || required.known; });
  python.complete = all_known && (of_tag || python.complete);
  // What is not called like its distribution is taken to be there where nothing catches that it is not.
  for (const auto& required : world.requirements) {
    if (required.at_hand) continue;
    auto module = module_called_like(required.name);
    if (!required.release.empty()) python.releases[module] = {required.release, required.release_certain};
    python.elsewhere.insert(std::move(module));
    python.elsewhere.insert(required.modules.begin(), required.modules.end());
  }
  // Every Python before brings them along. Source: PEP 632; What's New In Python 3.12, "venv".
  const auto version = parse_version(python.version);
  if (of_tag && version && *version < *parse_version("3.12")) python.elsewhere.insert({"setuptools", "pkg_resources"});
}

void assume_there(const AssumedNames& assumed, PythonEnvironment& python) {
  python.elsewhere.insert(assumed.modules.begin(), assumed.modules.end());
  python.assumed_names = assumed.names;
  for (const auto& distribution : assumed.distributions)
    if (auto version = newest_release(distribution, python.version); !version.empty())
      python.releases[module_called_like(distribution)] = {std::move(version)};
}

std::string without_mark(const std::string& given) { return given.starts_with("py:") ? given.substr(3) : given; }

bool is_module_name(std::string_view text) {
  bool start = true;
  for (const char c : text) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (c == '.' ? start : !letter && (start || !digit)) return false;
    start = c == '.';
  }
  return !start && !text.ends_with(".so") && !text.ends_with(".dll") && !text.ends_with(".pyd") &&
         !text.ends_with(".exe");
}

bool has_module(const std::string& name, const PythonEnvironment& python, const FileSystem& files) {
  const auto top = name.substr(0, name.find('.'));
  for (const auto& folder : python.path)
    if (files.status(folder + "/" + top) || is_file(files, folder + "/" + top + ".py")) return true;
  // Few are extension modules of their own, and only a list of all names tells.
  for (const auto& folder : python.path) {
    const auto names = files.list(folder);
    if (names &&
        std::any_of(names->begin(), names->end(), [&](const std::string& entry) { return is_module_file(entry, top); }))
      return true;
  }
  return false;
}

std::vector<std::string> modules_called(const std::string& given, const PythonEnvironment& python,
                                        const FileSystem& files) {
  if (is_module_name(given) && has_module(given, python, files)) return {given};
  if (!is_distribution_name(given)) return {};
  for (const auto& folder : python.path)
    if (auto modules = modules_of_distribution(files, folder, given); !modules.empty()) return modules;
  return {};
}

std::vector<std::string> modules_or_name(const std::string& given, const PythonEnvironment& python,
                                         const FileSystem& files) {
  if (is_module_name(given)) return {given};
  auto modules = modules_called(given, python, files);
  if (modules.empty()) modules.push_back(given);
  return modules;
}

std::string near_name(const std::string& given, const PythonEnvironment& python, const FileSystem& files) {
  std::set<std::string> names;
  for (const auto& folder : python.path) {
    // Who mistypes a name means what was installed, not a part of the standard library.
    if (folder.find("-packages") == std::string::npos && folder != python.prefix) continue;
    names.merge(installed_names(files, folder));
  }
  return std::string(similar_word(given, {names.begin(), names.end()}));
}

std::vector<std::string> imported_names(const Package& package, const PythonEnvironment& python,
                                        const FileSystem& files) {
  std::vector<std::string> names;
  std::set<std::string> known;
  const std::string site(PackageTree::site_packages);
  for (const auto& path : package.libraries) {
    if (!path.starts_with(site + "/")) continue;
    const auto below = path.substr(site.size() + 1);
    const auto top = below.substr(0, below.find_first_of("/."));
    if (known.contains(top)) continue;
    // A folder without code of its own is a namespace that many packages share, as nvidia/ is.
    const bool package_folder = is_file(files, site + "/" + top + "/__init__.py");
    if (!package_folder && below.find('/') != std::string::npos &&
        (is_extension_module(path) || path.ends_with(".pyd")))
      if (auto inner = module_in_namespace(below, site, files); !inner.empty() && known.insert(inner).second)
        names.push_back(std::move(inner));
    const bool module_file = below.find('/') == std::string::npos && is_module_file(below, top);
    if (!is_module_name(top) || !(package_folder || module_file)) continue;
    known.insert(top);
    names.push_back(top);
  }
  // A package of nothing but Python code, by the module that is called like it.
  if (auto module = normal_distribution_name(package.name); package.libraries.empty()) {
    std::replace(module.begin(), module.end(), '-', '_');
    if (is_module_name(module) && has_module(module, python, files)) names.push_back(module);
  }
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    return normal_distribution_name(name) == normal_distribution_name(package.name);
  });
  return python.path.empty() ? std::vector<std::string>() : names;
}

std::string module_name(const std::string& path, const PythonEnvironment& python) {
  std::string_view name = path;
  for (const auto& folder : python.path)
    if (path.starts_with(folder + "/")) name = std::string_view(path).substr(folder.size() + 1);
  name = name.substr(0, name.find('.', name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/')));
  std::string module(name);
  std::replace(module.begin(), module.end(), '/', '.');
  return module;
}

DlopenRequest load_of_unreached(const std::string& module_path, const std::string& imported, bool works,
                                const PythonEnvironment& python) {
  DlopenRequest call;
  call.name = module_path;
  call.traits.bind_now = true;
  if (!imported.empty()) call.traits.when = RequestTime::unreached;
  if (!imported.empty() && works)
    call.traits.without =
        "`import " + imported + "` works; importing " + module_name(module_path, python) + " raises ImportError.";
  return call;
}

}  // namespace cudald
