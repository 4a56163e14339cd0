#include "session/world.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include <cudald/image.h>

#include "audit/conda_depends.h"
#include "audit/policy.h"
#include "audit/policy_table.h"
#include "audit/requirements.h"
#include "base/listed.h"
#include "base/path.h"
#include "base/windows_path.h"
#include "binary/known_image.h"
#include "machine/abi.h"
#include "machine/own_machine.h"
#include "package/conda_package.h"
#include "package/version.h"
#include "process/library_kind.h"
#include "session/described_world.h"
#include "session/target_python.h"
#include "session/usual_pythons.h"

namespace cudald {
namespace {

/// Whether a wheel is for the machine on which it was built, which is one like this: every tag promises nothing but the
/// machine, as "linux_x86_64". One for another machine is not installed here, so it is judged for those.
bool is_built_for_here(std::string_view file_name) {
  const auto named = parse_wheel_file_name(file_name);
  if (!named) return false;
  const auto promises_nothing = [](const std::string& tag) { return tag.starts_with("linux_"); };
  const auto* abi = abi_of_tags(named->platform_tags);
  return std::all_of(named->platform_tags.begin(), named->platform_tags.end(), promises_nothing) &&
         (abi == nullptr || runs_here(abi->machine));
}

class TagWorld {
 public:
  TagWorld(RunState& run, bool windows) : run_(run), windows_(windows) {}

  /// In a world that is not that of a tag: what a lock pins, or else what the packages require, and was not given is
  /// there as well.
  void add_others() {
    if (!windows_) find_machine();
    if (run_.query.lock) {
      pin_to_lock();
      know_requirements();
    } else if (!are_of_conda(tree())) {
      const auto stated = run_.world.python;
      set_python();
      add_requirements();
      run_.world.python = stated;
    }
  }

  void enter() {
    run_.world.kind = WorldKind::tag;
    run_.session.store.packages.stand_on_nothing();
    set_python();
    if (windows_) {
      run_.world.name = windows_tag();
    } else {
      find_machine();
      if (are_of_conda(tree()))
        promise_of_conda();
      else
        promise_of_tag();
    }
    if (are_of_conda(tree()))
      add_depends();
    else
      add_requirements();
  }

 private:
  PackageTree& tree() { return run_.store.packages; }

  /// The packages that are targets, in their order.
  std::vector<std::size_t> asked() const {
    std::vector<std::size_t> numbers;
    for (const auto& given : run_.query.targets)
      if (const auto number = run_.installed.find(given); number != run_.installed.end())
        numbers.push_back(number->second);
    return numbers;
  }

  std::string windows_tag() {
    for (const auto number : asked())
      for (const auto& tag : tags_of(tree().packages()[number]).platform)
        if (tag.starts_with("win")) return tag;
    return machine_ == EM_386 ? "win32" : "win_amd64";
  }

  void set_python() {
    auto& version = run_.world.python;
    version = run_.query.python;
    for (const auto number : asked())
      if (version.empty()) version = version_of_tags(tree().packages()[number].tags);
    for (const auto number : asked()) {
      const auto& wanted = tree().packages()[number].requires_python;
      for (const auto usual : usual_pythons)
        if (version.empty() && allows(wanted, usual)) version = usual;
    }
    if (version.empty()) version = usual_pythons[0];
  }

  /// Of a lock all packages count, else those that are asked about.
  std::vector<std::size_t> counting() const {
    auto numbers = asked();
    if (!run_.query.lock) return numbers;
    for (const auto& [given, number] : run_.installed)
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
    return numbers;
  }

  /// Of the first file that a loader of Linux could load.
  void find_machine() {
    for (const auto number : counting()) {
      const auto& package = tree().packages()[number];
      const auto* abi = abi_of_tags(package.tags, run_.query.environment.machine);
      for (const auto* files : {&package.libraries, &package.programs})
        for (const auto& path : *files) {
          const auto& opened = run_.store.images.open(path);
          if (opened.error || !opened.image->is_elf() || tag_machine(*opened.image).empty()) continue;
          if (abi != nullptr && abi->machine != opened.image->machine) continue;
          machine_ = opened.image->machine;
          format_ = opened.image->format;
          order_ = opened.image->byte_order;
          tag_machine_ = tag_machine(*opened.image);
          musl_ = wants_musl(*opened.image);
          return;
        }
      if (abi != nullptr) return take_machine(*abi, package.tags);
    }
  }

