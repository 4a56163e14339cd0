#include "session/import_module.h"

#include <algorithm>

#include <elf.h>

#include <cudald/image.h>

#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "embedded.h"
#include "knowledge/known_packages.h"
#include "process/symbols.h"
#include "session/loaded_libraries.h"
#include "session/target_python.h"

namespace cudald {
namespace {

/// What uname -m says where programs like this one run; of a process of 32 bits, in its own personality.
/// Source: Linux, UTS_MACHINE of each architecture (arch/*/Makefile, include/uapi/asm/elf.h: ELF_PLATFORM for arm).
std::string kernel_machine(const Image& image) {
  const bool big = image.byte_order == ByteOrder::big;
  switch (image.machine) {
    case EM_386: return "i686";
    case EM_ARM: return big ? "armv7b" : "armv7l";
    case EM_PPC64: return big ? "ppc64" : "ppc64le";
    case EM_S390: return "s390x";
    case EM_RISCV: return image.format == Format::elf32 ? "riscv32" : "riscv64";
    default: return machine_name(image.machine);
  }
}

/// Makes requests as Python does: extension modules are opened by the interpreter's own code, libraries by ctypes.
class Requests {
 public:
  Requests(Process& process, const RefusedLoads& refused, SymbolStore& symbols)
      : process_(process), refused_(refused), symbols_(symbols) {}

  LoadAnswer load(const LoadStep& step) {
    const auto caller = step.kind == LoadStep::Kind::library ? ctypes() : interpreter_library();
    if (step.only_if_loaded) {
      const bool loaded = process_.has_loaded(step.path, caller);
      return {loaded, loaded ? "" : step.path + ": cannot open shared object file: No such file or directory"};
    }
    DlopenRequest call;
    call.name = step.path;
    call.traits.global = step.global;
    call.traits.bind_now = true;
    call.traits.optional = !step.required;
    call.traits.asked_at = place_of(step.source, step.line);
    const auto number = process_.dlopen(step.path, call, caller);
    const auto& target = process_.resolution().targets[number];
    if (target.error.empty() && !refused_.empty()) {
      const auto asked = times_asked(process_.resolution().targets, step.path, number);
      if (const auto refused = refused_.find({step.path, asked}); refused != refused_.end())
        return {false, refused->second, "", 0, number};
    }
    return {target.error.empty(), target.error, "", 0, number};
  }

  /// What dlsym finds by the handle of a library: in that and in what it depends on, breadth first.
  /// Source: glibc elf/dl-sym.c, do_sym; the text: elf/dl-lookup.c, _dl_lookup_symbol_x.
  std::optional<std::string> symbol_error(const std::string& library, const std::string& symbol) {
    if (library.empty()) return symbol_error_of_all(symbol);
    const auto first = process_.object_of(library, ctypes());
    if (!first) return std::nullopt;
    const auto& objects = process_.resolution().objects;
    std::vector<ObjectId> scope{*first};
    for (std::size_t at = 0; at < scope.size(); ++at) {
      const auto& object = objects[scope[at]];
      if (object.known_by_name || !object.image) return std::nullopt;
      const auto table = symbols_.get(object);
      if (table == nullptr || table->empty() || !table->complete()) return std::nullopt;
      if (defines(*table, symbol)) return "";
      for (const auto& edge : object.edges) {
        if (edge.kind == EdgeKind::dlopen || edge.kind == EdgeKind::preload) continue;
        if (!edge.object) return std::nullopt;
        if (std::find(scope.begin(), scope.end(), *edge.object) == scope.end()) scope.push_back(*edge.object);
      }
    }
    return objects[*first].load_name + ": undefined symbol: " + symbol;
  }

  /// Of the program itself: in it, and in all that is loaded for all. Nothing is said of a symbol that another has.
  std::optional<std::string> symbol_error_of_all(const std::string& symbol) {
    const auto& objects = process_.resolution().objects;
    for (const auto& object : objects) {
      if (object.unmapped) continue;
      const auto table = object.known_by_name || !object.image ? nullptr : symbols_.get(object);
      if (table == nullptr || !table->complete() || defines(*table, symbol)) return std::nullopt;
    }
    const bool starts = !objects.empty() && objects.front().main_program;
    return starts ? std::optional(objects.front().path + ": undefined symbol: " + symbol) : std::nullopt;
  }

