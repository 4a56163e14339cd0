#include <algorithm>

#include "base/find_bytes.h"
#include "base/path.h"
#include "package/version.h"
#include "package/wheel_texts.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {

namespace {

constexpr std::uint64_t size_of_name = 96;  ///< bytes of one in a set, beside its text

/// `import cython` in the source of a compiled module is a word to its compiler.
bool is_of_compiler(const Frame& frame, std::string_view name) {
  return frame.module->opaque && (name == "cython" || name.starts_with("cython."));
}

/// Whether code may bind names by globals(): more is done with it than to look into it, as `name in globals()` does.
bool may_bind_by_globals(std::string_view text) {
  constexpr std::string_view call = "globals()", in = " in ";
  constexpr std::string_view reads[] = {"[", ".get(", ".items(", ".keys(", ".values("};
  for (auto at = find_bytes(text, call); at != std::string_view::npos; at = find_bytes(text, call, at + 1)) {
    const auto behind = text.substr(at + call.size(), text.find('\n', at) - at - call.size());
    const bool is_read = text.substr(0, at).ends_with(in) ||
                         std::any_of(std::begin(reads), std::end(reads),
                                     [&](std::string_view read) { return behind.starts_with(read); });
    if (!is_read || binds_into(behind)) return true;
  }
  return false;
}

}  // namespace

void ImportStatements::run_import(Frame& frame, const Node& statement) {
  make_imports(frame, [&] {
    statement.is(NodeKind::import) ? run_import_names(frame, statement) : run_from_import(frame, statement);
  });
}

void ImportStatements::make_imports(Frame& frame, const std::function<void()>& make) {
  const auto before = python_.requests.count();
  {
    const auto doubtful = python_.doubt.in_doubtful_import(frame.maybe);
    make();
  }
  if (frame.maybe && python_.requests.count() != before) python_.tracker.unfollowed(frame, Unfollowed::Kind::condition);
}

/// What an import gives where code has put a function of its own in the place of __import__, as etils does inside
/// `with lazy_imports():`. nullopt where Python's own is there, or the function gives a module: it has then asked
/// Python's own. Source: Python reference, "The import statement"; builtins.__import__.
std::optional<Value> ImportStatements::made_by_code(Frame& frame, const std::string& name,
                                                    const std::vector<std::string>& names, int level) {
  if (replaced_imports_ > 0) {
    python_.tracker.leave_out(frame, name);
    return Unknown{};
  }
  const auto* builtins = python_.sys_modules.find_loaded("builtins");
  if (builtins == nullptr || in_code_of_import_) return std::nullopt;
  const auto at = builtins->names.find("__import__");
  if (at == builtins->names.end() || at->second.unknown() || at->second.is_named() || at->second.doubtful)
    return std::nullopt;
  const Value function = at->second;
  in_code_of_import_ = true;
  const AtEnd leave([&] { in_code_of_import_ = false; });
  ListItems wanted;
  for (const auto& each : names) wanted.push_back(each);
  const auto made = python_.calls.call(
      frame, function, {{"", name}, {"", None{}}, {"", None{}}, {"", heap_.list(std::move(wanted))}, {"", level}});
  if (made.get<ModuleName>() != nullptr) return std::nullopt;
  if (made.unknown()) python_.tracker.leave_out(frame, name);
  return made;
}

void ImportStatements::run_import_names(Frame& frame, const Node& statement) {
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const auto imported = statement[i];
    const auto name = plain_dotted_name(imported[0]);
    if (is_of_compiler(frame, name)) continue;
    if (!follows(frame)) {
      python_.tracker.leave_out(frame, name);
      continue;
    }
    if (is_lazy(frame, name)) {
      bind_lazily(frame, statement, i);
      continue;
    }
    if (const auto made = made_by_code(frame, name, {}, 0)) {
      python_.bindings.assign(frame, imported[1].there() ? imported[1].text() : name.substr(0, name.find('.')), *made);
      continue;
    }
    const auto& module = python_.importer.import_module(name, &frame);
    if (imported[1].there())
      python_.bindings.assign(frame, imported[1].text(), ModuleName{module.name});
    else
      python_.bindings.assign(frame, name.substr(0, name.find('.')), ModuleName{name.substr(0, name.find('.'))});
  }
}

