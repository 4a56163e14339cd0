#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"

namespace cudald {

/// One bit for each Command.
using CommandSet = unsigned;

constexpr CommandSet set_of(Command command) { return 1u << static_cast<unsigned>(command); }

struct CommandRule {
  Command command;
  std::string_view name;
  std::string_view arguments;    ///< "TARGET..."
  std::string_view summary;      ///< one line
  std::string_view description;  ///< a paragraph
};

enum class Category { world, environment, question, judgement, output, limits, scan, configuration, help };

/// Whether a configuration may have an option as a key.
enum class InFiles { no, one, list };  ///< list: with several values

/// One option. Parsing, -h, --help, the man page and the completions are all made from this row.
struct OptionRule {
  std::string_view name;  ///< without the dashes
  char letter = '\0';
  std::string_view argument = {};  ///< "DIR"; empty: a switch
  Category category = Category::world;
  CommandSet commands = 0;
  std::string_view summary;                                  ///< one line
  std::string_view details = {};                             ///< more sentences for --help and the man page
  std::string_view values = {};                              ///< "auto|always|never"; empty: any text
  bool (*takes)(Command, std::string_view value) = nullptr;  ///< which of `values` a command takes; nullptr: all
  InFiles in_files = InFiles::no;
  /// Enters the value; returns what is wrong with it, or nothing.
  std::optional<std::string> (*apply)(Options&, const std::string& value) = nullptr;

  /// Whether the value is a path, by what it is called.
  bool names_path() const { return argument == "DIR" || argument == "TREE" || argument.ends_with("FILE"); }
  bool takes_value() const { return !argument.empty(); }
  bool applies_to(Command command) const { return (commands & set_of(command)) != 0; }
};

std::span<const CommandRule> command_table();
const CommandRule& rule_of(Command);
const CommandRule* find_command(std::string_view name);

std::span<const OptionRule> option_table();
const OptionRule* find_option(std::string_view name);

/// "auto", "always", "never" of "auto|always|never".
std::vector<std::string_view> allowed_values(const OptionRule&);
/// Those of them that one command takes.
std::vector<std::string_view> allowed_values(const OptionRule&, Command);

/// Enters a value that a configuration states; returns what is wrong with it, or nothing. What the command does not
/// take is passed over.
std::optional<std::string> apply_setting(const OptionRule&, Options&, const std::string& value);

/// Those rows by category, each category once, in the order of Category; in the order of the table within one.
std::vector<const OptionRule*> options_by_category();

/// "World".
std::string_view title_of(Category);

/// "--sysroot DIR", or with its letter "-f, --format FORMAT".
std::string usage_of(const OptionRule&);

}  // namespace cudald
