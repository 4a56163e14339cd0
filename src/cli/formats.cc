#include "cli/formats.h"

#include <algorithm>
#include <array>

namespace cudald {
namespace {

constexpr std::array formats = {
    FormatRule{.format = OutputFormat::text, .name = "text", .for_people = true},
    FormatRule{
        .format = OutputFormat::json, .name = "json", .tells_all = true, .one_document = true, .holds_bindings = true},
    FormatRule{.format = OutputFormat::ndjson,
               .name = "ndjson",
               .tells_all = true,
               .as_they_come = true,
               .holds_bindings = true},
};

}  // namespace

std::span<const FormatRule> format_table() { return formats; }

const FormatRule& rule_of(OutputFormat format) {
  return *std::find_if(formats.begin(), formats.end(), [&](const FormatRule& rule) { return rule.format == format; });
}

std::optional<OutputFormat> find_format(std::string_view name) {
  for (const auto& rule : formats)
    if (rule.name == name) return rule.format;
  return std::nullopt;
}

}  // namespace cudald
