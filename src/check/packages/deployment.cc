#include "check/packages/deployment.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_objects.h>
#include <cudald/gpu_code.h>

#include "base/listed.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "knowledge/frameworks.h"
#include "knowledge/knowledge.h"
#include "knowledge/known_packages.h"
#include "knowledge/providers.h"

namespace cudald {
namespace {

constexpr std::size_t most_named = 5;
constexpr auto pip_overwrites = "pip unpacks one wheel after the other without checking for conflicts";

std::string called(const DeployedPackage& package) { return package.name + " " + package.version; }

std::string major_of(const std::string& release) { return release.substr(0, release.find('.')); }

class DeploymentJudgement {
 public:
  explicit DeploymentJudgement(Deployment& deployment)
      : all_(deployment), report_(deployment.together), knowledge_(*deployment.knowledge) {}

  void run() {
    take_from_bytes();
    find_driver();
    count_bytes();
    find_gpus();
    check_fit();
    check_local_versions();
    check_majors();
    check_cudnn();
    check_driver();
    check_replaced();
    check_carried_twice();
    check_missing();
    check_unmet();
    check_gone();
    tell_unread();
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.level < b.level; });
    set_verdict();
  }

 private:
  bool is_installed() const { return all_.kind == "environment"; }

  CudaPlatform platform() const { return all_.windows ? CudaPlatform::windows : CudaPlatform::linux; }

  bool has(std::string_view code) const {
    return std::any_of(report_.findings.begin(), report_.findings.end(),
                       [&](const Finding& finding) { return finding.code == code; });
  }

  DeployedPackage* package_named(const std::string& name) {
    const auto normal = normal_distribution_name(name);
    const auto found = std::find_if(all_.packages.begin(), all_.packages.end(),
                                    [&](const DeployedPackage& package) { return package.name == normal; });
    return found == all_.packages.end() ? nullptr : &*found;
  }

  /// A runtime that a package carries or has linked in is that of its build, whatever a table says.
  void take_from_bytes() {
    for (const auto id : all_runtimes(report_.resolution)) {
      const auto& object = report_.resolution.objects[id];
      auto* package = object.package ? package_named(object.package->name) : nullptr;
      if (package == nullptr || object.cuda->version.empty()) continue;
      package->cuda.release = object.cuda->version;
      package->cuda.source.clear();
      package->cuda.needs_gpu |= !package->cuda.is_part;
    }
  }

  /// Whether the release counts as a need: of a part of CUDA only that of the runtime does.
  static bool needs_driver(const DeployedPackage& package) {
    const auto& name = package.name;
    const bool is_runtime = states_release(ReleaseOf::cuda, name, false) || states_release(ReleaseOf::cuda, name, true);
    return !package.cuda.release.empty() && (package.cuda.needs_gpu || is_runtime);
  }

  void find_driver() {
    for (const auto& package : all_.packages) {
      if (!needs_driver(package)) continue;
      const auto need = knowledge_.least_driver(package.cuda.release, platform());
      if (!need) continue;
      const bool newer = all_.driver.empty() || version_less(all_.driver, need->version);
      // Of equals the one that users asked for, and not a part of CUDA, is named.
      if (!newer && !(need->version == all_.driver && is_part_ && !package.cuda.is_part)) continue;
      all_.driver = need->version;
      all_.driver_by = fmt::format("{}, CUDA {}", called(package), package.cuda.release);
      all_.driver_source = need->source();
      is_part_ = package.cuda.is_part;
    }
  }

  /// As CUD307 counts it: what the runtime does not register is loaded by a library's own code, if at all.
  void find_gpus() {
    const auto& asked = report_.query.gpus;
    if (asked.empty()) return;
    for (const auto& object : report_.resolution.objects) {
      const auto& code = object.gpu;
      if (!code || code->empty() || !code->registered || !code->defects.empty() || !object.package) continue;
      auto& gpus = gpus_of(normal_distribution_name(object.package->name), asked.size());
      for (std::size_t i = 0; i < asked.size(); ++i) gpus[i] = std::max(gpus[i], support_for(*code, asked[i]));
    }
  }

