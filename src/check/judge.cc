#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/path.h"
#include "check/checks.h"

namespace cudald {
namespace {

Verdict verdict_of(const Report& report) {
  const auto& targets = report.resolution.targets;
  const bool unreadable =
      std::any_of(targets.begin(), targets.end(), [](const Target& target) { return target.unreadable.has_value(); });
  const auto has = [&](auto test) { return std::any_of(report.findings.begin(), report.findings.end(), test); };
  if (unreadable || has([](const Finding& finding) { return finding.code == "CUD902"; })) return Verdict::unknown;
  if (has([](const Finding& finding) { return finding.level == Level::error; })) return Verdict::fails;
  if (has([](const Finding& finding) { return finding.level == Level::warning; })) return Verdict::risk;
  return Verdict::loads;
}

std::string subject_of(const Report& report) {
  const auto& targets = report.resolution.targets;
  if (targets.empty()) return "nothing";
  // The first that fails speaks for all.
  for (const auto& target : targets)
    if (!target.error.empty() && target.kind == TargetKind::dlopen)
      return fmt::format("{}, opened by {},", file_name(target.given),
                         target.caller ? short_name(report.resolution.objects[*target.caller]) : "the program");
    else if (!target.error.empty())
      return std::string(file_name(target.given));
  std::string name(file_name(targets.front().given));
  if (targets.size() > 1) name += fmt::format(" and {} more", targets.size() - 1);
  return name;
}

std::string headline_of(const Report& report) {
  const auto name = subject_of(report);
  const auto& worst = report.findings;
  switch (report.verdict) {
    case Verdict::unknown:
      for (const auto& target : report.resolution.targets)
        if (target.unreadable) return fmt::format("{}: {}", target.given, target.unreadable->message);
      return fmt::format("{} could not be judged: {}", name, worst.front().message);
    case Verdict::fails: return fmt::format("{} does not load: {}", name, worst.front().message);
    case Verdict::risk: return fmt::format("{} load{}, but {}", name, report.resolution.targets.size() > 1 ? "" : "s", worst.front().message);
    case Verdict::cpu_only: return fmt::format("{} cannot use the GPU here: {}", name, worst.front().message);
    case Verdict::loads: break;
  }
  const auto& objects = report.resolution.objects;
  if (objects.empty()) return "nothing was asked";
  if (!objects.front().image->has_dynamic_segment)
    return fmt::format("{} is statically linked: it needs no other file", name);
  const auto others = objects.size() - 1;
  return others == 0 ? fmt::format("{} loads and needs no other file", name)
                     : fmt::format("{} load{}, with {} other object{}", name, report.resolution.targets.size() > 1 ? "" : "s",
                                   others, others == 1 ? "" : "s");
}

}  // namespace

Finding make_finding(std::string_view code) {
  const auto* rule = find_rule(code);
  assert(rule != nullptr);
  Finding finding;
  finding.code = rule->code;
  finding.name = rule->name;
  finding.level = rule->level;
  return finding;
}

std::string short_name(const Object& object) { return std::string(file_name(object.path)); }

void judge(Report& report, SessionState& state) {
  check_packages(report, state.packages);
  check_policy(report, state);
  for (const auto check : {check_targets, check_libraries, check_versions, check_symbols, check_search_paths,
                           check_luck, check_files})
    check(report, state.images);
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.level < b.level; });
  report.verdict = verdict_of(report);
  report.headline = headline_of(report);
}

}  // namespace cudald
