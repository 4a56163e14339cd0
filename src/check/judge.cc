#include <algorithm>
#include <cassert>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/unfollowed.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/frameworks.h"
#include "knowledge/knowledge.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

Verdict verdict_of(const Report& report) {
  const auto& targets = report.resolution.targets;
  const bool unreadable =
      std::any_of(targets.begin(), targets.end(), [](const Target& target) { return target.unreadable.has_value(); });
  const auto has = [&](auto test) { return std::any_of(report.findings.begin(), report.findings.end(), test); };
  const auto warns = [&](VerdictEffect effect) {
    return has([effect](const Finding& finding) {
      return finding.level == Level::warning && traits_of(finding).verdict == effect;
    });
  };
  const auto leaves_open = [](const Finding& finding) { return traits_of(finding).verdict == VerdictEffect::unknown; };
  if (unreadable || has(leaves_open)) return Verdict::unknown;
  if (has([](const Finding& finding) { return finding.level == Level::error; })) return Verdict::fails;
  const bool gpu_lost = std::any_of(targets.begin(), targets.end(),
                                    [](const Target& target) { return target.traits.gpu && !target.error.empty(); });
  if (gpu_lost || warns(VerdictEffect::cpu_only)) return Verdict::cpu_only;
  const bool of_tag = report.resolution.world.kind == WorldKind::tag && warns(VerdictEffect::of_tag);
  return of_tag || warns(VerdictEffect::by_level) ? Verdict::risk : Verdict::loads;
}

/// How a target is called in a sentence.
std::string spoken_name(const Target& target) {
  if (target.kind == TargetKind::import && target.given.starts_with("py:")) return target.given.substr(3);
  return std::string(file_name(target.given));
}

std::string subject_of(const Report& report) {
  const auto targets = own_targets(report);
  if (targets.empty()) return "nothing";
  // The first that fails speaks for all.
  for (const auto* target : targets)
    if (!target->error.empty() && target->kind == TargetKind::dlopen)
      return fmt::format("{}, opened by {},", file_name(target->given),
                         target->caller ? short_name(report.resolution.objects[*target->caller]) : "the program");
    else if (!target->error.empty())
      return spoken_name(*target);
  // "a", "a and b", "a, b and c", "a, b and 4 more".
  constexpr std::size_t most_named = 3;
  auto name = spoken_name(*targets.front());
  const auto named = targets.size() <= most_named ? targets.size() : most_named - 1;
  for (std::size_t i = 1; i < named; ++i) name += (i + 1 == targets.size() ? " and " : ", ") + spoken_name(*targets[i]);
  return named == targets.size() ? name : name + fmt::format(" and {} more", targets.size() - named);
}

/// Whether that are several: none of them fails for all.
bool names_several(const Report& report) {
  const auto targets = own_targets(report);
  return targets.size() > 1 &&
         std::all_of(targets.begin(), targets.end(), [](const Target* target) { return target->error.empty(); });
}

/// "torch` (2.9.1)" or "yaml` (PyYAML 6.0.2)", if one package owns the module.
std::string versioned(const Report& report, const Target& target) {
  std::string name;  // of a distribution that was asked for, all its modules
  for (const auto& import : report.resolution.imports)
    if (&report.resolution.targets[import.target] == &target) name += (name.empty() ? "" : ", ") + import.module;
  const auto top = name.substr(0, name.find_first_of(".,"));
  for (const auto& object : report.resolution.objects)
    if (object.package && object.path.find("-packages/" + top + "/") != std::string::npos)
      return object.package->name == top
                 ? fmt::format("{}` ({})", name, object.package->version)
                 : fmt::format("{}` ({} {})", name, object.package->name, object.package->version);
  return name + "`";
}

