#include "pyimport/run/interpreter.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/find_bytes.h"
#include "base/path.h"
#include "base/utf8.h"
#include "binary/constants/read_only_data.h"
#include "package/dist_info.h"
#include "pyimport/bytecode.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/syntax/refused_syntax.h"
#include "pyimport/syntax/source_coding.h"
#include "pyimport/syntax/string_literal.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t max_source = std::uint64_t{8} << 20;
constexpr std::size_t max_modules = 20000;
constexpr std::size_t max_call_steps = 3000;  ///< of a call from module level, with all it calls
constexpr std::size_t max_module_steps = 300000;
constexpr int max_import_depth = 250;
constexpr std::size_t max_folders = 1000;  ///< of sys.path
constexpr std::ptrdiff_t max_name_parts = 100;
constexpr std::size_t max_soft_libraries = 2000;
constexpr std::uint64_t work_per_step = 8;
constexpr CostLimits expression_limits{.depth = 150};
constexpr std::string_view own_finders = "importlib.machinery.PathFinder";

/// A byte as repr() shows it.
std::string shown_byte(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\r') return "\\r";
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\\' || c == '\'') return std::string("\\") + c;
  if (byte >= 0x20 && byte < 0x7f) return std::string(1, c);
  return std::string("\\x") + digits[byte >> 4] + digits[byte & 0xf];
}

}  // namespace

Interpreter::Interpreter(const PythonEnvironment& environment, const FileSystem& files, const PythonLoader& loader,
                         const Rules& rules, Budget& cost, SourceStore* source_store)
    : environment_(environment),
      files_(files),
      loader_(loader),
      rules_(rules),
      paths_(environment.windows != nullptr),
      cost_(cost),
      source_store_(source_store),
      visible_(environment, files),
      texts_(files),
      expressions_(expression_limits),
      heap_(cost),
      finder_(environment, files, rules.standard_library, heap_),
      path_{heap_.make<ListItems>()},
      meta_path_{heap_.make<ListItems>()} {
  for (const auto& [name, value] : environment.variables)
    if (environment.shows(name))
      variables_.emplace(name, value);
    else
      unsure_variables_.insert(name);
  set_known_search_path();
  auto own = heap_.make<Object>();
  own->name = own_finders;
  own->metaclass_known = true;
  own->names.insert_or_assign("find_spec", Named{std::string(own_finders) + ".find_spec"});
  meta_path_.items->emplace_back(std::move(own));
}

void Interpreter::count_steps(std::size_t steps) {
  auto& counter = call_depth_ > 0 ? call_steps_ : module_steps_;
  counter += steps;
  heap_.work(work_per_step * steps);
  if (counter > (call_depth_ > 0 ? max_call_steps : max_module_steps)) throw StepLimit();
}

Result<std::string> Interpreter::read_text(const std::string& path, std::uint64_t limit) {
  if (!visible_.may_read(path)) return Error{ErrorCode::usage, "it is not one of the files that code may see", path};
  const auto file = files_.open(path);
  if (!file) return file.error();
  heap_.look_at(std::min((*file)->status().size, limit));
  return read_file(**file, path, limit);
}

Result<SourceIdentity> Interpreter::read_source(const std::string& path) {
  const auto file = files_.open(path);
  if (!file) return file.error();
  heap_.look_at(std::min((*file)->status().size, max_source));
  return texts_.read(**file, path, max_source);
}

std::shared_ptr<const Source> Interpreter::keep_source(std::shared_ptr<const Source> source) {
  if (cost_.exhausted()) throw Exhausted();
  return sources_.emplace_back(std::move(source));
}

void Interpreter::note(std::string sentence) {
  heap_.keep(sizeof(sentence) + sentence.size());
  result_.notes.push_back(std::move(sentence));
}

void Interpreter::note_absent(const Frame& frame, const std::string& path) {
  constexpr std::size_t most = 3;
  const auto name = path.substr(path.rfind('/') + 1);
  const bool is_library = name.ends_with(".so") || name.ends_with(".so*") || name.find(".so.") != std::string::npos;
  if (!is_library || frame.source == nullptr || finder_.in_standard_library(frame.source->path())) return;
  auto& known = absent_libraries_;
  if (known.size() < most && std::find(known.begin(), known.end(), path) == known.end()) known.push_back(path);
}

/// Once for a source: code that is nested like that is so in many places.
void Interpreter::note_depth(const Frame& frame) {
  const auto& path = frame.source == nullptr ? frame.module->path : frame.source->path();
  frame.module->doubtful = true;
  if (too_deep_.insert(path).second)
    note(path + ":" + std::to_string(frame.line) + " is nested too deeply to be followed");
}

/// Once for a source, of which a part was left out: the module's own, or that of a function that was called.
void Interpreter::note_left_out(const Source& source) {
  if ((source.complete() && !source.was_lost()) || !left_out_of_.insert(source.path()).second) return;
  note_unread(source.path() +
              (source.was_lost() ? " was changed while it was read" : " is too long to be followed to its end"));
}

void Interpreter::tell_lost_sources() {
  for (const auto* module : order_)
    if (module->source != nullptr && module->source->was_lost()) note_left_out(*module->source);
}

std::vector<std::string> Interpreter::search_path() { return known_search_path(); }

/// Made anew only when the list was changed, as many names are looked for in between.
const std::vector<std::string>& Interpreter::known_search_path() {
  if (has_path_as_before()) return search_path_;
  path_items_.clear();
  search_path_.clear();
  for (const auto& item : *path_.items) {
    const auto* text = item.get<std::string>();
    if (text == nullptr || path_items_.size() == max_folders) continue;
    path_items_.push_back(*text);
    if (auto folder = folder_of_path(*text)) search_path_.push_back(std::move(*folder));
  }
  return search_path_;
}

