#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>

#include "pyimport/environment/environment_files.h"
#include "pyimport/run/interpreter.h"
#include "pyimport/syntax/string_literal.h"

namespace cudald::python {
namespace {

constexpr std::size_t max_comprehension = 300;

/// "10.1", which Python writes as it stands there: few digits, and none too much.
bool is_plain_float(std::string_view text) {
  const auto dot = text.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 >= text.size() || text.size() > 12) return false;
  if (text.find_first_not_of("0123456789", 0) != dot) return false;
  if (text.find_first_not_of("0123456789", dot + 1) != std::string_view::npos) return false;
  const bool zeros = text.ends_with('0') && text.size() > dot + 2;
  return !zeros && (text[0] != '0' || dot == 1) && !text.starts_with("0.000");
}

Value number(std::string_view text) {
  if (is_plain_float(text)) return Thing(ThingKind::float_number, std::string(text));
  std::string digits;
  for (const char c : text)
    if (c != '_') digits += c;
  long long value = 0;
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  const bool octal = digits.starts_with("0o") || digits.starts_with("0O");
  const char* begin = digits.data() + (hex || octal ? 2 : 0);
  const auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), value, hex ? 16 : octal ? 8 : 10);
  return error == std::errc() && end == digits.data() + digits.size() ? Value(value) : Value(Unknown{});
}

/// A class or function of builtins, which is no value that code has made itself.
bool is_builtin(const Value& value) {
  const auto* named = value.get<Named>();
  return named != nullptr && named->name.starts_with("builtins.");
}
bool is_followed(const Value& value) { return !value.unknown() && !value.is_named(); }

/// Values whose methods are known by their names alone.
bool plain(const Value& value) {
  const auto* named = value.get<Named>();
  return value.get<std::string>() != nullptr || value.get<List>() != nullptr || value.get<Dict>() != nullptr ||
         value.thing(ThingKind::text_file) != nullptr || value.thing(ThingKind::globals) != nullptr ||
         (named != nullptr && (named->name == "os.environ" || named->name == "sys.modules" ||
                               named->name == process_maps_file || named->name == exit_stack));
}

}  // namespace

/// Evaluates the nodes of an expression, with three truth values.
class Evaluator {
 public:
  Evaluator(Interpreter& interpreter, Frame& frame)
      : interpreter_(interpreter), heap_(interpreter.heap), frame_(frame) {}

  Value value(const Node& node) {
    interpreter_.calls.count_node();
    const Budget::Descent deeper(interpreter_.calls.nesting());
    if (!deeper) return too_deep();
    // What is made of something doubtful is so, too.
    const bool touched = interpreter_.doubt.set_touched(false);
    auto result = value_of(node);
    result.doubtful = interpreter_.doubt.touched() || interpreter_.escapes.has_doubtful_parts(result);
    interpreter_.doubt.set_touched(touched || result.doubtful || interpreter_.escapes.holds_doubtful(result));
    return result;
  }

  /// Of which it is asked what elements it has: those that are doubtful say so of themselves.
  Value container(const Node& node) {
    const bool touched = interpreter_.doubt.touched();
    auto result = value(node);
    interpreter_.doubt.set_touched(touched || result.doubtful);
    return result;
  }

  /// An element of what is made here, which holds something doubtful if that is so.
  Value element(const Node& node, bool& holds_doubtful) {
    const bool touched = interpreter_.doubt.set_touched(false);
    auto result = value(node);
    holds_doubtful |= interpreter_.doubt.set_touched(touched);
    return result;
  }

 private:
  Value value_of(const Node& node) {
    switch (node.kind()) {
      case NodeKind::name: return interpreter_.bindings.look_up(frame_, node.text());
      case NodeKind::number: return number(node.text());
      case NodeKind::true_: return true;
      case NodeKind::false_: return false;
      case NodeKind::none: return None{};
      case NodeKind::literal: return literal(node);
      case NodeKind::text: return text(node);
      case NodeKind::tuple:
      case NodeKind::list:
      case NodeKind::set: return list(node);
      case NodeKind::dict: return dict(node);
      case NodeKind::attribute: return attribute(node);
      case NodeKind::call: return call(node);
      case NodeKind::subscript: return subscript(node);
      case NodeKind::negation: return as_value(negated(truth_of(value(node[0]))));
      case NodeKind::sign: return sign(node);
      case NodeKind::operation: return operation(node);
      case NodeKind::comparison: return comparison(node);
      case NodeKind::conjunction: return connected(node, false);
      case NodeKind::disjunction: return connected(node, true);
      case NodeKind::conditional: return conditional(node);
      case NodeKind::lambda: return interpreter_.definitions.define_function(frame_, node);
      case NodeKind::named: return named(node);
      case NodeKind::comprehension: return comprehension(node);
      case NodeKind::yield: return yield(node);
      case NodeKind::await: value(node[0]); return Unknown{};
      case NodeKind::too_deep: return too_deep();
      default: return Unknown{};
    }
  }

