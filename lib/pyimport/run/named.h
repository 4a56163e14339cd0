#pragma once

#include <string_view>

namespace cudald::python {

/// The name of a Named: the class of the exception that is being handled.
inline constexpr std::string_view type_of_exception = "builtins.type of exception";
/// Under what an instance of a class that is derived from str keeps its text.
inline constexpr std::string_view text_of_instance = "text of the instance";
/// What functools.partial makes: an object with `func`, `args` and `keywords`.
inline constexpr std::string_view partial_object = "functools.partial";
/// What super() gives, of which the base class has the names that are asked for; and under what it keeps the instance.
inline constexpr std::string_view super_object = "builtins.super", self_of_super = "the instance";
/// A Named of /proc/self/maps, open, and of its text.
inline constexpr std::string_view process_maps_file = "process maps file", process_maps = "process maps";
/// A Named of a contextlib.ExitStack.
inline constexpr std::string_view exit_stack = "contextlib.ExitStack()";
inline constexpr std::string_view of_distribution = "importlib.metadata.Distribution";

}  // namespace cudald::python
