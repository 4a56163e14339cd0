#include <cudald/message.h>

#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/path.h"
#include "embedded.h"

namespace cudald {
namespace {

constexpr std::size_t most_text = 1 << 20, longest_line = 4096;

bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == '\'' || c == '"' || c == '`' || c == '(' || c == ')' || c == ',';
}

/// The parts of a template: "version `", "{version}", "' not found".
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto open = text.front() == '{' ? text.find('}') + 1 : text.find('{');
    parts.emplace_back(text.substr(0, open));
    text.remove_prefix(std::min(open, text.size()));
  }
  return parts;
}

using Values = std::map<std::string, std::string, std::less<>>;

/// What stands for the names of a template in a line; nullopt if it is not there.
std::optional<Values> match(const std::vector<std::string>& parts, std::string_view line) {
  const bool leads = parts.front().front() == '{';
  const auto& anchor = parts[leads ? 1 : 0];
  const auto start = line.find(anchor);
  if (start == std::string_view::npos) return std::nullopt;
  Values values;
  if (leads) {
    auto begin = start;
    while (begin > 0 && !ends_word(line[begin - 1])) --begin;
    values[parts[0]] = line.substr(begin, start - begin);
  }
  auto at = start + anchor.size();
  for (std::size_t i = leads ? 2 : 1; i < parts.size(); ++i) {
    if (parts[i].front() != '{') {
      if (line.substr(at, parts[i].size()) != parts[i]) return std::nullopt;
      at += parts[i].size();
      continue;
    }
    auto end = at;
    if (i + 1 < parts.size()) {
      end = line.find(parts[i + 1], at);
      if (end == std::string_view::npos) return std::nullopt;
    } else {
      while (end < line.size() && !ends_word(line[end])) ++end;
    }
    values[parts[i]] = line.substr(at, end - at);
    at = end;
  }
  for (const auto& [name, value] : values)
    if (value.empty()) return std::nullopt;
  return values;
}

MessageKind kind_of(const nlohmann::json& row) {
  const auto& word = row.at("kind").get_ref<const std::string&>();
  for (const auto kind : {MessageKind::soft, MessageKind::gpu})
    if (word == to_string(kind)) return kind;
  return MessageKind::hard;
}

}  // namespace

std::optional<MessageReading> read_message(std::string_view pasted) {
  static const auto table = parse_json(embedded_messages());
  const auto lines = split(pasted.substr(0, most_text), "\n");
  for (const auto& row : table.at("rows")) {
    const auto parts = parts_of(row.at("text").get_ref<const std::string&>());
    for (const auto line : lines) {
      if (line.size() > longest_line) continue;
      const auto values = match(parts, line);
      if (!values) continue;
      const auto value = [&](std::string_view name) {
        return values->contains(name) ? values->find(name)->second : std::string();
      };
      MessageReading reading{std::string(line),
                             value("{library}"),
                             value("{symbol}"),
                             value("{version}"),
                             value("{module}"),
                             kind_of(row),
                             row.at("who"),
                             row.at("means"),
                             fmt::format("{}, {}", row.at("source").get_ref<const std::string&>(),
                                         row.at("checked").get_ref<const std::string&>())};
      if (row.contains("library") && !reading.library.starts_with(row.at("library").get_ref<const std::string&>()))
        continue;
      // "ImportError: libX.so.1: cannot open": the name is the last word before the colon.
      if (const auto slash = reading.library.rfind('/'); slash != std::string::npos)
        reading.library.erase(0, slash + 1);
      return reading;
    }
  }
  return std::nullopt;
}

}  // namespace cudald
