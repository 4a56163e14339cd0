#include "scan/read_report.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cudald {
namespace {

using nlohmann::json;

constexpr Verdict verdicts[] = {Verdict::loads, Verdict::cpu_only, Verdict::risk, Verdict::fails, Verdict::unknown};
constexpr Level levels[] = {Level::error, Level::warning, Level::note};

template <typename Values>
auto value_of(const Values& values, std::string_view name)
    -> std::optional<std::decay_t<decltype(*std::begin(values))>> {
  for (const auto value : values)
    if (to_string(value) == name) return value;
  return std::nullopt;
}

/// A text, empty if it is null or missing.
const json& list_of(const json& object, const char* key) {
  static const json none = json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : none;
}

std::optional<Finding> finding_of(const json& row) {
  const auto* const rule = find_rule(text_at(row, "code"));
  const auto level = value_of(levels, text_at(row, "level"));
  if (rule == nullptr || !level) return std::nullopt;
  Finding finding;
  finding.code = rule->code;
  finding.name = rule->name;
  finding.level = *level;
  if (const auto object = row.find("object"); object != row.end() && object->is_number_unsigned())
    finding.object = object->get<ObjectId>();
  finding.subject = text_at(row, "subject");
  finding.message = text_at(row, "message");
  finding.consequence = text_at(row, "consequence");
  for (const auto& fix : list_of(row, "fixes"))
    finding.fixes.push_back({text_at(fix, "title"), text_at(fix, "command"), text_at(fix, "side_effect")});
  return finding;
}

}  // namespace

std::optional<Report> read_report(std::string_view text) {
  const auto document = parse_json(text);
  if (!document.is_object() || text_at(document, "schema") != "cudald/report") return std::nullopt;
  const auto verdict = value_of(verdicts, text_at(document, "verdict"));
  if (!verdict) return std::nullopt;
  Report report;
  report.verdict = *verdict;
  for (const auto& row : list_of(document, "targets")) {
    Target target;
    target.given = text_at(row, "given");
    report.resolution.targets.push_back(std::move(target));
  }
  for (const auto& row : list_of(document, "objects")) {
    Object object;
    object.path = text_at(row, "path");
    report.resolution.objects.push_back(std::move(object));
  }
  for (const auto& row : list_of(document, "findings")) {
    auto finding = finding_of(row);
    if (!finding) return std::nullopt;
    report.findings.push_back(std::move(*finding));
  }
  return report;
}

}  // namespace cudald
