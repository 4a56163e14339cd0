#include "cli/options/formats.h"

#include <algorithm>

namespace cudald {

std::span<const FormatRule> format_table() { return format_rules; }

const FormatRule& rule_of(OutputFormat format) {
  return *std::find_if(format_rules.begin(), format_rules.end(),
                       [&](const FormatRule& rule) { return rule.format == format; });
}

std::optional<OutputFormat> find_format(std::string_view name) {
  for (const auto& rule : format_rules)
    if (rule.name == name) return rule.format;
  return std::nullopt;
}

}  // namespace cudald
