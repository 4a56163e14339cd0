#include "base/shell_word.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a word for the shell is quoted only where it must be") {
  struct Row {
    std::string text, word;
  };
  const Row rows[] = {
      {"/opt/lib-1.2/a_b+c:d,e=f@g%h", "/opt/lib-1.2/a_b+c:d,e=f@g%h"},
      {"", "''"},
      {"a b", "'a b'"},
      {"$ORIGIN/lib", "'$ORIGIN/lib'"},
      {"`id`", "'`id`'"},
      {"it's", "'it'\\''s'"},
      {"a\\b", "'a\\b'"},
      {"~", "'~'"},
      {"lib##vso[a]", "$'lib\\x23\\x23vso[a]'"},
      {"::error::a", "$'\\x3a\\x3aerror\\x3a\\x3aa'"},
      {"a#b", "'a#b'"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(shell_word(row.text) == row.word);
  }
}

TEST_CASE("a word for cmd.exe stands between quotes that nothing in it ends") {
  CHECK(windows_word("C:\\Program Files\\a & b") == "\"C:\\Program Files\\a & b\"");
  CHECK(windows_word("a\" & calc & \"b") == "\"a? & calc & ?b\"");
  CHECK(windows_word("a\nb\x1b") == "\"a\\x0ab\\x1b\"");
  CHECK(windows_word("") == "\"\"");
}

TEST_CASE("what a terminal would obey never stands in a word as it is") {
  CHECK(shell_word("a\x1b[31mb") == "$'a\\x1b[31mb'");
  CHECK(shell_word("a\nb'c\\d") == "$'a\\x0ab\\'c\\\\d'");
  for (int c = 0; c < 256; ++c) {
    const auto word = shell_word(std::string(1, static_cast<char>(c)));
    CAPTURE(c);
    for (const char shown : word) CHECK((shown >= 0x20 && shown < 0x7f));
  }
}

TEST_CASE("words for a shell are quoted where they must be") {
  const std::vector<std::pair<std::string_view, std::string_view>> rows = {
      {"/usr/lib/libfoo.so.1", "/usr/lib/libfoo.so.1"},
      {"", "''"},
      {"a b", "'a b'"},
      {"it's", "'it'\\''s'"},
      {"$(rm -rf ~)", "'$(rm -rf ~)'"},
      {"~/x", "'~/x'"},
      {"a\nb", "$'a\\x0ab'"},
      {"\x1b'\\", "$'\\x1b\\'\\\\'"},
  };
  for (const auto& [in, out] : rows) {
    const auto& shown_out = out;
    CAPTURE(shown_out);
    CHECK(shell_word(in) == out);
  }
}

TEST_CASE("each letter of ASCII stands bare, in quotes or escaped") {
  const std::string bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  for (int code = 0; code < 256; ++code) {
    CAPTURE(code);
    const std::string text(1, static_cast<char>(code));
    const auto word = shell_word(text);
    if (bare.find(text) != std::string::npos) {
      CHECK(word == text);
    } else if (text == "'") {
      CHECK(word == "''\\'''");
    } else if (code >= 0x20 && code < 0x7f) {
      CHECK(word == "'" + text + "'");
    } else {
      CHECK(word.starts_with("$'\\x"));
      CHECK(std::stoi(word.substr(4, 2), nullptr, 16) == code);
      CHECK(word.size() == 7);
    }
  }
}

TEST_CASE("a plain command has the words that the shell makes of it; what the shell puts in is not known") {
  using Words = std::vector<std::string>;
  CHECK(plain_words("pip  install 'a<2' \"b c\"", false) == Words{"pip", "install", "a<2", "b c"});
  CHECK(plain_words("copy \"C:\\a b\" it's", true) == Words{"copy", "C:\\a b", "it's"});
  CHECK(plain_words("pip install 'a>=1,<2' \"b|c\" 'd$e'", false) == Words{"pip", "install", "a>=1,<2", "b|c", "d$e"});
  for (const auto* line :
       {"a; b", "a < b", "\"`a`\"", "echo $HOME", "a | b", "a && b", "a > b", "a `b`", "'a", "\"$a\"", "", " "})
    CHECK_FALSE(plain_words(line, false));
}

}  // namespace
}  // namespace cudald