  std::vector<GpuSupport>& gpus_of(const std::string& package, std::size_t count) {
    for (auto& each : all_.gpus)
      if (each.package == package) return each.support;
    return all_.gpus.emplace_back(PackageGpus{package, std::vector<GpuSupport>(count)}).support;
  }

  static GpuSupport support_for(const GpuCode& code, GpuArchitecture gpu) {
    for (const auto& [architecture, count] : code.sass)
      if (sass_runs_on(architecture, gpu)) return GpuSupport::machine_code;
    for (const auto& [architecture, count] : code.ptx)
      if (ptx_compiles_for(architecture, gpu)) return GpuSupport::ptx;
    return GpuSupport::none;
  }

  void count_bytes() {
    for (const auto& package : all_.packages) {
      all_.bytes += package.size;
      if (package.cuda.is_part) all_.cuda_bytes += package.size;
      all_.sizes_unknown += package.size == 0 ? 1 : 0;
    }
  }

  void add(Finding finding) { report_.findings.push_back(std::move(finding)); }

  void check_fit() {
    for (const auto& package : all_.packages) {
      if (package.state != LockedState::misfit && package.state != LockedState::source) continue;
      const bool none = package.state == LockedState::misfit;
      auto finding = make_finding("CUD513");
      if (!none) finding.level = Level::warning;
      finding.subject = package.name;
      finding.message = fmt::format("the lock names no wheel of {} for Python {} on {}{}", called(package), all_.python,
                                    all_.platform, none ? "" : ", and its source would be built");
      finding.consequence = none ? "Installing the lock there fails before anything is loaded."
                                 : "What is built depends on the machine that builds it: it cannot be judged here.";
      finding.fixes.push_back({"lock again for that platform and Python, or take a release that has such a wheel",
                               all_.kind == "uv.lock" ? "uv lock" : "", ""});
      add(std::move(finding));
    }
  }

  /// The Python package index takes no release with a local version: other indexes have them.
  void check_local_versions() {
    std::vector<std::string> names;
    std::string option;
    for (const auto& package : all_.packages) {
      if (!package.without_index) continue;
      names.push_back(called(package));
      if (option.empty()) option = index_with_local_version(package.name, package.version);
    }
    if (names.empty()) return;
    auto finding = make_finding("CUD513");
    finding.level = Level::warning;
    finding.subject = names.front();
    finding.message = fmt::format("{} {} on no index that the file names{}", listed(names, most_named),
                                  names.size() == 1 ? "is" : "are", option.empty() ? "" : ", but by " + option);
    finding.evidence.push_back({"the Python package index takes no release with a local version, as +cu121 is one", "",
                                Basis::rule, "PEP 440, Local version identifiers"});
    finding.consequence = "pip finds no matching distribution, unless its settings or its command name the index.";
    if (!option.empty())
      finding.fixes.push_back({"name the index that has them in the file",
                               fmt::format("sed -i {} {}", shell_word("1i " + option), shell_word(all_.given)), ""});
    add(std::move(finding));
  }

