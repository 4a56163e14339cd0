#include "cli/commands/help.h"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "cli/options/option_table.h"
#include "report/text/text.h"

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

/// "Why a target loads or fails." of a summary.
std::string sentence(std::string_view summary) {
  std::string text(summary);
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

void write_commands(TextWriter& text) {
  text.line();
  text.line(text.painted(Tone::label, "Commands"));
  for (const CommandRule& rule : command_table())
    write_entry(fmt::format("{} {}", rule.name, rule.arguments), rule.summary, 26, text);
}

void write_options(std::optional<Command> command, bool in_full, TextWriter& text) {
  std::optional<Category> category;
  for (const OptionRule* row : options_by_category()) {
    const OptionRule& option = *row;
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

struct Example {
  std::string_view command, meaning;
};

constexpr Example examples[] = {
    {"cudald ./train", "why a program or library loads or fails"},
    {"cudald --prefix .venv torch", "what `import torch` loads in an environment"},
    {"cudald check dist/*.whl", "check wheels before publishing; for CI"},
    {"cudald provides libnccl.so.2", "which package provides a library"},
};

constexpr std::string_view common_options[] = {"prefix", "host", "driver", "gpu", "format", "verbose"};

/// One screen: what is typed most.
void write_short_help(TextWriter& text) {
  text.line();
  text.line(text.painted(Tone::label, "Examples"));
  for (const Example& example : examples) write_entry(example.command, example.meaning, 36, text);
  text.line();
  text.line(text.painted(Tone::label, "Commands"));
  for (const CommandRule& rule : command_table()) write_entry(rule.name, rule.summary, 14, text);
  text.line();
  text.line(text.painted(Tone::label, "Common options"));
  for (const std::string_view name : common_options) {
    const OptionRule& option = *find_option(name);
    // The first part is enough for a first look.
    write_entry(usage_of(option), option.summary.substr(0, option.summary.find_first_of(",;:(")), 26, text);
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
    text.paragraph(in_full ? std::string(rule.description) : sentence(rule.summary));
  } else {
    text.paragraph("cudald " CUDALD_VERSION " predicts how a program or library loads, without running it");
    text.line();
    text.line(fmt::format("{} cudald [COMMAND] [OPTION...] TARGET...", text.painted(Tone::label, "Usage")));
    if (in_full) {
      write_commands(text);
    } else {
      write_short_help(text);
    }
  }
  if (command || in_full) write_options(command, in_full, text);
  text.line();
  text.paragraph("Exit status: 0 no findings, 1 findings, 2 usage, 3 unreadable input, 4 a bug.");
  if (!in_full)
    text.paragraph(command ? fmt::format("More: cudald help {}", rule_of(*command).name)
                           : "More: cudald --help, cudald help COMMAND, man cudald");
}

}  // namespace cudald
