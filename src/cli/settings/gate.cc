#include "cli/settings/gate.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cudald/writers.h>

#include "base/bounded_json.h"
#include "base/path.h"
#include "base/usage_error.h"
#include "base/wildcard.h"
#include "check/findings/checks.h"
#include "cli/options/ignored_by.h"
#include "report/text/place.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_baseline = 64 << 20;

bool is_among(std::string_view code, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [code](const std::string& beginning) { return code.starts_with(beginning); });
}

/// A pattern is about the whole path, the member of a package, or the name of the file.
bool fits_object(const std::string& object, const std::string& pattern) {
  if (pattern.empty() || matches(object, pattern)) return true;
  const auto member = object.find("!/");
  return matches(file_name(object), pattern) ||
         (member != std::string::npos && matches(std::string_view(object).substr(member + 2), pattern));
}

}  // namespace

Result<Gate> Gate::make(const Options& options, const FileSystem& files, const std::string& cwd, std::string today) {
  Gate gate(options, std::move(today));
  if (options.judgement.baseline.empty()) return gate;
  const auto text = read_file(files, absolute_path(options.judgement.baseline, cwd), most_baseline);
  const auto fault = [&options](std::string_view message) {
    return usage_error(fmt::format("--baseline {}: {}", escaped(options.judgement.baseline), escaped(message)));
  };
  if (!text) return fault(text.error().message);
  Budget budget(json_limits);
  const auto json = parse_json(*text, budget);
  const bool ours = json && json->is_object() && json->value("schema", nlohmann::json()) == "cudald/baseline" &&
                    json->contains("findings") && (*json)["findings"].is_array();
  if (!ours) return fault("it is not a baseline; --write-baseline writes one");
  for (const auto& finding : (*json)["findings"])
    if (finding.is_string()) gate.known_.insert(finding.get<std::string>());
  return gate;
}

bool Gate::is_left_out(const Report& report, const Finding& finding) {
  if (!options_.judgement.select.empty() && !is_among(finding.code, options_.judgement.select)) return true;
  if (is_among(finding.code, options_.judgement.ignore)) return true;
  const auto object = place_of(report, finding).object;
  bool suppressed = false;
  for (std::size_t i = 0; i < options_.judgement.suppressions.size(); ++i) {
    const auto& entry = options_.judgement.suppressions[i];
    if (!entry.until.empty() && entry.until < today_) continue;
    if (!finding.code.starts_with(entry.code) || !fits_object(object, entry.object)) continue;
    if (!entry.subject.empty() && !matches(finding.subject, entry.subject)) continue;
    used_[i] = suppressed = true;
  }
  if (suppressed) return true;
  auto fingerprint = fingerprint_of(report, finding);
  const bool known = known_.contains(fingerprint);
  found_.insert(std::move(fingerprint));
  return known || !options_.judgement.write_baseline.empty();
}

void Gate::tell_of_suppressions(Report& report) {
  for (std::size_t i = 0; i < options_.judgement.suppressions.size(); ++i) {
    const auto& entry = options_.judgement.suppressions[i];
    const bool expired = !entry.until.empty() && entry.until < today_;
    if (used_[i] && !expired) continue;
    auto finding = make_finding("CUD903");
    if (expired) finding.level = Level::warning;
    finding.subject = entry.code;
    const auto about = entry.object.empty() ? entry.code : fmt::format("{} in {}", entry.code, entry.object);
    finding.message = expired ? fmt::format("the entry that ignores {} has expired on {}", about, entry.until)
                              : fmt::format("the entry that ignores {} ignored nothing in this run", about);
    finding.evidence.push_back({fmt::format("its reason was: {}", entry.reason), entry.origin, Basis::proven, ""});
    finding.fixes.push_back({expired ? "take it out, or give it a new day" : "take it out", "", ""});
    if (options_.judgement.select.empty() || is_among(finding.code, options_.judgement.select))
      if (!is_among(finding.code, options_.judgement.ignore)) report.findings.push_back(std::move(finding));
  }
}

void Gate::apply(Report& report, bool last) {
  auto& findings = report.findings;
  const auto set_level = [this](Finding& finding) {
    for (const auto& [code, level] : options_.judgement.levels)
      if (finding.code.starts_with(code)) finding.level = level;
  };
  for (auto& finding : findings) set_level(finding);
  std::erase_if(findings, [&](const Finding& finding) { return is_left_out(report, finding); });
  if (last) tell_of_suppressions(report);
  for (auto& finding : findings) set_level(finding);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.level < b.level; });
}

std::vector<std::string> Gate::used() const {
  std::vector<std::string> used;
  for (std::size_t i = 0; i < used_.size(); ++i)
    if (used_[i]) used.push_back(stated(options_.judgement.suppressions[i]));
  return used;
}

std::string Gate::baseline() const {
  const nlohmann::ordered_json document = {
      {"schema", "cudald/baseline"}, {"schema_version", "1.0"}, {"findings", found_}};
  return document.dump(1, ' ', true) + "\n";
}

}  // namespace cudald
