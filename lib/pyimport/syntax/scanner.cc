#include "pyimport/syntax/scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cudald::python {
namespace {

constexpr std::size_t max_indentation = 100;  ///< CPython's own limit (Parser/tokenizer.c, MAXINDENT)
constexpr int max_nested_strings = 20;
constexpr std::size_t max_replacement_field = 65536;  ///< of an f-string
constexpr std::size_t max_wasted = 1 << 20;           ///< bytes read twice for fields that do not end
constexpr std::size_t max_tokens = 600'000;           ///< of a source
constexpr std::size_t tokens_at_once = 1024;          ///< that are charged

enum CharacterClass : std::uint8_t { name_start = 1, name_part = 2, of_string = 4, of_body = 8 };

constexpr auto character_classes = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    classes[static_cast<std::size_t>(c)] = letter ? name_start | name_part : c >= '0' && c <= '9' ? name_part : 0;
  }
  for (const char c : {'\\', '\n', '"', '\'', '{'}) classes[static_cast<unsigned char>(c)] |= of_string;
  for (const char c : {'\\', '\n', '"', '\'', '#', '(', ')', '[', ']', '{', '}'})
    classes[static_cast<unsigned char>(c)] |= of_body;
  return classes;
}();

bool is(char c, CharacterClass wanted) { return (character_classes[static_cast<unsigned char>(c)] & wanted) != 0; }

#ifdef __SSE2__
__m128i is_one_of(__m128i bytes, char first, char count) {
  const auto above = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(static_cast<char>(count - 1))), above);
}

/// A bit for each of 16 bytes that is of the class.
unsigned mask_of(const char* text, CharacterClass wanted) {
  const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
  auto found = _mm_or_si128(is('\n'), is('{'));
  if (wanted == of_string)
    found = _mm_or_si128(_mm_or_si128(found, is('\\')), _mm_or_si128(is('"'), is('\'')));
  else  // "#, '(), [\]
    found = _mm_or_si128(_mm_or_si128(_mm_or_si128(found, is('}')), is_one_of(bytes, '"', 2)),
                         _mm_or_si128(is_one_of(bytes, '\'', 3), is_one_of(bytes, '[', 3)));
  return static_cast<unsigned>(_mm_movemask_epi8(found));
}
#endif

/// The first place from `at` on where a byte of the class stands, or the end.
std::size_t find_class(std::string_view text, std::size_t at, CharacterClass wanted) {
#ifdef __SSE2__
  constexpr std::size_t width = sizeof(__m128i);
  for (; at + width <= text.size(); at += width)
    if (const auto mask = mask_of(text.data() + at, wanted); mask != 0)
      return at + static_cast<std::size_t>(std::countr_zero(mask));
#endif
  while (at < text.size() && !is(text[at], wanted)) ++at;
  return at;
}

bool is_string_prefix(std::string_view word) {
  return word.size() <= 2 && word.find_first_not_of("rRbBuUfFtT") == std::string_view::npos;
}

bool is_formatted(std::string_view prefix) { return prefix.find_first_of("fFtT") != std::string_view::npos; }

struct Spelling {
  std::string_view text;
  Word word;
};

constexpr Spelling keywords[] = {
    {"if", Word::if_},
    {"in", Word::in},
    {"is", Word::is},
    {"as", Word::as},
    {"or", Word::or_},
    {"and", Word::and_},
    {"not", Word::not_},
    {"def", Word::def},
    {"for", Word::for_},
    {"del", Word::del},
    {"try", Word::try_},
    {"else", Word::else_},
    {"None", Word::none_},
    {"True", Word::true_},
    {"from", Word::from},
    {"with", Word::with},
    {"elif", Word::elif},
    {"pass", Word::pass},
    {"case", Word::case_},
    {"type", Word::type},
    {"cdef", Word::cdef},
    {"False", Word::false_},
    {"raise", Word::raise},
    {"yield", Word::yield},
    {"class", Word::class_},
    {"while", Word::while_},
    {"async", Word::async},
    {"await", Word::await},
    {"break", Word::break_},
    {"match", Word::match},
    {"cpdef", Word::cpdef},
    {"import", Word::import},
    {"return", Word::return_},
    {"except", Word::except},
    {"lambda", Word::lambda},
    {"assert", Word::assert_},
    {"global", Word::global},
    {"cimport", Word::cimport},
    {"finally", Word::finally},
    {"include", Word::include},
    {"continue", Word::continue_},
    {"nonlocal", Word::nonlocal},
    {"ctypedef", Word::ctypedef},
};

