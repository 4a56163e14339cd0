#include "cli/output/terminal.h"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/path.h"
#include "os/console.h"

namespace cudald {
namespace {

std::string variable(const Terminal& terminal, const std::string& name) {
  const auto found = terminal.variables.find(name);
  return found == terminal.variables.end() ? std::string() : found->second;
}

// https://no-color.org, https://bixense.com/clicolors, https://force-color.org
bool wants_colour(ColourWish when, const Terminal& terminal) {
  if (when != ColourWish::automatic) return when == ColourWish::always;
  const auto is_set = [&terminal](const std::string& name) { return !variable(terminal, name).empty(); };
  if (is_set("NO_COLOR")) return false;
  const auto forces = [&](const std::string& name) { return is_set(name) && variable(terminal, name) != "0"; };
  if (forces("CLICOLOR_FORCE") || forces("FORCE_COLOR")) return true;
  return terminal.output_is_terminal && variable(terminal, "TERM") != "dumb";
}

/// Whether a terminal is known to show links; others may print what they do not know.
bool has_links(const Terminal& terminal) {
  if (const auto forced = variable(terminal, "FORCE_HYPERLINK"); !forced.empty()) return forced != "0";
  if (!terminal.output_is_terminal || variable(terminal, "TERM") == "dumb") return false;
  for (const auto* name : {"WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM", "WEZTERM_PANE"})
    if (!variable(terminal, name).empty()) return true;
  const auto program = variable(terminal, "TERM_PROGRAM");
  for (const auto* name : {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "zed"})
    if (program == name) return true;
  const auto vte = variable(terminal, "VTE_VERSION");
  return vte.size() > 4 || (vte.size() == 4 && vte >= "5000");
}

bool is_program_on_path(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  const auto folders = split(path, ":");
  return std::any_of(folders.begin(), folders.end(), [&name](std::string_view folder) {
    return !folder.empty() && ::access((std::string(folder) + "/" + name).c_str(), X_OK) == 0;
  });
}

/// Whether the locale's name says so, "en_US.UTF-8": to ask the C library would load its tables, and where the locale
/// is not installed, as in most containers, say nothing of the terminal.
bool is_utf8(const Terminal& terminal) {
  std::string locale;
  for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale = variable(terminal, name); !locale.empty()) break;
  const auto dot = locale.find('.');
  if (dot == std::string::npos) return false;
  const auto charset = locale.substr(dot + 1, locale.find('@', dot) - dot - 1);
  return ::strcasecmp(charset.c_str(), "UTF-8") == 0 || ::strcasecmp(charset.c_str(), "utf8") == 0;
}

}  // namespace

Terminal host_terminal() {
  Terminal terminal;
  terminal.variables = host_environment().variables;
  terminal.output_is_terminal = is_terminal(STDOUT_FILENO);
  terminal.errors_are_terminal = is_terminal(STDERR_FILENO);
  terminal.utf8 = terminals_show_utf8().value_or(is_utf8(terminal));
  if (terminal.output_is_terminal) terminal.columns = columns_of_terminal(STDOUT_FILENO);
  return terminal;
}

TextStyle make_style(const Options& options, const Terminal& terminal) {
  // Lines longer than this are hard to read, however wide the terminal is.
  constexpr std::size_t widest = 120, narrowest = 60;
  TextStyle style;
  if (terminal.columns != 0) style.width = std::clamp(terminal.columns, narrowest, widest);
  if (options.output.width) style.width = *options.output.width;
  const bool to_file = !options.output.path.empty();
  Terminal place = terminal;
  place.output_is_terminal &= !to_file;
  style.colour = wants_colour(options.output.colour, place);
  if (has_links(place)) style.pages = CUDALD_DOCS_URL;
  style.ascii = options.output.ascii || !terminal.utf8;
  style.verbosity = options.output.verbosity;
  style.library = options.question.library;
  if (options.question.depth) style.depth = *options.question.depth;
  return style;
}

Progress::Style progress_style(const Options& options, const Terminal& terminal) {
  if (options.output.progress == ProgressWish::plain) return Progress::Style::plain;
  const bool wanted = options.output.progress == ProgressWish::automatic && terminal.errors_are_terminal &&
                      options.output.verbosity >= 0;
  return wanted && variable(terminal, "TERM") != "dumb" ? Progress::Style::line : Progress::Style::none;
}

std::string pager_command(const Options& options, const Terminal& terminal) {
  const bool wanted = options.output.pager && terminal.output_is_terminal && options.output.path.empty() &&
                      rule_of(options.output.format).for_people && options.output.verbosity >= 0;
  if (!wanted || variable(terminal, "TERM") == "dumb") return "";
  const auto given = terminal.variables.find("PAGER");
  const std::string command = given == terminal.variables.end() ? "less" : given->second;
  const std::string program = command.substr(0, command.find(' '));
  const bool usable = !program.empty() && program != "cat" && is_program_on_path(program, variable(terminal, "PATH"));
  return usable ? command : "";
}

}  // namespace cudald
