#include "probe/judge_probe.h"

#include <string.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/report.h>

#include "base/path.h"
#include "check/findings/checks.h"
#include "os/child_process.h"

namespace cudald {
namespace {

std::string subject_of(const ProbeRun& run) { return run.targets.empty() ? "" : run.targets.front().name; }

std::string end_in_words(const ProbeRun& run) {
  switch (run.end) {
    case ProbeEnd::finished: return "";
    case ProbeEnd::exited:
      return fmt::format("the process ends itself with exit status {} while {}", run.status, run.step);
    case ProbeEnd::crashed:
      return fmt::format("the process is ended by {} while {}", signal_name(run.status), run.step);
    case ProbeEnd::timed_out:
      return fmt::format("the process comes to no end within the time limit while {}; it was killed", run.step);
    case ProbeEnd::not_started: return fmt::format("the process cannot be started: {}", strerror(run.status));
  }
  return "";
}

void add_output(const ProbeRun& run, Finding& finding) {
  if (run.output.empty()) return;
  std::string text = "it wrote:";
  for (const auto line : split(run.output, "\n"))
    if (!line.empty()) text += " " + std::string(line);
  finding.evidence.push_back({std::move(text), "", Basis::proven, ""});
}

/// A process that did not come to its end, and targets that the real loader refuses against the prediction.
void judge_end(const ProbeRun& run, std::vector<Finding>& findings) {
  auto message = end_in_words(run);
  if (run.plain_works) message = "the files were not compared: " + message + "; without the probe in it, it ends well";
  if (run.end == ProbeEnd::not_started || run.plain_works) {
    auto finding = make_finding("CUD601");
    finding.subject = subject_of(run);
    finding.message = std::move(message);
    findings.push_back(std::move(finding));
    return;
  }
  if (message.empty()) return;
  // Once everything is mapped, it is CUDA that was asked.
  auto finding = make_finding(run.mapped_all ? "CUD604" : "CUD603");
  finding.subject = subject_of(run);
  finding.message = std::move(message);
  finding.consequence = "A program that does the same ends in the same way.";
  add_output(run, finding);
  findings.push_back(std::move(finding));
}

/// In which order compiled modules import others is in their code, and with some it changes from run to run.
bool is_order_of_imports(const ProbeRun& run) { return run.only_order && run.way == ProbeWay::import; }

void judge_differences(const ProbeRun& run, std::vector<Finding>& findings) {
  if (run.differences.empty()) return;
  auto finding = make_finding("CUD602");
  if (is_order_of_imports(run)) finding.level = Level::note;
  finding.subject = subject_of(run);
  finding.message =
      run.differences.size() == 1
          ? fmt::format("the real loader differs from the simulation: {}", run.differences.front())
          : fmt::format("the real loader differs from the simulation in {} points", run.differences.size());
  finding.consequence =
      is_order_of_imports(run)
          ? "Where two files define the same name, the other one may count."
          : "What cudald says of this target is wrong on this machine, or the files changed in between.";
  for (const auto& difference : run.differences) finding.evidence.push_back({difference, "", Basis::proven, ""});
  add_output(run, finding);
  findings.push_back(std::move(finding));
}

void judge_checks(const ProbeRun& run, std::vector<Finding>& findings) {
  // What did not run is told once for each reason, with what the runtime says of devices.
  std::map<std::string, std::vector<std::string>> not_run;
  std::vector<Evidence> devices;
  for (const auto& check : run.checks) {
    if (check.result == CheckResult::not_run && check.what == "devices")
      devices.push_back(
          {fmt::format("{}: {}", file_name(check.library), check.text), check.library, Basis::proven, ""});
    else if (check.result == CheckResult::not_run)
      not_run[check.text].push_back(check.what);
    if (check.result != CheckResult::failed) continue;
    auto finding = make_finding("CUD604");
    finding.subject = check.library;
    finding.message = fmt::format("{} of {} fails: {}", check.what, file_name(check.library), check.text);
    finding.consequence = "The library loads, and cannot be relied on to use the GPU.";
    findings.push_back(std::move(finding));
  }
  for (auto& [reason, what] : not_run) {
    std::sort(what.begin(), what.end());
    what.erase(std::unique(what.begin(), what.end()), what.end());
    auto finding = make_finding("CUD601");
    finding.subject = what.front();
    finding.message = fmt::format("{} not run: {}", fmt::join(what, ", "), reason);
    finding.evidence = devices;
    findings.push_back(std::move(finding));
  }
}

bool is_refused(const ProbeRun& run) {
  return std::any_of(run.targets.begin(), run.targets.end(), [](const ProbedTarget& target) { return !target.loaded; });
}

/// What became of the kernels, if there was a runtime for them; the worst counts.
std::string kernels_in_words(const ProbeReport& probe) {
  std::string words;
  for (const auto& run : probe.runs)
    for (const auto& check : run.checks) {
      if (!check.what.starts_with("kernel")) continue;
      if (check.result == CheckResult::failed) return "; a kernel fails";
      if (check.result == CheckResult::not_run) words = "; kernel not run: " + check.text;
      if (words.empty()) words = "; kernel right";
    }
  return words;
}

std::string loading_in_words(const ProbeRun& run) {
  if (is_order_of_imports(run)) return "verified: real load matches, except for the order";
  if (!run.differences.empty()) return "the real loader differs from this simulation";
  if (is_refused(run)) return "the real loader says the same";
  return run.way == ProbeWay::list ? "verified: real mapping matches" : "verified: real load matches";
}

/// The first line: what the simulation says, and what the real load adds, or what stands against it.
std::string headline_of(const Report& report) {
  const auto& probe = *report.probe;
  if (probe.runs.empty()) return report.headline + "; it was not loaded for real";
  const auto& run = probe.runs.front();
  if (run.end == ProbeEnd::not_started) return report.headline + "; it could not be loaded for real";
  if (run.plain_works) return report.headline + "; it really loads, and its files could not be compared";
  const std::string name(file_name(report.query.targets.empty() ? subject_of(run) : report.query.targets.front()));
  if (run.end != ProbeEnd::finished && !run.mapped_all)
    return fmt::format("{} does not survive being loaded: {}", name, end_in_words(run));
  for (const auto& target : run.targets)
    if (!run.differences.empty() && !target.loaded)
      return fmt::format("{} does not load, and the simulation differs: {}", name, target.error);
  return report.headline + "; " + loading_in_words(run) + kernels_in_words(probe);
}

void judge_verdict(const std::vector<Finding>& found, Report& report) {
  if (report.verdict == Verdict::unknown) return;
  const auto has = [&found](VerdictEffect effect) {
    return std::any_of(found.begin(), found.end(), [effect](const Finding& finding) {
      return traits_of(finding).verdict == effect && finding.level == Level::error;
    });
  };
  const bool refused = std::any_of(report.probe->runs.begin(), report.probe->runs.end(),
                                   [](const ProbeRun& run) { return !run.differences.empty() && is_refused(run); });
  if (has(VerdictEffect::by_level) || refused)
    report.verdict = Verdict::fails;
  else if (report.verdict != Verdict::fails && has(VerdictEffect::risk))
    report.verdict = Verdict::risk;
}

}  // namespace

void judge_probe(Report& report) {
  std::vector<Finding> found;
  for (const auto& reason : report.probe->not_run) {
    auto finding = make_finding("CUD601");
    finding.subject = report.query.targets.empty() ? "" : report.query.targets.front();
    finding.message = "probe not run: " + reason;
    found.push_back(std::move(finding));
  }
  for (const auto& run : report.probe->runs) {
    judge_differences(run, found);
    judge_end(run, found);
    judge_checks(run, found);
  }
  judge_verdict(found, report);
  report.headline = headline_of(report);
  report.findings.insert(report.findings.end(), found.begin(), found.end());
  // The most serious there is goes first of all.
  std::stable_sort(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
    const auto rank = [](const Finding& finding) {
      const bool goes_first = traits_of(finding).place == FindingPlace::first && finding.level == Level::error;
      return goes_first ? -1 : static_cast<int>(finding.level);
    };
    return rank(a) < rank(b);
  });
}

}  // namespace cudald