bool Interpreter::has_path_as_before() {
  heap_.work(path_.items->size());
  std::size_t at = 0;
  for (const auto& item : *path_.items) {
    const auto* text = item.get<std::string>();
    if (text == nullptr || at == max_folders) continue;
    if (at == path_items_.size() || *text != path_items_[at]) return false;
    ++at;
  }
  return at == path_items_.size();
}

/// Where an item of sys.path lies; nullopt if that is not known.
std::optional<std::string> Interpreter::folder_of_path(const std::string& item) {
  if (item.empty()) return std::nullopt;
  if (environment_.windows == nullptr) return item;
  heap_.work(environment_.path.size());
  for (const auto& own : environment_.path)
    if (spelled(own) == item) return own;
  return environment_.windows->find(item);
}

const std::vector<std::string>& Interpreter::search_of(Module& module) {
  const auto at = module.package ? module.names.find("__path__") : module.names.end();
  if (at == module.names.end()) return module.search;
  const auto* list = at->second.get<List>();
  module.search_complete = list != nullptr && !at->second.doubtful;
  if (list == nullptr) return module.search;
  const auto items = heap_.copy(*list);
  module.search_complete &= items.doubt == ListDoubt::none;
  module.search.clear();
  for (const auto& item : items) {
    const auto* text = item.get<std::string>();
    auto folder = text == nullptr ? std::nullopt : folder_of_path(*text);
    module.search_complete &= text != nullptr && !item.doubtful;
    if (folder && module.search.size() < max_folders) module.search.push_back(std::move(*folder));
  }
  return module.search;
}

Module* Interpreter::find_loaded(std::string_view name) {
  if (const auto other = put_back_.find(name); other != put_back_.end()) name = other->second;
  const auto at = modules_.find(name);
  return at == modules_.end() ? nullptr : at->second.get();
}

/// Gives a module that code takes out of sys.modules a name of its own, so that its name can be imported once more.
std::string Interpreter::take_out_module(const std::string& name) {
  if (const auto another = put_back_.find(name); another != put_back_.end()) {
    auto its_name = another->second;
    put_back_.erase(another);
    return its_name;
  }
  if (!modules_.contains(name)) return name;
  std::string other;
  for (auto number = modules_.size() - 1; other.empty() || modules_.contains(other); ++number)
    other = name + " (taken out " + std::to_string(number) + ")";
  heap_.keep(4 * other.size());
  rename_module(name, other);
  return other;
}

void Interpreter::rename_module(const std::string& name, const std::string& other) {
  auto module = std::move(modules_.find(name)->second);
  modules_.erase(name);
  modules_.emplace(other, std::move(module));
  placed_.insert(other);
  heap_.work(put_back_.size());
  for (auto& [known_as, its_name] : put_back_)
    if (its_name == name) its_name = other;
}

/// Keeps that code may have put a module into sys.modules whose name, or the beginning of it, is this.
void Interpreter::put_unsurely(UnsurePut put) {
  if (std::find(unsure_puts_.begin(), unsure_puts_.end(), put) != unsure_puts_.end()) return;
  heap_.keep(sizeof(put) + put.name.size());
  for (const auto& package : put.packages) heap_.keep(sizeof(package) + package.size());
  heap_.work(unsure_puts_.size());
  unsure_puts_.push_back(std::move(put));
}

/// The packages at the top whose code has led to this place by calls: what they make is theirs. Empty where the
/// standard library does it for whoever asks.
std::set<std::string> Interpreter::packages_that_run(const Frame& frame) const {
  std::set<std::string> packages;
  for (const auto* at = &frame; at != nullptr; at = at->caller) {
    heap_.work(1);
    if (at->module == nullptr || finder_.in_standard_library(at->module->path)) continue;
    packages.insert(at->module->name.substr(0, at->module->name.find('.')));
  }
  return packages;
}

/// `sys.modules[name] = value`: a module that was taken out comes back, another one is there under this name as well,
/// and any other thing is there from now on.
void Interpreter::put_module(const std::string& name, const Value& value) {
  constexpr std::uint64_t size_of_stand_in = 96;
  const auto* given = value.get<ModuleName>();
  if (const auto* object = value.get<ObjectRef>(); object != nullptr && !(*object)->is_class) {
    heap_.keep(size_of_stand_in + name.size());
    stand_ins_.insert_or_assign(name, *object);
  } else if (const auto before = stand_ins_.find(name); before != stand_ins_.end()) {
    stand_ins_.erase(before);
  }
  if (doubtful_imports_ > 0) {  // what is imported later would not be looked for
    put_unsurely({name, true});
    // Something else may stand there, such as an object whose __getattr__ has any name.
    if (auto* there = find_loaded(name); there != nullptr && (given == nullptr || given->name != name))
      there->opaque = true;
    return;
  }
  if (given == nullptr || given->name == name || !modules_.contains(given->name)) {
    auto* there = find_loaded(name);
    if (there == nullptr) make_module(name);
    // What is not known has names that are not known.
    if (there != nullptr && given == nullptr) there->opaque = true;
    return;
  }
  if (find_loaded(name) == find_loaded(given->name)) return;
  take_out_module(name);
  if (given->name.find(" (taken out ") == std::string::npos) {
    put_back_.insert_or_assign(name, given->name);
    return;
  }
  rename_module(given->name, name);
  put_back_.insert_or_assign(given->name, name);
}

