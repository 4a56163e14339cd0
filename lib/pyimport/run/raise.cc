#include <algorithm>

#include "base/trimmed.h"
#include "pyimport/run/builtin_names.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

bool makes_system_error(const Node& node) {
  return node.is(NodeKind::call) && dotted_text(node[0]).ends_with("WinError");
}

/// What a text says behind "pip install ", to the end of its line.
std::string advised(std::string_view text) {
  constexpr std::string_view command = "pip install ";
  constexpr std::size_t longest = 200;
  const auto at = text.find(command);
  if (at == std::string_view::npos) return "";
  text = text.substr(at + command.size(), longest);
  return std::string(text.substr(0, text.find_first_of("\n`")));
}

/// What was raised first where an exception is raised while another one is handled.
std::string first_of(const PythonError& handled) {
  return handled.before.empty() ? handled.kind + ": " + handled.message : handled.before;
}

}  // namespace

/// Whether a class is derived from classes that are followed, and from Python's own exceptions.
bool is_known_exception(const Object& type) {
  bool known = true, is_exception = false;
  visit_classes(type, [&](const Object& one) {
    for (const auto& base : one.bases) {
      const auto* named = base.get<Named>();
      const bool own = named != nullptr && named->name.starts_with("builtins.") &&
                       is_builtin_name(std::string_view(named->name).substr(9));
      is_exception |= own && is_builtin_exception(std::string_view(named->name).substr(9));
      known = known && (own || base.get<ObjectRef>() != nullptr);
    }
    return known;
  });
  return known && is_exception;
}

/// What Windows said of a load, made an exception by ctypes.WinError.
std::optional<PythonError> RaiseStatements::raised_system_error(Frame& frame, const Node& statement) {
  const bool made_here = makes_system_error(statement[0]);
  if (environment_.windows == nullptr || frame.maybe || !(made_here || statement[0].is(NodeKind::name)))
    return std::nullopt;
  const auto value = evaluate(python_, frame, statement[0]);
  const auto* error = value.get<ObjectRef>();
  if (error == nullptr || (*error)->is_class || (*error)->name != "OSError") return std::nullopt;
  const auto code = python_.bindings.member(**error, "winerror"), said = python_.bindings.member(**error, "strerror");
  const auto* number = code ? code->get<long long>() : nullptr;
  const auto* text = said ? said->get<std::string>() : nullptr;
  return PythonError{
      "OSError", "[WinError " + std::to_string(number == nullptr ? 0 : *number) + "] " + (text == nullptr ? "" : *text),
      "", python_.requests.last_failure()};
}

std::optional<std::string> RaiseStatements::message_of(const Value& value) const {
  const auto* named = value.get<Named>();
  if (named == nullptr || named->name != "exception" || python_.handlers.handled() == nullptr) return std::nullopt;
  const auto& message = python_.handlers.handled()->error.message;
  return message.empty() ? std::nullopt : std::optional(message);
}