/// Longer ones first.
constexpr Spelling signs[] = {
    {"...", Word::dots},      {"**=", Word::augmented}, {"//=", Word::augmented}, {"<<=", Word::augmented},
    {">>=", Word::augmented}, {"!=", Word::unequal},    {"==", Word::equal},      {"<=", Word::at_most},
    {">=", Word::at_least},   {"->", Word::arrow},      {"+=", Word::augmented},  {"-=", Word::augmented},
    {"*=", Word::augmented},  {"/=", Word::augmented},  {"%=", Word::augmented},  {"&=", Word::augmented},
    {"|=", Word::augmented},  {"^=", Word::augmented},  {"@=", Word::augmented},  {":=", Word::becomes},
    {"**", Word::stars},      {"//", Word::slashes},    {"<<", Word::left_shift}, {">>", Word::right_shift},
    {"(", Word::open_round},  {")", Word::close_round}, {"[", Word::open_square}, {"]", Word::close_square},
    {"{", Word::open_curly},  {"}", Word::close_curly}, {",", Word::comma},       {":", Word::colon},
    {";", Word::semicolon},   {".", Word::dot},         {"=", Word::equals},      {"@", Word::at},
    {"!", Word::exclamation}, {"*", Word::star},        {"+", Word::plus},        {"-", Word::minus},
    {"/", Word::slash},       {"%", Word::percent},     {"~", Word::tilde},       {"|", Word::pipe},
    {"^", Word::caret},       {"&", Word::ampersand},   {"<", Word::less},        {">", Word::greater},
};

/// The spellings that begin with each character, in the order of the table.
template <std::size_t count>
class ByFirst {
 public:
  constexpr explicit ByFirst(const Spelling (&spellings)[count]) : spellings_(spellings) {
    for (auto i = count; i-- > 0;) {
      auto& first = first_[static_cast<unsigned char>(spellings[i].text.front())];
      next_[i] = first;
      first = static_cast<std::uint8_t>(i + 1);
    }
  }

  /// The first one that fits; nullptr if none does.
  template <typename Fits>
  const Spelling* find(char begin, const Fits& fits) const {
    for (auto i = first_[static_cast<unsigned char>(begin)]; i != 0; i = next_[i - 1U])
      if (fits(spellings_[i - 1U].text)) return &spellings_[i - 1U];
    return nullptr;
  }

 private:
  const Spelling* spellings_;
  std::array<std::uint8_t, 256> first_{};  ///< 1 more than the number in the table; 0: none
  std::array<std::uint8_t, count> next_{};
};

constexpr ByFirst keywords_by_first(keywords);
constexpr ByFirst signs_by_first(signs);

Word keyword(std::string_view name) {
  if (name.size() < 2 || name.size() > 8) return Word::none;
  const auto* found = keywords_by_first.find(name.front(), [&](std::string_view text) { return text == name; });
  return found == nullptr ? Word::none : found->word;
}

class Scanner {
 public:
  Scanner(std::string_view text, const Excerpt& part, Budget& budget, std::vector<Token> room)
      : text_(text.substr(0, part.end)),
        budget_(budget),
        at_(part.begin),
        line_(part.line),
        brackets_(part.in_brackets ? 1 : 0),
        skips_bodies_(part.skips_bodies),
        tokens_(std::move(room)) {
    tokens_.clear();
  }