void Interpreter::module_not_found(const std::string& name, const Frame* from) {
  note_missing(name, from);
  throw PythonError{"ModuleNotFoundError", "No module named '" + name + "'", name};
}

void Interpreter::note_missing(const std::string& name, const Frame* from) {
  MissingModule missing{name, {}, 0, !caught("ModuleNotFoundError")};
  if (from != nullptr && from->source != nullptr) missing.source = from->source->path(), missing.line = from->line;
  const bool told = std::any_of(result_.missing.begin(), result_.missing.end(), [&](const MissingModule& other) {
    return other.name == missing.name && other.source == missing.source && other.line == missing.line;
  });
  heap_.work(result_.missing.size());
  if (told) return;
  heap_.keep(2 * sizeof(missing) + 2 * missing.name.size() + missing.source.size());
  result_.missing.push_back(std::move(missing));
}

Module& Interpreter::import_module(const std::string& name, const Frame* from) {
  if (auto* loaded = find_loaded(name)) return *loaded;
  const auto dot = name.rfind('.');
  const auto now_there = [&](Module& module) -> Module& {  // code may have put another one in its place
    auto* other = find_loaded(name);
    return other == nullptr ? module : *other;
  };
  if (dot == std::string::npos) return now_there(load_module(name, search_path(), from));
  if (std::count(name.begin(), name.end(), '.') > max_name_parts) module_not_found(name, from);
  auto& parent = import_module(name.substr(0, dot), from);
  if (auto* loaded = find_loaded(name)) return *loaded;  // its parent brought it along
  if (!parent.package) {
    // Not a package by its place, yet it may make its submodules itself: a compiled one, or one with its own __path__.
    const auto path = parent.names.find("__path__");
    const auto* places = path == parent.names.end() ? nullptr : path->second.get<List>();
    const bool finds_none =
        places != nullptr && places->items->empty() && !places->items->in_doubt() && !makes_module(name);
    if (!parent.opaque && (path == parent.names.end() || finds_none)) module_not_found(name, from);
    return make_module(name);
  }
  auto& module = now_there(load_module(name, search_of(parent), from));
  parent.names.insert_or_assign(name.substr(dot + 1), ModuleName{name});
  return module;
}

/// A module that exists at run time alone: what it holds is not known, but importing it succeeds.
Module& Interpreter::make_module(const std::string& name) {
  heap_.keep(sizeof(Module) + 4 * name.size());
  auto& made = *modules_.emplace(name, std::make_unique<Module>()).first->second;
  made.name = name;
  made.opaque = made.complete = made.package = true;
  return made;
}

Module& Interpreter::load_module(const std::string& name, const std::vector<std::string>& search, const Frame* from) {
  // What was not found may lie where the package's __path__ leads by now.
  const auto may_be_found_now = [&](const PythonError& error) {
    const auto* package = find_loaded(std::string_view(name).substr(0, name.rfind('.')));
    return error.kind == "ModuleNotFoundError" && package != nullptr && package->names.contains("__path__");
  };
  // What was assumed for a handler that is no longer around: without one the module is followed past that place.
  const auto is_assumed = [&](const PythonError& error) {
    return error.assumed && !caught_for_all(error) && tried_again_.insert(name).second;
  };
  if (const auto at = failed_.find(name); at != failed_.end() && !may_be_found_now(at->second)) {
    if (!is_assumed(at->second)) {
      if (!at->second.module.empty()) module_not_found(at->second.module, from);
      throw at->second;
    }
    failed_.erase(at);
  }
  if (import_depth_ >= max_import_depth) throw PythonError{"RecursionError", "too many modules to follow"};
  if (modules_.size() >= max_modules) {
    note("its code was not followed further: it imports more than " + std::to_string(max_modules) + " modules");
    throw Exhausted();
  }
  const auto first = ask_finders(name, search, true);
  if (first.place) return load_place(name, *first.place, from);
  const auto dot = name.rfind('.');
  const auto place = finder_.find(std::string_view(name).substr(dot == std::string::npos ? 0 : dot + 1), search,
                                  dot == std::string::npos);
  if (place.kind != ModulePlace::Kind::absent) return load_place(name, place, from);
  const auto last = ask_finders(name, search, false);
  if (last.place) return load_place(name, *last.place, from);
  if ((first.makes_it || last.makes_it) && !is_gone_by_table(name)) return make_module(name);
  if (auto* module = stand_in(name, from)) return *module;
  heap_.keep(sizeof(PythonError) + 4 * name.size());
  failed_.insert_or_assign(name, PythonError{"ModuleNotFoundError", "No module named '" + name + "'", name});
  module_not_found(name, from);
}

/// sys.path as the files of the environment make it.
void Interpreter::set_known_search_path() {
  *path_.items = ListItems();
  for (const auto& folder : environment_.path) path_.items->push_back(spelled(folder));
}

/// The entry of `python -c`, which stands for the current directory. Here no module is looked for in it, yet code
/// counts from it: sys.path.insert(1, ...). Source: CPython Modules/main.c, pymain_run_python.
void Interpreter::add_entry_of_program() { path_.items->insert(path_.items->begin(), std::string()); }

