#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace cudald {

enum class Command;  // cli/options/options.h

/// How answers are written; the table of formats says what each is like, that of views who writes it.
enum class OutputFormat { text, json, ndjson, sarif, junit, github, markdown, html, dot, mermaid, cyclonedx };

struct FormatRule {
  OutputFormat format;
  std::string_view name;        ///< as --format takes it
  bool for_people = false;      ///< paged, and blank lines stand between answers
  bool tells_all = false;       ///< what could not be read stands in it, so that it need not be complained of as well
  bool one_document = false;    ///< has room for one answer
  bool of_all = false;          ///< one document of all answers, written when the last is there
  bool as_they_come = false;    ///< each answer is handed on at once
  bool holds_bindings = false;  ///< --bindings has a place in it
};

/// One row for each format; --format, help and completion take its name from here.
inline constexpr std::array format_rules = {
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

/// The names, as the row of an option lists its values: "text|json".
inline constexpr auto joined_format_names = [] {
  constexpr std::size_t size = [] {
    std::size_t letters = 0;
    for (const auto& rule : format_rules) letters += rule.name.size() + 1;
    return letters;
  }();
  std::array<char, size> letters{};
  std::size_t at = 0;
  for (const auto& rule : format_rules) {
    for (const char c : rule.name) letters[at++] = c;
    letters[at++] = '|';
  }
  return letters;
}();
inline constexpr std::string_view format_names{joined_format_names.data(), joined_format_names.size() - 1};

std::span<const FormatRule> format_table();
const FormatRule& rule_of(OutputFormat);
std::optional<OutputFormat> find_format(std::string_view name);
/// Whether what a command answers with can be written in the format of that name: the table of views says that.
bool has_format(Command, std::string_view name);

}  // namespace cudald
