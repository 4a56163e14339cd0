#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/find_bytes.h"
#include "base/path.h"
#include "binary/bytes/readers.h"
#include "binary/constants/mapped_bytes.h"
#include "pyimport/compiled/compiled_imports.h"
#include "pyimport/run/interpreter.h"
#include "pyimport/run/libraries_beside.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t max_compiled = std::uint64_t{96} << 20;
constexpr CostLimits limits_of_scan{.kept = std::uint64_t{96} << 20, .steps = 60'000'000};
// What is told in place of names.
constexpr std::string_view of_rust = "(it is written in Rust: its file does not tell)",
                           of_code = "(its code computes a name)",
                           of_file = "(its file is too large to be looked through)";
constexpr std::uint64_t max_pyx = std::uint64_t{8} << 20;
constexpr int max_includes = 200;

constexpr std::array<std::string_view, 4> marks_of_origin{std::string_view("cython_runtime\0", 15), "__mypyc",
                                                          "RUST_BACKTRACE", "_cffi_backend"};

/// What made the code of a module; nullopt if its data cannot be read, or are too many.
std::optional<CodeOrigin> origin_of(const MappedBytes& bytes, const ArrayRules& rules) {
  std::array<bool, marks_of_origin.size()> has{};
  ArrayMarks arrays(rules);
  const bool all = bytes.visit_data(max_compiled, [&](std::string_view block) {
    for (std::size_t i = 0; i < has.size(); ++i) has[i] = has[i] || holds_bytes(block, marks_of_origin[i]);
    arrays.look_at(block);
  });
  return all ? std::optional(CodeOrigin{has[0], has[1], has[2], has[3], arrays.take()}) : std::nullopt;
}

/// What made the code of a module: it is of C where no generator packs its texts, and no library beside it has any.
CompiledBy compiler_of(const CodeOrigin& origin, const Image& image) {
  if (origin.mypyc || origin.cffi) return CompiledBy::unknown;
  if (origin.cython) return CompiledBy::cython;
  if (origin.rust) return CompiledBy::rust;
  return needed_of_packages(image).empty() ? CompiledBy::c : CompiledBy::c_and_libraries;
}

/// Whether code is seen to ask for the functions of the package of arrays.
bool ask_for_arrays(const std::vector<CompiledImport>& imports, const ArrayBuild& build, const ArrayRules& rules) {
  return std::any_of(imports.begin(), imports.end(), [&](const CompiledImport& one) {
    return one.proof == ImportProof::called && (one.name == rules.older.capsule || one.name == rules.newer.capsule ||
                                                (build.earlier && one.name == rules.earlier_capsule));
  });
}

}  // namespace

void ExtensionModules::load_extension(Module& module, const Frame* from) {
  LoadStep step;
  step.path = module.path;
  step.required = !python_.handlers.caught("ImportError");
  step.module = module.name;
  if (from != nullptr && from->source != nullptr) step.source = from->source->path(), step.line = from->line;
  step.basis = "source";
  const auto answer = python_.requests.request(std::move(step));
  if (!answer.loaded) throw failed_load(answer, "ImportError");
}

/// The group that a module belongs to, if it is one of mypyc's that make one another: its file is no more than a few
/// lines. Source: mypyc 1.20, codegen/emitmodule.py, generate_shared_lib_init.
std::string ExtensionModules::mypyc_group(const std::string& path) {
  constexpr std::uint64_t longest = 128 << 10;
  constexpr std::string_view mark = "__mypyc.ensure_deps";
  const auto status = files_.status(path);
  const auto bytes =
      status && status->size <= longest ? python_.host.read_text(path, longest) : Result<std::string>(Error{});
  const auto end = bytes ? bytes->find(mark) : std::string::npos;
  if (end == std::string::npos) return {};
  auto begin = end;
  while (begin > 0 && is_name_part((*bytes)[begin - 1])) --begin;
  return bytes->substr(begin, end - begin);
}

/// What the message says besides where Cython, and not the author, has called import_array().
/// Source: Cython 3.0, Compiler/ModuleNode.py, _import_array_call.
std::string ExtensionModules::addition_of_cython(const Module& module) {
  const std::string text =
      " (auto-generated because you didn't call 'numpy.import_array()' after cimporting numpy; use "
      "'<void>numpy._import_array' to disable if you are certain you don't need it).";
  return finder_.holds(module.path, "multiarray failed to import" + text).value_or(false) ? text : "";
}

