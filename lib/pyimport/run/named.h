#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pyimport/values/value.h"

namespace cudald::python {

/// The name of a Named: the class of the exception that is being handled.
inline constexpr std::string_view type_of_exception = "builtins.type of exception";
/// Under what an instance of a class that is derived from str keeps its text.
inline constexpr std::string_view text_of_instance = "text of the instance";
/// What functools.partial makes: an object with `func`, `args` and `keywords`.
inline constexpr std::string_view partial_object = "functools.partial";
/// What super() gives, of which the base class has the names that are asked for; and under what it keeps the instance.
inline constexpr std::string_view super_object = "builtins.super", self_of_super = "the instance";
/// What a Named of an open text file begins with, before its path in the tree.
inline constexpr std::string_view text_file = "text file ";
/// The same of a library that ctypes has opened, before the name it was opened by.
inline constexpr std::string_view library_handle = "ctypes handle of ";
/// A Named of /proc/self/maps, open, and of its text.
inline constexpr std::string_view process_maps_file = "process maps file", process_maps = "process maps";
/// A Named of a contextlib.ExitStack.
inline constexpr std::string_view exit_stack = "contextlib.ExitStack()";
/// What a Named of globals() begins with, before the module's name, and one of a frame that runs there.
inline constexpr std::string_view globals_of = "globals of ", frame_in = "frame in ";
/// What globals() gives in a module.
inline Named globals_in(std::string_view module) { return Named{std::string(globals_of) + std::string(module)}; }
/// The module of what globals() gives, by the name of a Named; nullopt of any other.
inline std::optional<std::string> module_of_globals(std::string_view named) {
  return named.starts_with(globals_of) ? std::optional<std::string>(named.substr(globals_of.size())) : std::nullopt;
}
inline std::optional<std::string> module_if_globals(const Value& value) {
  const auto* named = value.get<Named>();
  return named == nullptr ? std::nullopt : module_of_globals(named->name);
}
inline constexpr std::string_view of_distribution = "importlib.metadata.Distribution";

}  // namespace cudald::python
