#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pyimport/sources/source.h"
#include "pyimport/values/name_table.h"

namespace cudald::python {

struct Value;
struct Scope;
struct Function;

struct Unknown {};
struct None {
  std::string variable;  ///< of the environment, which code asked for and which is not set; empty: it is from elsewhere
};
struct ListItems;
struct List {
  std::shared_ptr<ListItems> items;
  bool is_set = false;  ///< then nothing that is known is in it twice
};  ///< list, tuple, set
class DictItems;
struct Dict {
  std::shared_ptr<DictItems> items;
};
struct ModuleName {
  std::string name;
};
/// Something known by its name only: "os.environ", an exception, an attribute of a module without source.
struct Named {
  std::string name;
};

/// Things of which one text says all that is known.
enum class ThingKind : std::uint8_t {
  globals,       ///< what globals() gives in a module, by its name
  frame,         ///< one that runs in a module, by its name
  module_spec,   ///< of a module, by its name
  text_file,     ///< open, by its path in the tree
  library,       ///< that ctypes has opened, by the name it was opened by; "" is the program
  context,       ///< of a `with` statement that binds this text
  float_number,  ///< by the text that Python writes for it: nobody computes with it, but lists of releases have some
  version,       ///< of `packaging`, by its text
  pattern,       ///< a regular expression, by its text
  match,         ///< of one, by both texts: see known_patterns.cc
};
struct Thing {
  Thing(ThingKind of, std::string given) : kind(of), text(std::make_shared<const std::string>(std::move(given))) {}
  ThingKind kind;
  std::shared_ptr<const std::string> text;
};

/// A text that is too long to be copied with each value that has it.
struct LongText {
  explicit LongText(std::string given) {
    given.shrink_to_fit();
    text = std::make_shared<const std::string>(std::move(given));
  }
  std::shared_ptr<const std::string> text;
};

struct Object;
/// A class, or an instance of one.
using ObjectRef = std::shared_ptr<Object>;
struct Method {
  std::shared_ptr<const Function> function;
  ObjectRef self;
};

/// What calling a generator function gives: nothing of its body has run yet.
struct Generator {
  std::shared_ptr<const Function> function;
  std::shared_ptr<Scope> scope;  ///< its arguments
};

struct Value : std::variant<Unknown, None, bool, long long, std::string, LongText, List, Dict, ModuleName, Named, Thing,
                            std::shared_ptr<const Function>, ObjectRef, Method, Generator> {
  using variant::variant;
  static constexpr std::size_t long_text = 256;
  Value(std::string text) {
    if (text.size() < long_text)
      emplace<std::string>(std::move(text));
    else
      emplace<LongText>(std::move(text));
  }
  /// Texts of any length are got as std::string.
  template <typename T>
  const T* get() const {
    const variant& held = *this;
    if constexpr (std::is_same_v<T, std::string>)
      if (const auto* shared = std::get_if<LongText>(&held)) return shared->text.get();
    return std::get_if<T>(&held);
  }
  bool unknown() const { return get<Unknown>() != nullptr; }
  /// The text of a thing of this kind; null of any other value.
  const std::string* thing(ThingKind kind) const {
    const auto* held = get<Thing>();
    return held != nullptr && held->kind == kind ? held->text.get() : nullptr;
  }
  /// Neither code nor a value that code has made: a name, or a thing.
  bool is_named() const { return get<Named>() != nullptr || get<Thing>() != nullptr; }
  /// What is known of it comes from code that was not followed in all parts: it is used, but proves nothing.
  bool doubtful = false;
  /// A text that may stand for a path or for bytes, which equal no str.
  bool is_no_str = false;
};

/// What code has done to a list that may as well not have run, or did it with what is not known; it is left undone.
/// `may_lack`: what it holds, or holds it elsewhere.
enum class ListDoubt : std::uint8_t {
  none,
  may_hold_more = 1,
  may_lack = 2,
  may_hold_other = may_hold_more | may_lack
};
constexpr ListDoubt operator|(ListDoubt a, ListDoubt b) {
  return static_cast<ListDoubt>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool has(ListDoubt doubt, ListDoubt part) { return (doubt | part) == doubt; }

struct ListItems : std::vector<Value> {
  using std::vector<Value>::vector;
  ListItems(std::vector<Value> items, ListDoubt of_them = ListDoubt::none)
      : std::vector<Value>(std::move(items)), doubt(of_them) {}
  bool in_doubt() const { return doubt != ListDoubt::none; }
  /// For what has come from there, or was done to it.
  void take_doubt(ListDoubt other) { doubt = doubt | other; }

  ListDoubt doubt = ListDoubt::none;
  bool doubtful = false;        ///< code that is not followed may have changed it; as Value::doubtful
  bool holds_doubtful = false;  ///< which elements it has is known, and some of them are doubtful
};

using Names = NameTable<Value>;

/// The local names of a function with those of the functions around it.
struct Scope {
  Names names;
  std::shared_ptr<Scope> outer;
  std::uint64_t kept = 0;  ///< bytes that were counted for its names
};

/// A function or a lambda.
struct Function {
  std::shared_ptr<const Source> source;
  Node node;
  std::string_view module, qualifier;  ///< "ctypes", and of a method "LibraryLoader."; the interpreter keeps both
  std::shared_ptr<Scope> scope;
  std::vector<Value> defaults;  ///< of its parameters that have one, computed when it was defined
  enum class Binding { instance, type, none, property } binding = Binding::instance;  ///< what it is called with
  mutable bool is_followed = false;           ///< no rule and no table has its name
  mutable bool is_wrapped = false;            ///< a decorator has taken it of which the result is not known
  mutable std::shared_ptr<Names> names = {};  ///< its attributes; few have any
  /// Of one that keeps its results: the arguments of a call, as a list, and behind them what it gave; null of others.
  std::shared_ptr<ListItems> results = {};

  /// "ctypes.LibraryLoader.LoadLibrary"
  std::string full_name() const;
};

struct Object {
  std::string name;  ///< "ctypes.CDLL"
  bool is_class = true;
  Names names;
  std::vector<Value> bases;  ///< of a class; for an instance its class alone
  bool doubtful = false;     ///< as ListItems::doubtful
  bool decorated = false;    ///< by what is not followed, and may have given it a comparison, as dataclasses do
  bool has_no_hash = false;  ///< of a class: its instances have none, as those of a dataclass that can change
  bool metaclass_known = false;
  ObjectRef metaclass = {};  ///< the class of a class, where that is known; null if it is `type`
};

}  // namespace cudald::python