  /// Of a package in which no file is for the machine that its tags name.
  void take_machine(const Abi& abi, const std::vector<std::string>& tags) {
    Image like;
    machine_ = like.machine = abi.machine;
    format_ = like.format = abi.format;
    order_ = like.byte_order = abi.byte_order;
    if (abi.machine == EM_ARM) like.elf.header.flags = EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD;
    tag_machine_ = tag_machine(like);
    musl_ = std::any_of(tags.begin(), tags.end(),
                        [](const std::string& tag) { return tag.find("musllinux") != std::string::npos; });
  }

  /// The oldest policy that a tag of the packages names: pip installs them wherever that one holds. All packages of a
  /// lock are installed only where the newest of those holds.
  std::optional<std::size_t> claimed(const PolicyTable& table) {
    std::optional<std::size_t> claim;
    for (const auto number : counting()) {
      std::optional<std::size_t> oldest;
      for (const auto& tag : tags_of(tree().packages()[number]).platform)
        if (const auto policy = table.find_tag(tag); policy && (!oldest || *policy < *oldest)) oldest = policy;
      if (!oldest) continue;
      claim = !claim ? *oldest : run_.query.lock ? std::max(*claim, *oldest) : std::min(*claim, *oldest);
    }
    return claim;
  }

  /// "linux-64" and its like. Source: conda, "Platforms".
  std::string conda_platform() const {
    return "linux-" + std::string(tag_machine_ == "x86_64" ? "64" : tag_machine_ == "i686" ? "32" : tag_machine_);
  }

  void promise_of_conda() {
    const auto version = conda_glibc(tree());
    run_.world.name =
        conda_platform() + " with glibc " + std::to_string(version.major) + "." + std::to_string(version.minor);
    promise(version, run_.world.name, libraries_of_glibc());
  }

  /// What conda packages depend on lies in the prefix beside them.
  void add_depends() {
    auto& requirements = run_.world.requirements;
    requirements = conda_requirements(tree());
    pin_to_lock();
    std::vector<std::string> likely;
    for (auto& required : requirements) {
      const auto brought =
          required.at_hand ? std::nullopt : brought_by_conda(required, requirements, *run_.store.knowledge);
      if (!brought) continue;
      required.known = true;
      required.libraries = brought->libraries;
      if (brought->likely) likely.push_back(required.name);
      std::vector<std::string> paths;
      for (const auto& library : brought->libraries) paths.push_back("lib/" + library);
      make_known(tree().install_names(required.name, "", paths), ImageSource::requirement);
    }
    constexpr std::size_t most_named = 4;
    if (!likely.empty())
      run_.notes.push_back(fmt::format("the contents of {} (conda) are likely, not proven: no package was opened",
                                       listed(likely, most_named)));
  }

  void promise_of_tag() {
    const auto kind = musl_ ? LibcKind::musl : LibcKind::glibc;
    const auto* table = PolicyTable::find(kind, tag_machine_);
    if (table == nullptr) return;
    const auto claim = claimed(*table);
    const auto policy = std::min(claim.value_or(table->count()), table->count() - 1);
    const auto tag = table->tag(policy);
    // Python code alone asks for nothing of the machine, so no promise is named.
    if (claim || has_compiled_files()) run_.world.name = tag;
    if (!claim && has_compiled_files())
      run_.notes.push_back("its tag guarantees nothing about a machine; assumed: " + run_.world.name +
                           ", the newest that is known");
    promise(libc_of(kind, tag), tag, table->libraries(policy));
  }

  bool has_compiled_files() const {
    const auto& packages = run_.store.packages.packages();
    return std::any_of(packages.begin(), packages.end(), [](const Package& package) {
      return !package.archive.empty() && !(package.libraries.empty() && package.programs.empty());
    });
  }