void ImportStatements::run_from_import(Frame& frame, const Node& statement) {
  const auto written = plain_dotted_name(statement[0]);
  if (written == "__future__") {
    for (const auto imported : statement)
      if (imported.is(NodeKind::imported_name)) frame.module->lazy_annotations |= imported[0].text() == "annotations";
    return;
  }
  if (is_of_compiler(frame, written)) return;
  const auto name = python_.importer.absolute_name(*frame.module, statement.level(), written);
  if (!follows(frame)) return python_.tracker.leave_out_names(frame, statement, name);
  if (name.empty()) python_.importer.leads_out_of_packages(*frame.module);
  if (statement.size() > 1 && statement[1][0].text() != "*" && is_lazy(frame, name))
    return bind_lazily(frame, statement);
  std::vector<std::string> names;
  for (std::size_t i = 1; i < statement.size(); ++i) names.emplace_back(statement[i][0].text());
  if (const auto made = made_by_code(frame, std::string(written), names, static_cast<int>(statement.level()))) {
    for (std::size_t i = 1; i < statement.size(); ++i)
      python_.bindings.assign(frame, (statement[i][1].there() ? statement[i][1] : statement[i][0]).text(),
                              python_.bindings.attribute(frame, *made, names[i - 1]));
    return;
  }
  auto& module = python_.importer.import_module(name, &frame);
  for (std::size_t i = 1; i < statement.size(); ++i) {
    if (statement[i][0].text() == "*") return import_star(frame, module);
    import_name(frame, module, statement[i]);
  }
}

void ImportStatements::import_name(Frame& frame, Module& module, const Node& imported) {
  const std::string wanted(imported[0].text());
  import_name(frame, module, wanted, imported[1].there() ? imported[1].text() : std::string_view(wanted));
}

/// Whether a module of the standard library binds no more names than were followed, though it can do so.
bool ImportStatements::is_of_known_names(const Module& module) const {
  constexpr std::string_view tricks[] = {"global_enum", "_convert_"};
  if (!finder_.in_standard_library(module.source->path())) return false;
  if (module.name == "inspect") return true;  // what it puts into globals() begins with CO_
  if (may_bind_by_globals(*module.source->text())) return false;
  return std::none_of(std::begin(tricks), std::end(tricks),
                      [&](std::string_view trick) { return module.source->mentions(trick); });
}

/// Whether a name that was not found is one that the module never binds, though nobody expects it to be missing.
bool ImportStatements::is_sure_to_lack(const Frame& frame, const Module& module, std::string_view wanted) {
  if (wanted.starts_with("__") && !is_no_name_of_python(wanted)) return false;
  if (frame.maybe || module.source == nullptr || module.names_lost || AbsentNames::is_made_private(wanted))
    return false;
  // setuptools puts its own in the place of the standard library's, by a .pth file.
  if (module.name == "distutils" || module.name.starts_with("distutils.")) return false;
  // Of the standard library few functions are followed.
  const bool followed = module.names_followed_but_for_compiled() && !finder_.in_standard_library(module.path);
  if (!module.names_known_but_for_compiled() && !followed && !is_of_known_names(module)) return false;
  if (python_.compiled_files.may_be_taken_from_compiled_code(module, wanted)) return false;
  // A function that nobody has called yet may bind it.
  if (module.source->first_trick() && python_.absent_names.may_put_together(*module.source, wanted)) return false;
  if (python_.absent_names.may_be_bound_by_frames(module)) return false;
  // What is a file of the package is bound by an import of it, also from compiled code.
  const bool may_be_bound = python_.unseen_imports.is_part(module, wanted)
                                ? python_.unseen_imports.may_have_imported(module, wanted)
                                : python_.compiled_files.may_be_bound_by_compiled_code(module, wanted);
  if (may_be_bound || &module == frame.module) return !may_be_bound;
  // Where it stands in the code, a branch that was not taken may bind it.
  heap_.look_at(module.source->size());
  return !module.source->mentions_alone(wanted);
}