  /// Frameworks and runtimes for different majors of CUDA, as far as no simulation has told of it.
  void check_majors() {
    std::map<std::string, std::vector<const DeployedPackage*>> by_major;
    for (const auto& package : all_.packages)
      if (needs_driver(package)) by_major[major_of(package.cuda.release)].push_back(&package);
    if (by_major.size() < 2) return;
    auto finding = make_finding("CUD312");
    std::vector<std::string> parts;
    for (const auto& [major, packages] : by_major) {
      const auto named = std::find_if(packages.begin(), packages.end(),
                                      [](const DeployedPackage* package) { return package->cuda.needs_gpu; });
      const auto& first = named == packages.end() ? *packages.front() : **named;
      parts.push_back(fmt::format("{} is for CUDA {}", called(first), major));
      for (const auto* package : packages)
        finding.evidence.push_back({fmt::format("{}: CUDA {}", called(*package), package->cuda.release),
                                    package->archive, package->cuda.source.empty() ? Basis::proven : Basis::table,
                                    package->cuda.source});
    }
    finding.subject = fmt::format("{}", fmt::join(keys(by_major), " and "));
    finding.message = fmt::format("{}: {} CUDA major versions in one process", fmt::join(parts, ", "), by_major.size());
    finding.consequence =
        "Each has a runtime of its own. They share the driver and the memory of a GPU, not kernels, streams of "
        "libraries and errors; what both call by one name (cuDNN, NCCL, cuRAND) can be there only once, and is of "
        "the wrong major for one of them.";
    finding.fixes.push_back({"builds for one major of CUDA", "", "the download gets smaller as well"});
    add(std::move(finding));
  }

  static std::vector<std::string> keys(const std::map<std::string, std::vector<const DeployedPackage*>>& map) {
    std::vector<std::string> names;
    for (const auto& [name, value] : map) names.push_back(name);
    return names;
  }

  void check_cudnn() {
    std::vector<const DeployedPackage*> pins;
    for (const auto& package : all_.packages)
      if (package.cuda.is_part && !package.cuda.cudnn.empty()) pins.push_back(&package);
    for (const auto& package : all_.packages) {
      if (!package.cuda.needs_gpu || package.cuda.cudnn.empty() || package.cuda.source.empty()) continue;
      for (const auto* pin : pins) hold_against(package, *pin);
    }
  }

  void hold_against(const DeployedPackage& package, const DeployedPackage& pin) {
    const auto& built = package.cuda.cudnn;
    const bool other_major = major_of(built) != major_of(pin.version);
    const bool older = !other_major && built.find('.') != std::string::npos && version_less(pin.version, built);
    const bool other_cuda = !pin.cuda.release.empty() && major_of(pin.cuda.release) != major_of(package.cuda.release);
    if ((other_major || older) && !has("CUD304")) {
      auto finding = make_finding("CUD304");
      finding.subject = "cuDNN";
      finding.message =
          fmt::format("{} is built with cuDNN {}, and the lock pins {}", called(package), built, called(pin));
      finding.evidence.push_back(
          {fmt::format("{}: cuDNN {}", called(package), built), "", Basis::table, package.cuda.source});
      finding.consequence = other_major
                                ? "Its library has another name: a program that needs the one does not find the other."
                                : "Functions that came since then are missing.";
      finding.fixes.push_back({fmt::format("cuDNN {} or newer of the same major version", built), "", ""});
      add(std::move(finding));
    }
    if (!other_cuda || has("CUD305")) return;
    auto finding = make_finding("CUD305");
    finding.subject = "cuDNN";
    finding.message = fmt::format("{} is cuDNN for CUDA {}, and {} is for CUDA {}", called(pin),
                                  major_of(pin.cuda.release), called(package), package.cuda.release);
    finding.evidence.push_back(
        {fmt::format("{}: CUDA {}", called(package), package.cuda.release), "", Basis::table, package.cuda.source});
    finding.fixes.push_back({fmt::format("nvidia-cudnn-cu{} in its place", major_of(package.cuda.release)), "", ""});
    add(std::move(finding));
  }

  void check_driver() {
    const auto& driver = report_.query.environment.driver;
    if (driver.empty() || all_.driver.empty() || has("CUD301")) return;
    if (!knowledge_.is_older_driver(driver, {all_.driver}, platform())) return;
    auto finding = make_finding("CUD301");
    if (report_.query.require_gpu) finding.level = Level::error;
    finding.subject = driver;
    finding.message =
        fmt::format("driver {} is too old for {}: {} or newer is needed", driver, all_.driver_by, all_.driver);
    finding.evidence.push_back({fmt::format("driver {} or newer", all_.driver), "", Basis::table, all_.driver_source});
    finding.consequence = "It loads; the first call of CUDA fails, and frameworks then see no GPU.";
    finding.fixes.push_back({fmt::format("a driver of {} or newer", all_.driver), "", ""});
    add(std::move(finding));
  }