  void promise(const LibcVersion& libc, const std::string& name, const std::vector<std::string>& libraries) {
    GlibcFacts facts;
    // --libc: a machine of the tag that has a newer one.
    const auto& stated = run_.query.environment.libc;
    const bool newer = stated && stated->kind == libc.kind && stated->at_least(libc.major, libc.minor);
    facts.version = newer ? *stated : libc;
    facts.system_folders = {std::string(PackageTree::promised)};
    facts.lib_token = "lib64";
    run_.session.facts = std::move(facts);
    std::vector<std::string> paths;
    const auto folder = std::string(PackageTree::promised.substr(PackageTree::prefix.size() + 1)) + "/";
    for (const auto& library : libraries) paths.push_back(folder + library);
    make_known(tree().install_names(name, "", paths), ImageSource::promise);
  }

  /// The C library that "manylinux_2_28_x86_64" stands for.
  static LibcVersion libc_of(LibcKind kind, const std::string& tag) {
    LibcVersion version{kind, 2, 36};
    const auto first = tag.find('_') + 1;
    const auto* end = tag.data() + tag.size();
    const auto major = std::from_chars(tag.data() + first, end, version.major);
    if (major.ptr != end) std::from_chars(major.ptr + 1, end, version.minor);
    return version;
  }

  void make_known(std::size_t number, ImageSource source) {
    const auto paths = tree().packages()[number].libraries;
    for (const auto& path : paths)
      if (const auto status = tree().status(path))
        run_.store.images.know(status->id,
                               known_image(source, machine_, format_, order_, std::string(file_name(path))));
  }

  void add_requirements() {
    const auto numbers = asked();
    auto& requirements = run_.world.requirements;
    requirements =
        active_requirements(tree(), {numbers.begin(), numbers.end()}, marker_values(run_.world), run_.query.extras);
    pin_to_lock();
    know_requirements();
  }

  /// Of what is required there is what the lock pins, in that version; and what it pins is there if nobody requires it.
  void pin_to_lock() {
    if (!run_.query.lock) return;
    std::map<std::string, std::string> pins;
    for (const auto& pinned : *run_.query.lock) pins[pinned.name] = pinned.version;
    auto& requirements = run_.world.requirements;
    std::erase_if(requirements, [&](const RequiredPackage& required) {
      return !required.at_hand && !pins.contains(normal_distribution_name(required.name));
    });
    const auto pin = [](RequiredPackage& required, const std::string& version) {
      required.version = version;
      required.specifiers = "==" + version;
    };
    for (auto& required : requirements) {
      const auto found = pins.find(normal_distribution_name(required.name));
      if (found == pins.end()) continue;
      if (!required.at_hand) pin(required, found->second);
      pins.erase(found);
    }
    for (const auto& [name, version] : pins) pin(requirements.emplace_back(RequiredPackage{.name = name}), version);
  }

  void know_requirements() {
    auto& requirements = run_.world.requirements;
    const auto site = std::string(PackageTree::site_packages.substr(PackageTree::prefix.size() + 1)) + "/";
    if (windows_) format_ = machine_ == EM_386 ? Format::pe32 : Format::pe32_plus;
    for (auto& required : requirements) {
      if (required.at_hand) continue;
      required.modules = known_modules(required.name, required.specifiers);
      std::vector<std::string> paths;
      const auto brought = brought_by(required.name, required.specifiers, windows_, *run_.store.knowledge);
      if (!brought) continue;
      required.known = true;
      for (const auto& library : *brought) {
        paths.push_back(site + (library.folder.empty() ? "" : library.folder + "/") + library.name);
        required.libraries.push_back(library.name);
      }
      if (!paths.empty())
        make_known(tree().install_names(required.name, required.version, paths), ImageSource::requirement);
    }
    choose_releases();
  }

  /// What is required and not known may want an older release of something else.
  void choose_releases() {
    auto& requirements = run_.world.requirements;
    const bool all_known = std::all_of(requirements.begin(), requirements.end(), [](const RequiredPackage& required) {
      return required.at_hand || required.known;
    });
    for (auto& required : requirements) {
      if (required.at_hand) continue;
      required.release = chosen_version(required.name, required.specifiers, run_.world.python);
      required.release_certain = all_known || !required.version.empty();
    }
  }

