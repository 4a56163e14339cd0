#include "report/ci/sarif.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "report/ci/markup.h"
#include "report/json/json_text.h"
#include "report/text/place.h"

namespace cudald {
namespace {

/// SARIF 2.1.0, 3.27.10: the names of levels are ours.
Json rule_json(const FindingRule& rule) {
  const auto text = [](std::string_view words) { return JsonObject(1).add("text", json_text(words)).take(); };
  const auto page = fmt::format("{}\n\n{}\n\nExample:\n\n{}\n\nWhat helps: {}", rule.summary, rule.explanation,
                                rule.example, rule.remedy);
  const auto markdown = fmt::format("{}\n\n{}\n\n```\n{}\n```\n\n**What helps.** {}\n", rule.summary, rule.explanation,
                                    rule.example, rule.remedy);
  JsonObject fields(7);
  fields.add("id", rule.code);
  fields.add("name", rule.name);
  fields.add("shortDescription", text(rule.summary));
  fields.add("fullDescription", text(rule.explanation));
  fields.add("help", JsonObject(2).add("text", json_text(page)).add("markdown", json_text(markdown)).take());
  if (const std::string pages = CUDALD_DOCS_URL; !pages.empty())
    fields.add("helpUri", fmt::format("{}/findings/{}/", pages, rule.code));
  fields.add("defaultConfiguration", JsonObject(1).add("level", to_string(rule.level)).take());
  return std::move(fields).take();
}

std::string text_of(const Finding& finding) {
  std::string text = finding.message;
  if (!finding.consequence.empty()) text += "\n" + finding.consequence;
  for (const auto& fix : finding.fixes) {
    text += "\nFix: " + fix.title;
    if (!fix.command.empty()) text += "\n  " + fix.command;
    if (!fix.side_effect.empty()) text += "\n  " + fix.side_effect;
  }
  return text;
}

Json driver() {
  return JsonObject(4)
      .add("name", "cudald")
      .add("version", CUDALD_VERSION)
      .add("semanticVersion", CUDALD_VERSION)
      .add("rules", json_array(finding_catalogue(), rule_json))
      .take();
}

Json invocation(const SarifRun& run) {
  JsonObject fields(2);
  fields.add("executionSuccessful", run.complete);
  if (run.left_out != 0)
    fields.add(
        "toolExecutionNotifications",
        Json::array(
            {JsonObject(2)
                 .add("level", "warning")
                 .add("message",
                      JsonObject(1).add("text", fmt::format("{} more results are left out", run.left_out)).take())
                 .take()}));
  return std::move(fields).take();
}

std::size_t rule_index(std::string_view code) {
  const auto catalogue = finding_catalogue();
  return static_cast<std::size_t>(
      std::find_if(catalogue.begin(), catalogue.end(), [&](const auto& rule) { return rule.code == code; }) -
      catalogue.begin());
}

class SarifWriter final : public DocumentWriter {
 public:
  void add(const Report& report) override {
    for (const auto& finding : report.findings) results_.push_back({finding.level, made_.of(report, finding)});
    run_.verdicts.push_back(JsonObject(3)
                                .add("target", json_text(name_of_question(report)))
                                .add("verdict", to_string(report.verdict))
                                .add("headline", json_text(report.headline))
                                .take());
    run_.complete &= report.verdict != Verdict::unknown;
  }

  void finish(std::ostream& out) override {
    std::stable_sort(results_.begin(), results_.end(), [](const auto& a, const auto& b) { return a.level < b.level; });
    run_.left_out = results_.size() - std::min(results_.size(), most_sarif_results);
    results_.resize(results_.size() - run_.left_out);
    for (auto& each : results_) run_.results.push_back(std::move(each.json));
    write_document(sarif_document(Json::array({sarif_run(std::move(run_))})), false, out);
  }

 private:
  struct Result {
    Level level;
    Json json;
  };

  SarifResults made_;
  std::vector<Result> results_;
  SarifRun run_;
};

}  // namespace

Json SarifResults::of(const Report& report, const Finding& finding) {
  const auto place = place_of(report, finding);
  JsonObject physical(2);
  physical.add("artifactLocation", JsonObject(1).add("uri", uri_of_path(place.target)).take());
  physical.add("region", JsonObject(1).add("startLine", 1).take());  // GitHub shows nothing without a line
  JsonObject location(2);
  location.add("physicalLocation", std::move(physical).take());
  if (!place.object.empty())
    location.add(
        "logicalLocations",
        Json::array({JsonObject(2).add("fullyQualifiedName", json_text(place.object)).add("kind", "member").take()}));
  auto fingerprint = fingerprint_of(report, finding);
  // Of two that are alike each is known by its number.
  if (const auto number = ++seen_[place.target + '\n' + fingerprint]; number > 1)
    fingerprint += fmt::format(":{}", number);
  return JsonObject(6)
      .add("ruleId", finding.code)
      .add("ruleIndex", rule_index(finding.code))
      .add("level", to_string(finding.level))
      .add("message", JsonObject(1).add("text", json_text(text_of(finding))).take())
      .add("locations", Json::array({std::move(location).take()}))
      .add("partialFingerprints", JsonObject(1).add("cudald/v1", fingerprint).take())
      .take();
}

Json sarif_run(SarifRun run) {
  JsonObject fields(5);
  fields.add("tool", JsonObject(1).add("driver", driver()).take());
  if (!run.category.empty()) fields.add("automationDetails", JsonObject(1).add("id", json_text(run.category)).take());
  fields.add("invocations", Json::array({invocation(run)}));
  fields.add("results", std::move(run.results));
  if (!run.verdicts.empty()) fields.add("properties", JsonObject(1).add("verdicts", std::move(run.verdicts)).take());
  return std::move(fields).take();
}

Json sarif_document(Json runs) {
  JsonObject document(3);
  document.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  document.add("version", "2.1.0");
  document.add("runs", std::move(runs));
  return std::move(document).take();
}

std::unique_ptr<DocumentWriter> make_sarif_writer() { return std::make_unique<SarifWriter>(); }

}  // namespace cudald