  /// Names of DLLs compare without case.
  std::string key_of(const std::string& name) const { return all_.windows ? folded(name) : name; }

  /// Two packages that install a library at the same place.
  void check_replaced() {
    std::map<std::string, std::size_t> owner;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::string>> shared;
    for (std::size_t i = 0; i < all_.packages.size(); ++i)
      for (const auto& library : all_.packages[i].libraries) {
        const auto path = library.folder + "/" + library.name;
        const auto [place, is_new] = owner.try_emplace(key_of(path), i);
        if (!is_new && place->second != i) shared[{place->second, i}].push_back(path);
      }
    for (const auto& [pair, paths] : shared) {
      const auto &first = all_.packages[pair.first], &second = all_.packages[pair.second];
      const bool read = first.state == LockedState::read && second.state == LockedState::read;
      tell_replaced(first, second, paths.front(), listed(paths, most_named),
                    {fmt::format("{} {} the same place in both", counted(paths.size(), "file"),
                                 paths.size() == 1 ? "has" : "have"),
                     "", read ? Basis::proven : Basis::table, read ? "" : providers_source(knowledge_)});
    }
    std::vector<SharedModule> modules;
    for (const auto& package : all_.packages) modules.push_back(shared_module_of(package.name));
    for (std::size_t i = 0; i < modules.size(); ++i)
      for (std::size_t k = i + 1; k < modules.size() && !modules[i].module.empty(); ++k)
        if (modules[k].module == modules[i].module && !shared.contains({i, k}))
          tell_same_module(all_.packages[i], all_.packages[k], modules[i]);
  }

  /// Two builds of one project, of which the files of one at least were not read.
  void tell_same_module(const DeployedPackage& first, const DeployedPackage& second, const SharedModule& both) {
    if (first.name == second.name || (first.state == LockedState::read && second.state == LockedState::read)) return;
    tell_replaced(first, second, both.module, "the module " + both.module,
                  {"they are builds of one project", "", Basis::table, both.source});
  }

  void tell_replaced(const DeployedPackage& first, const DeployedPackage& second, const std::string& subject,
                     const std::string& what, Evidence evidence) {
    auto finding = make_finding("CUD511");
    finding.subject = subject;
    finding.message = fmt::format("{} and {} both install {}", called(first), called(second), what);
    finding.evidence.push_back(std::move(evidence));
    finding.evidence.push_back({pip_overwrites, "", Basis::rule, "the binary distribution format, PEP 427"});
    finding.consequence =
        "The one that is installed last replaces the files of the other, and both count as installed. Users of "
        "the replaced ones get another release, or one for another CUDA.";
    finding.fixes.push_back({fmt::format("keep {} or {}, and lock again", first.name, second.name), "", ""});
    add(std::move(finding));
  }

  /// A library by whose name others ask, and not a module or a name that a tool made unique.
  bool is_shared_library(const std::string& name) const {
    return all_.windows ? folded(name).ends_with(".dll")
                        : name.starts_with("lib") && name.find(".so.") != std::string::npos;
  }

  void check_carried_twice() {
    std::map<std::string, std::set<std::size_t>> carriers;
    for (std::size_t i = 0; i < all_.packages.size(); ++i)
      for (const auto& library : all_.packages[i].libraries)
        if (is_shared_library(library.name)) carriers[key_of(library.name)].insert(i);
    std::map<std::set<std::size_t>, std::vector<std::string>> by_carriers;
    for (const auto& [name, numbers] : carriers)
      if (numbers.size() > 1 && !are_one_place(name, numbers)) by_carriers[numbers].push_back(name);
    for (const auto& [numbers, names] : by_carriers) {
      std::vector<std::string> packages;
      for (const auto number : numbers) packages.push_back(called(all_.packages[number]));
      auto finding = make_finding("CUD313");
      finding.subject = names.front();
      finding.message = fmt::format("{} {} in {}", listed(names, most_named), names.size() == 1 ? "is" : "are",
                                    listed(packages, most_named));
      finding.consequence = "The one that is loaded first is used for all later requests for that name.";
      add(std::move(finding));
    }
  }

