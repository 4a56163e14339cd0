#include "cli/options/split_words.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/program_options.hpp>

#include <cudald/writers.h>

#include "base/similar_word.h"
#include "base/usage_error.h"
#include "cli/options/option_table.h"

namespace cudald {
namespace {

namespace po = boost::program_options;

constexpr const char* positional_key = "argument";

Error unknown_option(std::string_view word) {
  word = word.substr(0, word.find('='));
  std::vector<std::string_view> names;
  for (const OptionRule& rule : option_table()) names.push_back(rule.name);
  const bool is_long = word.starts_with("--");
  const std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const std::string_view similar = is_long ? similar_word(name, names) : std::string_view();
  const std::string hint = similar.empty() ? "" : fmt::format("; did you mean `--{}`?", similar);
  return usage_error(fmt::format("unknown option {}{}", backquoted(word), hint));
}

/// Whether an option may be meant by one of the words.
bool may_be_named(const OptionRule& rule, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    if (!word.starts_with('-')) return false;
    if (word.starts_with("--")) return word.substr(2).starts_with(rule.name);
    return rule.letter != '\0' && word.find(rule.letter) != std::string_view::npos;
  });
}

/// The options that there are, as far as words may mean them, and arguments, as Boost is told about them: to tell it of
/// one takes as long as to read a dozen words.
po::options_description description_for(const std::vector<std::string>& words) {
  po::options_description description;
  for (const OptionRule& rule : option_table()) {
    if (!may_be_named(rule, words)) continue;
    std::string names(rule.name);
    if (rule.letter != '\0') names += std::string(",") + rule.letter;
    constexpr bool no_value = true;
    po::value_semantic* const value = rule.takes_value() ? static_cast<po::value_semantic*>(po::value<std::string>())
                                                         : new po::untyped_value(no_value);
    description.add_options()(names.c_str(), value);
  }
  description.add_options()(positional_key, po::value<std::vector<std::string>>());
  return description;
}

Result<std::vector<Word>> words_of(const std::vector<po::option>& options) {
  std::vector<Word> words;
  for (const po::option& option : options) {
    const auto typed = option.original_tokens.empty() ? "" : option.original_tokens.front();
    const auto value = option.value.empty() ? "" : option.value.front();
    // To Boost "--=x" is an argument "x".
    if (option.position_key >= 0 && (value == typed || !typed.starts_with("--="))) {
      words.push_back({nullptr, value, false});
      continue;
    }
    const auto* rule = find_option(option.string_key);
    if (rule == nullptr) return unknown_option(typed);
    words.push_back({rule, value, typed.starts_with("--")});
  }
  return words;
}

}  // namespace

std::string backquoted(std::string_view word) { return fmt::format("`{}`", escaped(word)); }

Result<std::vector<Word>> split_words(const std::vector<std::string>& words) {
  const auto description = description_for(words);
  po::positional_options_description positional;
  positional.add(positional_key, -1);
  constexpr int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    return words_of(
        po::command_line_parser(words).options(description).positional(positional).style(style).run().options);
  } catch (const po::unknown_option& error) {
    return unknown_option(error.get_option_name());
  } catch (const po::invalid_command_line_syntax& error) {
    const bool surplus = error.kind() == po::invalid_syntax::extra_parameter;
    return usage_error(
        fmt::format("{} {}", backquoted(error.get_option_name()), surplus ? "takes no value" : "needs a value"));
  } catch (const po::error& error) {
    return usage_error(escaped(error.what()));
  }
}

}  // namespace cudald
