#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "pyimport/syntax/refused_syntax.h"
#include "pyimport/syntax/scanner.h"

namespace cudald::python {

/// The grammar of Python 3.5 to 3.15 as a recogniser: it makes no tree, and the first thing that the given release does
/// not compile ends it. Where it cannot say how Python would read a text, it is unsure, and nothing is refused.
/// Sources: CPython Grammar/python.gram and Doc/reference of each release; Python/symtable.c and Python/compile.c for
/// what the grammar alone takes and the compiler refuses.
class Grammar {
 public:
  /// All of the text is scanned.
  Grammar(std::string_view text, int minor, Budget& budget) : text_(text), minor_(minor), budget_(budget) {}

  /// Nullopt: Python 3.`minor` compiles it, or it cannot be said.
  std::optional<RefusedSyntax> refused();

 private:
  /// Ends it; caught in refused().
  struct Unsure {};
  /// What an expression can be besides a value.
  struct Shape {
    enum Kind : std::uint8_t { value, name, place, sequence, starred } kind = value;
    bool in_brackets = false;
    bool can_be_assigned = false;  ///< of a sequence: all of its elements can
    bool holds_star = false;       ///< a sequence with an element of that kind
  };
  /// The elements of a tuple or a list, as they are read.
  struct Elements {
    Shape all{Shape::sequence, false, true, false}, first;
    std::size_t count = 0;
    int stars = 0;
    bool comma = false;        ///< the last one has it behind itself
    bool comprehends = false;  ///< they are the results of a loop

    void add(const Shape&);
    /// One without a comma is itself.
    const Shape& together() const { return count == 1 && !comma ? first : all; }
  };
  struct Scope {
    enum Kind : std::uint8_t { module, function, class_body, lambda } kind = module;
    bool is_async = false, yields = false;
    int loops = 0;
    std::uint32_t returns_value = 0;  ///< the line where it first does
    std::size_t begin = 0;            ///< its first token
    std::vector<std::string_view> parameters = {};
  };
  /// A part within another of its kind: what is nested too deeply is not judged.
  class Nested {
   public:
    explicit Nested(Grammar& grammar) : depth_(grammar.depth_) {
      constexpr int most = 150;
      if (depth_ == most) throw Unsure{};
      ++depth_;
    }
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    int& depth_;
  };
  /// A column as Python counts it twice, with tabs of eight columns and of one.
  using Columns = std::pair<std::size_t, std::size_t>;

  // grammar.cc: tokens, lines and errors
  [[noreturn]] void refuse(const Token& at, std::string message = "invalid syntax", int first = 0) const;
  [[noreturn]] void refuse(std::uint32_t line, std::string message, int first = 0,
                           RefusedSyntax::Kind kind = RefusedSyntax::Kind::syntax) const;
  void needs(int first, const Token& at) const {
    if (minor_ < first) refuse(at, "invalid syntax", first);
  }
  const Token& token(std::size_t ahead = 0) const {
    static constexpr Token end{};
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : end;
  }
  std::string_view text(const Token& token) const { return text_.substr(token.begin, token.size); }
  bool is(Word word) const { return token().word == word; }
  bool is(TokenKind kind) const { return token().kind == kind; }
  bool is_name(std::size_t ahead = 0) const;
  bool is_keyword(const Token&) const;
  bool ends() const { return at_ >= tokens_.size(); }
  bool accept(Word word) {
    if (!is(word)) return false;
    ++at_;
    return true;
  }
  bool accept_line_end();
  void expect(Word word) {
    if (!accept(word)) refuse(token());
  }
  std::string_view expect_name();
  std::size_t matching_bracket(std::size_t open) const;
  void check_brackets() const;
  void check_indentation() const;
  Columns columns_at(std::size_t line_begin, std::size_t end) const;
  void check_coding();
  void check_signs() const;
  void check_end() const;
  void check_name(const Token&) const;

  // grammar_statements.cc
  void file();
  void statement();
  void simple_statements();
  void simple_statement();
  void refuse_statement_of_python_2() const;
  bool compound_statement();
  void block(std::string_view of, std::uint32_t line);
  void if_statement();
  void loop();
  void try_statement();
  void with_statement();
  void with_item();
  void function(bool is_async);
  void class_definition();
  void decorated();
  void type_parameters();
  void type_alias();
  void parameter_name(bool of_lambda, Scope&);
  void parameter_of_rest(bool of_lambda, bool by_keyword, Scope&);
  void parameters(Word end, Scope&);
  void import_statement();
  void from_statement();
  void check_future(std::string_view name, const Token& at) const;
  void dotted_name();
  void expression_statement();
  void assigned_value();
  void delete_statement();
  void global_statement();
  void return_statement();
  bool begins_match() const;
  void match_statement();

  // grammar_patterns.cc
  void patterns();
  void pattern();
  void closed_pattern();
  void pattern_sequence(Word close);
  void pattern_mapping();
  void pattern_arguments();
  void pattern_number();

  // grammar_expressions.cc
  Shape expressions();
  Shape named_expression();
  Shape starred();
  Shape target();
  Shape starred_or_named();
  Shape expression();
  Shape disjunction();
  Shape comparison();
  bool comparison_sign();
  Shape operation();
  Shape unary();
  Shape primary();
  Shape atom();
  Elements elements(Word close);
  Shape round_brackets();
  Shape square_brackets();
  void curly_brackets();
  void arguments();
  void subscript();
  void slice();
  void lambda();
  void yield();
  bool begins_clause() const;
  void clauses();
  Shape targets();
  void require_assignable(const Shape&, const Token& from) const;
  bool begins_expression() const;
  Scope* function_scope();

  // grammar_literals.cc
  static std::size_t number_size(std::string_view written);
  void split_numbers();
  void number(const Token&) const;
  void strings();
  void check_escapes(std::string_view inside, bool bytes, bool whole, const Token&) const;
  /// An f-string between its quotes.
  struct Formatted {
    std::string_view inside;
    bool raw = false, triple = false;
    char quote = '"';
    Token token;
  };
  void formatted(const Formatted&);
  std::size_t replacement_field(const Formatted&, std::size_t at, int depth);
  std::size_t end_of_field_expression(const Formatted&, std::size_t at) const;
  void field_expression(const Formatted&, std::string_view expression);

  std::string_view text_;
  int minor_;
  Budget& budget_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool knows_letters_ = true;  ///< the text is in UTF-8
  bool takes_future_ = true;   ///< no statement but a docstring and those of __future__ came before
  std::vector<Scope> scopes_{Scope{}};
};

}  // namespace cudald::python