  bool finds(const std::string& name) { return process_.finds(name, ctypes()); }

  bool mapped(const std::string& part) const {
    const auto& objects = process_.resolution().objects;
    return std::any_of(objects.begin(), objects.end(), [&](const Object& object) {
      return !object.unmapped && object.path.find(part) != std::string::npos;
    });
  }

  /// What the code may load later: a rule knows that it will on use, a name in the sources only that it might.
  void note(const SoftLibrary& soft) {
    if (soft.basis == "rule") {
      DlopenRequest call;
      call.name = soft.name;
      call.traits.bind_now = call.traits.optional = true;
      call.traits.when = RequestTime::later;
      call.traits.gpu = soft.gpu;
      call.traits.global = soft.global;
      call.traits.without = soft.note;
      call.traits.asked_at = place_of(soft.source, soft.line);
      process_.dlopen(soft.name, call, interpreter_library());
    } else if (soft.name.find('/') == std::string::npos) {
      process_.note_soft_dlopen(soft.name, ctypes(), place_of(soft.source, soft.line));
    }
  }

 private:
  // CPython Modules/_ctypes/callproc.c, py_dl_open, and Python/dynload_shlib.c, _PyImport_FindSharedFuncptr.
  ObjectId ctypes() { return find("_ctypes.", ctypes_); }
  ObjectId interpreter_library() { return find("libpython3", library_); }

  /// The first mapped object whose file's name begins so; else the program.
  ObjectId find(std::string_view beginning, ObjectId& known) const {
    const auto& objects = process_.resolution().objects;
    for (ObjectId id = 0; known == 0 && id < objects.size(); ++id)
      if (!objects[id].unmapped && file_name(objects[id].path).starts_with(beginning)) known = id;
    return known;
  }