/// Whether asking the module for a name has given a value that is known. What is not followed has any name.
bool ImportStatements::is_found(const Module& module, const std::optional<Value>& value) const {
  if (!value || value->unknown()) return false;
  return !module.opaque || !value->is_named();
}

/// Whether a name of which asking the module has given no value, or none that is known, is one that it certainly lacks.
bool ImportStatements::lacks_name(const Frame& frame, const Module& module, std::string_view name,
                                  const std::optional<Value>& value) {
  if (is_found(module, value)) return false;
  if (!value && lacks_by_release(module, name)) return true;
  if (module.names.contains(name)) return false;
  if (lacks_by_table(module, name)) return true;
  if (module.opaque) return false;
  if (module.names.contains("__getattr__")) return !value;  // it has raised an AttributeError
  return is_sure_to_lack(frame, module, name);
}

/// Whether a name is none of the installed release, by the table of names that releases have removed or added. It
/// decides where the module binds names that are not followed.
bool ImportStatements::lacks_by_table(const Module& module, std::string_view name) {
  if (!loader_.releases_with) return false;
  const auto row = loader_.releases_with(module.name, std::string(name));
  if (!row) return false;
  const auto version =
      module.path.empty() ? release_elsewhere(row->distribution) : release_of(module, row->distribution);
  if (version.empty() || allows(row->releases, version)) return false;
  return row->again.empty() || !allows(">=" + row->again, version);
}

std::string ImportStatements::release_elsewhere(std::string distribution) const {
  std::replace(distribution.begin(), distribution.end(), '-', '_');
  const auto release = environment_.releases.find(distribution);
  return release != environment_.releases.end() && release->second.certain ? release->second.version : "";
}

std::string ImportStatements::release_of(const Module& module, const std::string& distribution) {
  std::string site(parent_path(module.path));
  for (auto dots = std::count(module.name.begin(), module.name.end(), '.') + (module.package ? 1 : 0); dots > 0; --dots)
    site = parent_path(site);
  constexpr std::string_view ending = ".dist-info";
  std::vector<std::string> versions;
  const auto& entries = finder_.list(site);
  heap_.work(entries.size());
  for (const auto& entry : entries) {
    const auto dash = entry.find('-');
    if (!entry.ends_with(ending) || dash == std::string::npos) continue;
    if (normal_distribution_name(entry.substr(0, dash)) == distribution)
      versions.push_back(entry.substr(dash + 1, entry.size() - ending.size() - dash - 1));
  }
  return versions.size() == 1 ? versions.front() : "";
}

bool ImportStatements::lacks_by_release(const Module& module, std::string_view name) const {
  if (environment_.interpreter.empty() || module.names.contains(name)) return false;
  const auto top = std::string_view(module.name).substr(0, module.name.find('.'));
  if (!finder_.is_standard(top) || (!module.path.empty() && !finder_.in_standard_library(module.path))) return false;
  const auto time = time_of_name(rules_, module.name, name, environment_.version);
  if (!time.lacks(environment_.version)) return false;
  // A later micro release may have got it as well.
  const auto text = module.source == nullptr ? nullptr : module.source->text();
  if (time.added.empty() || text == nullptr) return true;
  heap_.look_at(text->size());
  const auto defines = [&](std::string_view before, std::string_view after) {
    std::string definition("\n");
    definition.append(before).append(name).append(after);
    return text->find(definition) != std::string::npos;
  };
  return !defines("def ", "(") && !defines("class ", "(") && !defines("class ", ":") && !defines("", " = ") &&
         !defines("", ": ");
}

bool ImportStatements::lacks_builtin(std::string_view name) const {
  return !environment_.interpreter.empty() &&
         time_of_name(rules_, "builtins", name, environment_.version).lacks(environment_.version);
}