/// A part of its own package that the code of a module imports at once; what another package lacks may be made
/// otherwise.
bool ExtensionModules::is_needed(const Module& module, const std::string& name,
                                 const std::vector<std::string>& at_once) {
  const auto top = std::string_view(module.name).substr(0, module.name.find('.'));
  return is_below(name, top) && std::find(at_once.begin(), at_once.end(), name) != at_once.end();
}

void ExtensionModules::import_needed(const Module& module, const std::string& name, bool is_named_by_it) {
  const auto* around = std::exchange(needing_, is_named_by_it ? &module : nullptr);
  const AtEnd leave([&] { needing_ = around; });
  python_.importer.import_module(name, nullptr);
}

/// What a compiled module imports while it is initialised. Its source says it, if the package brings that along; else
/// its bytes, as far as they prove it. What they only make possible is kept, to be told.
void ExtensionModules::import_for_extension(Module& module) {
  if (finder_.in_standard_library(module.path)) return;
  python_.doubt.note_unseen_imports();
  const auto file = files_.open(module.path);
  if (!file) return;
  const auto too_large = [&] { possible_imports_.push_back({&module, {std::string(of_file)}}); };
  // What cannot be read from anywhere is read whole. GPU code, which most of what is larger is, does not count.
  if ((*file)->is_stream() && (*file)->status().size > max_compiled) return too_large();
  Budget code_budget(limits_of_scan);
  const auto image = read_image(**file, code_budget);
  const MappedBytes bytes(**file, image ? image->get() : nullptr);
  const auto origin = origin_of(bytes, rules_.arrays);
  heap_.look_at(bytes.size());
  if (!origin) return too_large();
  Frame frame;
  frame.module = &module;
  const bool from_python = origin->cython || origin->mypyc, rust = origin->rust;
  if (from_python) frame.source = source_beside(module);
  auto [imports, computes_names, called, at_once, gives_up] =
      imports_of(module, bytes, *origin, image ? image->get() : nullptr, code_budget);
  module.compiled_by = image ? compiler_of(*origin, **image) : CompiledBy::unknown;
  module.may_copy_names = !imports.empty() || computes_names;
  const bool asks = ask_for_arrays(imports, origin->arrays, rules_.arrays);
  if (asks && gives_up) python_.compiled_files.refuse_without_arrays(module, origin->arrays);
  python_.compiled_files.refuse_arrays(module, origin->arrays, asks);
  if (image) python_.compiled_files.refuse_arrays_of_library(module, **image, called);
  std::vector<std::string> order, possible;
  if (frame.source != nullptr)
    for (const auto statement : frame.source->block())
      if (statement.is(NodeKind::cimport))
        for (auto& name : cimported_names(statement, module))
          if (std::any_of(imports.begin(), imports.end(), [&](const auto& one) { return one.name == name; }))
            order.push_back(std::move(name));
  for (auto& one : imports) {
    if (one.proof == ImportProof::called) one.name = resolved_name(module, one);
    // The file of a module that mypyc has compiled does nothing else. Source: mypyc, generate_shared_lib_init.
    one.required |= one.proof == ImportProof::called && one.name.ends_with("__mypyc");
    const bool needed = !from_python && !rust && is_needed(module, one.name, at_once);
    one.required |= needed;
    if (one.required && python_.sys_modules.find_loaded(one.name) == nullptr && !has_module(one.name)) {
      for (const auto& name : order) python_.importer.import_if_there(name, nullptr);
      import_needed(module, one.name, needed);
    }
    const bool names_module = one.proof == ImportProof::called && one.name.find('.') != std::string::npos;
    if (names_module && frame.source == nullptr && python_.sys_modules.find_loaded(one.name) == nullptr &&
        !has_module(one.name))
      possible.push_back(one.name);
    if (!is_import_of(module, one.name)) continue;
    if (imports_surely(one, origin->cython, rust, frame.source.get()))
      order.push_back(one.name);
    else if (frame.source == nullptr)
      possible.push_back(one.name);
  }
  if (rust) possible.emplace_back(of_rust);
  if (computes_names && !rust && !from_python) possible.emplace_back(of_code);
  for (const auto& name : order) python_.importer.import_if_there(name, nullptr);
  if (frame.source != nullptr) run_source_beside(frame, imports);
  if (!possible.empty()) possible_imports_.emplace_back(&module, std::move(possible));
}