/// "; GPU code for sm_80, sm_90, newer by PTX of sm_90": of the library that has most of it, which is the framework's
/// own. Of wheels only what was asked for: its headers lie all over the file.
std::string gpus_of(const Report& report, Store& state) {
  std::shared_ptr<const GpuCode> most;
  std::size_t most_entries = 0;
  for (const auto& object : report.resolution.objects) {
    if (object.unmapped || !object.image || !object.image->has_gpu_code || is_of_nvidia(object)) continue;
    const bool in_archive = state.packages.package_of(object.path) != nullptr;
    const auto code = object.gpu || in_archive ? object.gpu : state.images.gpu_code(object.path);
    std::size_t entries = 0;
    if (code)
      for (const auto& [architecture, count] : code->sass) entries += count;
    if (entries > most_entries) most_entries = entries, most = code;
  }
  if (!most) return "";
  std::vector<std::string> names;
  for (const auto& [architecture, count] : most->sass) {
    const GpuArchitecture plain{architecture.number, 0};
    if (plain == architecture || !most->sass.contains(plain)) names.push_back(to_string(architecture));
  }
  constexpr std::size_t most_names = 8;
  const auto text = names.size() <= most_names
                        ? fmt::format("{}", fmt::join(names, ", "))
                        : fmt::format("{} architectures from {} to {}", names.size(), names.front(), names.back());
  return fmt::format("; GPU code for {}{}", text,
                     most->ptx.empty() ? "" : ", newer by PTX of " + to_string(most->ptx.rbegin()->first));
}

/// "; CUDA 12.8, cuDNN 9.10.2; driver 525.60.13 or newer": what is loaded of CUDA; empty if nothing is.
std::string cuda_stack(const Report& report) {
  const auto runtimes = all_runtimes(report.resolution);
  if (runtimes.empty()) return "";
  const auto& runtime = *report.resolution.objects[runtimes.front()].cuda;
  for (const auto id : runtimes)
    if (const auto& version = report.resolution.objects[id].cuda->version;
        version.empty() || version != runtime.version)
      return "";
  auto text = "; CUDA " + runtime.version;
  std::string cudnn;
  for (const auto id : cuda_objects(report.resolution, CudaKind::cudnn, true))
    if (const auto& version = report.resolution.objects[id].cuda->version; version.size() > cudnn.size())
      cudnn = version;
  if (!cudnn.empty()) text += ", cuDNN " + cudnn;
  const auto need = knowledge_of(report).least_driver(runtime.version, platform_of(report));
  return need ? fmt::format("{}; driver {} or newer", text, need->version) : text;
}

/// " on any machine that manylinux_2_28_x86_64 promises, with its 14 requirements (9 bring CUDA 12.8); driver 525.60.13
/// or newer": where an answer about packages holds; empty for other worlds.
std::string where_it_holds(const Report& report) {
  const auto& world = report.resolution.world;
  if (world.kind != WorldKind::tag) return "";
  auto text = world.name.empty()                 ? std::string(" on any machine")
              : world.name.starts_with("win")    ? " on a fresh Windows (" + world.name + ")"
              : world.name.starts_with("linux-") ? " on any " + world.name
                                                 : " on any " + world.name + " system";
  std::set<std::string> known;
  for (const auto& required : world.requirements) known.insert(required.name);
  std::size_t count = 0, of_cuda = 0;
  for (const auto& required : world.requirements) {
    // What others of them require in turn is theirs.
    if (required.at_hand || known.contains(normal_distribution_name(required.by))) continue;
    ++count;
    of_cuda += required.name.starts_with("nvidia-") && !required.libraries.empty() ? 1 : 0;
  }
  if (count != 0)
    text += fmt::format(", with its {}", count == 1 ? "dependency" : fmt::format("{} dependencies", count));
  const auto cuda = of_cuda == 0 ? "" : cuda_of(world);
  if (cuda.empty()) return text;
  text += count == 1 ? " (CUDA " + cuda + ")" : fmt::format(" ({} provide CUDA {})", of_cuda, cuda);
  const auto need = knowledge_of(report).least_driver(cuda, platform_of(report));
  return need ? fmt::format("{}; driver {} or newer", text, need->version) : text;
}

std::ptrdiff_t count_mapped(const Report& report) {
  return std::count_if(report.resolution.objects.begin(), report.resolution.objects.end(),
                       [](const Object& object) { return !object.unmapped; });
}

std::string headline_of_import(const Report& report, const Target& target, Store& state) {
  const auto& import = *import_of(report, target);
  const auto count = count_mapped(report);
  const auto place = import.python.empty() ? "" : ", " + import.python;
  return fmt::format("`import {} works and maps {} file{}{}{}", versioned(report, target), count, count == 1 ? "" : "s",
                     import.python_version.empty() ? "" : " (Python " + import.python_version + place + ")",
                     cuda_stack(report) + gpus_of(report, state));
}