std::optional<Value> ImportStatements::copied_names(const Object& object, std::string_view attribute) {
  const auto row = rules_.copied_names.find({object.name, attribute});
  if (row == rules_.copied_names.end()) return std::nullopt;
  const auto name = std::string(row->second.module);
  if (python_.sys_modules.find_loaded(name) != nullptr) return ModuleName{name};
  for (const auto compiled : row->second.of) {
    const auto* loaded = python_.sys_modules.find_loaded(compiled);
    if (loaded == nullptr || !loaded->opaque || loaded->path.empty()) continue;
    const auto path = loaded->path;
    auto& made = python_.sys_modules.make_module(name);
    made.path = path;
    made.names_in_table = true;
    return ModuleName{name};
  }
  return std::nullopt;
}

/// What `from module import name` asks for. Where the module's own __getattr__ says by an ImportError that the name is
/// gone, that is the error.
std::optional<Value> ImportStatements::imported_attribute(Frame& frame, Module& module, std::string_view name) {
  const auto around = std::exchange(asking_depth_, frame.maybe ? -1 : python_.importer.depth());
  const AtEnd leave([&] { asking_depth_ = around; });
  return python_.bindings.module_attribute(frame, module, name);
}

/// As a message of an ImportError names a module. Source: CPython 3.11 Python/ceval.c, import_from.
std::string ImportStatements::described(const Module& module) const {
  const auto quoted = "'" + module.name + "'";
  if (module.path.empty() && environment_.is_elsewhere(module.name)) return quoted;  // Python knows where it lies
  const auto place = " (" + (module.path.empty() ? "unknown location" : python_.host.spelled(module.path)) + ")";
  return module.complete ? quoted + place
                         : "partially initialized module " + quoted + " (most likely due to a circular import)" + place;
}

/// Whether no statement of a source can bind a name, in whatever order modules are imported: a file of the user's own
/// that is called like the package which is meant.
bool ImportStatements::never_binds(const Module& module, std::string_view wanted) {
  if (module.package || module.opaque || module.source == nullptr || module.names_lost) return false;
  heap_.look_at(3 * module.source->size());
  return !module.source->first_trick() && !module.source->may_bind_unseen() && !module.source->mentions(wanted) &&
         !holds_bytes(*module.source->text(), "import *");
}

void ImportStatements::import_name(Frame& frame, Module& module, const std::string& wanted, std::string_view bound) {
  // What six.moves gives is a module of the standard library, and this one is of Windows. Source: six 1.17, six.py.
  const bool moved = module.name == "six.moves" || module.name.ends_with(".six.moves");
  if (moved && wanted == "winreg" && environment_.windows == nullptr) python_.importer.module_not_found(wanted, &frame);
  auto value = imported_attribute(frame, module, wanted);
  // importlib's _handle_fromlist: a name that the package lacks may be a submodule.
  const auto submodule = module.name + "." + wanted;
  const auto is_there = [&] {
    if (finder_.find(wanted, python_.finders.search_of(module), false).kind != ModulePlace::Kind::absent) return true;
    if (lacks_by_table(module, wanted)) return false;
    if (environment_.is_namespace_elsewhere(module.name) && environment_.has_elsewhere(submodule)) return true;
    for (const bool before : {true, false})
      if (const auto answer = python_.finders.ask_finders(submodule, python_.finders.search_of(module), before);
          answer.place || answer.makes_it)
        return true;
    // Nothing that the module binds is called so: then a part that another requirement may install has the name.
    return !module.opaque && environment_.may_have_parts_elsewhere(module.name.substr(0, module.name.find('.')));
  };
  if ((!value || value->unknown() || module.opaque) && module.package && !module.names.contains(wanted) && is_there())
    value = ModuleName{python_.importer.import_module(submodule, &frame).name};
  const bool no_code = module.path.empty() && !module.opaque && module.source == nullptr;  // a namespace package
  if (!value && no_code && !is_made_over_folder(module))
    throw PythonError{"ImportError",
                      "cannot import name '" + wanted + "' from '" + module.name + "' (unknown location)"};
  const bool absent =
      value && value->is_named() && !frame.maybe && python_.compiled_files.lacks_in_file(module, wanted);
  if (absent && (python_.handlers.caught_for_all("ImportError") || python_.doubt.is_certain(frame))) value.reset();
  // Of another module that is not complete yet, names may have been bound that were not followed; not of this one.
  const bool finished = module.complete || &module == frame.module || never_binds(module, wanted);
  const bool counts = !value && python_.handlers.caught_for_all("ImportError");
  const auto is_sure = [&] { return !frame.doubtful && python_.bindings.surely_lacks(frame, module, wanted, value); };
  if (finished && (counts || (absent && !value) || is_sure()))
    throw PythonError{.kind = "ImportError",
                      .message = "cannot import name '" + wanted + "' from " + described(module),
                      .causes = python_.tracker.loads_that_lost(module, wanted),
                      .lacked = python_.bindings.lacked(frame, module, wanted)};
  python_.bindings.assign(frame, bound, value ? *value : Value(Unknown{}));
}

