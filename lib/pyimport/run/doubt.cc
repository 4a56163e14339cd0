// What is known and proves nothing, as code that was not followed may have changed it. An exception ends the import
// only where nothing before it is in doubt.

#include <algorithm>
#include <cctype>

#include "base/trimmed.h"
#include "pyimport/run/builtin_names.h"
#include "pyimport/run/interpreter.h"
#include "pyimport/syntax/string_literal.h"

namespace cudald::python {

void Doubt::doubt_targets(Frame& frame, const Node& target) {
  heap_.work(1);
  if (target.is(NodeKind::name)) {
    auto& names = python_.bindings.names_for(frame, target.text());
    const auto at = names.find(target.text());
    if (at != names.end())
      at->second.doubtful = true;
    else
      names.emplace(target.text(), Unknown{});
  } else if (target.is(NodeKind::attribute) || target.is(NodeKind::subscript)) {
    if (!target[0].is(NodeKind::name)) return;
    const auto owner = known_name(frame, target[0].text());
    const auto* object = target.is(NodeKind::attribute) ? owner.get<ObjectRef>() : nullptr;
    object != nullptr ? doubt_attribute(**object, target.text()) : python_.escapes.escape(owner);
  } else {
    for (const auto part : target) doubt_targets(frame, part);
  }
}

/// Whatever else the object holds stays as it is; to walk through that each time costs more than all the rest where
/// objects hold one another, as descriptors of protobuf do.
void Doubt::doubt_attribute(Object& object, std::string_view name) {
  const auto at = object.names.find(name);
  if (at != object.names.end()) {
    at->second.doubtful = true;
    return;
  }
  heap_.keep(sizeof(Value) + name.size());
  object.names.emplace(std::string(name), Unknown{});
}

/// What a name holds, without a look at what asking for it would do.
Value Doubt::known_name(const Frame& frame, std::string_view name) const {
  if (frame.class_names != nullptr)
    if (const auto at = frame.class_names->find(name); at != frame.class_names->end()) return at->second;
  for (auto* scope = frame.scope.get(); scope != nullptr; scope = scope->outer.get())
    if (const auto at = scope->names.find(name); at != scope->names.end()) return at->second;
  const auto at = frame.module->names.find(name);
  return at == frame.module->names.end() ? Value() : at->second;
}

void Doubt::doubt_effects(Frame& frame, const Node& node) {
  heap_.work(1);
  switch (node.kind()) {
    case NodeKind::assignment:
      for (std::size_t i = 1; i < node.size(); ++i) doubt_targets(frame, node[i]);
      break;
    case NodeKind::augmented:
    case NodeKind::annotated: doubt_targets(frame, node[0]); break;
    case NodeKind::for_:
    case NodeKind::delete_:
    case NodeKind::named: doubt_targets(frame, node[0]); break;
    case NodeKind::item: doubt_targets(frame, node[1]); break;
    case NodeKind::import:
      for (const auto one : node) {
        const auto name = plain_dotted_name(one[0]);
        if (!one[1].there()) doubt_name(frame, std::string_view(name).substr(0, name.find('.')));
        if (one[1].there()) doubt_name(frame, one[1].text());
      }
      return;
    case NodeKind::from_import:
      for (std::size_t i = 1; i < node.size(); ++i) {
        if (node[i][0].text() == "*") frame.module->names_lost = frame.module->takes_unseen = true;
        doubt_name(frame, node[i][1].there() ? node[i][1].text() : node[i][0].text());
      }
      return;
    case NodeKind::class_:
    case NodeKind::function:
      if (node[0].there()) doubt_name(frame, node[0].text());
      return;
    case NodeKind::call: {
      // Of a method the owner, of a function what it mentions.
      const auto owner = node[0].is(NodeKind::attribute) ? node[0][0] : node[0];
      if (!owner.is(NodeKind::name)) break;
      const auto value = known_name(frame, owner.text());
      if (value.get<ModuleName>() == nullptr) python_.escapes.escape(value);
      break;
    }
    default: break;
  }
  for (const auto part : node) doubt_effects(frame, part);
}

void Doubt::doubt_name(Frame& frame, std::string_view name) {
  auto& names = python_.bindings.names_for(frame, name);
  const auto at = names.find(name);
  if (at != names.end())
    at->second.doubtful = true;
  else
    names.emplace(name, Unknown{});
}

/// That a call which is not followed raises something would be caught as well, and lead elsewhere. Of the standard
/// library little is followed, and it does not fail of its own accord.
bool Doubt::is_certain(const Frame& frame) const {
  if (frame.source == nullptr || finder_.in_standard_library(frame.source->path())) return false;
  if (frame.maybe || frame.doubtful || frame.may_be_left_out || frame.may_have_returned || doubtful_ways_ > 0 ||
      unsure_catchers_ > 0)
    return false;
  return !python_.handlers.may_be_left();
}

void Doubt::may_raise(std::string_view kind) {
  if (!kind.empty() && python_.handlers.caught(kind)) note_possible_raise();
}

void Doubt::raise_if_certain(const Frame& frame, PythonError error) {
  if (touched_ || !is_certain(frame)) return may_raise(error.kind);
  error.at = frame.source->path() + ":" + std::to_string(frame.line);
  throw error;
}

namespace {

/// What the type of a value is called that is written there or known; empty where it may be of another one.
std::string_view name_of_type(const Value& value, const Node& written) {
  if (value.get<None>() != nullptr) return "NoneType";
  if (value.get<bool>() != nullptr) return "bool";
  if (value.get<long long>() != nullptr) return "int";
  if (value.get<Dict>() != nullptr && written.is(NodeKind::dict)) return "dict";
  if (written.is(NodeKind::tuple)) return "tuple";
  if (written.is(NodeKind::list)) return "list";
  const bool text =
      written.is(NodeKind::text) || (written.is(NodeKind::literal) && !open_literal(written.text()).bytes);
  return text ? "str" : std::string_view();
}

}  // namespace

void Doubt::refuse_none(const Frame& frame, const Value& value, PythonError error) {
  const auto* none = value.get<None>();
  if (none == nullptr || value.doubtful) return;
  error.variable = none->variable;
  raise_if_certain(frame, std::move(error));
}

/// Nothing is added to None, and it is no format: what a docstring is under python -OO, and a variable of the
/// environment that is not set.
void Doubt::refuse_operand(const Frame& frame, std::string_view sign, const Value& left, const Value& right,
                           const Node& of_right) {
  if (const auto type = name_of_type(right, of_right); !type.empty())
    refuse_none(frame, left,
                {"TypeError", "unsupported operand type(s) for " + std::string(sign) + ": 'NoneType' and '" +
                                  std::string(type) + "'"});
  const bool is_text = left.get<std::string>() != nullptr && !left.doubtful && !left.is_no_str;
  if (is_text && sign.starts_with('+'))
    refuse_none(frame, right, {"TypeError", "can only concatenate str (not \"NoneType\") to str"});
}

/// `os.environ[name]`.
PythonError Doubt::lacks_variable(const Frame& frame, const std::string& name) const {
  PythonError error{"KeyError", "'" + name + "'"};
  if (frame.source != nullptr) error.at = frame.source->path() + ":" + std::to_string(frame.line);
  error.variable = name;
  return error;
}

namespace {

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }

/// Whether a name that stands alone there in a line is only used: `logger.info`, `helper(x)`, `table[0]`, and none of
/// the words that bind it stand before it.
bool is_use(std::string_view line, std::size_t begin, std::size_t end) {
  constexpr std::string_view uses = ".([", binding[] = {"def", "class", "as", "global", "nonlocal", "del", "for"};
  if (end >= line.size() || uses.find(line[end]) == std::string_view::npos) return false;
  const auto before = trimmed(line.substr(0, begin));
  if (before.starts_with("import") || before.find(" import") != std::string_view::npos) return false;
  return std::none_of(std::begin(binding), std::end(binding), [&](std::string_view word) {
    return before.ends_with(word) &&
           (before.size() == word.size() || !is_of_word(before[before.size() - word.size() - 1]));
  });
}

/// Whether nothing in a source can have bound a name of its module up to a line: as the text has it, the name is used
/// in other places, and bound by statements at the left margin behind that line alone.
bool is_bound_behind(std::string_view text, std::string_view name, std::uint32_t line) {
  bool bound = false;
  std::uint32_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto one = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
    begin += one.size() + 1;
    ++number;
    for (auto at = one.find(name); at != std::string_view::npos; at = one.find(name, at + 1)) {
      const auto end = at + name.size();
      if ((at > 0 && (is_of_word(one[at - 1]) || one[at - 1] == '.')) || (end < one.size() && is_of_word(one[end])))
        continue;
      const bool is_behind = number > line && is_of_word(one.front());
      bound |= is_behind && (at == 0 || !is_use(one, at, end));
      if (!is_behind && !is_use(one, at, end)) return false;
    }
  }
  return bound;
}

}  // namespace

