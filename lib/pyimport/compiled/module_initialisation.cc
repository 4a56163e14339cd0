#include "pyimport/compiled/module_initialisation.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <cudald/image.h>

#include "base/lone_names.h"
#include "binary/machine_code/function_code.h"
#include "pyimport/compiled/call_arguments.h"

namespace cudald::python {
namespace {

using StepKind = CodeStep::Kind;
using Steps = std::vector<CodeStep>;

/// What is called at once is followed first; what is far away from there runs under conditions.
constexpr std::size_t most_functions = 1500;
constexpr std::uint64_t size_of_function = 128;
/// What the code of a module's body calls for a `try` or an `if`, and in no other case.
/// Source: Cython 3.2, Cython/Utility/Exceptions.c, and Cython/Compiler/Nodes.py, TryExceptStatNode, IfClauseNode.
bool is_of_condition(std::string_view function) {
  constexpr std::array<std::string_view, 7> functions{
      "PyObject_IsTrue",           "_PyThreadState_UncheckedGet", "PyThreadState_GetUnchecked", "PyErr_GetExcInfo",
      "PyErr_GetHandledException", "PyErr_GivenExceptionMatches", "PyException_SetTraceback"};
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

/// import_array() of NumPy's headers prints an exception and raises another one.
bool prints_exception(std::string_view function) { return function == "PyErr_Print" || function == "PyErr_PrintEx"; }

/// What code calls that goes on after an exception: without it a failed import ends the initialisation, be it by a
/// SystemError. Source: CPython 3.11 Objects/call.c, _Py_CheckFunctionResult; Python/importdl.c.
bool takes_exception(std::string_view function) {
  constexpr std::array<std::string_view, 8> functions{
      "PyErr_Clear",   "PyErr_ExceptionMatches",   "PyErr_GivenExceptionMatches", "PyErr_Fetch",
      "PyErr_Restore", "PyErr_GetRaisedException", "PyErr_SetRaisedException",    "PyErr_WriteUnraisable"};
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

class Initialisation {
 public:
  Initialisation(const FunctionCode& code, Budget& budget) : code_(code), budget_(budget) {}

  /// With all that it calls directly, or alone.
  bool follow(std::uint64_t init, bool alone = false) {
    init_ = code_.function_at(init);
    std::vector<std::uint64_t> waiting;
    if (init_) waiting.push_back(*init_);
    std::size_t i = 0;
    for (; i < waiting.size() && functions_.size() < most_functions; ++i) {
      const auto function = waiting[i];
      if (functions_.contains(function)) continue;
      auto steps = code_.steps(function);
      if (!budget_.keep(size_of_function + steps.size() * sizeof(CodeStep))) return false;
      const bool defines = function == init_ && gives_definition(steps);
      if (!alone) {
        for (const auto& step : steps) add_callees(step, defines, waiting);
        add_prerequisites(steps, waiting);
      }
      functions_.emplace(function, std::move(steps));
    }
    result_.all_followed = i == waiting.size();
    return !functions_.empty();
  }

  ModuleInitialisation take() {
    for (const auto& [function, steps] : functions_) {
      take_imports(function, steps);
      if (result_.strings.empty()) result_.strings = cython_table(code_, function, steps, budget_);
      result_.lengths += cython_lengths(code_, function, steps, budget_);
    }
    for (const auto& [function, steps] : functions_) {
      take_handed_on(steps);
      take_required(steps);
    }
    result_.gives_up = !takes_exceptions_ && result_.all_followed;
    if (prints_exceptions_ || !result_.gives_up) result_.imported_at_once.clear();
    result_.computes_names = !std::includes(handed_.begin(), handed_.end(), hand_on_.begin(), hand_on_.end());
    std::sort(result_.arguments.begin(), result_.arguments.end());
    result_.arguments.erase(std::unique(result_.arguments.begin(), result_.arguments.end()), result_.arguments.end());
    return std::move(result_);
  }

 private:
  void add(std::optional<std::uint64_t> address, std::vector<std::uint64_t>& waiting) const {
    const auto function = address ? code_.function_at(*address) : std::nullopt;
    if (function && !functions_.contains(*function)) waiting.push_back(*function);
  }

  /// Whether it gives back a definition that Python makes the module of, by its own call or by that of what it calls.
  bool gives_definition(const Steps& steps) const {
    const auto calls = [](const Steps& some) {
      return std::any_of(some.begin(), some.end(), [](const CodeStep& step) {
        return step.kind == StepKind::imported && step.name == "PyModuleDef_Init";
      });
    };
    return calls(steps) || std::any_of(steps.begin(), steps.end(), [&](const CodeStep& step) {
             return step.kind == StepKind::call && calls(code_.steps(step.place));
           });
  }

  void add_callees(const CodeStep& step, bool defines, std::vector<std::uint64_t>& waiting) {
    if (step.kind == StepKind::call || step.kind == StepKind::branch) add(step.place, waiting);
    if (step.kind == StepKind::address) add_definition(step.place, waiting);
    // What PyInit_NAME takes the address of, it writes into the definition that it gives back. One that makes the
    // module itself may take those of the module's functions.
    if (!defines) return;
    if (step.kind == StepKind::address && code_.begins_function(step.place)) add(step.place, waiting);
    if (step.kind == StepKind::load)
      if (const auto pointer = code_.pointer_at(step.place); pointer && code_.begins_function(*pointer))
        add(pointer, waiting);
  }

  /// The functions for creating and executing a module, if its definition stands at this address.
  /// Source: CPython 3.11 Include/moduleobject.h, PyModuleDef and PyModuleDef_Slot.
  void add_definition(std::uint64_t address, std::vector<std::uint64_t>& waiting) {
    constexpr std::uint64_t name_at = 40, slots_at = 72, size_of_slot = 16, most_slots = 12;
    constexpr std::uint32_t create = 1, execute = 2;
    const auto slots = code_.pointer_at(address + slots_at);
    if (!slots || !code_.pointer_at(address + name_at)) return;
    for (std::uint64_t i = 0; i < most_slots; ++i) {
      const auto slot = code_.number_at(*slots + i * size_of_slot).value_or(0);
      if (slot == 0) return;
      if (slot != create && slot != execute) continue;
      const auto function = code_.pointer_at(*slots + i * size_of_slot + 8);
      if (function) executes_.insert(*function);
      add(function, waiting);
    }
  }

  /// What each module of a group calls first, through the capsule of that name, when mypyc compiled them.
  void add_prerequisites(const Steps& steps, std::vector<std::uint64_t>& waiting) const {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::imported || steps[i].name != "PyCapsule_New") continue;
      const auto name = text_argument(code_, steps, i, rsi);
      if (name && name->ends_with("__mypyc.ensure_deps")) add(address_argument(steps, i, rdi), waiting);
    }
  }

  void take_imports(std::uint64_t function, const Steps& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto& step = steps[i];
      if (step.kind == StepKind::load && step.into == rdi) result_.arguments.push_back(step.place);
      if (step.kind == StepKind::address) take_text(step.place);
      if (step.kind == StepKind::address && result_.of_sip.empty()) take_definition_of_sip(step.place);
      if (step.kind != StepKind::imported) continue;
      take_called(step.name);
      takes_exceptions_ = takes_exceptions_ || takes_exception(step.name);
      prints_exceptions_ = prints_exceptions_ || prints_exception(step.name);
      if (step.name == "PyObject_SetAttr") take_attribute(steps, i);
      const bool capsule = step.name == "PyCapsule_Import";
      if (!capsule && !imports_module(step.name)) continue;
      const auto* source = source_of_argument(steps, i, rdi);
      if (source != nullptr && source->kind == StepKind::load) take_loads(steps, i, source->into);
      const auto name = text_argument(code_, steps, i, rdi);
      if (name)
        (capsule ? result_.capsules : result_.imported).push_back(*name);
      else
        hand_on_.insert(function);
      if (name && !capsule && (function == init_ || executes_.contains(function)))
        result_.imported_at_once.push_back(*name);
    }
  }