/// A line of a .pth file that raises ends the file: nothing behind it counts.
/// Source: CPython 3.11 Lib/site.py, addpackage.
void Interpreter::run_start_up() {
  constexpr int first_that_continues = 15;
  std::set<std::string> ended;
  const auto take_back = [&](const std::vector<std::string>& folders) {
    for (const auto& folder : folders)
      std::erase_if(*path_.items, [&, path = spelled(folder)](const Value& item) {
        const auto* text = item.get<std::string>();
        return text != nullptr && *text == path;
      });
  };
  for (const auto& [file, code, later] : environment_.start_up) {
    if (ended.contains(file)) {
      take_back(later);
      continue;
    }
    auto& module = *modules_.emplace("site", std::make_unique<Module>()).first->second;
    module.name = "site";
    Frame frame;
    frame.module = &module;
    frame.scope = heap_.make<Scope>();
    frame.source = keep_source(parse(file, code));
    const Handler handler(*this, {});
    const auto missing = result_.missing.size();
    try {
      if (!run_counted(frame)) note(file + " runs code at start-up that takes too many steps");
    } catch (const PythonError& error) {
      result_.missing.resize(std::min(missing, result_.missing.size()));
      if (error.doubtful || error.assumed || minor_of(environment_.version) >= first_that_continues) continue;
      ended.insert(file);
      take_back(later);
    }
  }
}

FinderAnswer Interpreter::ask_finders(const std::string& name, const std::vector<std::string>& search, bool before) {
  FinderAnswer all;
  if ((meta_path_.items->size() < 2 && !meta_path_.items->in_doubt()) || asks_finder_) return all;
  bool is_before = true;
  const auto finders = *meta_path_.items;
  for (const auto& finder : finders) {
    const auto* object = finder.get<ObjectRef>();
    const bool own = object != nullptr && (*object)->name == own_finders;
    if (own) is_before = false;
    if (is_before != before || object == nullptr || own) continue;
    const auto answer = ask_finder(*object, name, search);
    all.makes_it |= answer.makes_it;
    all.place = answer.place;
    if (all.place) break;
  }
  // One that code may have put there is not asked.
  if (!before && has(meta_path_.items->doubt, ListDoubt::may_hold_more) && name.find('.') != std::string::npos)
    all.makes_it |= makes_module(name);
  return all;
}

/// setuptools has its own distutils, which takes the place of the standard library's, that is gone since Python 3.12.
/// Source: setuptools 80, _distutils_hack/__init__.py, DistutilsMetaFinder.spec_for_distutils.
std::optional<ModulePlace> Interpreter::distutils_of_setuptools() {
  import_if_there("setuptools._distutils", nullptr);
  const auto* package = find_loaded("setuptools");
  if (package == nullptr) return std::nullopt;
  auto place = finder_.find("_distutils", package->search, false);
  return place.kind == ModulePlace::Kind::absent ? std::nullopt : std::optional(std::move(place));
}

FinderAnswer Interpreter::ask_finder(const ObjectRef& finder, const std::string& name,
                                     const std::vector<std::string>& search) {
  if (finder->name == "_distutils_hack.DistutilsMetaFinder")
    return {name == "distutils" ? distutils_of_setuptools() : std::nullopt};
  Frame frame;
  frame.module = find_loaded("site");
  if (frame.module == nullptr) return {};
  frame.scope = heap_.make<Scope>();
  std::vector<Value> folders;
  for (const auto& folder : search) folders.push_back(spelled(folder));
  const bool top = name.find('.') == std::string::npos;
  Value spec;
  bool answered = false;
  try {
    asks_finder_ = true;
    const AtEnd leave([this] { asks_finder_ = false; });
    const auto method = attribute(frame, finder, "find_spec");
    spec = call(frame, method, {{"", name}, {"", top ? Value(None{}) : heap_.list(std::move(folders))}, {"", None{}}});
    answered = !method.unknown();
  } catch (const PythonError&) {
  }
  const bool of_package = !top && finder->name.starts_with(name.substr(0, name.find('.') + 1));
  return {place_of_spec(spec), answered && spec.unknown() && of_package};
}

/// Whether the table says of a submodule that this release of its package has lost it.
bool Interpreter::is_gone_by_table(std::string_view name) {
  const auto dot = name.rfind('.');
  const auto* parent = dot == std::string_view::npos ? nullptr : find_loaded(name.substr(0, dot));
  return parent != nullptr && lacks_by_table(*parent, name.substr(dot + 1));
}

/// For a module of which there is no file: one that is taken to be there all the same; null if it is missing.
Module* Interpreter::stand_in(const std::string& name, const Frame* from) {
  const auto top = name.substr(0, name.find('.'));
  const auto* parent = name == top ? nullptr : find_loaded(std::string_view(name).substr(0, name.rfind('.')));
  const bool made = parent != nullptr && parent->path.empty() && parent->opaque;
  if (is_gone_by_table(name)) return nullptr;
  // Whatever made a package made what is in it: as little is known of it.
  if (made) return &make_module(name);
  if (name != top && !caught("ModuleNotFoundError") && makes_module(name) && !has_lost_its_file(name) &&
      !is_module_nowhere(name, from)) {
    // Nobody expects the failure, so the package more likely makes this module at run time.
    note(name + " is imported and has no file; assumed to be created at run time");
    return &make_module(name);
  }
  if (parent != nullptr && !parent->search_complete && !caught("ModuleNotFoundError") && !has_lost_its_file(name)) {
    note(name + " has no file in the directories that are known of the __path__ of " + parent->name +
         "; assumed to be in another");
    return &make_module(name);
  }
  if (environment_.is_elsewhere(name)) return &make_module(name);
  if (name != top && environment_.may_have_parts_elsewhere(top)) return &make_module(name);
  if (environment_.is_namespace_elsewhere(name)) {
    auto& module = make_module(name);
    module.opaque = false;  // all that is in it is known
    return &module;
  }
  if (from == nullptr || caught("ModuleNotFoundError")) return nullptr;
  // A Python that is not at hand has its standard library.
  if (name != top && finder_.is_library_not_at_hand(top)) return &make_module(name);
  if (!environment_.complete) {
    note_missing(name, from);
    return &make_module(name);
  }
  // Code may have put the directory in which it lies into sys.path.
  const auto is_unknown = [](const Value& item) { return item.unknown(); };
  heap_.work(path_.items->size());
  if (name != top || !(has(path_.items->doubt, ListDoubt::may_hold_more) ||
                       std::any_of(path_.items->begin(), path_.items->end(), is_unknown)))
    return nullptr;
  note(name + " is in no directory of sys.path that is known; assumed to be in one that code adds");
  return &make_module(name);
}

