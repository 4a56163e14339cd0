// Tokens, lines, brackets and characters of a source that is held against the grammar. Sources: CPython
// Parser/lexer/lexer.c (tok_get_normal_mode), Parser/pegen_errors.c; Doc/reference/lexical_analysis.rst.
#include "pyimport/syntax/grammar.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.h"
#include "pyimport/syntax/source_coding.h"

namespace cudald::python {
namespace {

constexpr std::size_t most_brackets = 200;  ///< CPython's own limit (Parser/lexer/state.h, MAXLEVEL)

char bracket_of(Word word) {
  switch (word) {
    case Word::open_round: return '(';
    case Word::open_square: return '[';
    case Word::open_curly: return '{';
    case Word::close_round: return ')';
    case Word::close_square: return ']';
    default: return '}';
  }
}

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

/// Characters that no name has, of those that people paste by mistake: blanks, dashes, quotes, arrows, signs, and the
/// wide forms of ASCII's punctuation. Source: Unicode's XID_Continue.
bool is_of_no_name(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 17> ranges{{{0x80, 0xA9},
                                                                  {0xAB, 0xB1},
                                                                  {0xB4, 0xB4},
                                                                  {0xB6, 0xB6},
                                                                  {0xB8, 0xB8},
                                                                  {0xBB, 0xBF},
                                                                  {0xD7, 0xD7},
                                                                  {0xF7, 0xF7},
                                                                  {0x2000, 0x203E},
                                                                  {0x2041, 0x2053},
                                                                  {0x2055, 0x206F},
                                                                  {0x20A0, 0x20C0},
                                                                  {0x2190, 0x245F},
                                                                  {0x2500, 0x2BFF},
                                                                  {0x3000, 0x3004},
                                                                  {0xFF01, 0xFF0F},
                                                                  {0xFEFF, 0xFEFF}}};
  return std::any_of(ranges.begin(), ranges.end(), [&](auto one) { return code >= one.first && code <= one.second; });
}

bool is_printed(char32_t code) {
  return code > 0xA0 && (code < 0x2000 || code > 0x200F) && (code < 0x2028 || code > 0x202F) &&
         (code < 0x205F || code > 0x206F) && code != 0xAD && code != 0x3000 && code != 0xFEFF;
}

}  // namespace

void Grammar::refuse(const Token& at, std::string message, int first) const {
  refuse(at.line != 0 || tokens_.empty() ? at.line : tokens_.back().line, std::move(message), first);
}

void Grammar::refuse(std::uint32_t line, std::string message, int first, RefusedSyntax::Kind kind) const {
  throw RefusedSyntax{line, std::move(message), first, kind};
}

std::optional<RefusedSyntax> Grammar::refused() {
  constexpr std::size_t bytes_of_a_token = 5;  // of usual code
  std::vector<Token> room;
  room.reserve(std::min(text_.size() / bytes_of_a_token, std::size_t{1} << 16));
  bool complete = true;
  tokens_ = scan(text_, {0, text_.size()}, budget_, complete, std::move(room));
  if (!complete) return std::nullopt;
  try {
    check_coding();
    check_indentation();
    check_brackets();
    check_signs();
    check_end();
    split_numbers();
    file();
  } catch (const RefusedSyntax& found) {
    return found;
  } catch (const Unsure&) {
    return std::nullopt;
  }
  return std::nullopt;
}

bool Grammar::accept_line_end() {
  if (ends() || !is(TokenKind::line_end)) return false;
  ++at_;
  return true;
}

bool Grammar::is_keyword(const Token& token) const {
  if (token.kind != TokenKind::name) return false;
  switch (token.word) {
    case Word::none:
    case Word::match:
    case Word::case_:
    case Word::type:
    case Word::cdef:
    case Word::cpdef:
    case Word::ctypedef:
    case Word::cimport:
    case Word::include: return false;
    case Word::async:
    case Word::await: return minor_ >= 7;
    default: return true;
  }
}

bool Grammar::is_name(std::size_t ahead) const {
  return token(ahead).kind == TokenKind::name && !is_keyword(token(ahead));
}

std::string_view Grammar::expect_name() {
  if (!is_name()) refuse(token());
  return text(tokens_[at_++]);
}

/// Where the bracket at `open` is closed; the end of the tokens if it is not.
std::size_t Grammar::matching_bracket(std::size_t open) const {
  int depth = 0;
  for (auto i = open; i < tokens_.size(); ++i) {
    if (opens(tokens_[i].word)) ++depth;
    if (closes(tokens_[i].word) && --depth == 0) return i;
  }
  return tokens_.size();
}

void Grammar::check_brackets() const {
  std::vector<const Token*> open;
  for (const auto& token : tokens_) {
    if (opens(token.word)) {
      if (open.size() == most_brackets) refuse(token, "too many nested parentheses");
      open.push_back(&token);
    }
    if (!closes(token.word)) continue;
    const auto close = bracket_of(token.word);
    if (open.empty()) refuse(token, minor_ < 8 ? "invalid syntax" : fmt::format("unmatched '{}'", close));
    const auto begun = bracket_of(open.back()->word);
    if (closing(begun) != close) {
      const bool same_line = open.back()->line == token.line;
      refuse(token, minor_ < 8
                        ? "invalid syntax"
                        : fmt::format("closing parenthesis '{}' does not match opening parenthesis '{}'{}", close,
                                      begun, same_line ? "" : fmt::format(" on line {}", open.back()->line)));
    }
    open.pop_back();
  }
  if (open.empty()) return;
  if (minor_ < 10) refuse(tokens_.back(), "unexpected EOF while parsing");
  refuse(*open.back(), fmt::format("'{}' was never closed", bracket_of(open.back()->word)));
}

Grammar::Columns Grammar::columns_at(std::size_t line_begin, std::size_t end) const {
  std::size_t wide = 0, narrow = 0;
  for (auto at = line_begin; at < end; ++at) {
    if (text_[at] == '\t')
      wide = (wide / 8 + 1) * 8, ++narrow;
    else if (text_[at] == '\f')
      wide = narrow = 0;
    else
      ++wide, ++narrow;
  }
  return {wide, narrow};
}

/// Each line's blanks against those of the lines around it.
void Grammar::check_indentation() const {
  using Kind = RefusedSyntax::Kind;
  constexpr const char* mixed = "inconsistent use of tabs and spaces in indentation";
  std::vector<Columns> indents{{0, 0}};
  const bool has_tabs = text_.find('\t') != std::string_view::npos;
  bool begins = true, dedented = false;
  for (const auto& token : tokens_) {
    const bool is_code = token.kind != TokenKind::indent && token.kind != TokenKind::dedent;
    if (begins && token.kind != TokenKind::line_end && (!is_code || has_tabs || dedented) &&
        token.begin < text_.size()) {
      const auto line_end = text_.substr(0, token.begin).rfind('\n');
      // Of a line that begins with a backslash, its blanks are those before that.
      const auto before = text_.substr(0, line_end == std::string_view::npos ? 0 : line_end);
      if (is_code && (before.ends_with('\\') || before.ends_with("\\\r"))) throw Unsure{};
      auto begin = line_end == std::string_view::npos ? 0 : line_end + 1;
      if (begin == 0 && text_.starts_with("\xef\xbb\xbf")) begin = 3;
      const auto columns = columns_at(begin, token.begin);
      const bool is_deeper = columns.first > indents.back().first;
      if (token.kind == TokenKind::indent) {
        if (columns.second <= indents.back().second) refuse(token.line, mixed, 0, Kind::tab);
        indents.push_back(columns);
      } else if (token.kind == TokenKind::dedent) {
        if (indents.size() > 1) indents.pop_back();
        dedented = true;
        continue;  // the line's code follows, or more of these
      } else if (is_deeper) {
        refuse(token.line, "unindent does not match any outer indentation level", 0, Kind::indentation);
      } else if (columns.first == indents.back().first && columns.second != indents.back().second) {
        refuse(token.line, mixed, 0, Kind::tab);
      }
    }
    if (!is_code) continue;
    dedented = false;
    begins = token.kind == TokenKind::line_end;
  }
}

void Grammar::check_name(const Token& name) const {
  const auto written = text(name);
  for (std::size_t i = 0; i < written.size();) {
    const auto [size, code] = first_character(written.substr(i));
    if (size == 0) throw Unsure{};  // who reads the file finds that it is no UTF-8
    if (code >= 0x80 && is_of_no_name(code)) {
      const auto shown = fmt::format("U+{:04X}", static_cast<std::uint32_t>(code));
      if (minor_ < 10 && !is_printed(code)) refuse(name, "invalid non-printable character " + shown);
      refuse(name, is_printed(code) ? fmt::format("invalid character '{}' ({})", written.substr(i, size), shown)
                                    : "invalid non-printable character " + shown);
    }
    i += size;
  }
}

/// Signs that Python has not, and names of characters that names have not.
void Grammar::check_signs() const {
  const bool has_letters = knows_letters_ && !is_ascii(text_);
  for (const auto& token : tokens_) {
    if (token.kind == TokenKind::name && has_letters) check_name(token);
    if (token.kind != TokenKind::symbol || token.word != Word::none) continue;
    const char sign = text_[token.begin];
    if (sign == '\\') refuse(token, "unexpected character after line continuation character");
    const auto code = static_cast<unsigned char>(sign);
    if (code < 0x20 || code == 0x7F)
      refuse(token, minor_ < 9 ? "invalid syntax" : fmt::format("invalid non-printable character U+{:04X}", code));
    refuse(token);
  }
}

/// A backslash that continues the last line with nothing.
void Grammar::check_end() const {
  const auto last = text_.find_last_not_of("\r\n");
  if (last == std::string_view::npos || text_[last] != '\\') return;
  std::size_t begin = 0;
  for (const auto& token : tokens_)
    if (token.kind != TokenKind::line_end) begin = std::max(begin, std::size_t{token.begin} + token.size);
  const auto rest = text_.substr(std::min(begin, last));
  if (rest.find_first_not_of(" \t\f\r\n\\") == std::string_view::npos && begin <= last)
    refuse(static_cast<std::uint32_t>(1 + std::count(text_.begin(), text_.end(), '\n')),
           "unexpected EOF while parsing");
}

/// In these encodings, each byte above ASCII is a character of its own, and none that has a meaning here; in others, a
/// quote may be half of a character.
void Grammar::check_coding() {
  const auto coding = source_coding(text_);
  if (is_utf8(coding) || is_ascii(text_)) return;
  constexpr std::string_view of_bytes[] = {"latin", "iso-8859", "iso8859", "koi8", "cp125", "windows-125"};
  knows_letters_ = false;
  if (std::none_of(std::begin(of_bytes), std::end(of_bytes), [&](auto family) { return coding.starts_with(family); }))
    throw Unsure{};
}

}  // namespace cudald::python