/// Whether a finding is about a request that failed and that the use of the GPU makes.
bool is_about_gpu_request(const Report& report, const Finding& finding) {
  if (!finding.object || !finding.edge) return false;
  const auto& edge = report.resolution.objects[*finding.object].edges[*finding.edge];
  const auto& targets = report.resolution.targets;
  return !edge.object && std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
    return target.traits.gpu && !target.error.empty() && target.error == edge.error;
  });
}

/// The first finding about what the use of the GPU would load.
const Finding& cause_of_lost_gpu(const Report& report) {
  const auto& resolution = report.resolution;
  const auto is_about_gpu = [&](const Finding& finding) {
    if (is_about_gpu_request(report, finding) || traits_of(finding).about_driver) return true;
    if (!finding.object || finding.level == Level::note) return false;
    const auto& object = resolution.objects[*finding.object];
    return resolution.targets[object.target].traits.gpu ||
           (finding.edge && object.edges[*finding.edge].kind == EdgeKind::dlopen);
  };
  const auto found = std::find_if(report.findings.begin(), report.findings.end(), is_about_gpu);
  return found == report.findings.end() ? report.findings.front() : *found;
}

/// The first finding about the target that fails first, for which the headline speaks; nullptr if none names it.
const Finding* cause_of_failure(const Report& report) {
  const auto own = own_targets(report);
  const auto failing =
      std::find_if(own.begin(), own.end(), [](const Target* target) { return !target->error.empty(); });
  if (failing == own.end()) return nullptr;
  const auto found = std::find_if(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
    return finding.level == Level::error && finding.object && &whole_target(report, *finding.object) == *failing;
  });
  const auto& first = report.findings.front();
  const bool other = first.object && &whole_target(report, *first.object) != *failing;
  return found != report.findings.end() && other ? &*found : nullptr;
}

/// The first finding that leaves the verdict open.
const Finding& what_is_left_open(const Report& report) {
  const auto open = std::find_if(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return traits_of(finding).verdict == VerdictEffect::unknown;
  });
  return open == report.findings.end() ? report.findings.front() : *open;
}

/// "; nor ..." of what else keeps the GPU from being used: a driver that is not there.
std::string missing_driver_too(const Report& report, const Finding& told) {
  const auto no_driver = std::find_if(report.findings.begin(), report.findings.end(),
                                      [](const Finding& finding) { return traits_of(finding).lacks_driver; });
  return no_driver == report.findings.end() || &*no_driver == &told ? "" : "; nor is there an NVIDIA driver";
}

/// Whether everything starts, and only what --require-gpu makes an error is wrong.
bool lacks_only_gpu(const Report& report) {
  const auto& targets = report.resolution.targets;
  return report.query.require_gpu &&
         std::all_of(
             targets.begin(), targets.end(),
             [](const Target& target) { return target.traits.gpu || target.part_of || target.error.empty(); }) &&
         std::all_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
           const bool of_request =
               is_about_gpu_request(report, finding) ||
               (finding.object && targets[report.resolution.objects[*finding.object].target].traits.gpu);
           return finding.level != Level::error || of_request || traits_of(finding).verdict == VerdictEffect::cpu_only;
         });
}

std::string headline_of_lost_gpu(const Report& report, const std::string& name) {
  const auto& worst = report.findings.front();
  if (traits_of(worst).speaks_for_all) return worst.message + missing_driver_too(report, worst);
  const auto& cause = cause_of_lost_gpu(report);
  if (traits_of(cause).lacks_driver) return fmt::format("{} cannot use the GPU: {}", name, cause.message);
  return fmt::format("{} cannot use the GPU here: {}{}", name, cause.message, missing_driver_too(report, cause));
}

/// "claims manylinux2014_x86_64, and needs ..." of a sentence about what the headline has named already; a sentence
/// that names its release, "torch_sparse 0.6.12 is built for ...", stays whole.
std::string without_subject(const std::string& message, const std::string& name) {
  if (!message.starts_with(name + " ")) return message;
  auto rest = message.substr(name.size() + 1);
  return rest.empty() || std::isdigit(static_cast<unsigned char>(rest.front())) ? message : rest;
}