namespace {

/// An assignment to an item of sys.modules, in the text of a module.
struct ModulePut {
  std::uint32_t line = 0;
  std::string_view definition;  ///< the class or function at the top of the module in which it stands; or empty
};

/// What a line at the top of a module defines; empty if it begins anything else.
std::string_view defined_by(std::string_view line) {
  if (line.starts_with("async ")) line.remove_prefix(6);
  for (const std::string_view word : {"def ", "class "})
    if (line.starts_with(word)) return line.substr(word.size(), line.find_first_of(" (:[", word.size()) - word.size());
  return {};
}

/// Whether what follows `sys.modules[` in a line, or begins there, is an index and then an assignment; reading one
/// makes no module. `first`: nothing but other targets stands before it.
bool assigns_item(std::string_view rest, bool first) {
  constexpr std::size_t longest = 500;
  rest = rest.substr(0, longest);
  std::size_t end = 0;
  for (int open = 1; end < rest.size() && open > 0; ++end) open += rest[end] == '[' ? 1 : rest[end] == ']' ? -1 : 0;
  end = std::min(rest.find_first_not_of(" \t\\\n", end), rest.size());
  const auto next = rest.substr(end, 2);
  return (next.starts_with(',') && first) || (next.starts_with('=') && next != "==") || next.empty();
}

/// All assignments to items of sys.modules, line by line.
std::vector<ModulePut> module_puts(std::string_view text) {
  constexpr std::string_view begin = "sys.modules[", no_statement = " \t\r#)";
  std::vector<ModulePut> puts;
  std::string_view definition;
  std::uint32_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (!line.empty() && no_statement.find(line.front()) == std::string_view::npos) definition = defined_by(line);
    for (auto found = line.find(begin); found != std::string_view::npos; found = line.find(begin, found + 1)) {
      const auto before = line.substr(0, found).find_last_not_of(" \t");
      if (!assigns_item(text.substr(at + found + begin.size()),
                        before == std::string_view::npos || line[before] == ','))
        continue;
      puts.push_back({number, definition});
      break;
    }
    at = end + 1;
  }
  return puts;
}

/// Whether a class, by the text of its module, has no find_spec: neither of its own nor of a base.
bool lacks_find_spec(const Object& finder, std::string_view text) {
  if (finder.bases.size() != 1 || text.find("find_spec") != std::string_view::npos) return false;
  const auto* type = finder.bases.front().get<ObjectRef>();
  return type != nullptr && std::all_of((*type)->bases.begin(), (*type)->bases.end(), [](const Value& base) {
           const auto* named = base.get<Named>();
           return named != nullptr && named->name == "builtins.object";
         });
}

}  // namespace

/// Whether this Python asks no finder that has no find_spec.
/// Source: CPython 3.12 Doc/whatsnew/3.12.rst, "Removed", importlib: find_module().
bool Interpreter::leaves_out_old_finders() const {
  constexpr int first = 12;
  return environment_.version.starts_with("3.") && minor_of(environment_.version) >= first;
}

/// The text of a module without the finders in it that Python no longer asks; nullopt if it has none.
std::optional<std::string> Interpreter::without_old_finders(const Module& module, const std::string& text) const {
  std::optional<std::string> rest;
  if (!leaves_out_old_finders()) return rest;
  for (const auto& finder : *meta_path_.items) {
    const auto* object = finder.get<ObjectRef>();
    if (object == nullptr || (*object)->is_class) continue;
    const auto& name = (*object)->name;
    const auto& left = rest ? *rest : text;
    if (!name.starts_with(module.name + ".") || !lacks_find_spec(**object, left)) continue;
    const auto begin = left.find("\nclass " + name.substr(name.rfind('.') + 1));
    if (begin == std::string::npos) continue;
    auto end = std::min(left.find('\n', begin + 1), left.size());
    while (end + 1 < left.size() && std::string_view(" \t\n#").find(left[end + 1]) != std::string_view::npos)
      end = std::min(left.find('\n', end + 1), left.size());
    rest = left.substr(0, begin) + left.substr(end);
  }
  return rest;
}

/// Whether a compiled file has the name of a module as a text of its own, or the whole name; of Rust, whose texts end
/// in nothing, as a part of any.
bool Interpreter::names_module(const std::string& path, const std::string& wanted, const std::string& last) {
  const auto holds = [&](const std::string& text) { return finder_.holds(path, text).value_or(false); };
  const std::string end(1, '\0');
  if (!holds(last)) return false;
  // Code of Cython puts a module into sys.modules by that name.
  if (holds("cython_runtime") && !holds(end + "modules" + end)) return false;
  return holds(end + last + end) || holds(wanted) || holds("RUST_BACKTRACE");
}

