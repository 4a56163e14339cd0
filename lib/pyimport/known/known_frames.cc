// Frames that run: who has one can bind names in the module that it is of, as zope.interface and anyio do.
// Source: CPython's reference of sys._getframe and of frame objects.

#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

/// Whether the code that asks for a frame reaches for the names of its module.
bool asks_for_globals(const KnownCall& call) {
  const auto* source = call.frame.source.get();
  if (source == nullptr || call.python.finder.in_standard_library(source->path())) return false;
  call.python.heap.look_at(source->size());
  return may_bind_for_callers(*source->text());
}

/// The frame that is this many calls up; null where one on the way may be hidden by what is not followed. The body of a
/// class is a frame as well.
const Frame* frame_above(const Frame& frame, long long calls) {
  const auto* at = &frame;
  for (; at != nullptr; at = at->caller, --calls) {
    if (at->class_names != nullptr || at->module == nullptr) return nullptr;
    if (calls == 0) return at;
    if (at->function == nullptr || at->function->is_wrapped) return nullptr;
  }
  return nullptr;
}

Value frame_of(const KnownCall& call, const Frame* frame) {
  if (!asks_for_globals(call)) return Unknown{};
  if (frame != nullptr) return Thing(ThingKind::frame, frame->module->name);
  call.python.bindings.doubt_running_modules();
  return Unknown{};
}

Value frame_above_caller(const KnownCall& call) {
  const auto* given = call.argument(0);
  const auto* calls = given == nullptr ? nullptr : given->get<long long>();
  if (given == nullptr) return frame_of(call, frame_above(call.frame, 0));
  return frame_of(call, calls == nullptr || *calls < 0 ? nullptr : frame_above(call.frame, *calls));
}

Value current_frame(const KnownCall& call) { return frame_of(call, frame_above(call.frame, 0)); }
Value all_frames(const KnownCall& call) { return frame_of(call, nullptr); }

constexpr KnownFunction rows[] = {
    {"sys._getframe", frame_above_caller}, {"inspect.currentframe", current_frame}, {"inspect.stack", all_frames}};

}  // namespace

std::span<const KnownFunction> known_frames() { return rows; }

Value Bindings::attribute_of_frame(const std::string& module, std::string_view name) {
  if (name == "f_globals") return Thing(ThingKind::globals, module);
  if (name == "f_back") doubt_running_modules();
  return Unknown{};
}

void Bindings::doubt_running_modules() {
  heap_.work(python_.sys_modules.modules().size());
  for (auto& [name, module] : python_.sys_modules.modules())
    if (!module->complete) module->doubtful = true;
}

}  // namespace cudald::python
