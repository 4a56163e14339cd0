#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <cudald/result.h>

namespace cudald {

/// A reader's place in the text of a TOML document, and what it reads there that has no parts: keys and plain values.
/// After the first fault it stands at the end, so that whoever reads on stops. Source: https://toml.io/en/v1.0.0, and
/// what 1.1 allows besides.
class TomlText {
 public:
  /// Refuses bytes that are no UTF-8 and characters that no document may hold.
  explicit TomlText(std::string_view text);

  bool at_end() const { return at_ == text_.size(); }
  /// The character here, '\0' at the end.
  char here() const { return at_end() ? '\0' : text_[at_]; }
  std::size_t line() const { return line_; }
  /// Goes past that character, if it is here.
  bool take(char c);
  bool take(std::string_view word);
  /// Past blanks; past ends of lines and comments too.
  void skip_blanks();
  void skip_blanks_and_lines();
  /// Past the rest of a line, on which only a comment may stand.
  void end_line();

  /// One part of a dotted key.
  std::string key();
  /// A text in quotes.
  std::string quoted();
  /// A bool, a number or a day, as TomlKey has it.
  std::string plain_value();

  /// Notes what is wrong in this line, unless something was before.
  void fail(std::string_view message, ErrorCode code = ErrorCode::malformed);
  bool failed() const { return fault_.has_value(); }
  const Error& fault() const { return *fault_; }

 private:
  bool is_word_ahead(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  std::string_view take_while(bool (*belongs)(char));
  void check_characters();
  std::string until_quote(char quote, bool several_lines);
  void escape(std::string& into, bool several_lines);
  void code_point(std::string& into, std::size_t digits);

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  std::optional<Error> fault_;
};

}  // namespace cudald
