#include "python/scanner.h"

#include <algorithm>
#include <cctype>

namespace cudald::python {
namespace {

constexpr std::size_t max_indentation = 100;  ///< CPython's own limit (Parser/tokenizer.c, MAXINDENT)
constexpr int max_nested_strings = 20;
constexpr std::size_t max_replacement_field = 65536;  ///< of an f-string
constexpr std::size_t max_wasted = 1 << 20;           ///< bytes read twice for fields that do not end
constexpr std::size_t max_tokens = 600'000;           ///< of a source
constexpr std::size_t tokens_at_once = 1024;          ///< that are charged

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }
bool is_name_part(char c) { return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

bool is_string_prefix(std::string_view word) {
  return word.size() <= 2 && word.find_first_not_of("rRbBuUfFtT") == std::string_view::npos;
}

class Scanner {
 public:
  Scanner(std::string_view text, Budget& budget) : text_(text), budget_(budget) {}

  std::vector<Token> run() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    bool line_start = true;
    while (at_ < text_.size() && complete_) {
      if (line_start) {
        line_start = false;
        if (!indentation()) continue;
      }
      const char c = text_[at_];
      if (c == '\n') {
        if (brackets_ == 0) {
          if (!tokens_.empty() && tokens_.back().kind != TokenKind::line_end) add(TokenKind::line_end, at_);
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
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::line_end) add(TokenKind::line_end, at_);
    for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::dedent, at_);
    charge(tokens_.size() % tokens_at_once);
    return std::move(tokens_);
  }

  bool complete() const { return complete_; }

 private:
  void add(TokenKind kind, std::size_t begin) { add(kind, begin, line_); }
  void add(TokenKind kind, std::size_t begin, std::uint32_t line) {
    tokens_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin), line, kind});
    if (tokens_.size() % tokens_at_once != 0) return;
    charge(tokens_at_once);
    if (tokens_.size() > max_tokens) complete_ = false;
  }
  void charge(std::size_t tokens) {
    if (!budget_.keep(tokens * sizeof(Token))) complete_ = false;
  }

  /// Reads the blanks at the start of a line; false if the line holds nothing.
  bool indentation() {
    std::size_t column = 0;
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
    if (text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '#' || brackets_ > 0) return true;
    if (column > indents_.back() && indents_.size() < max_indentation) {
      indents_.push_back(column);
      add(TokenKind::indent, at_);
    }
    for (; column < indents_.back(); indents_.pop_back()) add(TokenKind::dedent, at_);
    return true;
  }

  void token() {
    const auto begin = at_;
    const auto line = line_;
    const char c = text_[at_];
    TokenKind kind = TokenKind::symbol;
    if (is_name_start(c)) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      kind = TokenKind::name;
      const auto word = text_.substr(begin, at_ - begin);
      if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'') && is_string_prefix(word)) {
        skip_string(word.find_first_of("fFtT") != std::string_view::npos, 0);
        kind = TokenKind::string;
      }
    } else if (c == '"' || c == '\'') {
      skip_string(false, 0);
      kind = TokenKind::string;
    } else if (std::isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1])))) {
      for (++at_; at_ < text_.size(); ++at_) {
        const bool exponent_sign = (text_[at_] == '+' || text_[at_] == '-') &&
                                   (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && text_[begin + 1] != 'x';
        if (!is_name_part(text_[at_]) && text_[at_] != '.' && !exponent_sign) break;
      }
      kind = TokenKind::number;
    } else {
      symbol();
    }
    add(kind, begin, line);
  }

  void symbol() {
    static constexpr std::string_view long_symbols[] = {
        "...", "**=", "//=", "<<=", ">>=", "!=", "==", "<=", ">=", "->", "+=", "-=",
        "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@=", ":=", "**", "//", "<<", ">>"};
    const auto rest = text_.substr(at_);
    for (const auto candidate : long_symbols) {
      if (rest.starts_with(candidate)) {
        at_ += candidate.size();
        return;
      }
    }
    if (rest[0] == '(' || rest[0] == '[' || rest[0] == '{') ++brackets_;
    if ((rest[0] == ')' || rest[0] == ']' || rest[0] == '}') && brackets_ > 0) --brackets_;
    ++at_;
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
      if (c == '\\') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++line_;
        at_ = std::min(at_ + 2, text_.size());
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
        else if (skip_braces(triple, depth))
          continue;
        else
          formatted = false;
      }
      ++at_;
    }
  }

  /// Behind the brace that closes the one at hand; false, and nothing read, if the string ends before it.
  bool skip_braces(bool triple, int depth) {
    const auto begin = at_;
    const auto line = line_;
    int open = 0;
    while (at_ < text_.size() && at_ - begin < max_replacement_field) {
      const char c = text_[at_];
      if (c == '\n') {
        if (!triple) break;
        ++line_;
      }
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
  std::size_t at_ = 0, wasted_ = 0;
  std::uint32_t line_ = 1;
  int brackets_ = 0;
  std::vector<std::size_t> indents_{0};
  std::vector<Token> tokens_;
};

struct Keyword {
  std::string_view word;
  StatementKind kind;
  bool block;
};

constexpr Keyword keywords[] = {
    {"import", StatementKind::import_names, false},
    {"cimport", StatementKind::cimport, false},
    {"from", StatementKind::from_import, false},
    {"return", StatementKind::return_, false},
    {"raise", StatementKind::raise_, false},
    {"break", StatementKind::break_, false},
    {"continue", StatementKind::continue_, false},
    {"pass", StatementKind::pass_, false},
    {"del", StatementKind::delete_, false},
    {"global", StatementKind::global, false},
    {"nonlocal", StatementKind::pass_, false},
    {"if", StatementKind::if_, true},
    {"elif", StatementKind::elif_, true},
    {"else", StatementKind::else_, true},
    {"while", StatementKind::while_, true},
    {"for", StatementKind::for_, true},
    {"try", StatementKind::try_, true},
    {"except", StatementKind::except_, true},
    {"finally", StatementKind::finally_, true},
    {"with", StatementKind::with_, true},
    {"class", StatementKind::class_, true},
    {"def", StatementKind::function, true},
};

/// Cuts tokens into statements and blocks.
class Cutter {
 public:
  Cutter(std::string_view text, std::span<const Token> tokens, Budget& budget)
      : text_(text), tokens_(tokens), budget_(budget) {}

  std::vector<Statement> run() {
    std::vector<Statement> statements;
    while (at_ < tokens_.size() && complete_) {
      block(statements, 0);
      ++at_;  // a dedent too many: the text was not well formed
    }
    statements.shrink_to_fit();
    return statements;
  }

  bool complete() const { return complete_; }

 private:
  std::string_view word(std::size_t i) const {
    return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].size) : std::string_view();
  }
  bool is(std::size_t i, TokenKind kind) const { return i < tokens_.size() && tokens_[i].kind == kind; }

  void block(std::vector<Statement>& into, std::size_t depth) {
    while (at_ < tokens_.size() && tokens_[at_].kind != TokenKind::dedent && complete_) {
      if (tokens_[at_].kind == TokenKind::line_end || tokens_[at_].kind == TokenKind::indent) {
        ++at_;
        continue;
      }
      line(into, depth);
    }
  }

  /// One logical line, with the block that belongs to it.
  void line(std::vector<Statement>& into, std::size_t depth) {
    while (complete_) {
      Statement statement;
      complete_ = budget_.keep(sizeof(statement));
      statement.line = tokens_[at_].line;
      const bool opens_block = classify(statement);
      const auto begin = at_;
      int brackets = 0, lambdas = 0;
      for (; at_ < tokens_.size() && tokens_[at_].kind != TokenKind::line_end; ++at_) {
        const auto token = word(at_);
        if (tokens_[at_].kind == TokenKind::name && token == "lambda" && brackets == 0) ++lambdas;
        if (tokens_[at_].kind != TokenKind::symbol) continue;
        if (token == "(" || token == "[" || token == "{") ++brackets;
        if (token == ")" || token == "]" || token == "}") --brackets;
        if (brackets > 0) continue;
        if (token == ";") break;
        if (token == ":" && opens_block && lambdas-- <= 0) break;
      }
      statement.head = tokens_.subspan(begin, at_ - begin);
      if (statement.kind == StatementKind::from_import)
        for (auto i = begin; i < at_; ++i)
          if (word(i) == "cimport") statement.kind = StatementKind::cimport;
      if (opens_block && word(at_) == ":" && is(at_, TokenKind::symbol)) {
        ++at_;
        statement.has_body = true;
        body(statement, depth);
        into.push_back(std::move(statement));
        return;
      }
      if (opens_block) statement.kind = StatementKind::simple;
      into.push_back(std::move(statement));
      if (at_ >= tokens_.size() || word(at_) != ";") return;
      ++at_;
      if (at_ >= tokens_.size() || tokens_[at_].kind == TokenKind::line_end) return;
    }
  }

  void body(Statement& statement, std::size_t depth) {
    if (!is(at_, TokenKind::line_end)) {  // `if x: import y`
      if (at_ < tokens_.size() && depth < max_indentation) line(statement.body, depth + 1);
      return;
    }
    while (is(at_, TokenKind::line_end)) ++at_;
    if (!is(at_, TokenKind::indent)) return;
    ++at_;
    block(statement.body, depth + 1);
    statement.body.shrink_to_fit();
    if (is(at_, TokenKind::dedent)) ++at_;
  }

  /// Steps over the word that says what the statement is; true if it has a block.
  bool classify(Statement& statement) {
    if (is(at_, TokenKind::symbol) && word(at_) == "@") {
      statement.kind = StatementKind::decorator;
      ++at_;
      return false;
    }
    if (!is(at_, TokenKind::name)) return false;
    if (word(at_) == "async" && is(at_ + 1, TokenKind::name)) {
      statement.asynchronous = true;
      ++at_;
    }
    if ((word(at_) == "match" || word(at_) == "case") && ends_in_colon()) {
      statement.kind = word(at_) == "match" ? StatementKind::match : StatementKind::case_;
      ++at_;
      return true;
    }
    if (word(at_) == "cdef" || word(at_) == "cpdef" || word(at_) == "ctypedef") return classify_cython(statement);
    for (const auto& keyword : keywords) {
      if (word(at_) != keyword.word) continue;
      statement.kind = keyword.kind;
      ++at_;
      return keyword.block;
    }
    return false;
  }

  /// `match` and `case` are ordinary names too: a statement of that kind ends its line with a colon.
  bool ends_in_colon() const {
    if (is(at_ + 1, TokenKind::symbol) && (word(at_ + 1) == "=" || word(at_ + 1) == ":" || word(at_ + 1) == "."))
      return false;
    std::size_t i = at_;
    int brackets = 0;
    for (; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end; ++i) {
      const auto token = word(i);
      if (tokens_[i].kind != TokenKind::symbol) continue;
      if (token == "(" || token == "[" || token == "{") ++brackets;
      if (token == ")" || token == "]" || token == "}") --brackets;
      if (token == ":" && brackets == 0 && i > at_ + 1) return true;
    }
    return false;
  }

  /// `cdef class X:` is a class, `cdef int f(...):` a function; the rest declares C and imports nothing.
  bool classify_cython(Statement& statement) {
    bool colon = false, class_word = false;
    for (std::size_t i = at_; i < tokens_.size() && tokens_[i].kind != TokenKind::line_end; ++i) {
      colon = word(i) == ":" && tokens_[i + 1].kind == TokenKind::line_end;
      class_word = class_word || word(i) == "class";
    }
    if (!colon) {
      statement.kind = StatementKind::pass_;
      return false;
    }
    statement.kind = StatementKind::function;
    if (class_word) {
      while (word(at_) != "class") ++at_;
      statement.kind = StatementKind::class_;
    }
    ++at_;
    return true;
  }

  std::string_view text_;
  std::span<const Token> tokens_;
  Budget& budget_;
  bool complete_ = true;
  std::size_t at_ = 0;
};

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((code >> 18) & 7));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

