// Commands of pip and uv as cudald offers them, taken apart and put together again.

#include "session/pip_commands.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/shell_word.h"
#include "package/requirement.h"
#include "package/version.h"

namespace cudald {

namespace {

/// Adds a requirement to those of a command, which may have one of the same distribution: "jax" and then "jax<0.4.24".
void add_requirement(std::vector<std::string>& wanted, const std::string& word) {
  if (std::find(wanted.begin(), wanted.end(), word) != wanted.end()) return;
  const auto added = parse_requirement(word);
  for (auto& each : wanted) {
    const auto present = parse_requirement(each);
    if (!added || !present || added->name != present->name || added->extras != present->extras ||
        exclude_each_other(added->specifiers, present->specifiers))
      continue;
    const auto specifiers = present->specifiers.empty() ? added->specifiers
                            : added->specifiers.empty() ? present->specifiers
                                                        : specifiers_of_both(present->specifiers, added->specifiers);
    const auto name = each.substr(0, each.find_first_of("<>=!~; "));
    each = name + specifiers;
    return;
  }
  wanted.push_back(word);
}

}  // namespace

std::optional<PipCommand> pip_command(const std::string& line) {
  auto words = plain_words(line, false);
  if (!words) return std::nullopt;
  const auto pip = std::find(words->begin(), words->end(), "pip");
  if (pip == words->end() || pip + 1 == words->end()) return std::nullopt;
  PipCommand command{*(pip + 1) == "install", {pip + 2, words->end()}};
  if (!command.install && *(pip + 1) != "uninstall") return std::nullopt;
  // uv names the environment's Python.
  if (const auto python = std::find(command.words.begin(), command.words.end(), "--python");
      python != command.words.end() && python + 1 != command.words.end())
    command.words.erase(python, python + 2);
  return command;
}

std::vector<std::string> installs_of(const Report& report) {
  constexpr std::size_t most_ways = 3;
  std::vector<std::string> commands;
  for (const auto& finding : report.findings)
    for (const auto& fix : finding.fixes)
      if (finding.level == Level::error && commands.size() < most_ways &&
          pip_command(fix.command.substr(0, fix.command.find('\n'))))
        commands.push_back(fix.command);
  return commands;
}

std::optional<std::string> joined_installs(const std::string& one, const std::string& other) {
  if ((one + other).find('\n') != std::string::npos) return std::nullopt;
  const auto first = plain_words(one, false), second = plain_words(other, false);
  if (!first || !second) return std::nullopt;
  const auto apart = std::mismatch(first->begin(), first->end(), second->begin(), second->end());
  const bool installs = std::find(first->begin(), apart.first, "install") != apart.first;
  const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
  const bool is_for_another = installs && *std::prev(apart.first) == "--python";
  if (!installs || is_for_another || std::any_of(apart.first, first->end(), is_option) ||
      std::any_of(apart.second, second->end(), is_option))
    return std::nullopt;
  std::vector<std::string> wanted(apart.first, first->end());
  for (auto word = apart.second; word != second->end(); ++word) add_requirement(wanted, *word);
  std::string joined;
  for (auto word = first->begin(); word != apart.first; ++word) joined += shell_word(*word) + " ";
  for (auto& word : wanted) word = shell_word(word);
  return joined + fmt::format("{}", fmt::join(wanted, " "));
}

}  // namespace cudald
