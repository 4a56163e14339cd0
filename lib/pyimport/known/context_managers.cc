#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

/// The path itself, as packages lie in folders. Source: CPython 3.11 Lib/importlib/resources/_common.py, as_file.
Value resource_as_file(const KnownCall& call) {
  const auto* path = call.text(0);
  return path == nullptr ? Value() : Value(Thing(ThingKind::context, *path));
}

Value make_exit_stack(const KnownCall&) { return Named{std::string(exit_stack)}; }

constexpr KnownFunction context_rows[] = {{"importlib.resources.as_file", resource_as_file},
                                          {"contextlib.ExitStack", make_exit_stack}};

}  // namespace

std::span<const KnownFunction> known_contexts() { return context_rows; }

}  // namespace cudald::python
