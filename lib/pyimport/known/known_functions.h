#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pyimport/run/interpreter.h"

namespace cudald::python {

/// A call of a function whose effect is known without its source.
struct KnownCall {
  Interpreter& python;
  Frame& frame;
  const Arguments& arguments;
  std::string_view built_for = {};  ///< of a function of the table: see StandIn

  /// The argument at a position, or of a name; null if it is not given.
  const Value* argument(std::size_t position, std::string_view keyword = {}) const;
  /// The same if it is a text that is known.
  const std::string* text(std::size_t position, std::string_view keyword = {}) const;
  /// The items of an argument; nothing if they are not known.
  std::optional<ListItems> items(std::size_t position) const;
  /// Throws this TypeError if an argument surely is None, as a variable of the environment is that is not set.
  void refuse_none(std::size_t position, std::string message, std::string_view keyword = {}) const;
};

/// `name` with its module, and its class if it is a method: "importlib.util.find_spec"; what functions of several
/// packages do has a name in words, by which data/python-rules.json knows it. What the call cannot tell is Unknown; it
/// throws what Python would.
struct KnownFunction {
  std::string_view name;
  Value (*call)(const KnownCall&);
};

/// What Python says of None where a path belongs. Source: CPython 3.11 Modules/posixmodule.c, PyOS_FSPath.
inline constexpr const char* no_path = "expected str, bytes or os.PathLike object, not NoneType";

/// Whether there is a row of this name.
bool is_known_function(std::string_view name);

// The rows, by what the functions are about. A new function is a row and its lines there, nothing else.
std::span<const KnownFunction> known_builtins();
std::span<const KnownFunction> known_contexts();
std::span<const KnownFunction> known_decorators();
std::span<const KnownFunction> known_entry_points();
std::span<const KnownFunction> known_frames();
std::span<const KnownFunction> known_gpu();
std::span<const KnownFunction> known_imports();
std::span<const KnownFunction> known_libraries();
std::span<const KnownFunction> known_messages();
std::span<const KnownFunction> known_operators();
std::span<const KnownFunction> known_paths();
std::span<const KnownFunction> known_patterns();
std::span<const KnownFunction> known_system();
std::span<const KnownFunction> known_types();
std::span<const KnownFunction> known_versions();
/// A known function that has its first argument already.
Value partial(Heap&, std::string function, const std::string& argument);
/// What a pattern or a match has by this name.
Value pattern_attribute(Heap&, const Thing& owner, std::string_view name);
/// What a version has by this name.
Value version_attribute(Heap&, std::string_view text, std::string_view name);

/// A method of a text or path, or of a list or dictionary, whose own value comes with it.
struct KnownMethod {
  std::string_view name;
  Value (*call)(const KnownCall&, const Value& self);
};
std::span<const KnownMethod> text_methods();
std::span<const KnownMethod> path_methods();
std::span<const KnownMethod> list_methods();
std::span<const KnownMethod> dict_methods();

}  // namespace cudald::python
