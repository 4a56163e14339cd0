// Which names a compiled module may bind, by the texts in its file. A name that code of C binds is a text of its own,
// which its calls take the address of; of Cython it is one of its strings; of Rust a part of a longer text. Code that
// copies the names of another module, or that runs Python code, may bind any. Sources: CPython Doc/c-api/module.rst;
// Cython 3.3 Compiler/Code.py, generate_pystring_constants, and Utility/ImportExport.c, __Pyx_import_all_from;
// pybind11 2.13 pybind11.h, module_::add_object; PyO3 0.23 types/module.rs, PyModule::add.
#include <algorithm>
#include <array>
#include <utility>

#include "binary/bytes/readers.h"
#include "binary/constants/mapped_bytes.h"
#include "pyimport/compiled/cython_strings.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{512} << 20;
constexpr CostLimits most_cost{.kept = std::uint64_t{64} << 20, .steps = 200'000'000, .depth = 100};

/// What is in every module that Cython has compiled.
constexpr std::string_view of_all = "__test__";
/// Names that Cython's code needs to bind others than those which stand in it.
constexpr std::array<std::string_view, 6> binders{"globals", "locals", "vars", "setattr", "exec", "__getattr__"};
constexpr std::string_view import_all = "from-import-*";

}  // namespace

/// Whether the file of a compiled module may hold a text.
bool CompiledFiles::holds_text(const Module& module, std::string_view text) {
  return finder_.holds(module.path, std::string(text)).value_or(true);
}

/// How a module that Cython has compiled holds its strings: each by itself (before 3.2), or all in one text, which may
/// be packed.
CythonStringsOfFile CompiledFiles::strings_of_cython(const Module& module) {
  using Form = CythonStringsOfFile::Form;
  if (holds_text(module, '\0' + std::string(of_all) + '\0')) return {Form::arrays, {}};  // linkers merge none of these
  if (holds_text(module, of_all)) return {Form::one_text, {}};
  const auto file = files_.open(module.path);
  if (!file) return {};
  Budget budget(most_cost);
  const auto image = read_image(**file, budget);
  const MappedBytes bytes(**file, image ? image->get() : nullptr);
  heap_.look_at(bytes.size());
  const auto parts = bytes.data(most_bytes);
  if (!parts) return {};
  try {
    Heap heap(budget);
    auto strings = cython_strings(*parts, heap);
    heap_.work(budget.cost().steps);
    if (strings && strings->text.find(of_all) != std::string::npos) return {Form::packed, std::move(strings->text)};
  } catch (const Exhausted&) {
  }
  return {};
}

/// Whether the strings may hold a name.
bool CompiledFiles::may_hold(const Module& module, const CythonStringsOfFile& strings, std::string_view name) {
  using Form = CythonStringsOfFile::Form;
  switch (strings.form) {
    case Form::arrays: return holds_text(module, std::string(name) + '\0');
    case Form::one_text: return holds_text(module, name);
    case Form::packed:  // but for the names of functions that C may call
      return strings.unpacked.find(name) != std::string::npos || holds_text(module, name);
    default: return true;
  }
}

bool CompiledFiles::may_bind_in_cython(const Module& module, std::string_view name) {
  using Form = CythonStringsOfFile::Form;
  if (holds_text(module, import_all)) return true;
  const auto strings = strings_of_cython(module);
  if (may_hold(module, strings, name)) return true;
  if (strings.form == Form::one_text) return finder_.holds_any(module.path, binders).value_or(true);
  return std::any_of(binders.begin(), binders.end(), [&](std::string_view binder) {
    return strings.form == Form::arrays ? holds_text(module, '\0' + std::string(binder) + '\0')
                                        : strings.unpacked.find(binder) != std::string::npos;
  });
}

