#include <fmt/format.h>

#include "base/replace_all.h"
#include "cli/commands/help.h"
#include "cli/options/option_table.h"
#include "embedded.h"

namespace cudald {
namespace {

/// Text for roff: a backslash and a dash are themselves, a dot at the start of a line is no
/// request.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      (result += "\\&") += c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string command_list() {
  std::string page;
  for (const CommandRule& rule : command_table())
    page +=
        fmt::format(".TP\n\\fBcudald {}\\fR \\fI{}\\fR\n{}\n", rule.name, roff(rule.arguments), roff(rule.description));
  return page;
}

std::string option_entry(const OptionRule& option) {
  std::string term = option.letter == '\0' ? "" : fmt::format("\\fB\\-{}\\fR, ", option.letter);
  term += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (option.takes_value()) term += fmt::format(" \\fI{}\\fR", roff(option.argument));
  std::string meaning = fmt::format("{}", roff(option.summary));
  if (!option.values.empty()) meaning += roff(fmt::format(": {}", fmt::join(allowed_values(option), ", ")));
  meaning += '.';
  if (!option.details.empty()) meaning += "\n" + roff(option.details);
  std::string commands;
  for (const CommandRule& rule : command_table())
    if (option.applies_to(rule.command)) commands += fmt::format("{}{}", commands.empty() ? "" : ", ", rule.name);
  const bool everywhere = option.applies_to(Command::help);
  if (!everywhere) meaning += fmt::format("\n(For {}.)", commands);
  return fmt::format(".TP\n{}\n{}\n", term, meaning);
}

std::string options() {
  std::string page;
  std::optional<Category> category;
  for (const OptionRule* option : options_by_category()) {
    if (category != option->category) page += fmt::format(".SS {}\n", title_of(option->category));
    category = option->category;
    page += option_entry(*option);
  }
  return page;
}

std::string findings() {
  std::string page;
  for (const FindingRule& rule : finding_catalogue())
    page += fmt::format(".TP\n.B {} {}\n{}\n", rule.code, roff(rule.name), roff(rule.summary));
  return page;
}

}  // namespace

void write_man_page(std::ostream& out) {
  std::string page(embedded_man_page());
  replace_all(page, "%VERSION%", CUDALD_VERSION);
  replace_all(page, "%COMMANDS%\n", command_list());
  replace_all(page, "%OPTIONS%\n", options());
  replace_all(page, "%FINDINGS%\n", findings());
  out << page;
}

}  // namespace cudald