  /// Whether all carry it at the same place, which CUD511 tells.
  bool are_one_place(const std::string& name, const std::set<std::size_t>& numbers) const {
    std::set<std::string> folders;
    for (const auto number : numbers)
      for (const auto& library : all_.packages[number].libraries)
        if (key_of(library.name) == name) folders.insert(library.folder);
    return folders.size() == 1;
  }

  void check_missing() {
    for (const auto& package : all_.packages) {
      if (package.missing.empty()) continue;
      auto finding = make_finding("CUD512");
      finding.subject = package.name;
      finding.message = fmt::format("{} requires {}, which {}", called(package), listed(package.missing, most_named),
                                    !is_installed()               ? "the lock does not have"
                                    : package.missing.size() == 1 ? "is not installed"
                                                                  : "are not installed");
      finding.evidence.push_back({package.archive.ends_with(".whl") || package.archive.empty()
                                      ? "its METADATA says so"
                                      : "its index.json says so",
                                  package.archive, Basis::proven, ""});
      finding.consequence = is_installed() ? "What imports it fails there."
                                           : "A lock is installed without resolving anything, so what it requires is "
                                             "missing.";
      auto command = is_installed() ? all_.install : std::string();
      if (is_installed())
        for (const auto& missing : package.missing)
          command += (command.ends_with(' ') ? "" : " ") + shell_word(missing);
      finding.fixes.push_back(
          {is_installed() ? "install it into that environment" : "lock again, with all dependencies",
           std::move(command), ""});
      add(std::move(finding));
    }
  }

  void check_unmet() {
    for (const auto& package : all_.packages)
      for (const auto& unmet : package.unmet) {
        auto finding = make_finding("CUD515");
        finding.subject = package.name;
        finding.message = fmt::format("{} requires {}", called(package), unmet);
        finding.evidence.push_back({"its METADATA says so", "", Basis::proven, ""});
        finding.consequence = "Its import may fail, or work with functions that have changed.";
        const auto wanted = unmet.substr(0, unmet.find(", and "));
        finding.fixes.push_back({"install a release that it allows", all_.install + shell_word(wanted),
                                 "or another release of " + package.name});
        add(std::move(finding));
      }
  }

