#include "scan/record.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "report/json/json_text.h"

namespace cudald {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 5> names = {{
    {Outcome::judged, "judged"},
    {Outcome::timed_out, "timed-out"},
    {Outcome::out_of_memory, "out-of-memory"},
    {Outcome::crashed, "crashed"},
    {Outcome::failed, "failed"},
}};

// Within a text of JSON a quote has a backslash before it: these stand nowhere but between the fields.
constexpr std::string_view end_of_head = R"(,"message":)", before_report = R"(,"report":)";

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [each, name] : names)
    if (each == outcome) return name;
  return "";
}

std::optional<Outcome> outcome_of(std::string_view text) {
  for (const auto& [outcome, name] : names)
    if (name == text) return outcome;
  return std::nullopt;
}

std::string line_of(const ScanRecord& record) {
  JsonObject fields(9);
  fields.add("schema", "cudald/scan-record");
  fields.add("schema_version", "1.0");
  fields.add("target", json_text(record.item.target));
  fields.add("bytes", record.item.bytes);
  fields.add("sha256", json_text_or_null(record.item.sha256));
  fields.add("outcome", to_string(record.outcome));
  fields.add("status", record.status ? Json(*record.status) : Json(nullptr));
  fields.add("ignored_by", json_texts(record.ignored_by));
  fields.add("message", json_text_or_null(record.message));
  auto line = std::move(fields).take().dump(-1, ' ', true);
  line.pop_back();
  line += before_report;
  line += record.report.empty() ? "null" : record.report;
  return line + "}\n";
}

std::optional<RecordHead> head_of(std::string_view line) {
  const auto end = line.find(end_of_head);
  if (end == std::string_view::npos) return std::nullopt;
  auto json = parse_json(std::string(line.substr(0, end)) + "}");
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "cudald/scan-record") return std::nullopt;
  const auto& target = json["target"];
  const auto& outcome = json["outcome"];
  const auto& sha256 = json["sha256"];
  if (!target.is_string() || !outcome.is_string() || !json["bytes"].is_number_unsigned()) return std::nullopt;
  const auto known = outcome_of(outcome.get_ref<const std::string&>());
  if (!known) return std::nullopt;
  std::vector<std::string> ignored_by;
  if (const auto found = json.find("ignored_by"); found != json.end())
    for (const auto& each : *found)
      if (each.is_string()) ignored_by.push_back(each.get<std::string>());
  return RecordHead{{target.get<std::string>(), json["bytes"].get<std::uint64_t>(),
                     sha256.is_string() ? sha256.get<std::string>() : std::string()},
                    *known,
                    std::move(ignored_by)};
}

std::string_view report_in(std::string_view line) {
  const auto at = line.find(before_report);
  if (at == std::string_view::npos) return "";
  auto report = line.substr(at + before_report.size());
  if (report.ends_with('\n')) report.remove_suffix(1);
  if (report.ends_with('}')) report.remove_suffix(1);
  return report == "null" ? "" : report;
}

std::string message_in(std::string_view line) {
  const auto from = line.find(end_of_head), to = line.find(before_report);
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return "";
  const auto json = parse_json(line.substr(from + end_of_head.size(), to - from - end_of_head.size()));
  return json.is_string() ? json.get<std::string>() : "";
}

}  // namespace cudald