  std::optional<bool> truth_of(const Value& value) {
    interpreter_.escapes.use(value, Escapes::Use::truth);
    return truth(value);
  }

  Value too_deep() {
    interpreter_.tracker.note_depth(frame_);
    return Unknown{};
  }

  Value literal(const Node& node) {
    heap_.look_at(5 * node.text().size());  // it is looked through, copied, and memory is asked for
    const auto parts = open_literal(node.text());
    if (parts.templated) return Unknown{};
    Value text = unescaped(parts.inside, parts.raw);
    return parts.bytes ? interpreter_.calls.no_str(std::move(text)) : text;
  }

  /// Adjacent literals, and f-strings.
  Value text(const Node& node) {
    std::string result;
    bool known = true;
    for (const auto part : node) {
      Value one;
      if (part.is(NodeKind::fragment)) {
        auto piece = unescaped(part.text(), part.word() == Word::not_);
        one = std::move(piece);
      } else if (part.is(NodeKind::field)) {
        one = part.word() == Word::colon ? Value() : formatted(value(part[0]), part[1]);
      } else {
        one = value(part);
      }
      if (const auto* words = one.get<std::string>())
        result += *words;
      else if (const auto* digits = one.get<long long>())
        result += std::to_string(*digits);
      else if (const auto* point = one.thing(ThingKind::float_number))
        result += *point;
      else
        known = false;
      heap_.look_at(result.size());
      if (result.size() > max_length) known = false, result.clear();
    }
    return known ? Value(std::move(result)) : Value();
  }

  /// `{value:format}`: how wide it is, of texts and whole numbers.
  /// Source: CPython 3.11 Doc/library/string.rst, Format Specification Mini-Language.
  Value formatted(Value given, const Node& format) {
    interpreter_.escapes.use(given, Escapes::Use::text);
    if (auto message = interpreter_.raise_statements.message_of(given)) given = std::move(*message);
    if (const auto* behind = text_behind(given, {"__format__", "__str__"})) given = std::string(*behind);
    if (!format.there()) return given;
    const auto spec = value(format);
    const auto* words = spec.get<std::string>();
    const auto* text = given.get<std::string>();
    const auto* number = given.get<long long>();
    if (words == nullptr || (text == nullptr && number == nullptr)) return Unknown{};
    auto result = text != nullptr ? *text : std::to_string(*number);
    std::string_view rest = *words;
    char fill = ' ', side = text != nullptr ? '<' : '>';
    constexpr std::string_view sides = "<>^";
    if (rest.size() > 1 && sides.find(rest[1]) != std::string_view::npos)
      fill = rest[0], side = rest[1], rest.remove_prefix(2);
    else if (!rest.empty() && sides.find(rest[0]) != std::string_view::npos)
      side = rest[0], rest.remove_prefix(1);
    else if (number != nullptr && rest.starts_with('0'))
      fill = '0';
    std::size_t width = 0;
    for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9' && width < max_length; rest.remove_prefix(1))
      width = 10 * width + static_cast<std::size_t>(rest[0] - '0');
    if (!rest.empty() && rest != (text != nullptr ? "s" : "d")) return Unknown{};
    if (width > 0 && text != nullptr && !is_ascii(heap_, *text)) return Unknown{};
    if (width > max_length || (number != nullptr && *number < 0 && fill == '0')) return Unknown{};
    const auto more = width - std::min(width, result.size());
    const auto before = side == '>' ? more : side == '^' ? more / 2 : 0;
    return std::string(before, fill) + result + std::string(more - before, fill);
  }

  /// Puts an element, or those of a starred one, behind the others; false if they are not known.
  bool append(const Node& part, ListItems& items, bool is_set) {
    if (!part.is(NodeKind::starred)) {
      items.push_back(is_set ? value(part) : element(part, items.holds_doubtful));
      heap_.keep(items.back());
      return true;
    }
    const auto more = interpreter_.calls.items_of(frame_, value(part[0]));
    if (!more || items.size() + more->size() > max_length) return false;
    heap_.keep(Heap::size_of(*more));
    items.insert(items.end(), more->begin(), more->end());
    items.take_doubt(more->doubt);
    return true;
  }

  Value list(const Node& node) {
    ListItems items;
    items.reserve(node.size());
    bool known = true;
    const bool is_set = node.is(NodeKind::set);
    for (const auto part : node) known = append(part, items, is_set) && known;
    if (is_set) items = {without_doubles(heap_, std::move(items)), items.doubt};
    return known ? Value(List{heap_.make(std::move(items)), is_set}) : Value();
  }

