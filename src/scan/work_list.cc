#include "scan/work_list.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "report/json/json_text.h"

namespace cudald {
namespace {

Error malformed(std::string message) { return {ErrorCode::malformed, std::move(message)}; }

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<std::string> texts_of(const nlohmann::json& object, const char* key) {
  std::vector<std::string> texts;
  if (const auto found = object.find(key); found != object.end() && found->is_array())
    for (const auto& each : *found)
      if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

/// 0 if it is left out; none if it is no count.
std::optional<std::uint64_t> count_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return 0;
  if (!found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

}  // namespace

std::uint64_t bytes_of(const std::vector<WorkItem>& items) {
  return std::accumulate(items.begin(), items.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const WorkItem& item) { return sum + item.bytes; });
}

void make_canonical(std::vector<WorkItem>& items) {
  std::sort(items.begin(), items.end(), [](const WorkItem& a, const WorkItem& b) {
    if (a.target != b.target) return a.target < b.target;
    if (a.sha256.empty() != b.sha256.empty()) return b.sha256.empty();
    return a.bytes > b.bytes;
  });
  const auto same = [](const WorkItem& a, const WorkItem& b) { return a.target == b.target; };
  items.erase(std::unique(items.begin(), items.end(), same), items.end());
}

bool is_remote(const WorkItem& item) {
  return item.target.starts_with("https://") || item.target.starts_with("http://");
}

std::string to_ndjson(const WorkList& list) {
  JsonObject head(8);
  head.add("schema", "cudald/scan-list");
  head.add("schema_version", "1.0");
  head.add("version", json_text(list.version));
  head.add("sources", json_texts(list.sources));
  head.add("folder", json_text(list.folder));
  head.add("question", json_texts(list.question));
  head.add("targets", list.items.size());
  head.add("bytes", bytes_of(list.items));
  auto text = line_of(std::move(head).take());
  for (const auto& item : list.items)
    text += line_of(JsonObject(3)
                        .add("target", json_text(item.target))
                        .add("bytes", item.bytes)
                        .add("sha256", json_text_or_null(item.sha256))
                        .take());
  return text;
}

Result<WorkList> work_list_of(std::string_view ndjson) {
  auto lines = split(ndjson, "\n");
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.empty()) return malformed("it is empty");
  const auto head = parse_json(lines.front());
  if (!head.is_object() || text_at(head, "schema") != "cudald/scan-list")
    return malformed("it is not a list that `cudald scan` has written");
  WorkList list;
  list.version = text_at(head, "version");
  list.sources = texts_of(head, "sources");
  list.folder = text_at(head, "folder");
  list.question = texts_of(head, "question");
  list.items.reserve(lines.size() - 1);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto row = parse_json(lines[i]);
    const auto bytes = row.is_object() ? count_at(row, "bytes") : std::nullopt;
    if (!bytes || text_at(row, "target").empty()) return malformed(fmt::format("line {} is damaged", i + 1));
    list.items.push_back({text_at(row, "target"), *bytes, text_at(row, "sha256")});
  }
  if (count_at(head, "targets") != list.items.size())
    return malformed(fmt::format("it has {} targets, not those it announces", list.items.size()));
  return list;
}

}  // namespace cudald