/// Whether code that is not followed may call a function of a module, or a method of a class at its top; Python itself
/// calls those of finders.
bool Interpreter::has_escaped(const Module& module, std::string_view definition) const {
  const auto name = module.name + "." + std::string(definition);
  heap_.work(meta_path_.items->size());
  const bool is_finder = std::any_of(meta_path_.items->begin(), meta_path_.items->end(), [&](const Value& finder) {
    const auto* object = finder.get<ObjectRef>();
    return object != nullptr && (*object)->name == name;
  });
  return is_finder || escaped_.contains({module.name, std::string(definition)});
}

/// Whether the code of a package may make this module, that no file bears, by writing into the table of modules, or by
/// changing how they are found: a compiled one where the name stands in it.
bool Interpreter::makes_module(std::string_view wanted) {
  const auto top = wanted.substr(0, wanted.find('.')), last = wanted.substr(wanted.rfind('.') + 1);
  const auto may_be_it = [&](const UnsurePut& put) {
    if (put.whole) return wanted == put.name;
    return wanted.starts_with(put.name) && (put.packages.empty() || put.packages.contains(std::string(top)));
  };
  if (std::any_of(unsure_puts_.begin(), unsure_puts_.end(), may_be_it)) return true;
  const auto below = std::string(top) + ".";
  for (auto place = placed_.lower_bound(top); place != placed_.end() && place->starts_with(top); ++place) {
    heap_.work(1);
    const auto at = *place == top || place->starts_with(below) ? modules_.find(*place) : modules_.end();
    if (at == modules_.end()) continue;
    const auto& module = at->second;
    const bool is_compiled = module->source == nullptr && module->opaque && !module->path.empty();
    if (is_compiled && module.get() != needing_ && names_module(module->path, std::string(wanted), std::string(last)))
      return true;
    if (module->source == nullptr) continue;
    heap_.look_at(4 * module->source->size());
    const auto text = module->source->text();
    const auto rest = without_old_finders(*module, *text);
    const std::string& live = rest ? *rest : *text;
    for (const std::string_view sign : {"modules.setdefault", "modules.update"})
      if (live.find(sign) != std::string::npos) return true;
    const auto puts = module_puts(live);
    heap_.work(puts.size());
    const bool all_known = std::all_of(puts.begin(), puts.end(), [&](const ModulePut& put) {
      const bool is_followed = !rest && followed_puts_.contains({module->source->path(), put.line});
      // A line of a function that was not followed has not run, unless code that is not followed may call it.
      return is_followed || (!put.definition.empty() && !has_escaped(*module, put.definition));
    });
    if (!all_known) return true;
    const bool names_finders =
        live.find("sys.meta_path") != std::string::npos ||
        (live.find("meta_path") != std::string::npos && live.find("from sys import") != std::string::npos);
    if (!rest && names_finders && !has_followed_finder(*module)) return true;
  }
  return false;
}

/// Whether the distribution of a module has put a file there that is gone: then nothing makes it at run time.
bool Interpreter::has_lost_its_file(const std::string& name) {
  constexpr std::uint64_t work_of_records = 100'000;
  const auto* top = find_loaded(std::string_view(name).substr(0, name.find('.')));
  if (top == nullptr || top->search.empty()) return false;
  heap_.work(work_of_records);
  return package_that_lost_module(files_, std::string(parent_path(top->search.front())), name).has_value();
}

/// Whether a finder that the module puts into sys.meta_path is one of its own, which is asked.
bool Interpreter::has_followed_finder(const Module& module) {
  return std::any_of(meta_path_.items->begin(), meta_path_.items->end(), [&](const Value& finder) {
    const auto* object = finder.get<ObjectRef>();
    const bool own = object != nullptr && !(*object)->doubtful && (*object)->name.starts_with(module.name + ".");
    return own && (leaves_out_old_finders() || !surely_lacks(finder, "find_spec"));
  });
}

/// What failed is in sys.modules no more, and neither is another module that its code has put there under its name; but
/// that one may be in use. Source: CPython 3.11 Lib/importlib/_bootstrap.py, _load_unlocked.
void Interpreter::forget_module(const std::string& name, const Module& failed) {
  const auto at = modules_.find(name);
  if (at == modules_.end() || at->second.get() != &failed) {
    take_out_module(name);
    return;
  }
  std::erase(order_, &failed);
  std::erase_if(possible_imports_, [&](const auto& one) { return one.first == &failed; });
  std::erase_if(put_back_, [&](const auto& one) { return one.second == name; });
  modules_.erase(name);
}