  Value dict(const Node& node) {
    const auto dict = heap_.dict();
    for (const auto part : node) {
      if (part.is(NodeKind::pair)) {
        const auto key = value(part[0]);
        const auto held = element(part[1], dict.items->holds_doubtful);
        if (key.unknown()) interpreter_.escapes.escape(held);  // it is found by no key
        dict.items->put(heap_, key, held, false);
        continue;
      }
      const auto more = value(part.size() > 0 ? part[0] : part);
      if (const auto* others = more.get<Dict>())
        dict.items->put_all(heap_, *others->items, false);
      else
        dict.items->doubt_more(heap_);
    }
    return dict;
  }

  /// A method of a list or dictionary that is handed on may be called by anyone.
  Value attribute(const Node& node) {
    const auto owner = value(node[0]);
    if (owner.get<List>() != nullptr || owner.get<Dict>() != nullptr) interpreter_.escapes.escape(owner);
    if (owner.unknown()) interpreter_.doubt.may_raise("AttributeError");
    return interpreter_.bindings.attribute(frame_, owner, node.text());
  }

  Value call(const Node& node) {
    const auto callee = node[0];
    Value owner, called;
    if (callee.is(NodeKind::attribute)) {
      owner = value(callee[0]);
      if (const auto* behind = text_behind(owner, {callee.text()})) owner = std::string(*behind);
      if (!plain(owner)) called = interpreter_.bindings.attribute(frame_, owner, callee.text());
    } else {
      called = value(callee);
    }
    called.doubtful = called.doubtful || interpreter_.doubt.touched();
    const bool touched = interpreter_.doubt.touched();
    const auto arguments = call_arguments(node);
    frame_.line = node.line();
    if (plain(owner)) return call_method(owner, callee.text(), arguments);
    if (called.get<None>() != nullptr)
      interpreter_.doubt.raise_if_certain(frame_, {"TypeError", "'NoneType' object is not callable"});
    if (called.unknown()) {
      if (!interpreter_.escapes.binds_only_when_run(owner)) interpreter_.escapes.escape(owner);
      if (callee.is(NodeKind::subscript) && callee[0].is(NodeKind::name))
        interpreter_.escapes.escape(interpreter_.doubt.known_name(frame_, callee[0].text()));
    }
    const bool has_body = called.get<std::shared_ptr<const Function>>() != nullptr || called.get<Method>() != nullptr;
    if (!touched && has_written_arguments(node)) interpreter_.calls.announce_written_arguments();
    auto result = interpreter_.calls.call(frame_, called, arguments);
    // What a function's body makes of doubtful arguments says so of itself.
    if (has_body && interpreter_.calls.body_was_run()) interpreter_.doubt.set_touched(touched);
    return result;
  }

  static bool has_written_arguments(const Node& call) {
    for (const auto part : call)
      if (part.is(NodeKind::starred) || part.is(NodeKind::double_starred)) return false;
    return true;
  }

  /// What may as well not be done to a list or dictionary, or is done with what is doubtful, leaves it doubtful.
  Value call_method(const Value& owner, std::string_view method, const Arguments& arguments) {
    bool doubtful = frame_.doubtful;
    const auto* list = owner.get<List>();
    const auto* dict = owner.get<Dict>();
    const bool appends = list != nullptr && !list->is_set && method == "append";
    const bool extends =
        (list != nullptr && !list->is_set && method == "extend") || (dict != nullptr && method == "update");
    bool holds = false;
    for (const auto& [keyword, argument] : arguments) {
      const bool is_container = argument.get<List>() != nullptr || argument.get<Dict>() != nullptr;
      holds = holds || interpreter_.escapes.is_doubtful(argument);
      if (!appends)
        doubtful = doubtful || (extends && is_container ? interpreter_.escapes.has_doubtful_parts(argument) : holds);
    }
    if (list != nullptr) list->items->doubtful |= doubtful, list->items->holds_doubtful |= holds;
    if (dict != nullptr) dict->items->doubtful |= doubtful, dict->items->holds_doubtful |= holds;
    return interpreter_.calls.call_method(frame_, owner, method, arguments);
  }

  Arguments call_arguments(const Node& node) {
    Arguments arguments;
    arguments.reserve(node.size() - 1);
    for (std::size_t i = 1; i < node.size(); ++i) {
      const auto part = node[i];
      if (part.is(NodeKind::starred)) {
        const auto items = interpreter_.calls.items_of(frame_, value(part[0]));
        if (!items || items->in_doubt()) arguments.push_back({"*", Unknown{}});
        if (items) heap_.keep(Heap::size_of(*items));
        for (std::size_t k = 0; items && k < items->size() && arguments.size() < max_length; ++k)
          arguments.push_back({"", (*items)[k]});
      } else if (part.is(NodeKind::double_starred)) {
        const auto more = value(part[0]);
        const auto* dict = more.get<Dict>();
        if (dict == nullptr) {
          interpreter_.escapes.use(more, Escapes::Use::items);
          arguments.push_back({"*", Unknown{}});
          continue;
        }
        for (const auto& [key, held, may_lack] : *dict->items) {
          const auto* name = key.get<std::string>();
          arguments.push_back({name == nullptr ? "*" : *name, may_lack ? Value() : held});
        }
      } else if (part.is(NodeKind::keyword)) {
        arguments.push_back({std::string(part.text()), value(part[0])});
      } else {
        arguments.push_back({"", value(part)});
      }
    }
    return arguments;
  }

