#pragma once

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

std::span<const FormatRule> format_table();
const FormatRule& rule_of(OutputFormat);
std::optional<OutputFormat> find_format(std::string_view name);
/// Whether what a command answers with can be written in the format of that name: the table of views says that.
bool has_format(Command, std::string_view name);

}  // namespace cudald