/// An exception there is one that the compiled module may not raise: its source is followed up to it. But a module that
/// is nowhere, and of which the file has the name, its code does not find either.
void ExtensionModules::run_source_beside(Frame& frame, const std::vector<CompiledImport>& imports) {
  std::optional<PythonError> raised;
  {
    const Handler handler(python_);
    try {
      if (!python_.calls.run_counted(frame)) python_.calls.note_steps(frame);
    } catch (PythonError& error) {
      raised = std::move(error);
    }
  }
  if (!raised) return;
  // Cython may take a name for one of the module's own package, as Python 2 did.
  const auto &own = frame.module->name, &name = raised->module;
  const auto beside = own.substr(0, own.rfind('.') + 1) + name;
  const auto is_there = [&](const std::string& one) {
    return python_.sys_modules.find_loaded(one) != nullptr || has_module(one);
  };
  const bool is_sure = !name.empty() && !raised->doubtful && !raised->assumed && python_.doubt.is_certain(frame) &&
                       !is_there(name) && !is_there(beside);
  const bool is_named =
      is_sure && (std::any_of(imports.begin(), imports.end(), [&](const auto& one) { return one.name == name; }) ||
                  finder_.holds(frame.module->path, name + '\0') == true);
  if (is_named) throw *std::move(raised);
  python_.tracker.unfollowed(frame, Unfollowed::Kind::code);
}

/// Its cost is that of the moment: what is kept of the names is little.
ImportsOfCode ExtensionModules::imports_of(const Module& module, const MappedBytes& bytes, const CodeOrigin& origin,
                                           const Image* image, Budget& code_budget) {
  Budget budget(limits_of_scan);
  Heap heap(budget);
  std::vector<CompiledImport> imports;
  const auto code = image == nullptr ? std::nullopt : module_initialisation(bytes, *image, code_budget);
  // Where its code is known, texts tell no more of a module that was written in C or C++.
  const auto parts = code && !origin.has_texts() ? std::nullopt : bytes.data(max_compiled);
  try {
    imports =
        compiled_imports(parts.value_or(std::vector<std::string_view>()), code ? &*code : nullptr, rules_.arrays, heap);
  } catch (const Exhausted&) {
    python_.tracker.note(module.path + " has too many names to tell what it imports");
  }
  heap_.work(budget.cost().steps + code_budget.cost().steps);
  std::vector<std::string> called;
  if (code) called.assign(code->called.begin(), code->called.end());
  std::vector<std::string> at_once;
  if (code) at_once.assign(code->imported_at_once.begin(), code->imported_at_once.end());
  return {std::move(imports), code && code->computes_names, std::move(called), std::move(at_once),
          code && code->gives_up};
}

/// What a name in the code of a module means: a module, or one of the package that the module is in, or of one of the
/// packages around that if it is surely imported.
std::string ExtensionModules::resolved_name(const Module& module, const CompiledImport& import) {
  const auto& name = import.name;
  if (python_.sys_modules.find_loaded(name) != nullptr || has_module(name)) return name;
  for (std::size_t level = 1; level == 1 || import.required; ++level) {
    auto inside = python_.importer.absolute_name(module, level, name);
    if (inside.empty()) break;
    if (python_.sys_modules.find_loaded(inside) != nullptr || has_module(inside)) return inside;
  }
  return name;
}

/// Whether a file bears a module of this name; nothing is imported to find out.
bool ExtensionModules::has_module(std::string_view name) {
  const auto top = name.substr(0, name.find('.'));
  if (python_.sys_modules.find_loaded(top) == nullptr && !finder_.may_find(top, python_.finders.search_path()))
    return false;
  auto search = python_.finders.search_path();
  for (std::size_t begin = 0;;) {
    const auto end = name.find('.', begin);
    const auto place = finder_.find(name.substr(begin, end - begin), search, begin == 0);
    auto* loaded = python_.sys_modules.find_loaded(name.substr(0, end));
    if (loaded == nullptr && place.kind == ModulePlace::Kind::absent) return false;
    if (end == std::string_view::npos) return true;
    if (!(loaded == nullptr ? place.package : loaded->package)) return false;
    search = loaded == nullptr ? place.search : python_.finders.search_of(*loaded);
    begin = end + 1;
  }
}

/// Whether numpy is 2 or later. 1.26 has a module of the newer name as well, beside the compiled one.
bool ExtensionModules::is_newer_numpy() {
  const auto &older_numpy = rules_.arrays.older.capsule, &newer_numpy = rules_.arrays.newer.capsule;
  if (!has_module(newer_numpy)) return false;
  if (!has_module(older_numpy)) return true;
  const auto& folder = python_.importer.import_module(older_numpy.substr(0, older_numpy.rfind('.')), nullptr).search;
  const auto place = finder_.find(older_numpy.substr(older_numpy.rfind('.') + 1), folder, false);
  return place.kind != ModulePlace::Kind::extension;
}