  void take_called(std::string_view name) {
    constexpr std::uint64_t size_of_name = 4 * sizeof(std::string_view);  // as sets have them
    if (!name.starts_with("Py") && !name.starts_with("_Py") && budget_.keep(size_of_name)) result_.called.insert(name);
  }

  void take_text(std::uint64_t place) {
    constexpr std::uint64_t size_of_text = 2 * sizeof(std::string_view);  // as vectors grow
    const auto text = code_.text_at(place);
    if (text && !text->empty() && budget_.keep(size_of_text)) result_.texts.push_back(*text);
  }

  /// The modules of which a module that SIP wrote takes classes, if its definition stands at this address: its name is
  /// the first of the strings that it has.
  /// Source: SIP 6.11, sipbuild/module/source/13, sip.h.in, sipExportedModuleDef and sipImportedModuleDef; siplib.c,
  /// sip_api_export_module, which imports them all.
  void take_definition_of_sip(std::uint64_t address) {
    constexpr std::uint64_t name_at = 12, strings_at = 24, imports_at = 32, size_of_import = 32, most_imports = 64;
    const auto strings = code_.pointer_at(address + strings_at), imports = code_.pointer_at(address + imports_at);
    const auto name = strings && imports ? code_.number_at(address + name_at) : std::nullopt;
    if (!name || code_.pointer_at(address)) return;
    const auto own = code_.text_at(*strings + *name);
    if (!own || !reads_as_module(*own) ||
        code_.exported("PyInit_" + std::string(own->substr(own->rfind('.') + 1))) != init_)
      return;
    for (std::uint64_t i = 0; i < most_imports; ++i) {
      const auto text = code_.pointer_at(*imports + i * size_of_import);
      const auto module = text ? code_.text_at(*text) : std::nullopt;
      if (!module || !reads_as_module(*module)) return;
      result_.of_sip.push_back(*module);
    }
  }

