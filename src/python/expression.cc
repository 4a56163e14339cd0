#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/path.h"
#include "python/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t tokens_per_step = 32;
constexpr std::size_t max_comprehension = 300;

struct Binary {
  std::string_view sign;
  int rank;
};
constexpr Binary binaries[] = {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4}, {"+", 5},
                               {"-", 5}, {"*", 6}, {"/", 6}, {"//", 6}, {"%", 6},  {"@", 6}};

/// Union, intersection or difference of two sets of texts.
Value set_operation(Heap& heap, std::string_view sign, const List& a, const List& b) {
  heap.keep(Heap::size_of(*a.items) + Heap::size_of(*b.items));
  std::set<std::string> left, right;
  for (const auto& [list, into] : {std::pair(&a, &left), std::pair(&b, &right)})
    for (const auto& item : *list->items) {
      const auto* text = item.get<std::string>();
      if (text == nullptr) return Unknown{};
      into->insert(*text);
    }
  std::vector<Value> items;
  for (const auto& text : left)
    if (sign == "|" || right.contains(text) == (sign == "&")) items.push_back(text);
  if (sign == "|")
    for (const auto& text : right)
      if (!left.contains(text)) items.push_back(text);
  return heap.list(std::move(items));
}

/// The text of `format % values`; nullopt if it is not known.
std::optional<std::string> formatted(const std::string& format, const Value& given) {
  const auto* list = given.get<List>();
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      result += format[i];
      continue;
    }
    const char kind = format[++i];
    if (kind == '%') {
      result += '%';
      continue;
    }
    if ((kind != 's' && kind != 'd') || next == (list == nullptr ? 1 : list->items->size())) return std::nullopt;
    if (result.size() > max_length) return std::nullopt;
    const auto& value = list == nullptr ? given : (*list->items)[next];
    if (const auto* text = value.get<std::string>())
      result += *text;
    else if (const auto* number = value.get<long long>())
      result += std::to_string(*number);
    else
      return std::nullopt;
    ++next;
  }
  return result;
}

Value apply(Heap& heap, std::string_view sign, const Value& a, const Value& b, const CodePaths& paths) {
  const auto *x = a.get<long long>(), *y = b.get<long long>();
  if (x != nullptr && y != nullptr) {
    long long result = 0;
    if (sign == "+" && !__builtin_add_overflow(*x, *y, &result)) return result;
    if (sign == "-" && !__builtin_sub_overflow(*x, *y, &result)) return result;
    if (sign == "*" && !__builtin_mul_overflow(*x, *y, &result)) return result;
    if (sign == "|") return *x | *y;
    if (sign == "&") return *x & *y;
    if ((sign == "//" || sign == "%") && *y > 0 && *x >= 0) return sign == "%" ? *x % *y : *x / *y;
    return Unknown{};
  }
  const auto *s = a.get<std::string>(), *t = b.get<std::string>();
  if (s != nullptr && t != nullptr && s->size() + t->size() < max_length) {
    heap.look_at(s->size() + t->size());
    if (sign == "+") return *s + *t;
    if (sign == "/") return paths.join(*s, *t);
  }
  if (s != nullptr && sign == "%") {
    heap.look_at(s->size() + max_length);
    auto text = formatted(*s, b);
    return text ? Value(std::move(*text)) : Value();
  }
  const auto *l = a.get<List>(), *m = b.get<List>();
  if (l != nullptr && m != nullptr && sign == "+" && l->items->size() + m->items->size() < max_length) {
    auto items = heap.copy(*l);
    items.insert(items.end(), m->items->begin(), m->items->end());
    return heap.list(std::move(items));
  }
  if (l != nullptr && m != nullptr && (sign == "|" || sign == "&" || sign == "-"))
    return set_operation(heap, sign, *l, *m);
  return Unknown{};
}

std::optional<bool> negated(std::optional<bool> value) { return value ? std::optional(!*value) : std::nullopt; }