Module& Interpreter::load_place(const std::string& name, const ModulePlace& place, const Frame* from) {
  using Kind = ModulePlace::Kind;
  heap_.keep(sizeof(Module) + 4 * (name.size() + place.path.size()));
  auto& module = *modules_.emplace(name, std::make_unique<Module>()).first->second;
  placed_.insert(name);
  module.name = name;
  module.path = place.path;
  module.package = place.package;
  module.search = place.search;
  module.opaque = place.kind != Kind::source && place.kind != Kind::namespace_package;
  // Of a package that is taken to be elsewhere the libraries may be known, and lie in a folder of its name.
  if (place.kind == Kind::namespace_package && environment_.elsewhere.contains(name))
    module.opaque = !finder_.hold_modules(place.search);
  result_.modules.push_back({name, place.path, place.kind == Kind::extension || place.kind == Kind::bytecode, "", 0});
  if (from != nullptr && from->source != nullptr)
    result_.modules.back().source = from->source->path(), result_.modules.back().line = from->line;
  order_.push_back(&module);
  const bool doubtful = from != nullptr && (from->maybe || from->doubtful);
  doubtful_ways_ += doubtful ? 1 : 0;
  // What its code calls is no part of what asks for it.
  const auto outside = std::tuple(opaque_calls_, std::exchange(touched_, false), std::exchange(hidden_names_, 0),
                                  std::exchange(opaque_calls_before_, opaque_calls_));
  const AtEnd leave([&] {
    doubtful_ways_ -= doubtful ? 1 : 0;
    imports_unseen_ |= opaque_calls_ != opaque_calls_before_ && !finder_.in_standard_library(place.path);
    std::tie(opaque_calls_, touched_, hidden_names_, opaque_calls_before_) = outside;
  });
  ++import_depth_;
  try {
    run_place(module, place, from);
  } catch (const PythonError& failure) {
    --import_depth_;
    const auto error = without_doubt(failure);
    failed_.emplace(name, error);
    forget_module(name, module);
    throw error;
  } catch (...) {
    --import_depth_;
    throw;
  }
  --import_depth_;
  if (doubted_ && doubted_->first > import_depth_) doubted_.reset();
  module.complete = true;
  // What its code has put in its place is what the import gives.
  auto* in_place = find_loaded(name);
  return in_place == nullptr ? module : *in_place;
}

void Interpreter::run_place(Module& module, const ModulePlace& place, const Frame* from) {
  using Kind = ModulePlace::Kind;
  if (place.kind == Kind::extension) {
    module.group = mypyc_group(place.path);
    // Modules of a group make one another, without the files through which others get at them.
    if (module.group.empty() || from == nullptr || from->module->group != module.group) load_extension(module, from);
  }
  if (place.kind == Kind::source) run_source(module);
  if (place.kind == Kind::bytecode) refuse_other_bytecode(module);
  // Of a package that is taken to be elsewhere a rule tells which of its libraries it maps.
  const bool elsewhere = place.kind == Kind::namespace_package && environment_.elsewhere.contains(module.name);
  const auto& rules = elsewhere ? rules_.elsewhere : rules_.modules;
  if (const auto rule = rules.find(module.name); rule != rules.end()) {
    Frame frame;
    frame.module = &module;
    frame.source = module.source;
    run_rule(frame, *rule->second, {});
  }
  if (place.kind == Kind::extension) import_for_extension(module);
}

/// Bytecode of another Python. Of a release that is not known nothing is said.
/// Source: CPython 3.11 Lib/importlib/_bootstrap_external.py, _classify_pyc.
void Interpreter::refuse_other_bytecode(const Module& module) {
  constexpr std::uint64_t longest = 64 << 20;
  const auto bytes = read_text(module.path, longest);
  const auto python = bytes ? python_of_bytecode(*bytes) : "";
  if (python.empty() || environment_.version.empty() || python == environment_.version) return;
  std::string shown;
  for (const auto c : bytes->substr(0, 2)) shown += shown_byte(c);
  PythonError error{"ImportError", "bad magic number in '" + module.name + "': b'" + shown + "\\r\\n'"};
  error.at = module.path;
  throw error;
}

/// What is imported by other than Python code, or by a function of the standard library when it is called: a module
/// that is not there is not missing.
void Interpreter::import_if_there(const std::string& name, const Frame* from) {
  const auto missing = result_.missing.size();
  const Handler handler(*this);
  try {
    import_module(name, from);
  } catch (const PythonError&) {
    result_.missing.resize(std::min(missing, result_.missing.size()));
  }
}

/// Source: CPython 3.11 Lib/encodings/__init__.py, search_function.
void Interpreter::import_codec(Frame& frame, const std::string& codec) {
  constexpr std::size_t longest = 40;
  if (!follows(frame) || codec.size() > longest) return;
  std::string name;
  for (const char c : codec) name += is_name_part(c) ? (c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c) : '_';
  if (!name.empty()) import_if_there("encodings." + name, &frame);
}

void Interpreter::note_unread(const std::string& sentence) {
  heap_.keep(sizeof(sentence) + sentence.size());
  result_.followed = false;
  result_.notes.insert(result_.notes.begin(), sentence);
}

/// Whether Python has such an encoding: a module of `encodings`, or another name of one. True where its files cannot
/// be read. Source: CPython Lib/encodings/__init__.py, normalize_encoding and search_function.
bool Interpreter::has_encoding(std::string name) {
  constexpr std::uint64_t most_aliases = 1 << 20;
  std::replace_if(name.begin(), name.end(), [](char c) { return !is_name_part(c); }, '_');
  const auto folder = finder_.library_folder() + "/encodings/";
  const auto aliases = read_text(folder + "aliases.py", most_aliases);
  return !aliases || aliases->find("'" + name + "'") != std::string::npos || finder_.has_file(folder + name + ".py");
}

/// A source that no Python compiles, whatever its grammar, or that this one does not. Until 3.11.3 a zero byte was a
/// ValueError. Source: CPython 3.12 Parser/tokenizer.c, valid_utf8; Python/pythonrun.c, _Py_SourceAsString.
void Interpreter::raise_if_broken(const Module& module) {
  const auto text = module.source->text();
  heap_.look_at(2 * text->size());
  const auto raise = [&](std::string message, std::uint32_t line) {
    PythonError error{.kind = "SyntaxError", .message = std::move(message)};
    (line == 0 ? error.place : error.at) = module.path + (line == 0 ? "" : ":" + std::to_string(line));
    throw error;
  };
  if (text->find('\0') != std::string::npos) raise("source code string cannot contain null bytes", 1);
  const auto coding = source_coding(*text);
  if (is_utf8(coding) ? !is_ascii(heap_, *text) && valid_utf8(*text) != *text : !has_encoding(coding))
    raise(is_utf8(coding) ? "" : "unknown encoding: " + coding, is_utf8(coding) ? 0 : 1);
  const auto& version = environment_.version;
  const bool whole = version.starts_with("3.") && module.source->complete() && !module.source->was_lost();
  if (!whole || finder_.in_standard_library(module.path)) return;
  Budget own;  // paid above
  const auto refused = refused_syntax(*text, minor_of(version), own);
  if (!refused) return;
  PythonError error{.kind = std::string(refused->error()), .message = refused->message};
  error.at = module.path + ":" + std::to_string(refused->line);
  if (error.message.empty()) error.place = error.at;
  throw error;
}

