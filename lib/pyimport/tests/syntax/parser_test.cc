#include "pyimport/syntax/parser.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "pyimport/sources/source.h"
#include "python/tree_text.h"

using namespace cudald::python;

namespace {

cudald::Budget budget;

std::shared_ptr<const Source> parse(std::string text) {
  budget.restart();
  return Source::parse("m.py", std::move(text), budget);
}

std::string kinds(const Node& block) {
  std::string result;
  for (const auto statement : block)
    (result += result.empty() ? "" : " ") += std::to_string(static_cast<int>(statement.kind()));
  return result;
}

std::string expected(std::initializer_list<NodeKind> all) {
  std::string result;
  for (const auto kind : all) (result += result.empty() ? "" : " ") += std::to_string(static_cast<int>(kind));
  return result;
}

using enum NodeKind;

/// How an operator is spelled; its node may have the place of what follows it.
std::string_view spelling_of(Word word) {
  constexpr std::pair<Word, std::string_view> all[] = {
      {Word::pipe, "|"},         {Word::caret, "^"},    {Word::ampersand, "&"},  {Word::left_shift, "<<"},
      {Word::right_shift, ">>"}, {Word::plus, "+"},     {Word::minus, "-"},      {Word::star, "*"},
      {Word::slash, "/"},        {Word::slashes, "//"}, {Word::percent, "%"},    {Word::at, "@"},
      {Word::stars, "**"},       {Word::equal, "=="},   {Word::unequal, "!="},   {Word::less, "<"},
      {Word::greater, ">"},      {Word::at_most, "<="}, {Word::at_least, ">="},  {Word::in, "in"},
      {Word::not_in, "not in"},  {Word::is, "is"},      {Word::is_not, "is not"}};
  for (const auto& [known, text] : all)
    if (known == word) return text;
  return "?";
}

/// A node with the words and texts that its kind is told by.
std::string shape_of(const Source& source, const Node& node) {
  std::string shape = node_names[static_cast<std::size_t>(node.kind())];
  switch (node.kind()) {
    case name:
    case number:
    case literal:
    case fragment:
    case field:
    case attribute:
    case keyword:
    case augmented:
    case dotted_name:
    case parameter: shape += ":" + std::string(node.text()); break;
    case comprehension:
      if (node.word() == Word::open_round) shape += ":(";
      if (node.word() == Word::open_square) shape += ":[";
      if (node.word() == Word::open_curly) shape += ":{";
      break;
    case from_import:
    case cimport: shape += ":" + std::to_string(node.level()); break;
    default: break;
  }
  const auto word = node.kind() == missing ? Word::none : node.word();
  if (node.is(operator_)) return std::string(spelling_of(word));
  const bool told = node.is(function) || node.is(for_clause) || node.is(yield) || node.is(cimport);
  if (told && word == Word::async) shape += "/async";
  if (told && word == Word::from) shape += "/from";
  if (node.is(sign)) shape += word == Word::minus ? "-" : word == Word::plus ? "+" : word == Word::tilde ? "~" : "?";
  if (node.is(parameter))
    shape += word == Word::star ? "/star" : word == Word::stars ? "/stars" : word == Word::at ? "/only" : "";
  if (node.is(field) && node.line() > 1) shape += "@" + std::to_string(node.line());
  if (node.is(field) && word == Word::colon) shape += "/other";
  if (node.is(fragment) && word == Word::not_) shape += "/raw";
  if (node.size() == 0) return shape;
  std::string parts;
  for (std::size_t i = 0; i < node.size(); ++i)
    parts += (i == 0 ? "" : " ") + (node.is(block) ? std::to_string(node[i].line()) + " " : "") +
             shape_of(source, node.is(function) && i + 1 == node.size() ? source.body(node) : node[i]);
  return shape + "(" + parts + ")";
}

/// The statements of a text, each with its line.
std::string shapes_of(std::string_view source_text) {
  cudald::Budget own;
  const auto source = Source::parse("m.py", std::string(source_text), own);
  std::string shapes;
  for (const auto statement : source->block())
    (shapes += shapes.empty() ? "" : " | ") += std::to_string(statement.line()) + " " + shape_of(*source, statement);
  return shapes;
}

/// A text, and its statements.
struct TreeRow {
  std::string_view source, shapes;
};

// Expressions, assignments among them.
constexpr TreeRow trees_of_expressions[] = {
    {"a: int = 1; b", "1 annotated(name:a name:int number:1) | 1 name:b"},
    {"x = y = 1, 2", "1 assignment(tuple(number:1 number:2) name:x name:y)"},
    {"x +=", "1 augmented:+=(name:x missing)"},
    {"x = (a b)", "1 assignment(missing name:x)"},
    {"x = [a b]", "1 assignment(missing name:x)"},
    {"x = {a b}", "1 assignment(set(name:a) name:x)"},
    {"x = {a: b c}", "1 assignment(dict(pair(name:a name:b)) name:x)"},
    {"x = {a: b for c in d}", "1 assignment(comprehension:{(pair(name:a name:b) for_clause(name:c name:d)) name:x)"},
    {"x = {a for b in c, d}", "1 assignment(set(comprehension:{(name:a for_clause(name:b name:c)) name:d) name:x)"},
    {"x = [a for b in c, d]", "1 assignment(list(comprehension:[(name:a for_clause(name:b name:c)) name:d) name:x)"},
    {"x = [*a, b]", "1 assignment(list(starred(name:a) name:b) name:x)"},
    {"x = f(a b, c)", "1 assignment(call(name:f name:a missing) name:x)"},
    {"x = f(a for b in c, d)",
     "1 assignment(call(name:f comprehension(name:a for_clause(name:b name:c)) name:d) name:x)"},
    {"x = f(async, b)", "1 assignment(call(name:f name:async name:b) name:x)"},
    {"x = a[b c]", "1 assignment(subscript(name:a name:b) name:x)"},
    {"x = a[]", "1 assignment(subscript(name:a tuple) name:x)"},
    {"x = a[b,]", "1 assignment(subscript(name:a tuple(name:b)) name:x)"},
    {"x = a[b:c:d, :e]",
     "1 assignment(subscript(name:a tuple(slice(name:b name:c name:d) slice(missing name:e))) name:x)"},
    {"x = a if b", "1 assignment(conditional(name:b name:a missing) name:x)"},
    {"x = not a in b", "1 assignment(negation(comparison(name:a in name:b)) name:x)"},
    {"x = a is b", "1 assignment(comparison(name:a is name:b) name:x)"},
    {"x = await", "1 assignment(name:await name:x)"},
    {"x = await a", "1 assignment(await(name:a) name:x)"},
    {"x = await(a)", "1 assignment(call(name:await name:a) name:x)"},
    {"x = a ** -b", "1 assignment(operation(name:a ** sign-(name:b)) name:x)"},
    {"x = lambda a b: c", "1 assignment(lambda(parameters(parameter:a(missing missing)) name:c) name:x)"},
    {"x = lambda", "1 assignment(missing name:x)"},
    {"x = lambda a, *b, c=1, **d: e",
     "1 assignment(lambda(parameters(parameter:a(missing missing) parameter:b/star(missing missing) "
     "parameter:c/only(missing number:1) parameter:d/stars(missing missing)) name:e) name:x)"},
    {"x = yield", "1 assignment(yield(missing) name:x)"},
    {"x = yield a, b", "1 assignment(yield(tuple(name:a name:b)) name:x)"},
    {"x = (yield from a)", "1 assignment(yield/from(name:a) name:x)"},
    {"x = in", "1 assignment(comparison(missing in missing) name:x)"},
    {"x = is", "1 assignment(comparison(missing is missing) name:x)"},
    {"x = and", "1 assignment(conjunction(missing missing) name:x)"},
    {"x = or", "1 assignment(disjunction(missing missing) name:x)"},
    {"x = if", "1 assignment(conditional(missing missing missing) name:x)"},
    {"x = t'a{b}' 'c'", "1 assignment(text(missing literal:'c') name:x)"},
    {"x = ''", "1 assignment(literal:'' name:x)"},
    {"x = f''", "1 assignment(text name:x)"},
    {"x = f'{a}{b!s}{c!r}{d=}{e:>3}{f!s:>3}{g!=h}'",
     "1 assignment(text(field:a(name:a) field:b(name:b) field:c/other(name:c) field:d=/other(name:d) "
     "field:e(name:e text(fragment:>3)) field:f/other(name:f) field:g!=h(comparison(name:g != name:h))) "
     "name:x)"},
    {R"(x = f'{a["}"]}{b[":"]}{(c:=d)}{e:{f}}')",
     R"(1 assignment(text(field:a["}"](subscript(name:a literal:"}")) field:b[":"](subscript(name:b )"
     R"(literal:":")) field:(c:=d)(named(name:c name:d)) field:e(name:e text(field:f(name:f)))) name:x))"},
    {"x = f'{a'", "1 assignment(text(missing) name:x)"},
    {"x = f'}} {{ {a}'", "1 assignment(text(fragment:} fragment: { fragment:  field:a(name:a)) name:x)"},
    {"x = f'{a!r:}'", "1 assignment(text(field:a/other(name:a)) name:x)"},
    {"x = f'{a'b'", "1 assignment(text(missing literal:b') name:x)"},
    {"[x for x in y if (z := x)]", "1 comprehension:[(name:x for_clause(name:x name:y named(name:z name:x)))"},
    {"[x for x in y if z := x]", "1 comprehension:[(name:x for_clause(name:x name:y named(name:z name:x)))"},
    {"[x for x in y if z if w]", "1 comprehension:[(name:x for_clause(name:x name:y name:z name:w))"},
    {"[x async for x in y]", "1 comprehension:[(name:x for_clause/async(name:x name:y))"},
    {"f(x for x, in y)", "1 call(name:f comprehension(name:x for_clause(tuple(name:x) name:y)))"},
    {"a = b,", "1 assignment(tuple(name:b) name:a)"},
    {"*a, b = c", "1 assignment(name:c tuple(starred(name:a) name:b))"},
    {"a = *b,", "1 assignment(tuple(starred(name:b)) name:a)"},
    {"x = a if b else c if d else e",
     "1 assignment(conditional(name:b name:a conditional(name:d name:c name:e)) name:x)"},
    {"x = a or b and not c", "1 assignment(disjunction(name:a conjunction(name:b negation(name:c))) name:x)"},
    {"x = a or b or c", "1 assignment(disjunction(name:a name:b name:c) name:x)"},
    {"x = a < b < c", "1 assignment(comparison(name:a < name:b < name:c) name:x)"},
    {"x = -+~a", "1 assignment(sign-(sign+(name:a)) name:x)"},
    {"x = ---a", "1 assignment(sign-(sign-(name:a)) name:x)"},
    {"x = not not not a", "1 assignment(negation(name:a) name:x)"},
    {"x = not not a", "1 assignment(negation(negation(name:a)) name:x)"},
    {"x = a + b - c * d / e // f % g @ h",
     "1 assignment(operation(name:a + name:b - operation(name:c * name:d / name:e // name:f % name:g @ "
     "name:h)) name:x)"},
    {"x = a | b ^ c & d << e >> f",
     "1 assignment(operation(name:a | operation(name:b ^ operation(name:c & operation(name:d << name:e >> "
     "name:f)))) name:x)"},
    {"x = a.b(c)[d].e", "1 assignment(attribute:e(subscript(call(attribute:b(name:a) name:c) name:d)) name:x)"},
    {"x = None, True, False, ...", "1 assignment(tuple(none true false ellipsis) name:x)"},
    {"x = a == b != c <= d >= e > f < g",
     "1 assignment(comparison(name:a == name:b != name:c <= name:d >= name:e > name:f < name:g) name:x)"},
    {"x = a in b not in c is d is not e",
     "1 assignment(comparison(name:a in name:b not in name:c is name:d is not name:e) name:x)"},
    {"x = ()", "1 assignment(tuple name:x)"},
    {"x = (a)", "1 assignment(name:a name:x)"},
    {"x = (a,)", "1 assignment(tuple(name:a) name:x)"},
    {"x = (a, b)", "1 assignment(tuple(name:a name:b) name:x)"},
    {"x = []", "1 assignment(list name:x)"},
    {"x = [a,]", "1 assignment(list(name:a) name:x)"},
    {"x = {}", "1 assignment(dict name:x)"},
    {"x = {**a}", "1 assignment(dict(double_starred(name:a)) name:x)"},
    {"x = {**a, b: c}", "1 assignment(dict(double_starred(name:a) pair(name:b name:c)) name:x)"},
    {"x = {a, b}", "1 assignment(set(name:a name:b) name:x)"},
    {"x = {a,}", "1 assignment(set(name:a) name:x)"},
    {"x = {*a}", "1 assignment(set(starred(name:a)) name:x)"},
    {"x = 1 if a else lambda: b", "1 assignment(conditional(name:a number:1 lambda(parameters name:b)) name:x)"},
    {R"(x = rf'\n{a}' f'b\n')", R"(1 assignment(text(fragment:\n/raw field:a(name:a) fragment:b\n) name:x))"},
    {R"(x = b'a' rb"b" u'c')", R"(1 assignment(text(literal:b'a' literal:rb"b" literal:u'c') name:x))"},
    {"x = f'{a}' f'{b}{{c}}'", "1 assignment(text(field:a(name:a) field:b(name:b) fragment:{ fragment:c}) name:x)"},
    {"x = f'a{b:c{d}e}f'",
     "1 assignment(text(fragment:a field:b(name:b text(fragment:c field:d(name:d) fragment:e)) "
     "fragment:f) name:x)"},
    {"f(a, *b, **c, d=e)", "1 call(name:f name:a starred(name:b) double_starred(name:c) keyword:d(name:e))"},
    {"x = a[b:c]", "1 assignment(subscript(name:a slice(name:b name:c)) name:x)"},
    {"x = a[:]", "1 assignment(subscript(name:a slice(missing missing)) name:x)"},
    {"x = a[b::c]", "1 assignment(subscript(name:a slice(name:b missing name:c)) name:x)"},
    {"x = a[::]", "1 assignment(subscript(name:a slice(missing missing missing)) name:x)"},
    {"x = a[b:, c]", "1 assignment(subscript(name:a tuple(slice(name:b missing) name:c)) name:x)"},
    {"x = a[*b, c]", "1 assignment(subscript(name:a tuple(starred(name:b) name:c)) name:x)"},
    {"x = a[lambda: b]", "1 assignment(subscript(name:a lambda(parameters name:b)) name:x)"},
    {"x = (yield)", "1 assignment(yield(missing) name:x)"},
    {"x = (*a, b)", "1 assignment(tuple(starred(name:a) name:b) name:x)"},
    {"x = {a: b, **c, d: e}",
     "1 assignment(dict(pair(name:a name:b) double_starred(name:c) pair(name:d name:e)) name:x)"},
    {"x = {a: b async for c in d if e}",
     "1 assignment(comprehension:{(pair(name:a name:b) for_clause/async(name:c name:d name:e)) name:x)"},
    {"x = (a for b in c for d in e)",
     "1 assignment(comprehension:((name:a for_clause(name:b name:c) for_clause(name:d name:e)) name:x)"},
    {"(a := b)", "1 named(name:a name:b)"},
    {"x = (a := b, c)", "1 assignment(tuple(named(name:a name:b) name:c) name:x)"},
    {"x = 1.5e-3 + 0x1F", "1 assignment(operation(number:1.5e-3 + number:0x1F) name:x)"},
    {"x = a @ b @ c", "1 assignment(operation(name:a @ name:b @ name:c) name:x)"},
    {"x = a % b + c", "1 assignment(operation(operation(name:a % name:b) + name:c) name:x)"},
    {"x = a + b % c", "1 assignment(operation(name:a + operation(name:b % name:c)) name:x)"},
    {"x = a * (b + c) * d", "1 assignment(operation(name:a * operation(name:b + name:c) * name:d) name:x)"},
    {"x = -a ** b", "1 assignment(sign-(operation(name:a ** name:b)) name:x)"},
    {"x = a ** b ** c", "1 assignment(operation(name:a ** operation(name:b ** name:c)) name:x)"},
    {"x = a << b + c", "1 assignment(operation(name:a << operation(name:b + name:c)) name:x)"},
    {"x = a & b | c ^ d", "1 assignment(operation(operation(name:a & name:b) | operation(name:c ^ name:d)) name:x)"},
    {"x = not a == b", "1 assignment(negation(comparison(name:a == name:b)) name:x)"},
    {"x = a and b or c and d",
     "1 assignment(disjunction(conjunction(name:a name:b) conjunction(name:c name:d)) name:x)"},
    {"x = a if b or c else d", "1 assignment(conditional(disjunction(name:b name:c) name:a name:d) name:x)"},
    {"x = lambda: (a, b)", "1 assignment(lambda(parameters tuple(name:a name:b)) name:x)"},
    {"x = lambda *, a: b",
     "1 assignment(lambda(parameters(parameter:/star(missing missing) parameter:a/only(missing missing)) "
     "name:b) name:x)"},
    {"x = lambda *a: b", "1 assignment(lambda(parameters(parameter:a/star(missing missing)) name:b) name:x)"},
    {"x = lambda a=b, **c: d",
     "1 assignment(lambda(parameters(parameter:a(missing name:b) parameter:c/stars(missing missing)) "
     "name:d) name:x)"},
    {"x = lambda a, /: b", "1 assignment(lambda(parameters(parameter:a(missing missing)) name:b) name:x)"},
    {"x -= a, b", "1 augmented:-=(name:x tuple(name:a name:b))"},
    {"x **= a", "1 augmented:**=(name:x name:a)"},
    {"x: a = b, c", "1 annotated(name:x name:a tuple(name:b name:c))"},
    {"x: a", "1 annotated(name:x name:a missing)"},
    {"x.b: a = c", "1 annotated(attribute:b(name:x) name:a name:c)"},
    {"(x): a = b", "1 annotated(name:x name:a name:b)"},
    {"x = 1 if a else", "1 assignment(conditional(name:a number:1 missing) name:x)"},
    {"x = [a for b in]", "1 assignment(comprehension:[(name:a for_clause(name:b missing)) name:x)"},
    {"f(a)(b)", "1 call(call(name:f name:a) name:b)"},
    {"x = a[b, c:d]", "1 assignment(subscript(name:a tuple(name:b slice(name:c name:d))) name:x)"},
    {"x = f'{a!}'", "1 assignment(text(field:a!(name:a)) name:x)"},
    {R"(x = f"{'}" )", "1 assignment(text(field:'(literal:')) name:x)"},
    {"x = f'a}'", "1 assignment(text(fragment:a}) name:x)"},
    {"x = f'a{'", "1 assignment(text(fragment:a missing) name:x)"},
    {"x = f'{}'", "1 assignment(text(field:(missing)) name:x)"},
    {"x = f'{:b}'", "1 assignment(text(field:(missing text(fragment:b))) name:x)"},
    {"x = [yield]", "1 assignment(list(yield(missing)) name:x)"},
    {"x = {yield}", "1 assignment(set(yield(missing)) name:x)"},
    {"x = {yield: a}", "1 assignment(dict(pair(yield(missing) name:a)) name:x)"},
    {"yield; a", "1 yield(missing) | 1 name:a"},
    {"yield += a", "1 augmented:+=(yield(missing) name:a)"},
    {"x = [a async b]", "1 assignment(missing name:x)"},
    {"x = {a, b for c in d}", "1 assignment(set(name:a comprehension:{(name:b for_clause(name:c name:d))) name:x)"},
    {"x = yield from a", "1 assignment(yield/from(name:a) name:x)"},
    {"x = a.b.c", "1 assignment(attribute:c(attribute:b(name:a)) name:x)"},
    {"x.y.z = a", "1 assignment(name:a attribute:z(attribute:y(name:x)))"},
    {"x[a] = y[b] = c", "1 assignment(name:c subscript(name:x name:a) subscript(name:y name:b))"},
    {"a, (b, [c, d]) = e", "1 assignment(name:e tuple(name:a tuple(name:b list(name:c name:d))))"},
};

// Statements that are no expressions.
constexpr TreeRow trees_of_statements[] = {
    {"break", "1 break"},
    {"import", "1 import"},
    {"import a as", "1 import(imported_name(dotted_name:a missing))"},
    {"import a as b, c.d as e, f",
     "1 import(imported_name(dotted_name:a name:b) imported_name(dotted_name:c.d name:e) "
     "imported_name(dotted_name:f missing))"},
    {"from a import", "1 from_import:0(dotted_name:a)"},
    {"from . import a", "1 from_import:1(missing imported_name(dotted_name:a missing))"},
    {"from .... import a", "1 from_import:4(missing imported_name(dotted_name:a missing))"},
    {"from .a.b import (c as d, e,)",
     "1 from_import:1(dotted_name:a.b imported_name(dotted_name:c name:d) imported_name(dotted_name:e "
     "missing))"},
    {"from a import *", "1 from_import:0(dotted_name:a imported_name(dotted_name:*))"},
    {"from a cimport b as c", "1 cimport:0/from(dotted_name:a imported_name(dotted_name:b name:c))"},
    {"cimport a as b", "1 cimport:0(imported_name(dotted_name:a name:b))"},
    {"from . cimport d, e",
     "1 cimport:1/from(missing imported_name(dotted_name:d missing) imported_name(dotted_name:e missing))"},
    {R"(include "a.pxi")", R"(1 include(literal:"a.pxi"))"},
    {"include = 1", "1 assignment(number:1 name:include)"},
    {"include", "1 name:include"},
    {"type X = int", "1 assignment(missing name:X)"},
    {"type X[T] = int", "1 assignment(missing name:X)"},
    {"lazy import a.b, c as d, e",
     "1 lazy(import(imported_name(dotted_name:a.b missing) imported_name(dotted_name:c name:d) "
     "imported_name(dotted_name:e missing)))"},
    {"lazy from ..a import (b, c as d,)",
     "1 lazy(from_import:2(dotted_name:a imported_name(dotted_name:b missing) imported_name(dotted_name:c name:d)))"},
    {"lazy = 1", "1 assignment(number:1 name:lazy)"},
    {"lazy import", "1 lazy(import)"},
    {"type = 1", "1 assignment(number:1 name:type)"},
    {"type.x = 1", "1 assignment(number:1 attribute:x(name:type))"},
    {"type", "1 name:type"},
    {"type(a)", "1 call(name:type name:a)"},
    {"return", "1 return"},
    {"raise", "1 raise"},
    {"raise a, b", "1 raise(name:a)"},
    {"raise a from b", "1 raise(name:a name:b)"},
    {"assert a, b", "1 assert(name:a name:b)"},
    {"del a, b.c", "1 delete(name:a attribute:c(name:b))"},
    {"del", "1 delete"},
    {"global a, b", "1 global(name:a name:b)"},
    {"nonlocal a", "1 nonlocal(name:a)"},
    {"del (a), b[0];", "1 delete(name:a subscript(name:b number:0))"},
    {"from ....a import b", "1 from_import:4(dotted_name:a imported_name(dotted_name:b missing))"},
    {"from ..... import b", "1 from_import:5(missing imported_name(dotted_name:b missing))"},
    {"return; a", "1 return | 1 name:a"},
    {"del; a", "1 delete | 1 name:a"},
    {"type is a", "1 comparison(name:type is name:a)"},
    {"type in a", "1 comparison(name:type in name:a)"},
    {"return a, b", "1 return(tuple(name:a name:b))"},
    {"raise a.b(c) from None", "1 raise(call(attribute:b(name:a) name:c) none)"},
    {"assert (a, b)", "1 assert(tuple(name:a name:b))"},
    {"global a", "1 global(name:a)"},
    {"import a.b.c", "1 import(imported_name(dotted_name:a.b.c missing))"},
    {"from a.b.c import d", "1 from_import:0(dotted_name:a.b.c imported_name(dotted_name:d missing))"},
    {"from ..a import b", "1 from_import:2(dotted_name:a imported_name(dotted_name:b missing))"},
};

// Compound statements of one line.
constexpr TreeRow trees_of_compounds[] = {
    {"if a: b; c", "1 if(name:a block(1 name:b 1 name:c))"},
    {"if a b: c", "1 if(name:a block(1 name:c))"},
    {"if a: b c; d", "1 if(name:a block(1 name:d))"},
    {"if a:", "1 if(name:a block)"},
    {"if a: b;", "1 if(name:a block(1 name:b))"},
    {"elif a: b", "1 block(1 name:b)"},
    {"else: a", "1 block(1 name:a)"},
    {"except a: b", "1 block(1 name:b)"},
    {"finally: a", "1 block(1 name:a)"},
    {"while a: b", "1 while(name:a block(1 name:b))"},
    {"while a b: c", "1 while(name:a block(1 name:c))"},
    {"for a in b: c", "1 for(name:a name:b block(1 name:c))"},
    {"for a: b", "1 for(name:a missing block(1 name:b))"},
    {"for a, *b in c, d: e", "1 for(tuple(name:a starred(name:b)) tuple(name:c name:d) block(1 name:e))"},
    {"for a b in c: d", "1 for(name:a missing block(1 name:d))"},
    {"async for a in b: c", "1 for(name:a name:b block(1 name:c))"},
    {"async with a: b", "1 with(item(name:a missing) block(1 name:b))"},
    {"async def f(): a", "1 function/async(name:f missing parameters missing block(1 name:a))"},
    {"async = 1", "1 assignment(number:1 name:async)"},
    {"try: a", "1 try(block(1 name:a))"},
    {"with a as b, c as d.e: f", "1 with(item(name:a name:b) item(name:c attribute:e(name:d)) block(1 name:f))"},
    {"with (a as b, c): d", "1 with(item(name:a name:b) item(name:c missing) block(1 name:d))"},
    {"with (a, b) as c: d", "1 with(item(tuple(name:a name:b) name:c) block(1 name:d))"},
    {"with (a): b", "1 with(item(name:a missing) block(1 name:b))"},
    {"with (a).b: c", "1 with(item(attribute:b(name:a) missing) block(1 name:c))"},
    {"with a, : b", "1 with(item(name:a missing) item(missing missing) block(1 name:b))"},
    {"with a b: c", "1 with(item(name:a missing) block(1 name:c))"},
    {"match (a): b", "1 annotated(call(name:match name:a) name:b missing)"},
    {"match = 1", "1 assignment(number:1 name:match)"},
    {"match: int = 1", "1 annotated(name:match name:int number:1)"},
    {"match.a = 1", "1 assignment(number:1 attribute:a(name:match))"},
    {"match, a = b", "1 assignment(name:b tuple(name:match name:a))"},
    {"match(a)", "1 call(name:match name:a)"},
    {"match[a:b]", "1 subscript(name:match slice(name:a name:b))"},
    {"match x[a:b]:", "1 match(subscript(name:x slice(name:a name:b)))"},
    {"match -a:", "1 match(sign-(name:a))"},
    {"class A: a", "1 class(name:A missing arguments block(1 name:a))"},
    {"class A(B, c=d): e", "1 class(name:A missing arguments(name:B keyword:c(name:d)) block(1 name:e))"},
    {"class A[T](B): c", "1 class(name:A missing arguments(name:B) block(1 name:c))"},
    {"class A[T: (int, str)]: c", "1 class(name:A missing arguments block(1 name:c))"},
    {"class A b: c", "1 class(name:A missing arguments block(1 name:c))"},
    {"class A(B c): d", "1 class(name:A missing arguments(name:B missing) block(1 name:d))"},
    {"def f(a, /, b, *, c=1, **d) -> e: f",
     "1 function(name:f missing parameters(parameter:a(missing missing) parameter:b(missing missing) "
     "parameter:/star(missing missing) parameter:c/only(missing number:1) parameter:d/stars(missing "
     "missing)) name:e block(1 name:f))"},
    {"def f[T](a: T): b", "1 function(name:f missing parameters(parameter:a(name:T missing)) missing block(1 name:b))"},
    {"def f(a b, c): d",
     "1 function(name:f missing parameters(parameter:a(missing missing) parameter:c(missing missing)) "
     "missing block(1 name:d))"},
    {"def f(a: int = 1, *b: int): c",
     "1 function(name:f missing parameters(parameter:a(name:int number:1) parameter:b/star(name:int "
     "missing)) missing block(1 name:c))"},
    {"def f(a,, b): c",
     "1 function(name:f missing parameters(parameter:a(missing missing) parameter:(missing missing) "
     "parameter:b(missing missing)) missing block(1 name:c))"},
    {"def (a): b", "1 function(missing missing parameters(parameter:a(missing missing)) missing block(1 name:b))"},
    {"def f() -> a b: c", "1 function(name:f missing parameters name:a block(1 name:c))"},
    {"cdef int a", "1 pass"},
    {"cdef class A: b", "1 class(name:A missing arguments block(1 name:b))"},
    {"cdef class A(B): b", "1 class(name:A missing arguments(name:B) block(1 name:b))"},
    {"cdef int f(): a", "1 pass"},
    {"cpdef f(a): b", "1 pass"},
    {"ctypedef int a", "1 pass"},
    {"cdef = 1", "1 assignment(number:1 name:cdef)"},
    {"cpdef = 1", "1 assignment(number:1 name:cpdef)"},
    {"@a", "1 decorators(name:a)"},
    {"@a b", "1 decorators(name:a)"},
    {"@a; b", "1 decorators(name:a)"},
    {"def f(a=1, *, b: c = d, **e): g",
     "1 function(name:f missing parameters(parameter:a(missing number:1) parameter:/star(missing missing) "
     "parameter:b/only(name:c name:d) parameter:e/stars(missing missing)) missing block(1 name:g))"},
    {"def f(*a, b): c",
     "1 function(name:f missing parameters(parameter:a/star(missing missing) parameter:b/only(missing "
     "missing)) missing block(1 name:c))"},
    {"def f(a, /): b", "1 function(name:f missing parameters(parameter:a(missing missing)) missing block(1 name:b))"},
    {"def f(a b): c", "1 function(name:f missing parameters(parameter:a(missing missing)) missing block(1 name:c))"},
    {"def f(a: *b): c",
     "1 function(name:f missing parameters(parameter:a(starred(name:b) missing)) missing block(1 name:c))"},
    {"def f[T: (int, str) = x](a): b",
     "1 function(name:f missing parameters(parameter:a(missing missing)) missing block(1 name:b))"},
    {"while a: b; c", "1 while(name:a block(1 name:b 1 name:c))"},
    {"else a", "1 block"},
    {"with (a(b), c): d", "1 with(item(call(name:a name:b) missing) item(name:c missing) block(1 name:d))"},
    {"with", "1 with(block)"},
    {"with a,", "1 with(item(name:a missing) block)"},
    {"for a in b: pass", "1 for(name:a name:b block(1 pass))"},
    {"if a: pass", "1 if(name:a block(1 pass))"},
    {"with a() as (b, c): d", "1 with(item(call(name:a) tuple(name:b name:c)) block(1 name:d))"},
    {"with a as b[c]: d", "1 with(item(name:a subscript(name:b name:c)) block(1 name:d))"},
    {"for a.b in c: d", "1 for(attribute:b(name:a) name:c block(1 name:d))"},
    {"for (a, b) in c: d", "1 for(tuple(name:a name:b) name:c block(1 name:d))"},
    {"for a, in b: c", "1 for(tuple(name:a) name:b block(1 name:c))"},
    {"except: a", "1 block(1 name:a)"},
};

// Statements of several lines.
constexpr TreeRow trees_of_blocks[] = {
    {"if a:\n  b\nelif c:\n  d\nelse:\n  e\nf",
     "1 if(name:a block(2 name:b) name:c block(4 name:d) block(6 name:e)) | 7 name:f"},
    {"if a:\nb", "1 if(name:a block) | 2 name:b"},
    {"while a:\n  b\nelse:\n  c", "1 while(name:a block(2 name:b) block(4 name:c))"},
    {"for a in b:\n  c\nelse:\n  d", "1 for(name:a name:b block(2 name:c) block(4 name:d))"},
    {"try:\n  a\nexcept b as c:\n  d\nexcept (e, f):\n  g\nexcept:\n  h\nelse:\n  i\nfinally:\n  j",
     "1 try(block(2 name:a) handler(name:b name:c block(4 name:d)) handler(tuple(name:e name:f) missing "
     "block(6 name:g)) handler(missing missing block(8 name:h)) else(block(10 name:i)) finally(block(12 "
     "name:j)))"},
    {"try:\n  a\nexcept* b:\n  c", "1 try(block(2 name:a) handler(name:b missing block(4 name:c)))"},
    {"try:\n  a\nexcept b, c:\n  d", "1 try(block(2 name:a) handler(tuple(name:b name:c) missing block(4 name:d)))"},
    {"try:\n  a\nexcept b as:\n  c", "1 try(block(2 name:a) handler(name:b missing block(4 name:c)))"},
    {"match a:\n  case b if c: d\n  case [e, *f] as g:\n    h\n  case {\"i\": j, **k}: l\nm",
     R"(1 match(name:a case(name:b name:c block(2 name:d)) case(named(name:g list(name:e starred(name:f))) )"
     R"(missing block(4 name:h)) case(dict(pair(literal:"i" name:j) double_starred(name:k)) missing block(5 )"
     R"(name:l))) | 6 name:m)"},
    {"match a, b:\n  case 1 | 2: c",
     "1 match(tuple(name:a name:b) case(operation(number:1 | number:2) missing block(2 name:c)))"},
    {"match a:\nb", "1 match(name:a) | 2 name:b"},
    {"match a:\n  b\nc", "1 match(name:a) | 2 name:b | 3 name:c"},
    {"match a:\n  case b c: d", "1 match(name:a case(missing missing block(2 name:d)))"},
    {"match a:\n  case (b as c) | d: e",
     "1 match(name:a case(operation(named(name:c name:b) | name:d) missing block(2 name:e)))"},
    {"match a:\n  case B(c, d=e): f",
     "1 match(name:a case(call(name:B name:c keyword:d(name:e)) missing block(2 name:f)))"},
    {"match a:\n  case b as 1: c", "1 match(name:a case(missing missing block(2 name:c)))"},
    {"match a[b:c]:\n  case d: e",
     "1 match(subscript(name:a slice(name:b name:c)) case(name:d missing block(2 name:e)))"},
    {"match (a):\n  case b: c", "1 match(name:a case(name:b missing block(2 name:c)))"},
    {"match a:\n  case b: c\n  d\ne", "1 match(name:a case(name:b missing block(2 name:c))) | 3 name:d | 4 name:e"},
    {"@a\n@b.c(d)\ndef f(): g",
     "3 function(name:f decorators(name:a call(attribute:c(name:b) name:d)) parameters missing block(3 "
     "name:g))"},
    {"@a\n\nclass B: c", "3 class(name:B decorators(name:a) arguments block(3 name:c))"},
    {"@a\nasync def f(): b", "2 function/async(name:f decorators(name:a) parameters missing block(2 name:b))"},
    {"@a\nx = 1", "1 decorators(name:a) | 2 assignment(number:1 name:x)"},
    {"@a\nasync x", "1 decorators(name:a) | 2 missing"},
    {"@a\nasync with b: c", "1 decorators(name:a) | 2 with(item(name:b missing) block(2 name:c))"},
    {"def f():\n  a\n  def g():\n    b\n  return c\nd",
     "1 function(name:f missing parameters missing block(2 name:a 3 function(name:g missing parameters "
     "missing block(4 name:b)) 5 return(name:c))) | 6 name:d"},
    {"def f():\na", "1 function(name:f missing parameters missing block) | 2 name:a"},
    {"def f(a,\n      b):\n  c",
     "1 function(name:f missing parameters(parameter:a(missing missing) parameter:b(missing missing)) "
     "missing block(3 name:c))"},
    {"def f():\n  a", "1 function(name:f missing parameters missing block(2 name:a))"},
    {"async def f():\n  await a", "1 function/async(name:f missing parameters missing block(2 await(name:a)))"},
    {"class A:\n  b = 1\n  def c(self):\n    d\n  e\nf",
     "1 class(name:A missing arguments block(2 assignment(number:1 name:b) 3 function(name:c missing "
     "parameters(parameter:self(missing missing)) missing block(4 name:d)) 5 name:e)) | 6 name:f"},
    {"cdef class A:\n  cdef int b\n  def c(self): d\ne",
     "1 class(name:A missing arguments block(2 pass 3 function(name:c missing "
     "parameters(parameter:self(missing missing)) missing block(3 name:d)))) | 4 name:e"},
    {"cdef int f() nogil:\n  a\n  if b:\n    c\nd", "1 pass | 5 name:d"},
    {"cdef extern from \"a.h\":\n  int b\nc", "1 pass | 3 name:c"},
    {"cdef int a = b[c:d]\n  e", "1 assignment(subscript(name:b slice(name:c name:d)) name:a) | 2 name:e"},
    {"cdef a = b.c, d = e", "1 assignment(attribute:c(name:b) name:a)"},
    {"cdef object[:] a = b()", "1 assignment(call(name:b) name:a)"},
    {"cdef int f(int a=1): b", "1 pass"},
    {"cdef enum A: B = 1", "1 pass"},
    {"cdef f() = 1", "1 pass"},
    {"cdef int f():\n  a", "1 pass"},
    {"if a: b\nelse: c\nd", "1 if(name:a block(1 name:b) block(2 name:c)) | 3 name:d"},
    {"if a:\n  b\n    c\nd", "1 if(name:a block(2 name:b 3 name:c)) | 4 name:d"},
    {"  a\nb", "1 name:a | 2 name:b"},
    {"if a:\n    b\n  c\nd", "1 if(name:a block(2 name:b)) | 3 name:c | 4 name:d"},
    {"a\n  b\n  c\nd", "1 name:a | 2 name:b | 3 name:c | 4 name:d"},
    {"a; b; c\nd", "1 name:a | 1 name:b | 1 name:c | 2 name:d"},
    {"if a:\n  b; c\nd", "1 if(name:a block(2 name:b 2 name:c)) | 3 name:d"},
    {"with a:\n  b\nc", "1 with(item(name:a missing) block(2 name:b)) | 3 name:c"},
    {"with (a,\n      b as c,):\n  d", "1 with(item(name:a missing) item(name:b name:c) block(3 name:d))"},
    {"x = (a,\n b)\nc", "1 assignment(tuple(name:a name:b) name:x) | 3 name:c"},
    {"class A[T](B, C, d=e, *f, **g):\n  h",
     "1 class(name:A missing arguments(name:B name:C keyword:d(name:e) starred(name:f) "
     "double_starred(name:g)) block(2 name:h))"},
    {"for a in b: c; d\ne", "1 for(name:a name:b block(1 name:c 1 name:d)) | 2 name:e"},
    {"try: a\nexcept b: c\nelse: d\nfinally: e",
     "1 try(block(1 name:a) handler(name:b missing block(2 name:c)) else(block(3 name:d)) finally(block(4 "
     "name:e)))"},
    {"from a import (b,\n  c)\nd",
     "1 from_import:0(dotted_name:a imported_name(dotted_name:b missing) imported_name(dotted_name:c "
     "missing)) | 3 name:d"},
    {"from a import b,\nc", "1 from_import:0(dotted_name:a imported_name(dotted_name:b missing)) | 2 name:c"},
    {"import a, \\\n  b", "1 import(imported_name(dotted_name:a missing) imported_name(dotted_name:b missing))"},
    {"x = f'''a\n{b}\nc{d:e\n}'''",
     "1 assignment(text(fragment:a\n field:b@2(name:b) fragment:\nc field:d@3(name:d text(fragment:e\n))) "
     "name:x)"},
    {"match a:\n  case b\n  case c: d",
     "1 match(name:a case(name:b missing block) case(name:c missing block(3 name:d)))"},
    {"match a:\n  case b c\n  case d: e",
     "1 match(name:a case(missing missing block) case(name:d missing block(3 name:e)))"},
    {"cdef int f():\na\nb", "1 pass | 2 name:a | 3 name:b"},
    {"match a:\n  case b:\n    c\n\n  case d:\n    e\nf",
     "1 match(name:a case(name:b missing block(3 name:c)) case(name:d missing block(6 name:e))) | 7 name:f"},
    {"x = a if b else\n", "1 assignment(conditional(name:b name:a missing) name:x)"},
    {"@a.b\n@c\nclass D(E): f",
     "3 class(name:D decorators(attribute:b(name:a) name:c) arguments(name:E) block(3 name:f))"},
    {"def f(self, a=None, *args, b=True, **kw) -> 'C':\n  return a",
     "1 function(name:f missing parameters(parameter:self(missing missing) parameter:a(missing none) "
     "parameter:args/star(missing missing) parameter:b/only(missing true) parameter:kw/stars(missing "
     "missing)) literal:'C' block(2 return(name:a)))"},
};

// What no grammar allows.
constexpr TreeRow trees_of_faults[] = {
    {"a b", "1 missing"},
    {"a b; c", "1 missing | 1 name:c"},
    {"a (b c) d; e", "1 missing | 1 name:e"},
    {"x = a.", "1 missing"},
    {"x = a.1", "1 missing"},
    {"x = a not b", "1 missing"},
    {"x = as", "1 missing"},
    {"x = for", "1 missing"},
    {"x = else", "1 missing"},
    {"print a", "1 missing"},
    {"exec a", "1 missing"},
    {"pass a", "1 missing"},
    {"continue x", "1 missing"},
    {"import a.", "1 missing"},
    {"import .a", "1 missing"},
    {"from a b", "1 missing"},
    {"async x", "1 missing"},
    {"match a: b", "1 missing"},
    {"match {a: b}", "1 missing"},
    {")", "1 missing"},
    {"a )", "1 missing"},
    {"a ) b; c", "1 missing | 1 name:c"},
};

// What opens a bracket that nothing closes, as far as the text goes.
constexpr TreeRow trees_that_stay_open[] = {
    {"x = f(a b", "1 assignment(call(name:f name:a missing) name:x)"},
    {"x = a[(b", "1 assignment(subscript(name:a missing) name:x)"},
    {"from a import (b", "1 missing"},
    {"with (a", "1 with(item(missing missing) block)"},
    {"{", "1 set(name:last)"},
    {"x = (a", "1 assignment(missing name:x)"},
    {"x = [a", "1 assignment(missing name:x)"},
    {"x = {a", "1 assignment(set(name:a) name:x)"},
    {"x = f(a", "1 assignment(call(name:f name:a missing) name:x)"},
    {"x = a[b,", "1 assignment(subscript(name:a tuple(name:b name:last)) name:x)"},
    {"x = (a,", "1 assignment(missing name:x)"},
    {"x = {a,", "1 assignment(set(name:a name:last) name:x)"},
    {"x = {a: b,", "1 assignment(dict(pair(name:a name:b) name:last) name:x)"},
};

template <std::size_t count>
void check_trees(const TreeRow (&rows)[count], bool goes_on = true) {
  for (const auto& row : rows) {
    CAPTURE(row.source);
    const auto& [source_text, shapes] = row;
    const auto line = std::to_string(2 + std::count(source_text.begin(), source_text.end(), '\n'));
    CHECK(shapes_of(std::string(source_text) + "\nlast\n") ==
          std::string(shapes) + (goes_on ? " | " + line + " name:last" : ""));
  }
}

}  // namespace

TEST_CASE("statements have kinds, and their parts as children") {
  const auto source = parse(
      "import a.b as c, d\nfrom ..x import (y,\n  z as w)\nif a: import e; f = {1: 2}\nelif b:\n  pass\nelse:\n"
      "  pass\n@deco(1)\nasync def g(x: int = {2: 3}, *, k=1) -> y:\n  import h\nclass K(B, metaclass=M):\n"
      "  import i\n");
  const auto all = source->block();
  REQUIRE(kinds(all) == expected({import, from_import, if_, function, class_}));
  CHECK(plain_dotted_name(all[0][0][0]) == "a.b");
  CHECK(all[0][0][1].text() == "c");
  CHECK_FALSE(all[0][1][1].there());
  CHECK(all[1].level() == 2);
  CHECK(all[1][2][1].text() == "w");
  REQUIRE(all[2].size() == 5);
  CHECK(kinds(all[2][1]) == expected({import, assignment}));
  CHECK(all[3].word() == Word::async);
  CHECK(all[3].line() == 10);
  CHECK(all[3][1].size() == 1);
  REQUIRE(all[3][2].size() == 3);
  CHECK(all[3][2][2].word() == Word::at);
  CHECK(all[3].back().is(unread_body));
  CHECK(kinds(source->body(all[3])) == expected({import}));
  CHECK(source->body(all[3])[0].line() == 11);
  CHECK(all[4][2][1].is(keyword));
}

TEST_CASE("a colon inside a lambda or a slice does not open a block") {
  const auto source = parse("if f(lambda: 1) and a[1:2]:\n  import x\nwhile lambda: 0:\n  import y\n");
  REQUIRE(kinds(source->block()) == expected({if_, while_}));
  CHECK(source->block()[0][1].size() == 1);
  CHECK(source->block()[1][1].size() == 1);
}

TEST_CASE("match is a statement only where its line ends in a colon") {
  const auto source = parse(
      "match = 1\nmatch(x)\nmatch x:\n  case [1, 2]:\n    import a\n  case 'b' | 'c' if d:\n    pass\nmatch: int = "
      "3\n");
  const auto all = source->block();
  REQUIRE(kinds(all) == expected({assignment, call, match, annotated}));
  REQUIRE(all[2].size() == 3);
  CHECK(all[2][1][0].is(list));
  CHECK(all[2][2][0].is(operation));
  CHECK(all[2][2][1].is(name));
}

TEST_CASE("cimport is a statement only where a name follows") {
  const auto source = parse("cimport: bool = False\ncimport = 1\ncimport(x)\ncimport a.b\n");
  CHECK(kinds(source->block()) == expected({annotated, assignment, call, cimport}));
  CHECK(source->malformed() == 0);
}

TEST_CASE("operators of one rank are one node, from the left, under those that bind less") {
  const auto source = parse("a + b * c - d\nnot a in b\na not in b is not c\n");
  const auto sum = source->block()[0];
  REQUIRE(sum.is(operation));
  REQUIRE(sum.size() == 5);
  CHECK(sum[2].is(operation));
  CHECK(sum[3].word() == Word::minus);
  CHECK(source->block()[1].is(negation));
  CHECK(source->block()[2][3].word() == Word::is_not);
}

TEST_CASE("f-strings hold expressions, nested quotes and braces among them") {
  const auto source = parse("x = f'{{a}} {b[\"k\"]!r} {c:>{w}}' 'd'\n");
  const auto text_node = source->block()[0][0];
  REQUIRE(text_node.is(text));
  std::string shape;
  for (const auto part : text_node) shape += part.is(field) ? 'F' : part.is(fragment) ? 't' : 'l';
  CHECK(shape == "tttFtFl");
  CHECK(text_node[3][0].is(subscript));
  CHECK(text_node[3].word() == Word::colon);
}

TEST_CASE("what is not understood is one missing statement, and what follows is read") {
  for (const std::string wrong :
       {"print 'x' y", "a b c", "x = = 1", ")", "def", "import", "from x", "f(a b, c", "exec x in y"}) {
    const auto source = parse(wrong + "\nimport last\n");
    CAPTURE(wrong);
    REQUIRE(source->block().size() >= 1);
    if (wrong.find('(') == std::string::npos) CHECK(source->block().back().is(import));
  }
}

TEST_CASE("Cython: cimport is told apart, declarations without a value are nothing") {
  const auto source = parse(
      "cimport a.b\nfrom .c cimport d\ncdef int x = 1\ncdef class K:\n  pass\ncdef inline int f(int a) nogil:\n"
      "  import e\nimport g\n");
  CHECK(kinds(source->block()) == expected({cimport, cimport, assignment, class_, pass, import}));
}

TEST_CASE("hostile texts end in time and without deep recursion") {
  for (const std::string part :
       {"(",       "[",    "{",      "'",     "f'{",        "f\"\"\"{", "if a:\n", "if a: ", "\n ",      "@",
        "lambda:", "not ", "-",      "a.",    "a(",         "a[",       "a**",     "x=",     "a if ",    "await ",
        "yield ",  "\xff", "def f(", "else:", "match a:\n", "{**",      "*",       "a,(",    "for a in "}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += part;
    CAPTURE(part);
    CHECK(parse(text)->block().is(block));
  }
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "if a:\n";
  CHECK(parse(deep)->block().size() >= 1);
}

TEST_CASE("each expression and each statement of a line has its parts, words and texts") {
  check_trees(trees_of_expressions);
  check_trees(trees_of_statements);
  check_trees(trees_of_compounds);
}

TEST_CASE("blocks end where their indentation does, and each statement knows its line") {
  check_trees(trees_of_blocks);
}

TEST_CASE("of what is not understood the rest is read from where it goes on") {
  check_trees(trees_of_faults);
  check_trees(trees_that_stay_open, false);
}

TEST_CASE("what is nested too deeply is one node for its statement, and the next one is read") {
  const auto repeated = [](std::string_view part, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += part;
    return all;
  };
  const auto kind_of_first = [](const std::string& statement) {
    const auto shapes = shapes_of(statement + "\nlast\n");
    CHECK(shapes.ends_with(" | 2 name:last"));
    return shapes.substr(2, shapes.find_first_of("(: |", 2) - 2);
  };
  CHECK(kind_of_first(repeated("(", 119) + "a" + repeated(")", 119)) == "name");
  CHECK(kind_of_first(repeated("(", 120) + "a" + repeated(")", 120)) == "too_deep");
  CHECK(kind_of_first("a" + repeated(".b", 119)) == "attribute");
  CHECK(kind_of_first("a" + repeated(".b", 120)) == "too_deep");
  CHECK(kind_of_first("a" + repeated("[b]", 119)) == "subscript");
  CHECK(kind_of_first("a" + repeated("[b]", 120)) == "too_deep");
  CHECK(kind_of_first("a" + repeated("()", 119)) == "call");
  CHECK(kind_of_first("a" + repeated("()", 120)) == "too_deep");
  CHECK(kind_of_first("a" + repeated(" ** a", 119)) == "operation");
  CHECK(kind_of_first("a" + repeated(" ** a", 120)) == "too_deep");
  CHECK(kind_of_first("(a.b.c, " + repeated("(", 118) + "a" + repeated(")", 118) + ")") == "tuple");
  CHECK(kind_of_first("a" + repeated(" + a", 500)) == "operation");
  CHECK(kind_of_first("x = " + repeated("(", 120) + "a" + repeated(")", 120)) == "too_deep");
  CHECK(kind_of_first("if " + repeated("(", 120) + "a" + repeated(")", 120) + ": b") == "too_deep");
  CHECK(kind_of_first("if a: " + repeated("(", 120) + "a" + repeated(")", 120)) == "too_deep");
  CHECK(shapes_of(repeated("(", 120) + "a" + repeated(")", 120) + "; b\nlast\n") == "1 too_deep | 2 name:last");
  CHECK(shapes_of(repeated("(", 117) + "f'{a}'" + repeated(")", 117)) == "1 text(field:a(name:a))");
  CHECK(shapes_of(repeated("(", 118) + "f'{a}'" + repeated(")", 118)) == "1 text(missing)");
}

TEST_CASE("the dots before a module are counted, up to a thousand or so") {
  for (const auto& one : {std::pair(1U, 1U),
                          {2U, 2U},
                          {3U, 3U},
                          {4U, 4U},
                          {7U, 7U},
                          {999U, 999U},
                          {1000U, 1000U},
                          {1001U, 1000U},
                          {1002U, 1002U},
                          {1003U, 1002U},
                          {9000U, 1002U}}) {
    CAPTURE(one.first);
    const auto& [dots, level] = one;
    CHECK(shapes_of("from " + std::string(dots, '.') + " import a\n") ==
          "1 from_import:" + std::to_string(level) + "(missing imported_name(dotted_name:a missing))");
  }
}

TEST_CASE("a yield is one of these statements, but for those of what is defined in them") {
  const auto yields = [](const std::string& text) { return has_node(parse(text)->block(), NodeKind::yield); };
  CHECK(yields("a\nyield\n"));
  CHECK(yields("x = (yield from a)\n"));
  CHECK(yields("if a:\n  for b in c:\n    d[(yield)]\n"));
  CHECK_FALSE(yields("a\nb(c)\n"));
  CHECK_FALSE(yields("def f():\n  yield\n"));
  CHECK_FALSE(yields("def f(): yield\n"));
  CHECK_FALSE(yields("class A:\n  yield\n"));
  CHECK_FALSE(yields("x = lambda: (yield)\n"));
}

TEST_CASE("blanks in a dotted name do not count, and a node that is not there has nothing") {
  const auto source = parse("import a . b_1 .c\nx = y\n");
  CHECK(source->block()[0][0][0].text() == "a . b_1 .c");
  CHECK(plain_dotted_name(source->block()[0][0][0]) == "a.b_1.c");
  const auto statement = source->block()[1];
  CHECK(statement.size() == 2);
  CHECK(statement.back().text() == "x");
  CHECK_FALSE(statement[2].there());
  CHECK(statement[2].size() == 0);
  CHECK_FALSE(Node().there());
  CHECK(Node().size() == 0);
}
