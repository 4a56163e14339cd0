#include "cli/split_words.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/similar_word.h"
#include "cli/option_table.h"
#include "cli/usage_error.h"

namespace cudald {
namespace {

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

const OptionRule* option_of_letter(char letter) {
  for (const OptionRule& rule : option_table())
    if (rule.letter == letter && letter != '\0') return &rule;
  return nullptr;
}

class Splitter {
 public:
  explicit Splitter(const std::vector<std::string>& words) : words_(words) {}

  Result<std::vector<Word>> split() {
    while (at_ < words_.size() && !error_) {
      const std::string_view word = words_[at_++];
      if (word == "--") {
        for (; at_ < words_.size(); ++at_) add_argument(words_[at_]);
      } else if (word.starts_with("--")) {
        take_name(word);
      } else if (word.size() > 1 && word[0] == '-') {
        take_letters(word);
      } else {
        add_argument(word);
      }
    }
    if (error_) return std::move(*error_);
    return std::move(split_);
  }

 private:
  void add_argument(std::string_view word) { split_.push_back({nullptr, std::string(word), false}); }

  void complain(std::string_view word, std::string_view what) {
    error_ = usage_error(fmt::format("{} {}", backquoted(word), what));
  }

  void take_name(std::string_view word) {
    const auto equals = word.find('=');
    const auto* option = find_option(word.substr(2, equals == std::string_view::npos ? equals : equals - 2));
    if (equals != std::string_view::npos && equals + 1 == word.size())
      return complain(word.substr(0, equals), "needs a value");
    if (option == nullptr) {
      error_ = unknown_option(word);
    } else if (equals == std::string_view::npos) {
      take(*option, std::nullopt, true);
    } else {
      take(*option, word.substr(equals + 1), true);
    }
  }

  void take_letters(std::string_view word) {
    for (std::size_t i = 1; i < word.size() && !error_; ++i) {
      const auto* option = option_of_letter(word[i]);
      if (option == nullptr) {
        error_ = unknown_option(word);
      } else if (option->takes_value() && i + 1 < word.size()) {
        return take(*option, word.substr(i + 1), false);
      } else {
        take(*option, std::nullopt, false);
      }
    }
  }

  void take(const OptionRule& option, std::optional<std::string_view> value, bool is_long) {
    const auto name = fmt::format("--{}", option.name);
    if (value && !option.takes_value()) return complain(name, "takes no value");
    if (!value && option.takes_value()) {
      if (at_ == words_.size() || is_surely_option(words_[at_])) return complain(name, "needs a value");
      value = words_[at_++];
    }
    split_.push_back({&option, std::string(value.value_or("")), is_long});
  }

  /// What stands in the place of a value: what begins with a dash may be one.
  static bool is_surely_option(std::string_view word) {
    const bool is_letter = word.size() == 2 && word[0] == '-' && option_of_letter(word[1]) != nullptr;
    return is_letter || (word.size() > 2 && word.starts_with("--") && word.find('=') == word.size() - 1);
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  std::vector<Word> split_;
  std::optional<Error> error_;
};

}  // namespace

std::string backquoted(std::string_view word) { return fmt::format("`{}`", escaped(word)); }

Result<std::vector<Word>> split_words(const std::vector<std::string>& words) { return Splitter(words).split(); }

}  // namespace cudald