/// Whether code of C or C++ copies names, or runs code of Python.
bool CompiledFiles::may_copy_names(const std::string& path) {
  using namespace std::literals;
  constexpr std::array copiers{"PyDict_Update\0"sv, "PyDict_Merge\0"sv, "PyDict_Next\0"sv,     "PyDict_Keys\0"sv,
                               "PyDict_Items\0"sv,  "PyObject_Dir\0"sv, "PyMapping_Items\0"sv, "PyMapping_Keys\0"sv,
                               "PyRun_"sv,          "__all__\0"sv,      "PyEval_EvalCode\0"sv, "__getattr__\0"sv};
  return finder_.holds_any(path, copiers).value_or(true);
}

/// As code of C or C++, which may make a name of two texts.
bool CompiledFiles::may_bind_in_c(const Module& module, std::string_view name) {
  return finder_.may_copy(module.path, name).value_or(true) || (module.may_copy_names && may_copy_names(module.path)) ||
         finder_.may_compose(module.path, name).value_or(true);
}

bool CompiledFiles::may_bind_in_rust(const Module& module, std::string_view name) {
  constexpr std::array<std::string_view, 5> copiers{"PyDict_Update", "PyDict_Merge", "PyRun_", "PyEval_EvalCode",
                                                    "__getattr__"};
  return holds_text(module, name) || finder_.holds_any(module.path, copiers).value_or(true);
}

bool CompiledFiles::is_of_f2py(const Module& module) {
  const auto [at, is_new] = modules_of_f2py_.try_emplace(module.path);
  if (is_new) {
    heap_.keep(module.path.size() + cost_of_path);
    at->second = holds_text(module, "fortranobject");
  }
  return at->second;
}

/// Whether the code of a compiled module may bind a name of it.
bool CompiledFiles::may_bind_in_code(const Module& module, std::string_view name) {
  switch (maker_of(module)) {
    case CompiledBy::c: return may_bind_in_c(module, name);
    case CompiledBy::cython: return may_bind_in_cython(module, name);
    case CompiledBy::rust: return may_bind_in_rust(module, name);
    default:
      // f2py's code binds what stands in its tables, and no other.
      if (is_of_f2py(module)) return holds_text(module, name);
      return module.compiled_by != CompiledBy::c_and_libraries || may_bind_in_c(module, name) ||
             may_bind_in_libraries(module, std::string(name));
  }
}

/// Whether a compiled module certainly lacks a name.
bool CompiledFiles::lacks_in_file(const Module& module, std::string_view name) {
  if (module.names_lost || module.names.contains(name) || name.starts_with("__")) return false;
  if (module.names_in_table) return finder_.holds(module.path, std::string(name) + '\0') == false;
  constexpr std::size_t least = 4;  // that no other text holds by chance
  return name.size() >= least && module.opaque && !module.doubtful && !module.path.empty() &&
         !may_bind_in_code(module, name) && !may_be_bound_by_compiled_code(module, name);
}

/// Whether `import *` of a compiled module may have bound the name.
bool CompiledFiles::may_be_taken_from_compiled_code(const Module& module, std::string_view wanted) {
  return std::any_of(module.taken_from.begin(), module.taken_from.end(), [&](const auto& name) {
    const auto* other = python_.sys_modules.find_loaded(name);
    return other == nullptr || may_bind_in_code(*other, wanted);
  });
}

/// Whether a compiled module of the same package holds the name: it may have put it into the other one. Linkers merge a
/// text with the end of another one, but for those of Cython, which are arrays.
bool CompiledFiles::may_be_bound_by_compiled_code(const Module& module, std::string_view wanted) {
  const auto top = module.name.substr(0, module.name.find('.'));
  heap_.work(python_.sys_modules.modules().size());
  return std::any_of(
      python_.sys_modules.modules().begin(), python_.sys_modules.modules().end(), [&](const auto& entry) {
        const auto& name = entry.first;
        const auto& other = entry.second;
        const bool is_compiled = other->opaque && !other->path.empty() && other->path != module.path;
        if (!is_within(name, top) || !is_compiled) return false;
        const auto holds = [&](const std::string& text) { return finder_.holds(other->path, text).value_or(true); };
        const auto end = std::string(wanted) + '\0';
        return holds(end) && (!holds("cython_runtime") || holds('\0' + end));
      });
}

}  // namespace cudald::python