Value as_value(std::optional<bool> value) { return value ? Value(*value) : Value(Unknown{}); }

}  // namespace

/// Reads an expression by recursive descent and evaluates it on the way. In a dry run it only steps over it.
class Evaluator {
 public:
  Evaluator(Interpreter& interpreter, Frame& frame, std::span<const Token> tokens)
      : interpreter_(interpreter), heap_(interpreter.heap_), frame_(frame), tokens_(tokens) {
    heap_.work(tokens.size());
    for (const auto& token : tokens)
      if (token.kind == TokenKind::name && frame.source->text(token) == "if") has_if_ = true;
  }

  /// The whole, which may be a tuple without parentheses.
  Value run() {
    interpreter_.count_steps(1 + tokens_.size() / tokens_per_step);
    return tuple(tokens_.size());
  }

 private:
  std::string_view text(std::size_t i) const {
    return i < tokens_.size() ? frame_.source->text(tokens_[i]) : std::string_view();
  }
  bool is_word(std::string_view word) const {
    return at_ < tokens_.size() && tokens_[at_].kind == TokenKind::name && text(at_) == word;
  }
  bool is_sign(std::string_view sign) const {
    return at_ < tokens_.size() && tokens_[at_].kind == TokenKind::symbol && text(at_) == sign;
  }