/// Whether a module that a file bears has this name, and it is neither the module at hand nor inside it.
bool ExtensionModules::is_import_of(const Module& module, const std::string& name) {
  if (name == module.name || is_below(name, module.name) || is_below(module.name, name)) return false;
  return python_.sys_modules.find_loaded(name) == nullptr && has_module(name);
}

/// Rules by what was measured; see ImportProof. A name that stands in quotes in the source is a text of its code.
bool ExtensionModules::imports_surely(const CompiledImport& one, bool cython, bool rust, const Source* source) {
  if (one.proof == ImportProof::called) return true;
  const bool standard = finder_.is_standard(std::string_view(one.name).substr(0, one.name.find('.')));
  if (source != nullptr) {
    heap_.look_at(8 * source->size());
    if (source->mentions('"' + one.name + '"') || source->mentions('\'' + one.name + '\'')) return false;
    return one.proof == ImportProof::certain;
  }
  switch (one.proof) {
    case ImportProof::called:
    case ImportProof::certain: return true;
    case ImportProof::likely: return cython || !standard || !rust;
    case ImportProof::package: return !standard;
    case ImportProof::probable: return cython;
    case ImportProof::possible: return standard && one.name.find('.') != std::string::npos;
  }
  return false;
}

/// Modules that compiled ones may import, and that nothing has imported.
void ExtensionModules::collect_possible_imports() {
  constexpr std::size_t most = 200, most_names = 20;
  for (const auto& [module, names] : possible_imports_) {
    std::string list;
    std::size_t count = 0;
    for (const auto& name : names) {
      if (name == of_rust) {
        list = name;
      } else if (python_.sys_modules.find_loaded(name) == nullptr &&
                 (name.find('.') == std::string::npos || !has_module(name)) && ++count <= most_names) {
        list += (list.empty() ? "" : ", ") + name;
      }
    }
    if (list.empty() || python_.tracker.result().unfollowed.size() >= most) continue;
    heap_.keep(sizeof(Unfollowed) + list.size() + module->path.size());
    python_.tracker.result().unfollowed.push_back(
        {Unfollowed::Kind::compiled, module->path, 0, module->name, std::move(list)});
  }
}

/// What the module was compiled from, if the package brings it along: Cython's own sources, or Python's that Cython or
/// mypyc compiled.
std::shared_ptr<const Source> ExtensionModules::source_beside(const Module& module) {
  const auto stem = std::string(file_name(module.path)).substr(0, file_name(module.path).find('.'));
  for (const auto* suffix : {".pyx", ".py"}) {
    const auto path = std::string(parent_path(module.path)) + "/" + stem + suffix;
    if (!finder_.has_file(path)) continue;
    if (auto text = python_.host.read_text(path, max_pyx))
      return python_.host.keep_source(python_.host.parse(path, std::move(*text)));
  }
  return nullptr;
}

/// Cython's `include "part.pxi"`, whose statements stand for it.
void ExtensionModules::run_include(Frame& frame, const Node& statement) {
  const auto name = evaluate(python_, frame, statement[0]);
  const auto* part = name.get<std::string>();
  if (part == nullptr || frame.source == nullptr || python_.importer.depth() >= max_includes) return;
  const auto path = absolute_path(*part, parent_path(frame.source->path()));
  auto text = finder_.has_file(path) ? python_.host.read_text(path, max_pyx) : Result<std::string>(Error{});
  if (!text) return;
  Frame inner = frame;
  inner.source = python_.host.keep_source(python_.host.parse(path, std::move(*text)));
  const auto deeper = python_.importer.one_deeper();
  python_.statements.run(inner, inner.source->block());
}

/// The modules that `from a.b cimport c, d` may mean: a.b, a.b.c and a.b.d.
std::vector<std::string> ExtensionModules::cimported_names(const Node& statement, const Module& module) {
  std::vector<std::string> result;
  if (statement.word() != Word::from) {
    for (const auto imported : statement) result.push_back(plain_dotted_name(imported[0]));
    return result;
  }
  const auto written = statement[0].there() ? plain_dotted_name(statement[0]) : std::string();
  const auto from = python_.importer.absolute_name(module, statement.level(), written);
  if (!from.empty()) result.push_back(from);
  for (std::size_t i = 1; i < statement.size(); ++i) result.push_back(from + "." + std::string(statement[i][0].text()));
  return result;
}

void ExtensionModules::forget(const Module& failed) {
  std::erase_if(possible_imports_, [&](const auto& one) { return one.first == &failed; });
}

}  // namespace cudald::python
