#include "cli/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/option_table.h"
#include "report/text.h"

namespace cudald {
namespace {

constexpr std::size_t indent = 2;

/// A term and what it means, side by side where the term is short enough.
void write_entry(std::string_view term, std::string_view meaning, std::size_t column, TextWriter& text) {
  const std::size_t room = text.width() > column + 20 ? text.width() - column : 20;
  std::string left = std::string(indent, ' ') + text.painted(Tone::strong, term);
  std::size_t used = indent + term.size();
  if (used + 2 > column) {
    text.line(left);
    left.clear();
    used = 0;
  }
  for (const std::string& line : wrapped(meaning, room)) {
    text.line(left + std::string(column - used, ' ') + line);
    left.clear();
    used = 0;
  }
}

void write_commands(TextWriter& text) {
  text.line();
  text.line(text.painted(Tone::label, "Commands"));
  for (const CommandRule& rule : command_table())
    write_entry(fmt::format("{} {}", rule.name, rule.arguments), rule.summary, 26, text);
}

void write_options(std::optional<Command> command, bool in_full, TextWriter& text) {
  std::optional<Category> category;
  for (const OptionRule& option : option_table()) {
    if (command && !option.applies_to(*command)) continue;
    if (category != option.category) {
      text.line();
      text.line(text.painted(Tone::label, title_of(option.category)));
      category = option.category;
    }
    std::string meaning(option.summary);
    if (!option.values.empty()) meaning += fmt::format(": {}", fmt::join(allowed_values(option), ", "));
    if (in_full && !option.details.empty()) meaning += fmt::format(". {}", option.details);
    write_entry(usage_of(option), meaning, 26, text);
  }
}

}  // namespace

void write_help(std::optional<Command> command, bool in_full, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  if (command) {
    const CommandRule& rule = rule_of(*command);
    text.line(
        fmt::format("{} cudald {} [OPTION...] {}", text.painted(Tone::label, "Usage"), rule.name, rule.arguments));
    text.line();
    text.paragraph(in_full ? rule.description : fmt::format("Prints {}.", rule.summary));
  } else {
    text.paragraph("cudald " CUDALD_VERSION ": what happens when a program or library is loaded, without running it");
    text.line();
    text.line(fmt::format("{} cudald [COMMAND] [OPTION...] TARGET...", text.painted(Tone::label, "Usage")));
    write_commands(text);
  }
  write_options(command, in_full, text);
  text.line();
  text.paragraph(
      "Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3 something could not be read, 4 a "
      "bug in cudald.");
  if (!in_full)
    text.paragraph(command ? fmt::format("More: cudald help {}", rule_of(*command).name)
                           : "More: cudald help COMMAND, man cudald");
}

}  // namespace cudald