  std::vector<Token> run() {
    if (at_ == 0 && text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    bool line_start = brackets_ == 0;
    while (at_ < text_.size() && complete_) {
      if (line_start) {
        line_start = false;
        if (!indentation()) continue;
      }
      if (in_body()) skip_in_body();
      if (at_ == text_.size()) break;
      const char c = text_[at_];
      if (c == '\n') {
        if (brackets_ == 0) {
          end_line();
          line_start = true;
        }
        ++line_, ++at_;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '\n' || text_[at_ + 1] == '\r')) {
        at_ += text_.substr(at_).starts_with("\\\r\n") ? 3 : 2;
        ++line_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        ++at_;
      } else {
        token();
      }
    }
    end_line();
    for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::dedent, at_);
    charge(tokens_.size() % tokens_at_once);
    return std::move(tokens_);
  }

  bool complete() const { return complete_; }

 private:
  void add(TokenKind kind, std::size_t begin) { add(kind, begin, line_); }
  void add(TokenKind kind, std::size_t begin, std::uint32_t line, Word word = Word::none) {
    tokens_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin), line, kind, word});
    if (tokens_.size() % tokens_at_once != 0) return;
    charge(tokens_at_once);
    if (tokens_.size() > max_tokens) complete_ = false;
  }
  void charge(std::size_t tokens) {
    if (!budget_.step(tokens)) complete_ = false;  // they are gone once the tree is made
  }

  bool in_body() const { return body_depth_ != 0; }

  /// Up to what ends a line, or to a comment or a backslash: of the rest only strings and brackets matter.
  void skip_in_body() {
    for (;; ++at_) {
      at_ = find_class(text_, at_, of_body);
      if (at_ == text_.size()) return;
      const char c = text_[at_];
      if (c == '\n' || c == '\\' || c == '#') return;
      if (c == '"' || c == '\'') {
        skip_string(is_formatted(string_prefix()), 0);
        --at_;
      } else if (c == '(' || c == '[' || c == '{') {
        ++brackets_;
      } else if (brackets_ > 0) {
        --brackets_;
      }
    }
  }

  /// What stands before the quote at hand, if it is the prefix of a string.
  std::string_view string_prefix() const {
    auto begin = at_;
    while (begin > 0 && at_ - begin <= 2 && is(text_[begin - 1], name_part)) --begin;
    const auto word = text_.substr(begin, at_ - begin);
    return is_string_prefix(word) ? word : std::string_view();
  }

  void end_line() {
    if (in_body() || tokens_.empty() || tokens_.back().kind == TokenKind::line_end) return;
    expects_body_ = defines_ && tokens_.back().word == Word::colon;
    defines_ = false;
    add(TokenKind::line_end, at_);
  }

  /// Where the code of a line begins that a backslash at its start may join with the next ones: a line of blanks, a
  /// backslash and a comment is as blank as one without the backslash. Source: CPython 3.11 Parser/tokenizer.c,
  /// tok_get.
  std::size_t behind_continuations(std::size_t at) const {
    while (at < text_.size() && text_[at] == '\\') {
      const auto rest = text_.substr(at);
      const std::size_t length = rest.starts_with("\\\r\n") ? 3 : rest.starts_with("\\\n") ? 2 : 0;
      if (length == 0) break;
      at = std::min(text_.find_first_not_of(" \t\f", at + length), text_.size());
    }
    return at;
  }

  /// Reads the blanks at the start of a line; false if the line holds nothing.
  bool indentation() {
    constexpr std::string_view blanks = "        ";
    std::size_t column = 0;
    for (; text_.substr(at_, blanks.size()) == blanks; at_ += blanks.size()) column += blanks.size();
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == ' ')
        ++column;
      else if (text_[at_] == '\t')
        column = (column / 8 + 1) * 8;
      else if (text_[at_] == '\f')
        column = 0;
      else
        break;
    }
    if (at_ == text_.size()) return false;
    const auto begin = behind_continuations(at_);
    const bool is_blank = begin == text_.size() || text_[begin] == '\n' || text_[begin] == '\r' || text_[begin] == '#';
    if (is_blank || brackets_ > 0) return true;
    if (column > indents_.back() && indents_.size() < max_indentation) {
      indents_.push_back(column);
      add(TokenKind::indent, at_);
      if (expects_body_) body_depth_ = indents_.size();
    }
    expects_body_ = false;
    for (; column < indents_.back(); indents_.pop_back()) {
      add(TokenKind::dedent, at_);
      if (indents_.size() == body_depth_) body_depth_ = 0;
    }
    return true;
  }

  void token() {
    const auto begin = at_;
    const auto line = line_;
    const char c = text_[at_];
    TokenKind kind = TokenKind::symbol;
    Word mark = Word::none;
    if (is(c, name_start)) {
      while (at_ < text_.size() && is(text_[at_], name_part)) ++at_;
      kind = TokenKind::name;
      const auto word = text_.substr(begin, at_ - begin);
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'') && is_string_prefix(word)) {
        skip_string(is_formatted(word), 0);
        kind = TokenKind::string;
      } else {
        mark = keyword(word);
      }
    } else if (c == '"' || c == '\'') {
      skip_string(false, 0);
      kind = TokenKind::string;
    } else if (std::isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1])))) {
      for (++at_; at_ < text_.size(); ++at_) {
        const bool exponent_sign = (text_[at_] == '+' || text_[at_] == '-') &&
                                   (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && text_[begin + 1] != 'x';
        if (!is(text_[at_], name_part) && text_[at_] != '.' && !exponent_sign) break;
      }
      kind = TokenKind::number;
    } else {
      mark = symbol();
    }
    if (in_body()) return;
    if (mark == Word::def && skips_bodies_ && begins_statement()) defines_ = true;
    add(kind, begin, line, mark);
  }

  /// Whether nothing stands before the next token in its line, but for `async`.
  bool begins_statement() const {
    const auto begins = [](const Token& before) {
      return before.kind == TokenKind::line_end || before.kind == TokenKind::indent || before.kind == TokenKind::dedent;
    };
    const auto count = tokens_.size() - (!tokens_.empty() && tokens_.back().word == Word::async ? 1 : 0);
    return brackets_ == 0 && (count == 0 || begins(tokens_[count - 1]));
  }

  Word symbol() {
    const auto rest = text_.substr(at_);
    const auto* sign = signs_by_first.find(rest.front(), [&](std::string_view text) { return rest.starts_with(text); });
    at_ += sign == nullptr ? 1 : sign->text.size();
    if (sign == nullptr) return Word::none;
    if (opens(sign->word)) ++brackets_;
    if (closes(sign->word) && brackets_ > 0) --brackets_;
    return sign->word;
  }

  /// From the opening quote to behind the closing one, or to the end of the line or text if there is none.
  /// Since 3.12 an f-string may hold strings with its own quotes inside braces.
  void skip_string(bool formatted, int depth) {
    const char quote = text_[at_];
    const std::string_view rest = text_.substr(at_);
    const bool triple = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!is(c, of_string)) {
        at_ = find_class(text_, at_, of_string);
        continue;
      }
      if (c == '\\') {
        const auto size = text_.substr(at_ + 1).starts_with("\r\n") ? 3U : 2U;
        if (at_ + size <= text_.size() && text_[at_ + size - 1] == '\n') ++line_;
        at_ = std::min(at_ + size, text_.size());
        continue;
      }
      if (c == quote &&
          (!triple || (text_.substr(at_).size() >= 3 && text_[at_ + 1] == quote && text_[at_ + 2] == quote))) {
        at_ += triple ? 3 : 1;
        return;
      }
      if (c == '\n') {
        if (!triple) return;
        ++line_;
      }
      if (formatted && c == '{' && depth < max_nested_strings && wasted_ < max_wasted) {
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '{')
          ++at_;
        else if (skip_braces(depth))
          continue;
        else
          formatted = false;
      }
      ++at_;
    }
  }

  /// Behind the brace that closes the one at hand; false, and nothing read, if the string ends before it.
  bool skip_braces(int depth) {
    const auto begin = at_;
    const auto line = line_;
    int open = 0;
    while (at_ < text_.size() && at_ - begin < max_replacement_field) {
      const char c = text_[at_];
      if (c == '\n') ++line_;  // since 3.12 also between single quotes
      if (c == '"' || c == '\'') {
        skip_string(false, depth + 1);
        continue;
      }
      if (c == '{') ++open;
      if (c == '}' && --open == 0) {
        ++at_;
        return true;
      }
      ++at_;
    }
    wasted_ += at_ - begin;
    at_ = begin;
    line_ = line;
    return false;
  }

  std::string_view text_;
  Budget& budget_;
  bool complete_ = true;
  std::size_t at_, wasted_ = 0;
  std::uint32_t line_;
  int brackets_;
  bool skips_bodies_;
  bool defines_ = false;        ///< the line at hand begins a function
  bool expects_body_ = false;   ///< the line before it did, and the body is to follow
  std::size_t body_depth_ = 0;  ///< how many indents there are in the body that is skipped; 0: none is
  std::vector<std::size_t> indents_{0};
  std::vector<Token> tokens_;
};

}  // namespace

bool is_name_part(char c) { return is(c, name_part); }

std::vector<Token> scan(std::string_view text, const Excerpt& part, Budget& budget, bool& complete,
                        std::vector<Token> room) {
  Scanner scanner(text, part, budget, std::move(room));
  auto tokens = scanner.run();
  complete = scanner.complete();
  return tokens;
}

}  // namespace cudald::python