namespace {

/// Whether a text says that what it names was there once.
bool tells_of_removal(std::string_view text) {
  constexpr std::string_view words[] = {"removed", "no longer", "renamed", "deprecated", "expired", "not available"};
  return std::any_of(std::begin(words), std::end(words),
                     [&](auto word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

/// The text that an exception is made with, as far as it is known.
void RaiseStatements::take_text(Frame& frame, const Node& exception, PythonError& error) {
  if (!exception.is(NodeKind::call) || exception.size() < 2) return;
  const auto text = evaluate(python_, frame, exception[1]);
  error.message = first_line(text);
  const auto* said = text.get<std::string>();
  if (said == nullptr) return;
  error.shortened = trimmed(*said) != trimmed(error.message);
  error.advice = advised(*said);
  error.says_gone = tells_of_removal(*said);
}

/// The text that a class makes with a `__str__` of its own, as those do that add where to read more.
void RaiseStatements::take_own_text(Frame& frame, const Object& type, const Node& exception, PythonError& error) {
  const auto held = python_.bindings.member(type, "__str__");
  const auto* function = held ? held->get<std::shared_ptr<const Function>>() : nullptr;
  if (!error.message.empty() || function == nullptr || !exception.is(NodeKind::call) || frame.maybe || frame.doubtful)
    return;
  const auto instance = evaluate(python_, frame, exception);
  if (instance.get<ObjectRef>() == nullptr) return;
  const auto text = python_.calls.call_function(frame, *function, {}, &instance);
  const auto* said = text.get<std::string>();
  if (said == nullptr || text.doubtful) return;
  error.message = first_line(text);
  error.shortened = trimmed(*said) != trimmed(error.message);
}

void RaiseStatements::tell_class(Frame& frame, const ObjectRef& type, const Node& exception, PythonError& error) {
  const auto held = type;  // it may be bound anew
  error.type = held->name;
  tell_classes(*held, error);
  take_own_text(frame, *held, exception, error);
}

/// The first line of a text that says something.
std::string RaiseStatements::first_line(const Value& value) {
  const auto* said = value.get<std::string>();
  // A long text begins with an empty line, or with a rule drawn above it.
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto letter = said == nullptr ? std::string::npos : said->find_first_of(letters);
  if (letter == std::string::npos) return "";
  const auto before = said->rfind('\n', letter), begin = before == std::string::npos ? 0 : before + 1;
  return std::string(trimmed(std::string_view(*said).substr(begin, said->find('\n', letter) - begin)));
}

/// Of an error that ends the import of a module: where its code lacks a name after it was taken not to raise, it did.
PythonError RaiseStatements::without_doubt(const PythonError& error) {
  if (!doubted_ || doubted_->first <= python_.importer.depth()) return error;
  const auto raised = std::move(doubted_->second);
  doubted_.reset();
  const bool lacks_name = error.kind == "ImportError" && error.causes.empty() && error.module.empty();
  return lacks_name && !python_.handlers.caught_for_all(error.kind) ? raised : error;
}

/// The classes that one is derived from; where one of them makes the text, it is not known.
void RaiseStatements::tell_classes(const Object& type, PythonError& error) {
  visit_classes(type, [&](const Object& one) {
    heap_.work(4 + one.bases.size());
    if (&one != &type) error.bases.push_back(one.name.substr(one.name.rfind('.') + 1));
    for (const auto& base : one.bases)
      if (const auto* named = base.get<Named>()) error.bases.push_back(named->name.substr(named->name.rfind('.') + 1));
    if (one.names.contains("__init__") || one.names.contains("__str__") || one.names.contains("__new__"))
      error.message.clear();
    return true;
  });
}

/// What counted only since a handler was there to catch it counts no more where that raises it again and nobody else
/// catches it.
void RaiseStatements::raise_again(const Frame& frame, const PythonError& error) {
  if (!error.assumed || python_.handlers.caught_for_all(error)) throw PythonError(error);
  if (!frame.maybe && !doubted_) doubted_.emplace(python_.importer.depth(), error);
}

/// `raise last`, `raise errors[0]`: what a handler has kept for later. Of several it is the last one.
bool RaiseStatements::raises_kept(Frame& frame, const Node& exception) {
  if (!named_error_ || exception.is(NodeKind::attribute)) return false;
  const auto value = exception.is(NodeKind::name) ? python_.doubt.known_name(frame, exception.text())
                                                  : evaluate(python_, frame, exception);
  const auto* named = value.get<Named>();
  if (named == nullptr || named->name != "exception") return false;
  if (!named_error_->causes.empty() || python_.doubt.is_certain(frame)) raise_again(frame, *named_error_);
  return true;
}

/// An exception that nobody is ready to catch ends the import if nothing that leads to it is in doubt. Else the way to
/// it was more likely not followed rightly, so it only ends the function; unless it passes on a failure that was found.
void RaiseStatements::run(Frame& frame, const Node& statement) {
  const auto exception = statement[0];
  const bool is_call = exception.is(NodeKind::call);
  auto kind = dotted_text(is_call ? exception[0] : exception);
  if (const auto dot = kind.rfind('.'); dot != std::string::npos) kind = kind.substr(dot + 1);
  if (const auto* handled = python_.handlers.handled()) {
    const auto bound = kind.empty() ? Value(Named{"exception"}) : python_.doubt.known_name(frame, kind);
    const auto* named = bound.get<Named>();
    if (named != nullptr && named->name == "exception") return raise_again(frame, handled->error);
  }
  if (exception.there() && !is_call && raises_kept(frame, exception)) return;
  if (exception.there())
    if (const auto error = raised_system_error(frame, statement)) throw *error;
  // `raise "text"` is of Python 2. Source: CPython 3.11 Python/ceval.c, do_raise.
  if (exception.is(NodeKind::literal) || exception.is(NodeKind::text))
    python_.doubt.raise_if_certain(frame, {"TypeError", "exceptions must derive from BaseException"});
  PythonError error{kind.empty() ? "RuntimeError" : kind, ""};
  take_text(frame, exception, error);
  const auto bound = kind.empty() ? Value() : evaluate(python_, frame, is_call ? exception[0] : exception);
  const auto* type = bound.get<ObjectRef>();
  const auto* own = bound.get<Named>();
  if (own != nullptr && own->name == "builtins." + kind && (kind == "EnvironmentError" || kind == "IOError"))
    kind = error.kind = "OSError";  // the same class under other names
  if (type != nullptr && (*type)->is_class) tell_class(frame, *type, exception, error);
  error.unexplained = true;
  error.doubtful = frame.doubtful;
  error.at = frame.source->path() + ":" + std::to_string(statement.line());
  if (error.message.empty()) error.place = error.at;
  const auto* handled = python_.handlers.handled();
  const bool handles = handled != nullptr && handled->call_depth == python_.calls.depth() &&
                       handled->import_depth == python_.importer.depth();
  const bool passes_on = handles && !frame.maybe && !frame.may_be_left_out &&
                         (catches({"ImportError"}, handled->error.kind) || !handled->error.causes.empty() ||
                          handled->error.kind == "OSError");
  // So does what a function raises after the handler, or after it has looked for a library in vain.
  const bool reports = (!frame.caught_loads.empty() || frame.lacks_library) && frame.in_function && !frame.maybe &&
                       !handles && catches({"ImportError", "OSError"}, error.kind);
  if (reports) error.causes = frame.caught_loads;
  // What a module's own statements raise, behind conditions that are all known, is raised.
  const bool plain = !frame.in_function && !frame.maybe && !frame.may_be_left_out && frame.class_names == nullptr &&
                     python_.calls.depth() == 0 && catches({"ImportError", "OSError"}, error.kind) && !frame.doubtful;
  const bool known = type != nullptr
                         ? (*type)->is_class && is_known_exception(**type)
                         : own != nullptr && own->name.starts_with("builtins.") && is_builtin_exception(kind);
  if (passes_on && (!error.place.empty() || error.shortened)) error.before = first_of(handled->error);
  // So is what the __getattr__ of a module says of a name that is gone.
  const bool says_gone =
      python_.import_statements.asks_this_module() && !frame.maybe && error.kind.ends_with("ImportError");
  // A method that raises it is there for others to be called in its place, by rules that are not followed.
  const bool is_abstract = kind == "NotImplementedError" && frame.in_function;
  // A module's object that is asked for a name in no text: what it calls before may raise as well, and gives none.
  const bool refuses = !python_.absent_names.asked_name().empty() && !frame.maybe && !frame.doubtful &&
                       !frame.may_be_left_out && !frame.may_have_returned;
  const bool surely = passes_on || reports || plain || says_gone || refuses ||
                      (known && !is_abstract && python_.doubt.is_certain(frame));
  error.assumed = !surely;
  if (surely || python_.handlers.caught_for_all(error)) throw error;
  if (!frame.maybe && !doubted_) doubted_.emplace(python_.importer.depth(), std::move(error));
}

void RaiseStatements::forget_doubted(int import_depth) {
  if (doubted_ && doubted_->first > import_depth) doubted_.reset();
}

}  // namespace cudald::python
