// What the grammar of one release refuses and that of another takes. The whole text is looked at, as Python compiles
// all of it: a function that nobody calls counts. Sources: CPython Doc/reference/grammar.rst of each release;
// Doc/whatsnew/3.7.rst (async and await), 3.10.rst (match), 3.11.rst (except*), 3.14.rst (except without brackets).
#include "pyimport/syntax/refused_syntax.h"

#include <vector>

#include "pyimport/syntax/scanner.h"

namespace cudald::python {
namespace {

/// Tokens of a text, which are read only where a word occurs that a rule asks about.
class Lines {
 public:
  Lines(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

  const Token& at(std::size_t index) const {
    static constexpr Token end{};
    return index < tokens_.size() ? tokens_[index] : end;
  }
  std::size_t size() const { return tokens_.size(); }
  std::string_view word(std::size_t index) const { return text_.substr(at(index).begin, at(index).size); }
  /// Whether a statement begins with this token.
  bool begins(std::size_t index) const {
    if (index == 0) return true;
    const auto& before = tokens_[index - 1];
    return before.kind == TokenKind::line_end || before.kind == TokenKind::indent || before.kind == TokenKind::dedent ||
           before.word == Word::semicolon;
  }
  std::string_view rest_of_line(std::size_t index) const {
    const auto& last = at(end_of(index) - 1);
    return text_.substr(at(index).begin, last.begin + last.size - at(index).begin);
  }
  /// Where the line of a token ends.
  std::size_t end_of(std::size_t index) const {
    while (index < tokens_.size() && tokens_[index].kind != TokenKind::line_end) ++index;
    return index;
  }

 private:
  std::string_view text_;
  const std::vector<Token>& tokens_;
};

/// `async` that begins no function, loop or `with`; `await` where a name is bound or ends an expression.
bool is_reserved_name(const Lines& lines, std::size_t i) {
  const auto next = lines.at(i + 1).word;
  if (lines.at(i).word == Word::async) return next != Word::def && next != Word::for_ && next != Word::with;
  return lines.at(i).word == Word::await && (next == Word::equals || next == Word::comma || next == Word::dot ||
                                             next == Word::close_round || next == Word::colon);
}

/// `print "text"`, and `print name` where nothing else could follow a name.
bool is_print_statement(const Lines& lines, std::size_t i) {
  if (lines.at(i).kind != TokenKind::name || lines.word(i) != "print" || !lines.begins(i)) return false;
  const auto& next = lines.at(i + 1);
  if (next.kind == TokenKind::string || next.kind == TokenKind::number) return true;
  return next.kind == TokenKind::name && next.word == Word::none;
}

/// `except Kind, name:`
bool is_except_with_comma(const Lines& lines, std::size_t i) {
  if (lines.at(i).word != Word::except || !lines.begins(i)) return false;
  int open = 0;
  for (auto at = i + 1; at < lines.size() && lines.at(at).kind != TokenKind::line_end; ++at) {
    const auto word = lines.at(at).word;
    if (opens(word)) ++open;
    if (closes(word)) --open;
    if (open == 0 && word == Word::colon) return false;
    if (open == 0 && word == Word::comma) return true;
  }
  return false;
}

/// `match subject:` with `case` below it.
bool is_match_statement(const Lines& lines, std::size_t i) {
  if (lines.at(i).word != Word::match || !lines.begins(i)) return false;
  const auto end = lines.end_of(i);
  return end > i + 1 && lines.at(end - 1).word == Word::colon && lines.at(end + 1).kind == TokenKind::indent &&
         lines.at(end + 2).word == Word::case_;
}

/// `type X = int`, and type parameters: `def f[T](x)`, `class C[T]`.
bool is_of_type_parameters(const Lines& lines, std::size_t i) {
  const auto is_name = [&](std::size_t at) {
    return lines.at(at).kind == TokenKind::name && lines.at(at).word == Word::none;
  };
  const auto word = lines.at(i).word;
  if (word == Word::def || word == Word::class_) return is_name(i + 1) && lines.at(i + 2).word == Word::open_square;
  if (lines.word(i) != "type" || !lines.begins(i) || !is_name(i + 1)) return false;
  return lines.at(i + 2).word == Word::equals || lines.at(i + 2).word == Word::open_square;
}

/// Where the text of an f-string has its own quotes inside a field, from behind the first ones: what is open there,
/// '{' alone or a bracket within. 0: nowhere.
char open_at_own_quote(std::string_view literal) {
  const auto quote = literal.find_first_of("'\"");
  const bool is_f = literal.substr(0, quote).find_first_of("fF") != std::string_view::npos;
  if (!is_f || quote == std::string_view::npos || literal.substr(quote, 3) == std::string(3, literal[quote])) return 0;
  std::string open;
  for (auto at = quote + 1; at < literal.size(); ++at) {
    const char c = literal[at];
    if (c == literal[quote]) return open.empty() ? '\0' : open.back();
    if (!open.empty() && (c == '\'' || c == '"')) {  // a text inside the field
      const auto end = literal.find(c, at + 1), own = literal.find(literal[quote], at + 1);
      if (end == std::string_view::npos || own < end) return open.back();
      at = end;
    } else if (open.empty() && (c == '\\' || literal.substr(at, 2) == "{{")) {
      ++at;
    } else if (c == '{' || (!open.empty() && (c == '[' || c == '('))) {
      open += c;
    } else if (!open.empty() && (c == '}' || c == ']' || c == ')')) {
      open.pop_back();
    }
  }
  return 0;
}

std::optional<RefusedSyntax> refused_at(const Lines& lines, std::size_t i, int minor) {
  constexpr int keywords = 7, patterns = 10, groups = 11, parameters = 12, bare_exceptions = 14;
  const auto line = lines.at(i).line;
  const std::string plain = "invalid syntax";
  if (minor >= keywords && is_reserved_name(lines, i)) return RefusedSyntax{line, plain, 0};
  if (is_print_statement(lines, i)) {
    const bool is_name = lines.at(i + 1).kind == TokenKind::name;
    if (minor < patterns && is_name) return RefusedSyntax{line, plain, 0};
    const auto shown = minor < patterns ? std::string(lines.rest_of_line(i + 1)) : "...";
    return RefusedSyntax{line, "Missing parentheses in call to 'print'. Did you mean print(" + shown + ")?", 0};
  }
  if (minor < bare_exceptions && is_except_with_comma(lines, i))
    return RefusedSyntax{line, minor < patterns ? plain : "multiple exception types must be parenthesized", 0};
  if (minor < patterns && is_match_statement(lines, i)) return RefusedSyntax{line, plain, patterns};
  if (minor < groups && lines.at(i).word == Word::except && lines.begins(i) && lines.at(i + 1).word == Word::star)
    return RefusedSyntax{line, plain, groups};
  if (minor < parameters && is_of_type_parameters(lines, i))
    return RefusedSyntax{line, lines.at(i).word == Word::def ? "expected '('" : plain, parameters};
  if (minor < parameters && lines.at(i).kind == TokenKind::string)
    if (const auto open = open_at_own_quote(lines.word(i)); open != 0)
      return RefusedSyntax{line,
                           open == '{' ? "f-string: expecting '}'" : std::string("f-string: unmatched '") + open + "'",
                           parameters};
  return std::nullopt;
}

/// Whether a word stands in the text with something behind it that a rule may refuse.
bool may_hold(std::string_view text, int minor) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  for (auto at = text.find("async"); at != std::string_view::npos; at = text.find("async", at + 1)) {
    const auto rest = text.substr(at + 5, 6);
    const bool usual = rest.starts_with(" def ") || rest.starts_with(" for ") || rest.starts_with(" with ");
    const bool whole = (at == 0 || !is_name_part(text[at - 1])) && (rest.empty() || !is_name_part(rest[0]));
    if (whole && !usual) return true;
  }
  for (const std::string_view word : {"print ", "print\t", "await=", "await =", "await)", "await,"})
    if (has(word)) return true;
  for (auto at = text.find("except "); minor < 14 && at != std::string_view::npos; at = text.find("except ", at + 1)) {
    const auto kinds = text.substr(at, text.find_first_of(":\n", at) - at);
    if (kinds.find(',') != std::string_view::npos && kinds.find('(') == std::string_view::npos) return true;
  }
  constexpr int parameters = 12;
  if (minor < parameters && (text.starts_with("type ") || has("\ntype ") || has(" type "))) return true;
  for (auto at = text.find('['); minor < parameters && at != std::string_view::npos; at = text.find('[', at + 1)) {
    // "def f[T](", "class C[T]:"
    const auto begin = text.find_last_of(" \n", at), word = begin == std::string_view::npos ? 0 : begin;
    if (text.substr(0, word).ends_with("def") || text.substr(0, word).ends_with("class")) return true;
  }
  for (auto at = text.find('{'); minor < parameters && at != std::string_view::npos; at = text.find('{', at + 1)) {
    const auto end = text.find_first_of("}\n", at), quote = text.substr(0, at).find_last_of("'\"\n");
    if (quote == std::string_view::npos || text[quote] == '\n' || end == std::string_view::npos) continue;
    if (text.substr(at, end - at).find(text[quote]) != std::string_view::npos) return true;
  }
  return minor < 11 && (has("except*") || has("except *") || has("match "));
}

}  // namespace

std::optional<RefusedSyntax> refused_syntax(std::string_view text, int minor, Budget& budget) {
  if (!may_hold(text, minor)) return std::nullopt;
  bool complete = true;
  const auto tokens = scan(text, {0, text.size()}, budget, complete);
  const Lines lines(text, tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (auto refused = refused_at(lines, i, minor)) return refused;
  return std::nullopt;
}

}  // namespace cudald::python