  /// The bracket that closes the one at `i`; the number of tokens if there is none.
  std::size_t closing(std::size_t i) const {
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      heap_.work(1);
      if (tokens_[i].kind != TokenKind::symbol) continue;
      const auto token = text(i);
      if (token == "(" || token == "[" || token == "{") ++depth;
      if ((token == ")" || token == "]" || token == "}") && --depth == 0) return i;
    }
    return i;
  }

  std::size_t find_word(std::string_view word, std::size_t from, std::size_t end) const {
    heap_.work(from < end ? end - from : 0);
    int depth = 0;
    for (std::size_t i = from; i < end; ++i) {
      const auto token = text(i);
      if (tokens_[i].kind == TokenKind::symbol) {
        if (token == "(" || token == "[" || token == "{") ++depth;
        if (token == ")" || token == "]" || token == "}") --depth;
      }
      if (depth == 0 && tokens_[i].kind == TokenKind::name && token == word) return i;
    }
    return end;
  }

  Value tuple(std::size_t end) {
    std::vector<Value> items;
    bool many = false;
    while (at_ < end) {
      const auto before = at_;
      if (is_sign("*")) {
        ++at_;
        const auto value = test();
        const auto* list = value.get<List>();
        if (list != nullptr && items.size() + list->items->size() < max_length) {
          heap_.keep(Heap::size_of(*list->items));
          items.insert(items.end(), list->items->begin(), list->items->end());
        } else {
          unknown_items_ = true;
        }
      } else {
        items.push_back(test());
        heap_.keep(items.back());
      }
      if (is_sign(",")) {
        many = true;
        ++at_;
      } else if (at_ < end) {
        at_ = std::max(at_, before) + 1;  // not understood: step over it
        return Unknown{};
      }
    }
    if (items.empty() && !many) return Unknown{};
    return many ? Value(List{heap_.make(std::move(items))}) : items.front();
  }

  Value test() {
    const Budget::Descent deeper(interpreter_.expressions_);
    return deeper ? test_inner() : too_deep();
  }

  /// The rest of the expression is stepped over.
  Value too_deep() {
    at_ = tokens_.size();
    interpreter_.note_depth(frame_);
    return Unknown{};
  }

  Value test_inner() {
    if (is_word("lambda")) return lambda();
    if (is_word("yield")) {
      ++at_;
      if (is_word("from")) ++at_;
      if (at_ < tokens_.size() && !is_sign(")")) test();
      return Unknown{};
    }
    if (!has_if_ || dry_) {
      auto value = named();
      if (!is_word("if")) return value;
      ++at_;
      disjunction();
      if (is_word("else")) ++at_, test();
      return Unknown{};
    }
    // `a if c else b`: c decides before a is evaluated.
    const auto begin = at_;
    dry_ = true;
    named();
    dry_ = false;
    if (!is_word("if")) {
      at_ = begin;
      return named();
    }
    ++at_;
    const auto holds = truth(disjunction());
    if (!is_word("else")) return Unknown{};
    ++at_;
    if (holds == false) return test();
    dry_ = true;
    test();
    dry_ = false;
    if (!holds) return Unknown{};
    const auto end = at_;
    at_ = begin;
    auto value = named();
    at_ = end;
    return value;
  }

  Value lambda() {
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      if (is_sign("(") || is_sign("[") || is_sign("{")) ++depth;
      if ((is_sign(")") || is_sign("]") || is_sign("}")) && --depth < 0) return Unknown{};
      if (is_sign(":") && depth == 0) break;
    }
    ++at_;
    const bool before = std::exchange(dry_, true);
    test();
    dry_ = before;
    return Unknown{};
  }

  Value named() {
    if (at_ + 1 < tokens_.size() && tokens_[at_].kind == TokenKind::name && text(at_ + 1) == ":=") {
      const auto name = text(at_);
      at_ += 2;
      auto value = test();
      if (!dry_) interpreter_.assign(frame_, name, value);
      return value;
    }
    return disjunction();
  }

  Value disjunction() { return connected("or", true); }

  /// `or` stops at the first true operand, `and` at the first false one.
  Value connected(std::string_view word, bool stops_at) {
    auto value = word == "or" ? connected("and", false) : negation();
    const bool before = dry_;
    bool sure = true;
    while (is_word(word)) {
      ++at_;
      const auto holds = truth(value);
      if (holds == stops_at || !holds) dry_ = true;
      sure = sure && holds.has_value();
      auto next = word == "or" ? connected("and", false) : negation();
      if (holds && *holds != stops_at) value = std::move(next);
    }
    dry_ = before;
    return sure ? value : Value(Unknown{});
  }

  Value negation() {
    if (is_word("not")) {
      ++at_;
      const Budget::Descent deeper(interpreter_.expressions_);
      return deeper ? as_value(negated(truth(negation()))) : too_deep();
    }
    return comparison();
  }

  Value comparison() {
    auto left = binary(1);
    std::optional<bool> all = true;
    bool compared = false;
    for (;;) {
      std::string sign;
      if (is_word("in"))
        sign = "in";
      else if (is_word("not") && text(at_ + 1) == "in")
        sign = "not in", ++at_;
      else if (is_word("is")) {
        sign = "is";
        if (text(at_ + 1) == "not") sign = "is not", ++at_;
      } else if (at_ < tokens_.size() && tokens_[at_].kind == TokenKind::symbol) {
        const auto token = text(at_);
        if (token == "==" || token == "!=" || token == "<" || token == ">" || token == "<=" || token == ">=")
          sign = token;
      }
      if (sign.empty()) break;
      ++at_;
      compared = true;
      auto right = binary(1);
      const auto one = compare_by(sign, left, right);
      if (!one && all != false) all = std::nullopt;
      if (one == false) all = false;
      left = std::move(right);
    }
    return compared ? as_value(all) : left;
  }

  std::optional<bool> compare_by(const std::string& sign, const Value& left, const Value& right) {
    if (dry_) return std::nullopt;
    if (sign == "==") return equal(heap_, left, right);
    if (sign == "!=") return negated(equal(heap_, left, right));
    if (sign == "is" || sign == "is not") {
      std::optional<bool> same = equal(heap_, left, right);
      if (left.get<None>() != nullptr || right.get<None>() != nullptr) {
        const auto& other = left.get<None>() != nullptr ? right : left;
        same = other.unknown() || other.get<Named>() != nullptr ? std::nullopt
                                                                : std::optional(other.get<None>() != nullptr);
      }
      return sign == "is" ? same : negated(same);
    }
    if (sign == "in" || sign == "not in") {
      const auto found = contains(right, left);
      return sign == "in" ? found : negated(found);
    }
    const auto order = compare(heap_, left, right);
    if (!order) return std::nullopt;
    if (sign == "<") return *order < 0;
    if (sign == "<=") return *order <= 0;
    return sign == ">" ? *order > 0 : *order >= 0;
  }

  std::optional<bool> contains(const Value& owner, const Value& item) {
    if (const auto* list = owner.get<List>()) {
      std::optional<bool> found = false;
      for (const auto& one : *list->items) {
        const auto same = equal(heap_, one, item);
        if (same == true) return true;
        if (!same) found = std::nullopt;
      }
      return found;
    }
    const auto* word = item.get<std::string>();
    if (const auto* dict = owner.get<Dict>()) {
      std::optional<bool> found = false;
      for (const auto& [key, value] : *dict->items) {
        const auto same = equal(heap_, key, item);
        if (same == true) return true;
        if (!same) found = std::nullopt;
      }
      return found;
    }
    if (const auto* whole = owner.get<std::string>(); whole != nullptr && word != nullptr) {
      heap_.look_at(whole->size() + word->size());
      return whole->find(*word) != std::string::npos;
    }
    const auto* named = owner.get<Named>();
    if (named == nullptr || word == nullptr) return std::nullopt;
    if (named->name == "os.environ") return interpreter_.variable(*word) != nullptr;
    if (named->name == "sys.modules") return interpreter_.find_loaded(*word) != nullptr;
    if (named->name == "sys.builtin_module_names" && (*word == "posix" || *word == "nt"))
      return (*word == "nt") == (interpreter_.environment_.windows != nullptr);
    if (named->name == "process maps") {
      heap_.work(work_of_request);
      return interpreter_.loader_.mapped && interpreter_.loader_.mapped(*word);
    }
    return std::nullopt;
  }

  /// Operators of this rank and higher ones, by precedence climbing.
  Value binary(int rank) {
    auto left = unary();
    for (;;) {
      const auto* sign = operator_here();
      if (sign == nullptr || sign->rank < rank) return left;
      ++at_;
      const auto right = binary(sign->rank + 1);
      left = dry_ ? Value(Unknown{}) : apply(heap_, sign->sign, left, right, interpreter_.paths_);
    }
  }

  const Binary* operator_here() const {
    if (at_ >= tokens_.size() || tokens_[at_].kind != TokenKind::symbol) return nullptr;
    const auto token = text(at_);
    const auto* found =
        std::find_if(std::begin(binaries), std::end(binaries), [&](const Binary& one) { return one.sign == token; });
    return found == std::end(binaries) ? nullptr : found;
  }

  Value unary() {
    if (is_sign("-") || is_sign("+") || is_sign("~") || is_word("await")) {
      const bool minus = is_sign("-");
      ++at_;
      const Budget::Descent deeper(interpreter_.expressions_);
      const auto value = deeper ? unary() : too_deep();
      const auto* number = value.get<long long>();
      return minus && number != nullptr && *number > 0 ? Value(-*number) : Value(Unknown{});
    }
    auto value = primary();
    if (is_sign("**")) {
      ++at_;
      const Budget::Descent deeper(interpreter_.expressions_);
      deeper ? unary() : too_deep();
      return Unknown{};
    }
    return value;
  }

  Value primary() {
    auto value = atom();
    Value owner;
    std::string_view method;
    for (;;) {
      if (is_sign(".") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == TokenKind::name) {
        method = text(at_ + 1);
        at_ += 2;
        if (dry_) continue;
        owner = value;
        // A text's methods are known by their names alone.
        value = is_sign("(") && plain(owner) ? Value(Unknown{}) : interpreter_.attribute(frame_, value, method);
      } else if (is_sign("(")) {
        const auto close = closing(at_);
        const auto arguments = call_arguments(close);
        at_ = std::min(close + 1, tokens_.size());
        if (!dry_)
          value = plain(owner) && !method.empty() ? interpreter_.call_method(frame_, owner, method, arguments)
                                                  : interpreter_.call(frame_, value, arguments);
        owner = Value(), method = {};
      } else if (is_sign("[")) {
        const auto close = closing(at_);
        ++at_;
        if (!dry_) value = subscript(value, close);
        at_ = std::min(close + 1, tokens_.size());
        owner = Value(), method = {};
      } else {
        return value;
      }
    }
  }

  static bool plain(const Value& value) {
    const auto* named = value.get<Named>();
    return value.get<std::string>() != nullptr || value.get<List>() != nullptr || value.get<Dict>() != nullptr ||
           (named != nullptr && (named->name == "os.environ" || named->name == "sys.modules" ||
                                 named->name == "process maps file" || named->name.starts_with(text_file)));
  }

  Arguments call_arguments(std::size_t close) {
    Arguments arguments;
    ++at_;
    if (find_word("for", at_, close) < close) {
      auto value = comprehension(close);
      arguments.push_back({"", std::move(value)});
      return arguments;
    }
    while (at_ < close) {
      const auto before = at_;
      Argument argument;
      if (is_sign("*") || is_sign("**")) {
        ++at_;
        const auto value = test();
        const auto* list = value.get<List>();
        if (list == nullptr)
          argument.keyword = "*";
        else {
          heap_.keep(Heap::size_of(*list->items));
          for (const auto& item : *list->items)
            if (arguments.size() < max_length) arguments.push_back({"", item});
          if (is_sign(",")) ++at_;
          continue;
        }
      } else {
        if (tokens_[at_].kind == TokenKind::name && text(at_ + 1) == "=") {
          argument.keyword = text(at_);
          at_ += 2;
        }
        argument.value = test();
      }
      arguments.push_back(std::move(argument));
      if (is_sign(",")) ++at_;
      if (at_ == before) ++at_;
    }
    return arguments;
  }

  Value subscript(const Value& owner, std::size_t close) {
    bool slice = false;
    int depth = 0;
    for (std::size_t i = at_; i < close; ++i) {
      if (text(i) == "(" || text(i) == "[" || text(i) == "{") ++depth;
      if (text(i) == ")" || text(i) == "]" || text(i) == "}") --depth;
      slice = slice || (depth == 0 && tokens_[i].kind == TokenKind::symbol && text(i) == ":");
    }
    if (slice) return sliced(owner, close);
    const auto key = tuple(close);
    if (const auto* dict = owner.get<Dict>()) {
      for (const auto& [known, value] : *dict->items)
        if (equal(heap_, known, key) == true) return value;
      return Unknown{};
    }
    const auto* index = key.get<long long>();
    if (const auto* list = owner.get<List>(); list != nullptr && index != nullptr) {
      const auto size = static_cast<long long>(list->items->size());
      const auto i = *index < 0 ? *index + size : *index;
      if (i >= 0 && i < size) return (*list->items)[static_cast<std::size_t>(i)];
    }
    const auto* named = owner.get<Named>();
    const auto* name = key.get<std::string>();
    if (named == nullptr || name == nullptr) return Unknown{};
    if (named->name == "sys.modules" && interpreter_.find_loaded(*name) != nullptr) return ModuleName{*name};
    if (named->name == "os.environ") {
      const auto* variable = interpreter_.variable(*name);
      if (variable == nullptr) throw PythonError{"KeyError", *name};
      return *variable;
    }
    return Unknown{};
  }

  Value sliced(const Value& owner, std::size_t close) {
    std::array<std::optional<long long>, 2> bounds;
    for (auto& bound : bounds) {
      if (at_ < close && !is_sign(":")) {
        const auto value = test();
        const auto* number = value.get<long long>();
        if (number == nullptr) return Unknown{};
        bound = *number;
      }
      if (at_ < close && is_sign(":")) ++at_;
    }
    if (at_ < close) return Unknown{};
    const auto range = [&](std::size_t length) {
      const auto size = static_cast<long long>(length);
      auto from = bounds[0].value_or(0), to = bounds[1].value_or(size);
      if (from < 0) from += size;
      if (to < 0) to += size;
      from = std::clamp(from, 0LL, size);
      to = std::clamp(to, from, size);
      return std::pair(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
    };
    if (const auto* whole = owner.get<std::string>()) {
      const auto [from, to] = range(whole->size());
      heap_.look_at(to - from);
      return whole->substr(from, to - from);
    }
    if (const auto* list = owner.get<List>()) {
      const auto [from, to] = range(list->items->size());
      return heap_.list({list->items->begin() + static_cast<std::ptrdiff_t>(from),
                         list->items->begin() + static_cast<std::ptrdiff_t>(to)});
    }
    return Unknown{};
  }

  Value atom() {
    if (at_ >= tokens_.size()) return Unknown{};
    const auto& token = tokens_[at_];
    switch (token.kind) {
      case TokenKind::string: return strings();
      case TokenKind::number: {
        std::string digits;
        for (const char c : text(at_++))
          if (c != '_') digits += c;
        long long value = 0;
        const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
        const char* begin = digits.data() + (hex ? 2 : 0);
        const auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), value, hex ? 16 : 10);
        return error == std::errc() && end == digits.data() + digits.size() ? Value(value) : Value(Unknown{});
      }
      case TokenKind::name: {
        const auto word = text(at_++);
        if (word == "True") return true;
        if (word == "False") return false;
        if (word == "None") return None{};
        return dry_ ? Value(Unknown{}) : interpreter_.look_up(frame_, word);
      }
      case TokenKind::symbol: return bracketed();
      default: ++at_; return Unknown{};
    }
  }

  Value bracketed() {
    const auto open = text(at_);
    if (open != "(" && open != "[" && open != "{") {
      ++at_;
      return Unknown{};
    }
    const auto close = closing(at_);
    ++at_;
    Value value;
    if (find_word("for", at_, close) < close) {
      value = open == "{" ? (at_ = close, Value(Unknown{})) : comprehension(close);
    } else if (open == "{") {
      value = braces(close);
    } else if (at_ == close) {
      value = heap_.list({});
    } else {
      value = tuple(close);
      if (open == "[" && value.get<List>() == nullptr)
        value = heap_.list({value});
      else if (open == "[" && text(close - 1) != "," && !has_comma(close))
        value = heap_.list({value});
      if (unknown_items_) value = Unknown{}, unknown_items_ = false;
    }
    at_ = std::min(close + 1, tokens_.size());
    return value;
  }

  /// Whether the bracket that ends at `close` holds more than one element: `[[a]]` is a list of one list.
  bool has_comma(std::size_t close) const {
    int depth = 0;
    for (std::size_t i = close; i-- > 0;) {
      heap_.work(1);
      if (tokens_[i].kind != TokenKind::symbol) continue;
      if (text(i) == ")" || text(i) == "]" || text(i) == "}") ++depth;
      if ((text(i) == "(" || text(i) == "[" || text(i) == "{") && --depth < 0) return false;
      if (text(i) == "," && depth == 0) return true;
    }
    return false;
  }

  Value braces(std::size_t close) {
    Dict::Items items;
    std::vector<Value> members;
    bool dict = at_ == close;
    while (at_ < close) {
      const auto before = at_;
      if (is_sign("**") || is_sign("*")) {
        ++at_;
        const auto value = test();
        if (const auto* more = value.get<Dict>(); more != nullptr && items.size() + more->items->size() < max_length) {
          heap_.keep(Heap::size_of(*more->items));
          items.insert(items.end(), more->items->begin(), more->items->end());
        }
        dict = true;
      } else {
        auto key = test();
        if (is_sign(":")) {
          ++at_;
          dict = true;
          items.emplace_back(std::move(key), test());
          heap_.keep(Heap::size_of(items.back().first) + Heap::size_of(items.back().second));
        } else {
          members.push_back(std::move(key));
          heap_.keep(members.back());
        }
      }
      if (is_sign(",")) ++at_;
      if (at_ == before) ++at_;
    }
    return dict ? Value(Dict{heap_.make(std::move(items))}) : Value(List{heap_.make(std::move(members))});
  }

  /// `element for target in iterable if condition`; a second `for` makes it unknown.
  Value comprehension(std::size_t close) {
    const auto begin = at_;
    const auto for_at = find_word("for", begin, close);
    const auto in_at = find_word("in", for_at, close);
    if (dry_ || in_at == close || find_word("for", for_at + 1, close) < close || text(for_at - 1) == "async") {
      at_ = close;
      return Unknown{};
    }
    const auto if_at = find_word("if", in_at, close);
    Frame inner = frame_;
    inner.scope = heap_.make<Scope>();
    inner.scope->outer = frame_.scope;
    inner.class_names = nullptr;
    const auto iterable = evaluate(interpreter_, frame_, tokens_.subspan(in_at + 1, if_at - in_at - 1));
    at_ = close;
    const auto* list = iterable.get<List>();
    if (list == nullptr || list->items->size() > max_comprehension) return Unknown{};
    std::vector<Value> items;
    const auto source = heap_.copy(*list);
    for (const auto& item : source) {
      interpreter_.count_steps(1);
      interpreter_.assign_target(inner, tokens_.subspan(for_at + 1, in_at - for_at - 1), item);
      if (if_at < close) {
        const auto holds = truth(evaluate(interpreter_, inner, tokens_.subspan(if_at + 1, close - if_at - 1)));
        if (holds == false) continue;
        if (!holds) return Unknown{};
      }
      items.push_back(evaluate(interpreter_, inner, tokens_.subspan(begin, for_at - begin)));
    }
    return heap_.list(std::move(items));
  }

  /// Adjacent literals are one string. Replacement fields of f-strings are evaluated.
  Value strings() {
    std::string value;
    bool known = true;
    for (; at_ < tokens_.size() && tokens_[at_].kind == TokenKind::string; ++at_) {
      if (dry_) continue;
      bool has_fields = false;
      heap_.work(text(at_).size());
      const auto part = string_value(text(at_), has_fields);
      if (!has_fields)
        value += part;
      else
        known = replace_fields(part, value) && known;
    }
    return known && !dry_ ? Value(value) : Value(Unknown{});
  }

  bool replace_fields(const std::string& format, std::string& into) {
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format.compare(i, 2, "{{") == 0 || format.compare(i, 2, "}}") == 0) {
        into += format[i++];
        continue;
      }
      if (format[i] != '{') {
        into += format[i];
        continue;
      }
      const auto end = format.find('}', i);
      const Budget::Descent deeper(interpreter_.expressions_);
      if (!deeper) too_deep();
      if (end == std::string::npos || !deeper || into.size() > max_length) return false;
      Frame inner = frame_;
      inner.source = Source::parse(frame_.source->path, format.substr(i + 1, end - i - 1), interpreter_.cost_);
      auto tokens = inner.source->tokens();
      if (!tokens.empty() && tokens.back().kind == TokenKind::line_end) tokens = tokens.first(tokens.size() - 1);
      const auto value = evaluate(interpreter_, inner, tokens);
      if (const auto* text = value.get<std::string>())
        into += *text;
      else if (const auto* number = value.get<long long>())
        into += std::to_string(*number);
      else
        return false;
      i = end;
    }
    return into.size() < max_length;
  }

  Interpreter& interpreter_;
  Heap& heap_;
  Frame& frame_;
  std::span<const Token> tokens_;
  std::size_t at_ = 0;
  bool has_if_ = false, dry_ = false, unknown_items_ = false;
};

Value evaluate(Interpreter& interpreter, Frame& frame, std::span<const Token> tokens) {
  return Evaluator(interpreter, frame, tokens).run();
}

}  // namespace cudald::python