std::vector<Token> scan(std::string_view text, Budget& budget, bool& complete) {
  Scanner scanner(text, budget);
  auto tokens = scanner.run();
  complete = scanner.complete();
  return tokens;
}

std::string string_value(std::string_view literal, bool& formatted) {
  const auto quote_at = literal.find_first_of("'\"");
  if (quote_at == std::string_view::npos) return {};
  const auto prefix = literal.substr(0, quote_at);
  formatted = prefix.find_first_of("fF") != std::string_view::npos;
  const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
  const char quote = literal[quote_at];
  literal.remove_prefix(quote_at);
  const bool triple = literal.size() >= 6 && literal[1] == quote && literal[2] == quote;
  const std::size_t quotes = triple ? 3 : 1;
  if (literal.size() < 2 * quotes) return {};
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  if (raw) return std::string(literal);
  std::string value;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      value += literal[i];
      continue;
    }
    const char c = literal[++i];
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0) {
      std::uint32_t code = 0;
      for (std::size_t n = 0;
           n < digits && i + 1 < literal.size() && std::isxdigit(static_cast<unsigned char>(literal[i + 1])); ++n) {
        const char d = literal[++i];
        code = code * 16 + static_cast<std::uint32_t>(
                               std::isdigit(static_cast<unsigned char>(d)) ? d - '0' : (d | 0x20) - 'a' + 10);
      }
      append_utf8(value, code);
    } else if (c == 'n')
      value += '\n';
    else if (c == 't')
      value += '\t';
    else if (c == '0')
      value += '\0';
    else if (c == '\n')
      continue;
    else if (c == '\\' || c == '\'' || c == '"')
      value += c;
    else
      (value += '\\') += c;
  }
  return value;
}

Source::Source(std::string source_path, std::string source_text, Budget& budget)
    : path(std::move(source_path)), text_(std::move(source_text)) {
  complete_ = budget.keep(sizeof(*this) + path.size() + text_.size());
  if (!complete_) return;
  tokens_ = scan(text_, budget, complete_);
  tokens_.shrink_to_fit();
  Cutter cutter(text_, tokens_, budget);
  statements_ = cutter.run();
  complete_ = complete_ && cutter.complete();
}

std::shared_ptr<const Source> Source::parse(std::string path, std::string text, Budget& budget) {
  return std::shared_ptr<const Source>(new Source(std::move(path), std::move(text), budget));
}

std::optional<std::uint32_t> Source::first_mention(std::string_view word) const {
  for (std::size_t at = text_.find(word); at != std::string::npos; at = text_.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name_part(text_[at - 1]);
    const bool ends = at + word.size() >= text_.size() || !is_name_part(text_[at + word.size()]);
    if (!begins || !ends) continue;
    const auto before = std::string_view(text_).substr(0, at);
    return static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  }
  return std::nullopt;
}

}  // namespace cudald::python