  Process& process_;
  const RefusedLoads& refused_;
  SymbolStore& symbols_;
  ObjectId ctypes_ = 0, library_ = 0;
};

/// A source of the same name in a later directory of sys.path than the module's own, or what was missing in a directory
/// of that name, which is then a part of a namespace.
std::string hidden_by(const ImportedModule& module, const ImportResult& result, const PythonEnvironment& python,
                      const FileSystem& files) {
  auto folder = parent_path(module.path);
  if (module.path.ends_with("/__init__.py")) folder = parent_path(folder);
  const auto own = std::find(python.path.begin(), python.path.end(), folder);
  if (own == python.path.end()) return "";
  std::vector<std::string> names{module.name};
  for (const auto& missing : result.missing)
    if (missing.required && missing.name.starts_with(module.name + ".")) names.push_back(missing.name);
  for (auto& name : names) std::replace(name.begin(), name.end(), '.', '/');
  for (auto later = own + 1; later != python.path.end(); ++later)
    for (const auto& name : names) {
      for (const auto* end : {"/__init__.py", ".py"})
        if (auto other = *later + "/" + name + end; is_file(files, other)) return other;
      if (name != module.name && is_folder(files, *later + "/" + name)) return *later + "/" + name;
    }
  return "";
}

std::optional<ReleasesWithName> releases_with_name(const std::string& module, const std::string& name) {
  const auto changed = changed_name(module, name);
  return changed ? std::optional(ReleasesWithName{changed->distribution, changed->releases, changed->again})
                 : std::nullopt;
}

std::optional<Import::LackedName> told_lack(const std::optional<LackedName>& lacked) {
  if (!lacked) return std::nullopt;
  return Import::LackedName{lacked->name, lacked->module, lacked->file, place_of(lacked->source, lacked->line),
                            lacked->similar};
}

}  // namespace

std::string place_of(const std::string& source, std::size_t line) {
  return line == 0 ? source : source + ":" + std::to_string(line);
}

std::string spoken(Unfollowed::Kind kind) {
  switch (kind) {
    case Unfollowed::Kind::library: return "a library whose name is computed";
    case Unfollowed::Kind::module: return "a module whose name is computed";
    case Unfollowed::Kind::compiled: return "modules that a compiled module may import";
    case Unfollowed::Kind::condition: return "an import or a load behind a condition that is not known";
    case Unfollowed::Kind::opened: return "libraries that a loaded library may open";
    case Unfollowed::Kind::code: break;
  }
  return "what its code does from here on";
}

/// What is told of compiled code, or behind a condition, is only what may happen.
bool is_certain(Unfollowed::Kind kind) {
  return kind != Unfollowed::Kind::compiled && kind != Unfollowed::Kind::opened && kind != Unfollowed::Kind::condition;
}

Import::RefusedModule told_refusal(const RefusedModule& refused, std::string path) {
  return {refused.module,  std::move(path), refused.package, refused.spoken,
          refused.version, refused.border,  refused.bounds,  refused.kind + ": " + refused.message,
          refused.printed, refused.absent};
}

std::string import_module(const std::string& module, const PythonEnvironment& python, const PackageTree& files,
                          SharedReadings& shared, Budget& budget, const Knowledge& knowledge,
                          const RefusedLoads& refused, SymbolStore& symbols, Process& process) {
  Requests requests(process, refused, symbols);
  ImportAnswers answers;
  answers.loader.load = [&](const LoadStep& step) { return requests.load(step); };
  answers.loader.mapped = [&](const std::string& part) { return requests.mapped(part); };
  answers.loader.finds = [&](const std::string& name) { return requests.finds(name); };
  answers.loader.symbol_error = [&](const std::string& library, const std::string& symbol) {
    return requests.symbol_error(library, symbol);
  };
  answers.note = [&](const SoftLibrary& soft) { requests.note(soft); };
  auto own = python;
  if (const auto& objects = process.resolution().objects; !objects.empty() && objects.front().image) {
    own.machine = kernel_machine(*objects.front().image);
    own.narrow = objects.front().image->format == Format::elf32;
  }
  return import_module(module, own, files, shared, budget, knowledge, answers, process);
}

std::string import_module(const std::string& module, const PythonEnvironment& python, const PackageTree& files,
                          SharedReadings& shared, Budget& budget, const Knowledge& knowledge,
                          const ImportAnswers& answers, ProcessRecord& process) {
  const auto first_target = process.resolution().targets.size();
  const auto first_object = process.resolution().objects.size();
  auto loader = answers.loader;
  loader.releases_with = releases_with_name;
  auto result = shared.imports.run(module, python, files, loader, embedded_python_rules(), budget);
  for (const auto& soft : result.soft_libraries) answers.note(soft);
  const auto spelled = [&](const std::string& path) { return answers.spelled ? answers.spelled(path) : path; };
  Import import;
  import.target = process.whole();
  import.module = module;
  import.python = python.interpreter;
  import.python_version = python.version;
  import.modules = result.modules.size();
  for (const auto& module_of : result.modules) {
    const auto& [name, path, opaque, source, line] = module_of;
    if (name.find('.') != std::string::npos || path.empty()) continue;
    const auto hides = result.error.empty() ? "" : hidden_by(module_of, result, python, files);
    if (path.find("-packages/") == std::string::npos && hides.empty()) continue;
    const auto package = path.ends_with("/__init__.py") ? std::string(parent_path(path)) + "/" : "";
    import.packages.push_back({name, package, place_of(source, line), hides});
  }
  if (const auto top = module.substr(0, module.find('.')); !result.error.empty() && !has_module(top, python, files))
    import.near_name = near_name(top, python, files);
  import.failed = !result.error.empty();
  import.followed = result.followed;
  for (const auto& missing : result.missing)
    import.missing.push_back({missing.name, place_of(missing.source, missing.line), missing.required});
  import.lacked = told_lack(result.lacked);
  for (const auto& caught : result.caught)
    import.caught.push_back({caught.module, caught.names, caught.error, told_lack(caught.lacked), caught.missing});
  import.raised_at = result.raised_at;
  import.advice = result.advice;
  if (result.refused) import.refused = told_refusal(*result.refused, spelled(result.refused->path));
  if (!import.failed)
    for (auto& one :
         requests_of_libraries(process, first_object, files, knowledge, result.modules, shared.facts.requests))
      result.unfollowed.push_back(std::move(one));
  for (auto& one : result.unfollowed)
    import.unfollowed.push_back({spoken(one.kind), one.certain && is_certain(one.kind), spelled(one.source), one.line,
                                 std::move(one.module), std::move(one.code)});
  import.notes = std::move(result.notes);
  process.add_import(std::move(import));
  process.warn(result.warned);
  process.blame(result.causes);
  if (result.unexplained) process.blame_all_since(first_target);
  return result.error;
}

}  // namespace cudald