/// "; as far as it can be followed: 2 loads are decided at run time (a.py:7)"; empty if all was followed, or the answer
/// does not hang on it.
std::string unfollowed_clause(const Report& report) {
  if (report.verdict == Verdict::fails || report.verdict == Verdict::unknown) return "";
  const auto all = certainly_unfollowed(report);
  if (all.empty()) return "";
  const bool one = all.size() == 1;
  return fmt::format("; as far as it can be followed: {} decided at run time ({}:{}{})",
                     one ? "1 load is" : fmt::format("{} loads are", all.size()), all.front()->file, all.front()->line,
                     one ? "" : ", -v shows all");
}

std::string headline_of(const Report& report, Store& state) {
  const auto name = subject_of(report);
  const auto& worst = report.findings;
  switch (report.verdict) {
    case Verdict::unknown:
      for (const auto& target : report.resolution.targets)
        if (target.unreadable) return fmt::format("{}: {}", target.given, target.unreadable->message);
      return fmt::format("{} could not be judged: {}", name, what_is_left_open(report).message);
    case Verdict::fails:
      if (lacks_only_gpu(report)) return headline_of_lost_gpu(report, name);
      for (const auto* target : own_targets(report))
        if (target->kind == TargetKind::import && !target->error.empty())
          return fmt::format("`import {}` fails: {}", import_of(report, *target)->module, worst.front().message);
      return fmt::format("{} do{} not load: {}", name, names_several(report) ? "" : "es", worst.front().message);
    case Verdict::risk:
      return fmt::format("{} load{}, but {}", name, own_targets(report).size() > 1 ? "" : "s",
                         without_subject(worst.front().message, name));
    case Verdict::cpu_only: return headline_of_lost_gpu(report, name);
    case Verdict::loads: break;
  }
  const auto& objects = report.resolution.objects;
  if (objects.empty()) return "nothing to judge";
  if (!report.resolution.windows && !objects.front().image->elf.has_dynamic_segment && where_it_holds(report).empty())
    return fmt::format("{} is statically linked: it needs no other file", name);
  if (const auto own = own_targets(report); own.size() == 1 && own.front()->kind == TargetKind::import)
    return headline_of_import(report, *own.front(), state);
  if (const auto where = where_it_holds(report); !where.empty()) {
    const bool several = own_targets(report).size() > 1;
    // A stack that is loaded for sure is the package's own, or at hand.
    const auto stack = where.find("CUDA") == std::string::npos ? cuda_stack(report) : "";
    return fmt::format("{} load{}{}{}", name, several ? "" : "s", where, stack);
  }
  const auto others = count_mapped(report) - 1;
  return others == 0 ? fmt::format("{} loads and needs no other file", name)
                     : fmt::format("{} load{}, with {} other file{}{}", name, own_targets(report).size() > 1 ? "" : "s",
                                   others, others == 1 ? "" : "s", cuda_stack(report));
}

/// A check, and the processes that it is made for.
struct Check {
  enum class On { every, linux, windows };
  void (*run)(const Case&);
  On on = On::every;
};

/// In this order: findings of one level stand in the order in which they were made.
constexpr Check checks[] = {
    {check_packages},
    {check_variants},
    {check_sboms},
    {check_policy},
    {check_requirements},
    {check_programs},
    {check_windows, Check::On::windows},
    {check_windows_functions, Check::On::windows},
    {check_windows_runtime, Check::On::windows},
    {check_windows_copies, Check::On::windows},
    {check_delay_imports, Check::On::windows},
    {check_added_later, Check::On::windows},
    {check_interpreter, Check::On::linux},
    {check_libraries, Check::On::linux},
    {check_renamed, Check::On::linux},
    {check_shadowed, Check::On::linux},
    {check_components, Check::On::linux},
    {check_runtimes},
    {check_driver_stub, Check::On::linux},
    {check_targets},
    {check_imports},
    {check_refused_modules},
    {check_versions, Check::On::linux},
    {check_symbols, Check::On::linux},
    {check_untold_imports},
    {check_search_paths, Check::On::linux},
    {check_cycles, Check::On::linux},
    {check_static_tls, Check::On::linux},
    {check_first_in_process, Check::On::linux},
    {check_luck, Check::On::linux},
    {check_cudnn},
    {check_driver},
    {check_no_driver, Check::On::linux},
    {check_two_drivers, Check::On::linux},
    {check_hidden_gpus},
    {check_gpu_code},
    {check_files},
    {check_symbol_releases, Check::On::linux},
    {check_python_2, Check::On::linux},
    {check_other_copies, Check::On::linux},
    {check_other_builds, Check::On::linux},
    {check_symbol_definers, Check::On::linux},
    {check_cxx_libraries, Check::On::linux},
    {check_host_release, Check::On::linux},
    {check_known_symbols, Check::On::linux},
    {check_lacking_libraries, Check::On::linux},
    {check_bound_at_start, Check::On::linux},
    {check_interposition, Check::On::linux},
    {check_copied_data, Check::On::linux},
    {check_newer_glibc, Check::On::linux},
    {check_altered_files, Check::On::linux},
    {check_replaced_packages, Check::On::linux},
    {check_environment, Check::On::linux},
    {check_hidden_modules},
    {check_constants},
    {check_alternatives},
    {check_message},
};

}  // namespace

