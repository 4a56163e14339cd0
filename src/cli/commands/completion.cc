#include "cli/commands/completion.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/similar_word.h"
#include "cli/options/option_table.h"
#include "cli/options/schemas.h"

namespace cudald {
namespace {

/// What stands for the value of an option or for a command's arguments.
enum class Kind { words, folder, file, text };

Kind kind_of(const OptionRule& option) {
  if (!option.values.empty()) return Kind::words;
  if (option.argument == "DIR") return Kind::folder;
  if (option.argument == "FILE" || option.argument == "LIBRARY") return Kind::file;
  return Kind::text;
}

/// The words that a command's argument can be; none if it is a file.
std::vector<std::string> argument_words(const CommandRule& command) {
  std::vector<std::string> words;
  switch (command.command) {
    case Command::schema:
      for (const auto name : schema_names()) words.emplace_back(name);
      break;
    case Command::config:
    case Command::cache:
    case Command::completion:
      for (const std::string_view word : split(command.arguments, "|")) words.emplace_back(word);
      break;
    case Command::help:
      for (const CommandRule& each : command_table()) words.emplace_back(each.name);
      break;
    case Command::rule:
      for (const FindingRule& rule : finding_catalogue()) words.emplace_back(rule.code);
      break;
    case Command::explain:
    case Command::check:
    case Command::probe:
    case Command::repair:
    case Command::tree:
    case Command::why:
    case Command::show:
    case Command::env:
    case Command::diff:
    case Command::scan:
    case Command::merge:
    case Command::provides: break;
  }
  return words;
}

std::string option_words(const CommandRule& command) {
  std::string words;
  for (const OptionRule& option : option_table()) {
    if (!option.applies_to(command.command)) continue;
    if (option.letter != '\0') words += fmt::format("-{} ", option.letter);
    words += fmt::format("--{} ", option.name);
  }
  if (!words.empty()) words.pop_back();
  return words;
}

std::string command_words() {
  std::string words;
  for (const CommandRule& rule : command_table()) words += fmt::format("{}{}", words.empty() ? "" : " ", rule.name);
  return words;
}

void write_bash(std::ostream& out) {
  out << "# bash completion for cudald\n"
         "_cudald() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=explain "
         "word\n"
         "  COMPREPLY=()\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      << fmt::format("    case $word in {}) command=$word; break ;; esac\n",
                     fmt::format("{}", fmt::join(split(command_words(), " "), "|")))
      << "  done\n"
         "  case $prev in\n";
  for (const OptionRule& option : option_table()) {
    if (!option.takes_value()) continue;
    const std::string names =
        (option.letter == '\0' ? "" : fmt::format("-{}|", option.letter)) + fmt::format("--{}", option.name);
    switch (kind_of(option)) {
      case Kind::words:
        out << fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\"); return ;;\n", names,
                           fmt::join(allowed_values(option), " "));
        break;
      case Kind::folder:
        out << fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return ;;\n", names);
        break;
      case Kind::file:
        out << fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n", names);
        break;
      case Kind::text: out << fmt::format("    {}) return ;;\n", names); break;
    }
  }
  out << "  esac\n"
         "  local options words\n"
         "  case $command in\n";
  for (const CommandRule& rule : command_table())
    out << fmt::format("    {}) options='{}' words='{}' ;;\n", rule.name, option_words(rule),
                       fmt::join(argument_words(rule), " "));
  out << fmt::format(
      "  esac\n"
      "  if [[ $cur == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
      "  elif [[ -n $words ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
      "    if ((COMP_CWORD == 1)); then\n"
      "      mapfile -t -O \"${{#COMPREPLY[@]}}\" COMPREPLY < <(compgen -W '{}' -- \"$cur\")\n"
      "    fi\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _cudald cudald\n",
      command_words());
}

/// Text inside a '...' string of zsh's _arguments: brackets and colons mean something there.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const OptionRule& option) {
  switch (kind_of(option)) {
    case Kind::words: return fmt::format("({})", fmt::join(allowed_values(option), " "));
    case Kind::folder: return "_files -/";
    case Kind::file: return "_files";
    case Kind::text: break;
  }
  return "";
}

void write_zsh(std::ostream& out) {
  out << "#compdef cudald\n"
         "_cudald() {\n"
         "  local -a commands\n"
         "  commands=(\n";
  for (const CommandRule& rule : command_table())
    out << fmt::format("    '{}:{}'\n", rule.name, zsh_text(rule.summary));
  out << "  )\n"
         "  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
         "    _describe -t commands command commands\n"
         "    _files\n"
         "    return\n"
         "  fi\n"
         "  local -a options\n"
         "  case ${words[2]} in\n";
  // The default stands last, as zsh takes the first pattern that fits.
  for (const CommandRule& rule : command_table()) {
    if (rule.command == Command::explain) continue;
    out << fmt::format("    {})\n      options=(", rule.name);
    for (const OptionRule& option : option_table())
      if (option.applies_to(rule.command)) out << fmt::format(" $option_{}", fmt::join(split(option.name, "-"), "_"));
    const auto words = argument_words(rule);
    out << fmt::format(" '*:{}:{}') ;;\n", zsh_text(rule.arguments),
                       words.empty() ? "_files" : fmt::format("({})", fmt::join(words, " ")));
  }
  out << "    *)\n      options=(";
  for (const OptionRule& option : option_table())
    if (option.applies_to(Command::explain)) out << fmt::format(" $option_{}", fmt::join(split(option.name, "-"), "_"));
  out << " '*:TARGET...:_files') ;;\n"
         "  esac\n"
         "  _arguments -s $options\n"
         "}\n";
  for (const OptionRule& option : option_table()) {
    const std::string variable = fmt::format("option_{}", fmt::join(split(option.name, "-"), "_"));
    const std::string summary = zsh_text(option.summary);
    const std::string value =
        option.takes_value() ? fmt::format(":{}:{}", zsh_text(option.argument), zsh_action(option)) : "";
    out << fmt::format("typeset -ga {}=(", variable);
    if (option.letter != '\0') out << fmt::format("'*-{}[{}]{}' ", option.letter, summary, value);
    out << fmt::format("'*--{}[{}]{}')\n", option.name, summary, value);
  }
  out << "_cudald \"$@\"\n";
}