/// Whether code of the package has made a module that a folder bears the name of as well: one of stubs, without code.
bool ImportStatements::is_made_over_folder(Module& module) {
  const bool may_be = module.name.find('.') != std::string::npos && !python_.handlers.caught("ImportError");
  if (!may_be || finder_.hold_modules(module.search) || !python_.sys_modules.makes_module(module.name)) return false;
  python_.tracker.note(module.name + " is a directory without code; assumed to be created at run time");
  return module.opaque = true;
}

void ImportStatements::import_star(Frame& frame, Module& module) {
  const bool at_module_level = frame.scope == nullptr && frame.class_names == nullptr;
  const bool known = module.names_known_but_for_compiled() ||
                     (module.source != nullptr && !module.names_lost && is_of_known_names(module));
  const auto all = module.names.find("__all__");
  // Where __all__ is known, it says what is bound, whatever else the module has.
  const bool listed = all != module.names.end() && all->second.get<List>() != nullptr &&
                      !python_.escapes.is_doubtful(all->second) && !module.doubtful && !module.opaque;
  if (!listed && at_module_level) {
    auto& own = *frame.module;
    const bool is_compiled = module.opaque && !module.path.empty() && !module.doubtful && !module.names_lost;
    own.names_lost |= !is_compiled && (module.opaque || !known || !module.complete);
    own.takes_unseen |= module.takes_unseen || !module.complete || (module.opaque && module.path.empty());
    if (is_compiled && own.taken_from.insert(module.name).second) heap_.keep(size_of_name + module.name.size());
    for (const auto& name : module.taken_from)
      if (own.taken_from.insert(name).second) heap_.keep(size_of_name + name.size());
  }
  if (all != module.names.end() && all->second.get<List>() != nullptr) {
    const auto items = heap_.copy(*all->second.get<List>());
    if (has(items.doubt, ListDoubt::may_hold_more) && at_module_level) frame.module->names_lost = true;
    for (const auto& item : items) {
      const auto* name = item.get<std::string>();
      if (name == nullptr && at_module_level) frame.module->names_lost = true;
      if (name == nullptr) continue;
      auto value = python_.bindings.module_attribute(frame, module, *name);
      if (!value && module.package &&
          finder_.find(*name, python_.finders.search_of(module), false).kind != ModulePlace::Kind::absent)
        value = ModuleName{python_.importer.import_module(module.name + "." + *name, &frame).name};
      python_.bindings.assign(frame, *name, value ? *value : Value(Unknown{}));
    }
    return;
  }
  resolve_all(frame, module);
  heap_.work(30 * module.names.size());
  const auto own = &module == frame.module ? std::optional(module.names) : std::nullopt;
  for (const auto& [name, value] : own ? *own : module.names)
    if (!name.starts_with('_')) python_.bindings.assign(frame, name, value);
}

bool ImportStatements::asks_this_module() const { return python_.importer.depth() == asking_depth_; }

}  // namespace cudald::python