  Value subscript(const Node& node) {
    auto item = known_subscript(node);
    if (item.unknown() && !node[1].is(NodeKind::slice)) interpreter_.doubt.may_lack_item();
    return item;
  }

  /// Unknown if it may as well not be there.
  Value known_subscript(const Node& node) {
    const auto owner = node[1].is(NodeKind::slice) ? value(node[0]) : container(node[0]);
    if (node[1].is(NodeKind::slice)) return like(owner, slice(owner, node[1]));
    const auto key = value(node[1]);
    refuse_index_of_type(owner);
    interpreter_.doubt.refuse_none(frame_, owner, {"TypeError", "'NoneType' object is not subscriptable"});
    // What __getitem__ does is not followed.
    if (const auto* object = owner.get<ObjectRef>(); object != nullptr && (*object)->is_class) {
      constexpr std::string_view of_class[] = {"__class_getitem__"};
      if (interpreter_.escapes.use_methods(**object, of_class)) interpreter_.doubt.note_opaque_call();
      interpreter_.escapes.use(owner, Escapes::Use::items);
    }
    if (const auto* object = owner.get<ObjectRef>(); object != nullptr && !(*object)->is_class) {
      if (auto made = interpreter_.bindings.made_by_object(frame_, owner, "__getitem__", key)) return *made;
      interpreter_.escapes.escape(owner);
    }
    if (const auto* dict = owner.get<Dict>()) return item_of(*dict, key, node[0].is(NodeKind::dict));
    const auto* index = key.get<long long>();
    if (const auto* list = owner.get<List>(); list != nullptr && index != nullptr) {
      if (has(list->items->doubt, ListDoubt::may_lack)) return Unknown{};
      if (const auto at = place_in(list->items->size(), *index)) return (*list->items)[*at];
      if (!frame_.maybe && !list->items->in_doubt() && interpreter_.handlers.caught_for_all("IndexError"))
        throw PythonError{"IndexError", "list index out of range"};
      if (!list->items->in_doubt() && list->items->empty())
        interpreter_.doubt.raise_if_certain(frame_, {"IndexError", "list index out of range"});
    }
    if (const auto* text = owner.get<std::string>(); text != nullptr && index != nullptr && is_ascii(heap_, *text))
      if (const auto at = place_in(text->size(), *index)) return letter(node[0], (*text)[*at]);
    return named_item(owner, key);
  }

  /// What is made of a path or of bytes is such as well.
  Value like(const Value& source, Value made) {
    return source.is_no_str ? interpreter_.calls.no_str(std::move(made)) : made;
  }

  /// `list[int]` is of Python 3.9. Source: CPython 3.9 Doc/whatsnew/3.9.rst, PEP 585.
  void refuse_index_of_type(const Value& owner) {
    constexpr int first_with_index = 9;
    constexpr std::string_view types[] = {"builtins.list", "builtins.dict",      "builtins.tuple",
                                          "builtins.set",  "builtins.frozenset", "builtins.type"};
    const auto* named = owner.get<Named>();
    const auto& version = interpreter_.environment.version;
    if (named == nullptr || !version.starts_with("3.") || minor_of(version) >= first_with_index) return;
    if (std::find(std::begin(types), std::end(types), named->name) != std::end(types))
      interpreter_.doubt.raise_if_certain(frame_, {"TypeError", "'type' object is not subscriptable"});
  }

  /// Of bytes it is a number; which texts are bytes is only known of those that are written there.
  static Value letter(const Node& owner, char c) {
    if (owner.is(NodeKind::literal) && open_literal(owner.text()).bytes)
      return static_cast<long long>(static_cast<unsigned char>(c));
    return std::string(1, c);
  }

  /// Code that is not followed may have put more into it, but not if it is written where it is asked.
  Value item_of(const Dict& dict, const Value& key, bool known) {
    const auto found = dict.items->find(heap_, key);
    if (found.pair != nullptr) return found.pair->value;
    const auto* text = key.get<std::string>();
    if (known && found.is_there == false && text != nullptr && !frame_.maybe &&
        interpreter_.handlers.caught_for_all("KeyError"))
      throw PythonError{"KeyError", "'" + *text + "'"};
    if (const auto written = written_key(key); found.is_there == false && !written.empty())
      interpreter_.doubt.raise_if_certain(frame_, {"KeyError", written});
    return Unknown{};
  }