void Interpreter::run_source(Module& module) {
  if (!visible_.may_follow(module.path)) {
    module.opaque = true;
    note(module.path + " lies outside of packages, Python and the search path; what it imports is not known");
    return;
  }
  auto read = read_source(module.path);
  if (!read) {
    module.opaque = true;
    note(module.path + " cannot be read (" + read.error().message + "); what it imports is not known");
    return;
  }
  module.source = Source::parse(std::move(*read), texts_, cost_, source_store_);
  if (cost_.exhausted()) throw Exhausted();
  note_left_out(*module.source);
  heap_.look_at(2 * module.source->size());
  // This is asked of all of them later: now the text is at hand.
  if (!finder_.in_standard_library(module.path)) module.source->may_load_libraries();
  raise_if_broken(module);
  if (const auto line = module.source->malformed(); line > 0)  // of a grammar that is not known
    note_unread(module.path + ":" + std::to_string(line) + " cannot be understood as Python");
  Frame frame;
  frame.module = &module;
  frame.source = module.source;
  if (run_counted(frame)) return;
  module.names_lost = module.takes_unseen = module.doubtful = true;
  note_steps(frame);
}

/// Runs a source with a count of steps of its own; false if it takes too many.
bool Interpreter::run_counted(Frame& frame) {
  // A call that is still being followed must not limit the modules it imports.
  const auto steps = std::pair(std::exchange(call_steps_, 0), std::exchange(module_steps_, 0));
  const auto depth = std::exchange(call_depth_, 0);
  const AtEnd restore([&] { std::tie(call_steps_, module_steps_) = steps, call_depth_ = depth; });
  try {
    run(frame, frame.source->block());
  } catch (const StepLimit&) {
    return false;
  }
  return true;
}

void Interpreter::note_steps(const Frame& frame) {
  note(frame.source->path() + " takes too many steps; it was followed up to line " + std::to_string(frame.line));
}

std::string Interpreter::absolute_name(const Module& module, std::size_t dots, const std::string& name) const {
  if (dots == 0) return name;
  std::string base = module.name;
  for (std::size_t i = module.package ? 1 : 0; i < dots && !base.empty(); ++i) {
    const auto dot = base.rfind('.');
    base = dot == std::string::npos ? std::string() : base.substr(0, dot);
  }
  return name.empty() || base.empty() ? base : base + "." + name;
}

// importlib's _sanity_check and _resolve_name.
void Interpreter::leads_out_of_packages(const Module& module) const {
  const bool in_package = module.package || module.name.find('.') != std::string::npos;
  throw PythonError{"ImportError", in_package ? "attempted relative import beyond top-level package"
                                              : "attempted relative import with no known parent package"};
}

/// Names that sources give to ctypes and its like, and that were not loaded from there.
void Interpreter::collect_soft_libraries() {
  constexpr std::string_view callers[] = {"CDLL", "WinDLL", "PyDLL", "LoadLibrary", "find_library", "dlopen"};
  for (const auto* module : order_) {
    if (module->source == nullptr || finder_.in_standard_library(module->path)) continue;
    heap_.look_at(std::size(callers) * module->source->size());
    if (!module->source->may_load_libraries()) continue;
    const auto kept = module->source->text();
    const std::string_view text = *kept;
    bool complete = true;
    const auto tokens = scan(text, {0, text.size()}, cost_, complete);
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].kind != TokenKind::name || tokens[i + 2].kind != TokenKind::string ||
          tokens[i + 1].word != Word::open_round)
        continue;
      const auto word = text.substr(tokens[i].begin, tokens[i].size);
      if (std::find(std::begin(callers), std::end(callers), word) == std::end(callers)) continue;
      if (requested_at_.contains({module->path, tokens[i].line})) continue;
      if (!note_soft_library(*module, word == "find_library", text.substr(tokens[i + 2].begin, tokens[i + 2].size),
                             tokens[i].line))
        return;
    }
  }
}

/// False if there are too many.
bool Interpreter::note_soft_library(const Module& module, bool by_short_name, std::string_view written,
                                    std::uint32_t line) {
  const auto literal = open_literal(written);
  auto name = unescaped(literal.inside, literal.raw);
  const bool bare = environment_.windows == nullptr && by_short_name && name.find('.') == std::string::npos;
  const std::string_view suffix = environment_.windows != nullptr ? ".dll" : ".so";
  if (literal.formatted || name.empty() || (!bare && name.find(suffix) == std::string::npos)) return true;
  if (bare) name = "lib" + name + ".so";
  if (result_.soft_libraries.size() >= max_soft_libraries || name.size() > max_length) {
    result_.followed = false;
    return false;
  }
  result_.soft_libraries.push_back({name, module.path, line, module.name, "source", "", false, false});
  return true;
}

}  // namespace cudald::python
