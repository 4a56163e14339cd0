#include "cli/options/formats.h"

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
    FormatRule{.format = OutputFormat::sarif, .name = "sarif", .tells_all = true, .of_all = true},
    FormatRule{.format = OutputFormat::junit, .name = "junit", .tells_all = true, .of_all = true},
    FormatRule{.format = OutputFormat::github, .name = "github", .tells_all = true, .of_all = true},
    FormatRule{.format = OutputFormat::markdown, .name = "markdown", .tells_all = true, .of_all = true},
    FormatRule{.format = OutputFormat::html, .name = "html", .tells_all = true, .of_all = true},
    FormatRule{.format = OutputFormat::dot, .name = "dot", .of_all = true},
    FormatRule{.format = OutputFormat::mermaid, .name = "mermaid", .of_all = true},
    FormatRule{.format = OutputFormat::cyclonedx, .name = "cyclonedx", .of_all = true},
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