std::string fish_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

void write_fish(std::ostream& out) {
  out << "# fish completion for cudald\n";
  for (const CommandRule& rule : command_table()) {
    out << fmt::format("complete -c cudald -n __fish_use_subcommand -a {} -d '{}'\n", rule.name,
                       fish_text(rule.summary));
    if (const auto words = argument_words(rule); !words.empty())
      out << fmt::format("complete -c cudald -f -n '__fish_seen_subcommand_from {}' -a '{}'\n", rule.name,
                         fmt::join(words, " "));
  }
  for (const OptionRule& option : option_table()) {
    std::string commands, others;
    for (const CommandRule& rule : command_table())
      (option.applies_to(rule.command) ? commands : others) += fmt::format(" {}", rule.name);
    std::string line = "complete -c cudald";
    // Without a command it is explain.
    if (option.applies_to(Command::explain) && !others.empty())
      line += fmt::format(" -n 'not __fish_seen_subcommand_from{}'", others);
    if (!option.applies_to(Command::explain)) line += fmt::format(" -n '__fish_seen_subcommand_from{}'", commands);
    if (option.letter != '\0') line += fmt::format(" -s {}", option.letter);
    line += fmt::format(" -l {}", option.name);
    switch (option.takes_value() ? kind_of(option) : Kind::text) {
      case Kind::words: line += fmt::format(" -x -a '{}'", fmt::join(allowed_values(option), " ")); break;
      case Kind::folder: line += " -x -a '(__fish_complete_directories)'"; break;
      case Kind::file: line += " -r -F"; break;
      case Kind::text:
        if (option.takes_value()) line += " -x";
        break;
    }
    out << line << fmt::format(" -d '{}'\n", fish_text(option.summary));
  }
}

/// A word in single quotes, in which only the quote itself means something.
std::string powershell_text(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

/// A hash table of PowerShell: what may follow a command or option, each with its summary.
void write_powershell(std::ostream& out) {
  out << "# PowerShell completion for cudald\n"
         "Register-ArgumentCompleter -Native -CommandName cudald -ScriptBlock {\n"
         "  param($wordToComplete, $commandAst, $cursorPosition)\n"
         "  $commands = [ordered]@{\n";
  for (const CommandRule& rule : command_table())
    out << fmt::format("    {} = {}\n", powershell_text(rule.name), powershell_text(rule.summary));
  out << "  }\n  $words = @{\n";
  for (const CommandRule& rule : command_table()) {
    std::vector<std::string> words;
    for (const auto& word : argument_words(rule)) words.push_back(powershell_text(word));
    if (!words.empty()) out << fmt::format("    {} = @({})\n", powershell_text(rule.name), fmt::join(words, ", "));
  }
  out << "  }\n  $options = @(\n";
  for (const OptionRule& option : option_table()) {
    std::vector<std::string> commands, values;
    for (const CommandRule& rule : command_table())
      if (option.applies_to(rule.command)) commands.push_back(powershell_text(rule.name));
    for (const auto value : allowed_values(option)) values.push_back(powershell_text(value));
    out << fmt::format("    @{{ name = '--{}'; summary = {}; commands = @({}); values = @({}) }}\n", option.name,
                       powershell_text(option.summary), fmt::join(commands, ", "), fmt::join(values, ", "));
  }
  out << R"~(  )
  $given = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  $before = if ($wordToComplete) { $given | Select-Object -SkipLast 1 } else { $given }
  $command = @($before | Where-Object { $commands.Contains($_) })[0]
  $usual = if ($command) { $command } else { 'explain' }
  $last = @($before)[-1]
  $found = @()
  $option = $options | Where-Object { $_.name -eq $last -and $_.values.Count }
  if ($option) {
    foreach ($value in $option.values) { $found += , @($value, $value) }
  } elseif ($wordToComplete -like '-*') {
    foreach ($each in $options) {
      if ($each.commands -contains $usual) { $found += , @($each.name, $each.summary) }
    }
  } else {
    if (-not $command) { foreach ($name in $commands.Keys) { $found += , @($name, $commands[$name]) } }
    if ($command -and $words.Contains($command)) { foreach ($word in $words[$command]) { $found += , @($word, $word) } }
  }
  $found | Where-Object { $_[0] -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
)~";
}

}  // namespace

void write_completion(std::string_view shell, std::ostream& out) {
  if (shell == "bash") {
    write_bash(out);
  } else if (shell == "zsh") {
    write_zsh(out);
  } else if (shell == "fish") {
    write_fish(out);
  } else {
    write_powershell(out);
  }
}

}  // namespace cudald