  /// As a KeyError tells a key: 'x', 3, (3, 13); empty of others.
  static std::string written_key(const Value& key) {
    if (const auto* text = key.get<std::string>()) return "'" + *text + "'";
    if (const auto* number = key.get<long long>()) return std::to_string(*number);
    const auto* tuple = key.get<List>();
    if (tuple == nullptr || tuple->is_set || tuple->items->in_doubt() || tuple->items->size() < 2) return "";
    std::string all;
    for (const auto& item : *tuple->items) {
      const auto one = item.get<List>() == nullptr ? written_key(item) : "";
      if (one.empty()) return "";
      all += (all.empty() ? "" : ", ") + one;
    }
    return "(" + all + ")";
  }

  /// `name in globals()`
  std::optional<bool> is_global(const std::string& module, const std::string& name) {
    const auto* loaded = interpreter_.sys_modules.find_loaded(module);
    if (loaded == nullptr) return std::nullopt;
    if (loaded->names.contains(name) || loaded->lazy_names.contains(name)) return true;
    if (name.starts_with("__") || !loaded->names_followed()) return std::nullopt;
    return false;
  }

  /// `globals()[name]`
  Value global(const std::string& module, const std::string& name) {
    auto value = interpreter_.bindings.global(module, name);
    if (is_global(module, name) == false && !frame_.maybe && interpreter_.handlers.caught_for_all("KeyError"))
      throw PythonError{"KeyError", "'" + name + "'"};
    return value;
  }

  Value named_item(const Value& owner, const Value& key) {
    const auto* named = owner.get<Named>();
    const auto* name = key.get<std::string>();
    if (const auto* match = owner.thing(ThingKind::match))
      return *interpreter_.calls.call_known(frame_, "re.Match.group", {{"", *match}, {"", key}});
    if (const auto* module = owner.thing(ThingKind::globals); module != nullptr && name != nullptr)
      return global(*module, *name);
    if (named == nullptr || name == nullptr) return Unknown{};
    if ((named->name == "ctypes.cdll" || named->name == "ctypes.pydll") && follows(frame_))
      return interpreter_.bindings.open_by_attribute(frame_, *name);
    if (named->name == "sys.modules") {
      if (interpreter_.sys_modules.find_loaded(*name) != nullptr) return ModuleName{*name};
      if (!frame_.maybe && interpreter_.handlers.caught_for_all("KeyError"))
        throw PythonError{"KeyError", "'" + *name + "'"};
    }
    if (named->name == "os.environ") {
      const auto* variable = interpreter_.host.variable(*name);
      if (interpreter_.host.is_unsure_variable(*name)) return Unknown{};
      if (variable == nullptr) throw interpreter_.doubt.lacks_variable(frame_, *name);
      return *variable;
    }
    return Unknown{};
  }