  /// Where the code that calls is a part of a longer function, the last load in front of it may be that of another way.
  void take_loads(const Steps& steps, std::size_t end, std::uint8_t into) {
    for (std::size_t i = 0; i < end; ++i)
      if (steps[i].kind == StepKind::load && steps[i].into == into) result_.arguments.push_back(steps[i].place);
  }

  /// Of a module's body, which begins with what it does to the module.
  void take_required(const Steps& steps) {
    const auto calls = [&](auto wanted) {
      return std::any_of(steps.begin(), steps.end(),
                         [&](const CodeStep& step) { return step.kind == StepKind::imported && wanted(step.name); });
    };
    if (calls(is_of_condition) || !calls([](std::string_view name) { return name == "PyModule_GetDict"; })) return;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool imports = steps[i].kind == StepKind::imported
                               ? imports_module(steps[i].name)
                               : steps[i].kind == StepKind::call && hand_on_.contains(steps[i].place);
      const auto* source = imports ? source_of_argument(steps, i, rdi) : nullptr;
      if (source != nullptr && source->kind == StepKind::load && source->into == rdi)
        result_.required.push_back(source->place);
    }
  }

  /// Loads shortly before the call, in whatever order.
  void take_attribute(const Steps& steps, std::size_t at) {
    constexpr std::size_t near = 6;
    for (auto i = at - std::min(at, near); i < at; ++i)
      for (auto k = at - std::min(at, near); k < at; ++k)
        if (steps[i].kind == StepKind::load && steps[k].kind == StepKind::load && steps[i].place != steps[k].place)
          result_.attributes.emplace_back(steps[i].place, steps[k].place);
  }

  void take_handed_on(const Steps& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != StepKind::call || !hand_on_.contains(steps[i].place)) continue;
      for (const auto where : {rdi, rsi, rdx})
        if (const auto name = text_argument(code_, steps, i, where)) {
          result_.imported.push_back(*name);
          handed_.insert(steps[i].place);
        }
    }
  }

  const FunctionCode& code_;
  Budget& budget_;
  std::optional<std::uint64_t> init_;
  std::map<std::uint64_t, Steps> functions_;
  std::set<std::uint64_t> hand_on_;   ///< functions that import what they are given
  std::set<std::uint64_t> handed_;    ///< those of them that are given a text
  std::set<std::uint64_t> executes_;  ///< functions that the module's definition names for its initialisation
  bool takes_exceptions_ = false, prints_exceptions_ = false;
  ModuleInitialisation result_;
};

}  // namespace

std::optional<ModuleInitialisation> module_initialisation(const MappedBytes& bytes, const Image& image,
                                                          Budget& budget) {
  const auto code = FunctionCode::of(bytes, image, budget);
  const auto init = code ? code->exported("PyInit_") : std::nullopt;
  if (!init) return std::nullopt;
  Initialisation initialisation(*code, budget);
  if (!initialisation.follow(*init)) return std::nullopt;
  return initialisation.take();
}

std::optional<ModuleInitialisation> function_alone(const MappedBytes& bytes, const Image& image, std::string_view name,
                                                   Budget& budget) {
  const auto code = FunctionCode::of(bytes, image, budget);
  const auto function = code ? code->exported(std::string(name) + '\0') : std::nullopt;
  if (!function) return std::nullopt;
  Initialisation initialisation(*code, budget);
  if (!initialisation.follow(*function, true)) return std::nullopt;
  return initialisation.take();
}

}  // namespace cudald::python