std::vector<const Target*> own_targets(const Report& report) {
  std::vector<const Target*> own;
  for (const auto& target : report.resolution.targets)
    if (!target.part_of) own.push_back(&target);
  return own;
}

Finding make_finding(std::string_view code) {
  const auto* rule = find_rule(code);
  assert(rule != nullptr);
  Finding finding;
  finding.code = rule->code;
  finding.name = rule->name;
  finding.level = rule->level;
  return finding;
}

Level level_of_failure(const Report& report, const Target& request) {
  if (request.traits.gpu) return report.query.require_gpu ? Level::error : Level::warning;
  const auto& traits = request.traits;
  if (traits.when == RequestTime::later || (traits.optional && !traits.warned)) return Level::note;
  return traits.when == RequestTime::unreached || traits.optional ? Level::warning : Level::error;
}

const Target& whole_target(const Report& report, ObjectId id) {
  const auto& target = report.resolution.targets[report.resolution.objects[id].target];
  return target.part_of ? report.resolution.targets[*target.part_of] : target;
}

const Import* import_of(const Report& report, const Target& whole) {
  const Import* found = nullptr;
  for (const auto& import : report.resolution.imports)
    if (&report.resolution.targets[import.target] == &whole && (found == nullptr || (import.failed && !found->failed)))
      found = &import;
  return found;
}

std::string raised(const Report& report, const Target& whole) {
  const auto* import = whole.error.empty() ? nullptr : import_of(report, whole);
  return import == nullptr ? "" : fmt::format("`import {}` raises {}", import->module, whole.error);
}

std::string short_name(const Object& object) {
  return std::string(object.known_by_name && is_full_windows_path(object.path) ? windows_file_name(object.path)
                                                                               : file_name(object.path));
}

std::string cuda_of(const World& world) {
  for (const auto& required : world.requirements) {
    if (!states_release(ReleaseOf::cuda, required.name, false) &&
        !states_release(ReleaseOf::toolkit, required.name, false))
      continue;
    const auto dot = required.version.find('.');
    if (dot != std::string::npos) return required.version.substr(0, required.version.find('.', dot + 1));
  }
  return "";
}

namespace {

void sort_findings(Report& report) {
  const auto place = [](const Finding& finding) {
    return std::pair(finding.level, traits_of(finding).place == FindingPlace::last_of_its_level);
  };
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [&](const Finding& a, const Finding& b) { return place(a) < place(b); });
}

/// What the headline is about comes before other findings of its level.
void put_first(const Finding& cause, std::vector<Finding>& findings) {
  const auto place = findings.begin() + (&cause - findings.data());
  if (place->level == findings.front().level && !traits_of(findings.front()).speaks_for_all)
    std::rotate(findings.begin(), place, place + 1);
}

}  // namespace

void judge(const Case& given) {
  auto& report = given.report;
  const auto here = report.resolution.windows ? Check::On::windows : Check::On::linux;
  for (const auto& check : checks)
    if (check.on == Check::On::every || check.on == here) check.run(given);
  sort_findings(report);
  report.verdict = verdict_of(report);
  if (report.verdict == Verdict::cpu_only) put_first(cause_of_lost_gpu(report), report.findings);
  if (const auto* cause = report.verdict == Verdict::fails ? cause_of_failure(report) : nullptr)
    put_first(*cause, report.findings);
  report.headline = headline_of(report, given.store) + unfollowed_clause(report);
  // The verdict is about loading: what a packager wants beside that does not change it.
  check_packaging_rules(given);
  sort_findings(report);
  if (report.resolution.windows)
    quote_for_windows(report);
  else
    add_patchelf_itself(report, given.store.images);
}

}  // namespace cudald