  Value slice(const Value& owner, const Node& node) {
    std::array<std::optional<long long>, 3> bounds;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      if (!node[i].there()) continue;
      const auto bound = value(node[i]);
      if (bound.get<long long>() == nullptr) return Unknown{};
      bounds[i] = *bound.get<long long>();
    }
    return sliced(heap_, owner, {bounds[0], bounds[1], bounds[2]});
  }

  Value sign(const Node& node) {
    const auto operand = value(node[0]);
    interpreter_.escapes.use(operand, Escapes::Use::operation);
    if (operand.get<long long>() == nullptr) return Unknown{};
    if (node.word() == Word::plus) return operand;
    return node.word() == Word::minus ? apply(heap_, Word::minus, 0LL, operand, interpreter_.paths) : Value();
  }

  static bool divides(Word word) { return word == Word::slash || word == Word::slashes || word == Word::percent; }

  Value operation(const Node& node) {
    auto result = value(node[0]);
    for (std::size_t i = 1; i + 1 < node.size(); i += 2) {
      const auto other = value(node[i + 1]);
      if (node[i].word() == Word::pipe) refuse_union(result, other);
      interpreter_.escapes.use(result, Escapes::Use::operation);
      interpreter_.escapes.use(other, Escapes::Use::operation);
      if (node[i].word() == Word::percent) interpreter_.escapes.use(other, Escapes::Use::text);
      const bool adds = node[i].word() == Word::plus;
      if (adds || node[i].word() == Word::percent)
        interpreter_.doubt.refuse_operand(frame_, adds ? "+" : "%", result, other, node[i + 1]);
      if (result.unknown() || other.unknown()) {
        interpreter_.doubt.may_raise("TypeError");
        if (divides(node[i].word())) interpreter_.doubt.may_raise("ZeroDivisionError");
      }
      const bool stays = result.is_no_str || other.is_no_str;
      result = apply(heap_, node[i].word(), result, other, interpreter_.paths);
      if (stays || node[i].word() == Word::slash) result = interpreter_.calls.no_str(std::move(result));
    }
    return result;
  }

  /// What a type of Python's own is called, "type"; "NoneType" of None; empty of any other value.
  static std::string_view kind_in_union(const Value& value) {
    constexpr std::string_view own = "builtins.";
    constexpr std::string_view types[] = {"str",  "int",   "float", "bool", "bytes", "bytearray", "complex",
                                          "list", "tuple", "dict",  "set",  "type",  "object",    "frozenset"};
    if (value.get<None>() != nullptr) return "NoneType";
    if (const auto* type = value.get<ObjectRef>()) {
      const bool plain = (*type)->is_class && !(*type)->doubtful && !(*type)->decorated && all_members_known(**type);
      return plain ? "type" : std::string_view();
    }
    const auto* named = value.get<Named>();
    if (named == nullptr || !named->name.starts_with(own)) return {};
    const auto name = std::string_view(named->name).substr(own.size());
    return std::find(std::begin(types), std::end(types), name) == std::end(types) ? std::string_view() : "type";
  }

  /// `X | Y` of types is of Python 3.10. Source: CPython 3.10 Doc/whatsnew/3.10.rst, PEP 604.
  void refuse_union(const Value& left, const Value& right) {
    constexpr int first_with_unions = 10;
    const auto& version = interpreter_.environment.version;
    const auto one = kind_in_union(left), other = kind_in_union(right);
    if (!version.starts_with("3.") || minor_of(version) >= first_with_unions || one.empty() || other.empty()) return;
    interpreter_.doubt.raise_if_certain(
        frame_, {"TypeError",
                 "unsupported operand type(s) for |: '" + std::string(one) + "' and '" + std::string(other) + "'"});
  }

  /// Whether it is refused for some types.
  static bool orders(Word word) {
    constexpr std::array never{Word::is, Word::is_not, Word::equal, Word::unequal};
    return std::find(never.begin(), never.end(), word) == never.end();
  }

  Value comparison(const Node& node) {
    auto left = value(node[0]);
    std::optional<bool> all = true;
    for (std::size_t i = 1; i + 1 < node.size(); i += 2) {
      const bool in = node[i].word() == Word::in || node[i].word() == Word::not_in;
      if (in && node[i + 1].is(NodeKind::attribute) && node[i + 1].text() == "__dict__")
        return own_name(value(node[i + 1][0]), left, node[i].word() == Word::in);
      auto right = value(node[i + 1]);
      if (orders(node[i].word()) && (left.unknown() || right.unknown())) interpreter_.doubt.may_raise("TypeError");
      auto one = compared_absent(node[i].word(), left, right);
      if (one)
        interpreter_.doubt.set_touched(false);
      else
        one = compared(node[i].word(), left, right);
      touch_if_other_kinds(left, right);
      if (one == false) return false;
      if (!one) all = std::nullopt;
      left = std::move(right);
    }
    return as_value(all);
  }

  /// The same text, where one may stand for bytes or a path, which equals no str.
  void touch_if_other_kinds(const Value& left, const Value& right) const {
    const auto *one = left.get<std::string>(), *other = right.get<std::string>();
    if (one != nullptr && other != nullptr && *one == *other)
      interpreter_.doubt.touch(left.is_no_str || right.is_no_str);
  }

  /// Of a name that is in no text: nothing that is not known contains it, or equals it.
  std::optional<bool> compared_absent(Word sign, const Value& left, const Value& right) const {
    const auto& absent = interpreter_.absent_names.asked_name();
    const auto* text = left.get<std::string>();
    if (absent.empty() || text == nullptr || *text != absent || right.get<std::string>() != nullptr)
      return std::nullopt;
    if (sign == Word::in || sign == Word::equal) return false;
    return sign == Word::not_in || sign == Word::unequal ? std::optional(true) : std::nullopt;
  }

  /// `name in self.__dict__`, where nothing else was done with that dictionary.
  static Value own_name(const Value& owner, const Value& name, bool wanted) {
    const auto* object = owner.get<ObjectRef>();
    const auto* word = name.get<std::string>();
    if (object == nullptr || word == nullptr || (*object)->names.contains("__dict__")) return Unknown{};
    return (*object)->names.contains(*word) == wanted;
  }

  std::optional<bool> compared(Word sign, const Value& left, const Value& right) {
    const bool by_identity = sign == Word::is || sign == Word::is_not;
    if (!by_identity) interpreter_.escapes.use(left, Escapes::Use::operation);
    if (!by_identity) interpreter_.escapes.use(right, Escapes::Use::operation);
    if (sign == Word::in || sign == Word::not_in) interpreter_.escapes.use(right, Escapes::Use::items);
    switch (sign) {
      case Word::equal: return equal(heap_, left, right);
      case Word::unequal: return negated(equal(heap_, left, right));
      case Word::is: return same(left, right);
      case Word::is_not: return negated(same(left, right));
      case Word::in: return found_in(right, left);
      case Word::not_in: return negated(found_in(right, left));
      default: break;
    }
    const auto *one = left.get<List>(), *other = right.get<List>();
    if (one != nullptr && other != nullptr && one->is_set && other->is_set) return compared_sets(sign, *one, *other);
    const auto order = compare(heap_, left, right);
    if (!order) return std::nullopt;
    if (sign == Word::less) return *order < 0;
    if (sign == Word::at_most) return *order <= 0;
    return sign == Word::greater ? *order > 0 : *order >= 0;
  }

  /// Whether one is a part of the other; with `<` and `>` not all of it.
  std::optional<bool> compared_sets(Word sign, const List& left, const List& right) {
    if (sign == Word::greater || sign == Word::at_least)
      return compared_sets(sign == Word::greater ? Word::less : Word::at_most, right, left);
    const auto part = is_subset(heap_, left, right);
    return part == true && sign == Word::less ? left.items->size() < right.items->size() : part;
  }

  std::optional<bool> same(const Value& left, const Value& right) {
    if ((is_of_pattern(left) || is_exception(left)) && right.get<None>() != nullptr) return false;
    if (is_builtin(left) ? is_followed(right) : is_builtin(right) && is_followed(left)) return false;
    for (const auto* value : {&left, &right})
      if (value->unknown() || value->is_named()) return std::nullopt;
    if (left.index() != right.index()) return false;
    if (const auto* dict = left.get<Dict>(); dict != nullptr && dict->items == right.get<Dict>()->items) return true;
    const auto* list = left.get<List>();
    if (list != nullptr && list->items == right.get<List>()->items) return true;
    const auto alike = equal(heap_, left, right);
    return list != nullptr && alike == true ? std::nullopt : alike;  // lists that code makes anew may be one
  }

  std::optional<bool> found_in(const Value& owner, const Value& item) {
    const auto* named = owner.get<Named>();
    const auto* word = item.get<std::string>();
    // Source: CPython 3.13 and 3.14, Objects/abstract.c, PySequence_Contains.
    constexpr int other_words_since = 14;
    const bool newer = minor_of(interpreter_.environment.version) >= other_words_since;
    interpreter_.doubt.refuse_none(frame_, owner,
                                   {"TypeError", std::string("argument of type 'NoneType' is not ") +
                                                     (newer ? "a container or " : "") + "iterable"});
    if (!owner.is_named()) return contains(heap_, owner, item);
    if (word == nullptr) return std::nullopt;
    if (const auto* module = owner.thing(ThingKind::globals)) return is_global(*module, *word);
    if (named == nullptr) return std::nullopt;
    if (named->name == "os.environ") {
      const bool is_set = interpreter_.host.variable(*word) != nullptr;
      return interpreter_.host.is_unsure_variable(*word) ? std::nullopt : std::optional(is_set);
    }
    if (named->name == "sys.modules") {
      const bool loaded = interpreter_.sys_modules.find_loaded(*word) != nullptr;
      interpreter_.doubt.touch(!loaded && interpreter_.sys_modules.may_be_loaded_unseen(*word));
      return loaded;
    }
    if (named->name == "sys.builtin_module_names" && (*word == "posix" || *word == "nt"))
      return (*word == "nt") == (interpreter_.environment.windows != nullptr);
    if (named->name == process_maps) {
      heap_.work(work_of_request);
      return interpreter_.loader.mapped && interpreter_.loader.mapped(*word);
    }
    return std::nullopt;
  }

  /// `or` stops at the first true operand, `and` at the first false one.
  Value connected(const Node& node, bool stops_at) {
    Value result;
    bool sure = true;
    for (std::size_t i = 0; i < node.size(); ++i) {
      if (!sure) {
        maybe(node[i]);
        continue;
      }
      result = value(node[i]);
      const auto holds = truth_of(result);
      if (holds == stops_at) return result;
      if (!holds && i + 1 < node.size()) sure = false;
    }
    return sure ? result : Value();
  }

  void maybe(const Node& node) { evaluate_maybe(interpreter_, frame_, node); }

  Value conditional(const Node& node) {
    const auto holds = truth_of(value(node[0]));
    if (holds) return value(node[*holds ? 1 : 2]);
    maybe(node[1]);
    maybe(node[2]);
    return Unknown{};
  }

  Value named(const Node& node) {
    auto result = value(node[1]);
    interpreter_.bindings.assign(frame_, node[0].text(), result);
    return result;
  }

  Value yield(const Node& node) {
    const auto given = node[0].there() ? value(node[0]) : Value(None{});
    frame_.may_have_yielded = frame_.may_have_yielded || frame_.maybe;
    if (frame_.yielded == nullptr || frame_.maybe) return Unknown{};
    if (node.word() != Word::from) {
      heap_.keep(given);
      if (frame_.yielded->size() < max_length) frame_.yielded->push_back(given);
      return Unknown{};
    }
    const auto more = interpreter_.calls.items_of(frame_, given);
    if (!more) frame_.maybe = frame_.own_maybe = true;
    if (more && more->in_doubt()) frame_.may_have_yielded = true;
    for (std::size_t i = 0; more && i < more->size() && frame_.yielded->size() < max_length; ++i) {
      heap_.keep((*more)[i]);
      frame_.yielded->push_back((*more)[i]);
    }
    return Unknown{};
  }

  /// Lists, sets, dictionaries and generators; nothing of them if one element is not known to be there.
  Value comprehension(const Node& node) {
    Frame inner = frame_;
    inner.scope = heap_.make<Scope>();
    inner.scope->outer = frame_.scope;
    inner.class_names = nullptr;
    const AtEnd leave([&] { interpreter_.heap.give_back(inner.scope); });
    // A generator is run as far as somebody asks it.
    if (node.word() == Word::open_round) inner.doubtful = true;
    ListItems items;
    const bool dict = node[0].is(NodeKind::pair), is_set = node.word() == Word::open_curly;
    const auto pairs = dict ? heap_.dict() : Dict();
    const auto take = [&] {
      Evaluator one(interpreter_, inner);
      if (dict) {
        const auto key = one.value(node[0][0]);
        pairs.items->put(heap_, key, one.element(node[0][1], pairs.items->holds_doubtful), false);
      } else {
        items.push_back(is_set ? one.value(node[0]) : one.element(node[0], items.holds_doubtful));
        heap_.keep(items.back());
      }
      return (dict ? pairs.items->size() : items.size()) < max_length;
    };
    if (!run_clauses(node, 1, inner, take, items.doubt)) return Unknown{};
    if (dict) {
      if (has(items.doubt, ListDoubt::may_lack)) pairs.items->clear(heap_, true);
      if (has(items.doubt, ListDoubt::may_hold_more)) pairs.items->doubt_more(heap_);
      return pairs;
    }
    if (is_set) items = {without_doubles(heap_, std::move(items)), items.doubt};
    return List{heap_.make(std::move(items)), is_set};
  }

  /// False if what the comprehension holds is not known.
  bool run_clauses(const Node& node, std::size_t i, Frame& inner, const std::function<bool()>& take, ListDoubt& doubt) {
    if (i == node.size()) return take();
    const auto clause = node[i];
    if (clause.word() == Word::async) return false;
    const auto iterable = i == 1 ? container(clause[1]) : Evaluator(interpreter_, inner).container(clause[1]);
    const auto all = interpreter_.calls.items_of(frame_, iterable);
    const bool all_known = all && all->size() <= max_comprehension;
    for (std::size_t k = 0; all_known && k < all->size(); ++k) {
      interpreter_.calls.count_steps(1);
      const auto holds = take_item(clause, inner, (*all)[k]);
      if (!holds && may_load(node)) run_clauses_maybe(node, i + 1, inner);
      if (!holds || (*holds && !run_clauses(node, i + 1, inner, take, doubt))) return false;
    }
    if ((!all_known || has(all->doubt, ListDoubt::may_hold_more)) && may_load(node))
      run_unsure(interpreter_, inner, [&] {
        if (take_item(clause, inner, Unknown{}) != false) run_clauses_maybe(node, i + 1, inner);
      });
    if (all_known) doubt = doubt | all->doubt;
    return all_known;
  }

  bool may_load(const Node& comprehension) {
    return frame_.source != nullptr &&
           interpreter_.calls.names_a_load(*frame_.module, *frame_.source, comprehension[0], 0);
  }

  /// Whether the conditions of a clause hold of an item.
  std::optional<bool> take_item(const Node& clause, Frame& inner, const Value& item) {
    interpreter_.bindings.assign_target(inner, clause[0], item);
    std::optional<bool> holds = true;
    for (std::size_t k = 2; k < clause.size() && holds == true; ++k)
      holds = truth_of(Evaluator(interpreter_, inner).value(clause[k]));
    return holds;
  }

  /// Of an item that may as well not be there: what is asked of the loader there is told.
  void run_clauses_maybe(const Node& node, std::size_t i, Frame& inner) {
    ListDoubt doubt = ListDoubt::none;
    const auto only_evaluate = [&] {
      Evaluator one(interpreter_, inner);
      const bool pair = node[0].is(NodeKind::pair);
      one.value(pair ? node[0][0] : node[0]);
      if (pair) one.value(node[0][1]);
      return true;
    };
    run_unsure(interpreter_, inner, [&] { run_clauses(node, i, inner, only_evaluate, doubt); });
  }

  Interpreter& interpreter_;
  Heap& heap_;
  Frame& frame_;
};

Value evaluate(Interpreter& interpreter, Frame& frame, const Node& expression) {
  return Evaluator(interpreter, frame).value(expression);
}

}  // namespace cudald::python