  RunState& run_;
  bool windows_, musl_ = false;
  std::uint16_t machine_ = EM_X86_64;
  Format format_ = Format::elf64;
  ByteOrder order_ = ByteOrder::little;
  std::string_view tag_machine_ = "x86_64";
};

/// Whether folders or files of this machine are named for the loader to look at.
bool names_folders_here(const Query& query) {
  const auto& environment = query.environment;
  const auto is_here = [](const std::string& path) {
    return !path.empty() && path.find("{site}") == std::string::npos && !is_full_windows_path(path);
  };
  for (const auto* folders : {&environment.dll_path, &environment.dll_directories, &environment.preload})
    if (std::any_of(folders->begin(), folders->end(), is_here)) return true;
  const auto path = environment.stated.find("LD_LIBRARY_PATH");
  return path != environment.stated.end() && is_here(path->second);
}

/// Whether a target is a package or a member of one.
bool is_in_package(const std::string& target) { return !package_target(target).archive.empty(); }

/// The site-packages folder of the simulated Python; empty if there is none.
std::string site_packages_of(const Query& query, const FileSystem& files) {
  const bool with_packages =
      !query.packages.empty() || std::any_of(query.targets.begin(), query.targets.end(), is_in_package);
  if (with_packages) return std::string(PackageTree::site_packages);
  if (!query.prefix) return "";
  const auto python = find_python(absolute_path(*query.prefix, query.environment.cwd), files);
  for (const auto& folder : python ? python->path : std::vector<std::string>())
    if (folder.ends_with("-packages")) return folder;
  return "";
}

void name_site_packages(Query& query, const FileSystem& files) {
  constexpr std::string_view placeholder = "{site}";
  std::vector<std::string*> texts;
  for (auto* variables : {&query.environment.variables, &query.environment.stated})
    for (auto& [name, value] : *variables) texts.push_back(&value);
  for (auto* folders : {&query.environment.dll_path, &query.environment.dll_directories})
    for (auto& folder : *folders) texts.push_back(&folder);
  std::erase_if(texts, [&](const std::string* text) { return text->find(placeholder) == std::string::npos; });
  if (texts.empty()) return;
  const auto site = site_packages_of(query, files);
  if (site.empty()) return;
  for (auto* text : texts)
    for (auto at = text->find(placeholder); at != std::string::npos; at = text->find(placeholder, at + site.size()))
      text->replace(at, placeholder.size(), site);
}

/// Who says nothing of a machine asks about this one, with the GPUs that it has and lets be seen.
bool take_machine_gpus(Query& query, const std::vector<MachineGpu>& gpus) {
  if (!query.machine_gpus || !query.gpus.empty() || !asks_about_this_machine(query)) return false;
  const auto visible = query.environment.variable("CUDA_VISIBLE_DEVICES");
  if (!visible || !hides_all_gpus(*visible, gpus)) query.gpus = architectures_of(gpus);
  return !query.gpus.empty();
}

}  // namespace

bool is_about_packages(const Query& query) {
  return !query.targets.empty() && std::all_of(query.targets.begin(), query.targets.end(), is_in_package);
}

WorldKind world_of(const Query& query) {
  if (query.linux_host) return WorldKind::described;
  if (query.world) return *query.world;
  if (!is_about_packages(query) || query.prefix || query.sysroot != "/" || query.windows_host ||
      names_folders_here(query))
    return WorldKind::here;
  return is_built_for_here(file_name(package_target(query.targets.front()).archive)) ? WorldKind::here : WorldKind::tag;
}

Query in_its_world(const Query& given, const FileSystem& files, const std::vector<MachineGpu>& gpus) {
  auto query = given;
  name_site_packages(query, files);
  query.world = world_of(given);
  query.folder = package_folder(given);
  if (query.linux_host) enter_described_environment(query);
  query.machine_gpus = take_machine_gpus(query, gpus);
  if (query.world != WorldKind::tag) return query;
  auto& environment = query.environment;
  environment.variables = environment.stated;
  environment.cwd = "/";
  if (!environment.cpu_stated) environment.cpu = x86_64_cpu(1);
  environment.kernel.reset();
  environment.any_driver = true;
  return query;
}

void enter_world_of_tag(RunState& run, bool windows) { TagWorld(run, windows).enter(); }

void add_absent_packages(RunState& run, bool windows) { TagWorld(run, windows).add_others(); }

}  // namespace cudald