/// A function that is called while its module runs, and asks for a name that the module binds further down.
bool Doubt::is_called_too_early(const Frame& frame, std::string_view name) const {
  const auto& module = *frame.module;
  if (frame.function == nullptr || frame.scope == nullptr || module.complete || module.line == 0) return false;
  const auto text = module.source->text();
  heap_.look_at(text->size());
  return is_bound_behind(*text, name, module.line);
}

/// What Python's own names are not, and nothing binds, is not defined. Where statements of the module itself run, and
/// in a function that it calls before it binds the name: other functions may bind a name later.
void Doubt::raise_if_unbound(const Frame& frame, std::string_view name) {
  const auto& module = *frame.module;
  const bool of_module = !frame.in_function && frame.scope == nullptr;
  if (hidden_names_ > 0 || name == "_" || name.starts_with("__")) return;
  if (module.source == nullptr || frame.source != module.source || module.opaque || module.doubtful) return;
  if (module.bound_unseen.contains(name)) return;
  if (!module.names_known() || (is_builtin_name(name) && !python_.import_statements.lacks_builtin(name)) ||
      !module.source->complete() || finder_.is_library_not_at_hand("os"))
    return;
  const auto* builtins = python_.sys_modules.modules().contains("builtins")
                             ? python_.sys_modules.modules().find("builtins")->second.get()
                             : nullptr;
  if (builtins != nullptr && builtins->names.contains(name)) return;
  if (python_.compiled_files.may_be_bound_by_compiled_code(module, name)) return;
  if (!of_module && !is_called_too_early(frame, name)) return;
  PythonError error{"NameError", "name '" + std::string(name) + "' is not defined"};
  if (python_.import_statements.lacks_builtin(name))
    error.lacked =
        std::make_shared<LackedName>(LackedName{std::string(name), "builtins", "", frame.source->path(), frame.line});
  raise_if_certain(frame, std::move(error));
}

Doubt::Outside Doubt::enter_module() {
  return {opaque_calls_, std::exchange(opaque_calls_before_, opaque_calls_), possible_raises_,
          std::exchange(touched_, false), std::exchange(hidden_names_, 0)};
}

void Doubt::leave_module(const Outside& outside, bool of_standard_library) {
  imports_unseen_ |= opaque_calls_ != opaque_calls_before_ && !of_standard_library;
  opaque_calls_ = outside.opaque_calls;
  opaque_calls_before_ = outside.opaque_calls_before;
  possible_raises_ = outside.possible_raises;
  touched_ = outside.touched;
  hidden_names_ = outside.hidden_names;
}

}  // namespace cudald::python