  /// Whether the import of the package has shown it already.
  bool is_told_incomplete(const DeployedPackage& package) const {
    return std::any_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
      return finding.code == "CUD516" && normal_distribution_name(finding.subject) == package.name;
    });
  }

  void check_gone() {
    for (const auto& package : all_.packages) {
      if (package.gone.empty() || is_told_incomplete(package)) continue;
      auto finding = make_finding("CUD516");
      finding.subject = package.name;
      finding.message = fmt::format("{} is not complete: {} {} missing", called(package),
                                    listed(package.gone, most_named), package.gone.size() == 1 ? "is" : "are");
      finding.evidence.push_back({"its RECORD lists them", "", Basis::proven, ""});
      finding.consequence = "What loads or imports them fails there.";
      finding.fixes.push_back(
          {fmt::format("install the files of {} again", called(package)),
           all_.install + "--force-reinstall --no-deps " + shell_word(package.name + "==" + package.version), ""});
      add(std::move(finding));
    }
  }

  void tell_unread() {
    std::vector<std::string> declared, unknown;
    for (const auto& package : all_.packages) {
      if (package.state == LockedState::declared) declared.push_back(called(package));
      if (package.state == LockedState::unknown) unknown.push_back(called(package));
    }
    if (declared.empty() && unknown.empty()) return;
    auto finding = make_finding("CUD905");
    finding.subject = "wheels";
    const auto missing = declared.size() + unknown.size();
    finding.message =
        all_.packages.size() == 1
            ? "its only package is not available locally and was not read"
            : fmt::format("{} of {} packages {} not available locally and {} not read", missing, all_.packages.size(),
                          missing == 1 ? "is" : "are", missing == 1 ? "was" : "were");
    if (!declared.empty())
      finding.evidence.push_back({"declared, what they provide is known: " + listed(declared, most_named), "",
                                  Basis::table, providers_source(knowledge_)});
    if (!unknown.empty())
      finding.evidence.push_back(
          {"nothing is known of what they provide: " + listed(unknown, most_named), "", Basis::table, ""});
    finding.fixes.push_back({"read the needed bytes of the wheels from their servers",
                             "cudald check --online " + shell_word(all_.given), ""});
    finding.fixes.push_back({"or download the wheels, and name their directory",
                             "pip download --no-deps -d wheels -r " + std::string("requirements.txt") +
                                 "\ncudald check --wheels wheels " + shell_word(all_.given),
                             ""});
    add(std::move(finding));
  }

  std::vector<std::string> unread_top_level() const {
    std::vector<std::string> names;
    for (const auto& package : all_.packages)
      if (package.top_level && package.state != LockedState::read && package.state != LockedState::misfit)
        names.push_back(called(package));
    return names;
  }

  void set_verdict() {
    const auto& findings = report_.findings;
    // Nothing is claimed where something could not be read.
    if (report_.verdict == Verdict::unknown && has("CUD904")) return;
    const bool fails = !findings.empty() && findings.front().level == Level::error;
    const bool warns = !findings.empty() && findings.front().level == Level::warning;
    const auto unread = unread_top_level();
    const bool driver_is_said = warns && findings.front().code == "CUD301";
    const auto tail = all_.driver.empty() || driver_is_said
                          ? ""
                          : fmt::format("; driver {} or newer, for {}", all_.driver, all_.driver_by);
    // Nothing was read, or all are parts of CUDA, which nobody imports.
    if (all_.asked.empty()) report_.verdict = Verdict::unknown;
    if (fails && report_.verdict != Verdict::fails) {
      report_.verdict = Verdict::fails;
      report_.headline = fmt::format("{} cannot be deployed: {}", all_.given, findings.front().message);
    } else if (report_.verdict == Verdict::fails || report_.verdict == Verdict::cpu_only) {
      return;
    } else if (!unread.empty()) {
      report_.verdict = Verdict::unknown;
      report_.headline =
          fmt::format("{}: {} {} not available locally: {} cannot be judged without the wheels{}{}", all_.given,
                      listed(unread, most_named), unread.size() == 1 ? "is" : "are", unread.size() == 1 ? "it" : "they",
                      warns ? "; by the pins, " + findings.front().message : "", tail);
    } else if (report_.verdict == Verdict::loads || report_.verdict == Verdict::unknown || warns) {
      if (warns) report_.verdict = Verdict::risk;
      report_.headline =
          warns
              ? fmt::format("{}: {}{}", all_.given, findings.front().message, tail)
              : fmt::format(
                    "{}: its {} in one process on Python {} ({}){}", all_.given,
                    all_.packages.size() == 1 ? "package loads" : fmt::format("{} packages load", all_.packages.size()),
                    all_.python, report_.resolution.world.name.empty() ? all_.platform : report_.resolution.world.name,
                    tail);
    }
  }

  Deployment& all_;
  Report& report_;
  const Knowledge& knowledge_;
  bool is_part_ = false;  ///< the package that sets the driver is a part of CUDA
};

}  // namespace

void judge_deployment(Deployment& deployment) { DeploymentJudgement(deployment).run(); }

}  // namespace cudald
