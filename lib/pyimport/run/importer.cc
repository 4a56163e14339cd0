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

constexpr std::size_t max_modules = 20000;
constexpr int max_import_depth = 250;
constexpr std::ptrdiff_t max_name_parts = 100;

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

void Importer::module_not_found(const std::string& name, const Frame* from) {
  python_.tracker.note_missing(name, from);
  throw PythonError{"ModuleNotFoundError", "No module named '" + name + "'", name};
}

Module& Importer::import_module(const std::string& name, const Frame* from) {
  if (auto* loaded = python_.sys_modules.find_loaded(name)) return *loaded;
  const auto dot = name.rfind('.');
  const auto now_there = [&](Module& module) -> Module& {  // code may have put another one in its place
    auto* other = python_.sys_modules.find_loaded(name);
    return other == nullptr ? module : *other;
  };
  if (dot == std::string::npos) {
    const auto search = python_.finders.search_path();  // a copy: code of finders may change sys.path meanwhile
    return now_there(load_module(name, search, from));
  }
  if (std::count(name.begin(), name.end(), '.') > max_name_parts) module_not_found(name, from);
  auto& parent = import_module(name.substr(0, dot), from);
  if (auto* loaded = python_.sys_modules.find_loaded(name)) return *loaded;  // its parent brought it along
  if (!parent.package) {
    // Not a package by its place, yet it may make its submodules itself: a compiled one, or one with its own __path__.
    const auto path = parent.names.find("__path__");
    const auto* places = path == parent.names.end() ? nullptr : path->second.get<List>();
    const bool finds_none = places != nullptr && places->items->empty() && !places->items->in_doubt() &&
                            !python_.sys_modules.makes_module(name);
    if (!parent.opaque && (path == parent.names.end() || finds_none)) module_not_found(name, from);
    return python_.sys_modules.make_module(name);
  }
  auto& module = now_there(load_module(name, python_.finders.search_of(parent), from));
  parent.names.insert_or_assign(name.substr(dot + 1), ModuleName{name});
  return module;
}

Module& Importer::load_module(const std::string& name, const std::vector<std::string>& search, const Frame* from) {
  // What was not found may lie where the package's __path__ leads by now.
  const auto may_be_found_now = [&](const PythonError& error) {
    const auto* package = python_.sys_modules.find_loaded(std::string_view(name).substr(0, name.rfind('.')));
    return error.kind == "ModuleNotFoundError" && package != nullptr && package->names.contains("__path__");
  };
  // What was assumed for a handler that is no longer around: without one the module is followed past that place.
  const auto is_assumed = [&](const PythonError& error) {
    return error.assumed && !python_.handlers.caught_for_all(error) && tried_again_.insert(name).second;
  };
  if (const auto at = failed_.find(name); at != failed_.end() && !may_be_found_now(at->second)) {
    if (!is_assumed(at->second)) {
      if (!at->second.module.empty()) module_not_found(at->second.module, from);
      throw at->second;
    }
    failed_.erase(at);
  }
  if (depth_ >= max_import_depth) throw PythonError{"RecursionError", "too many modules to follow"};
  if (python_.sys_modules.modules().size() >= max_modules) {
    python_.tracker.note("its code was not followed further: it imports more than " + std::to_string(max_modules) +
                         " modules");
    throw Exhausted();
  }
  const auto first = python_.finders.ask_finders(name, search, true);
  if (first.place) return load_place(name, *first.place, from);
  const auto dot = name.rfind('.');
  const auto place = finder_.find(std::string_view(name).substr(dot == std::string::npos ? 0 : dot + 1), search,
                                  dot == std::string::npos);
  if (place.kind != ModulePlace::Kind::absent) return load_place(name, place, from);
  const auto last = python_.finders.ask_finders(name, search, false);
  if (last.place) return load_place(name, *last.place, from);
  if ((first.makes_it || last.makes_it) && !is_gone_by_table(name)) return python_.sys_modules.make_module(name);
  if (auto* module = stand_in(name, from)) return *module;
  heap_.keep(sizeof(PythonError) + 4 * name.size());
  failed_.insert_or_assign(name, PythonError{"ModuleNotFoundError", "No module named '" + name + "'", name});
  module_not_found(name, from);
}

/// A line of a .pth file that raises ends the file: nothing behind it counts.
/// Source: CPython 3.11 Lib/site.py, addpackage.
void Importer::run_start_up() {
  constexpr int first_that_continues = 15;
  std::set<std::string> ended;
  const auto take_back = [&](const std::vector<std::string>& folders) {
    for (const auto& folder : folders)
      std::erase_if(*python_.finders.path().items, [&, path = python_.host.spelled(folder)](const Value& item) {
        const auto* text = item.get<std::string>();
        return text != nullptr && *text == path;
      });
  };
  for (const auto& [file, code, later] : environment_.start_up) {
    if (ended.contains(file)) {
      take_back(later);
      continue;
    }
    auto& module = python_.sys_modules.entry("site", false);
    module.name = "site";
    Frame frame;
    frame.module = &module;
    frame.scope = heap_.make<Scope>();
    frame.source = python_.host.keep_source(python_.host.parse(file, code));
    const Handler handler(python_, {});
    const auto missing = python_.tracker.result().missing.size();
    try {
      if (!python_.calls.run_counted(frame))
        python_.tracker.note(file + " runs code at start-up that takes too many steps");
    } catch (const PythonError& error) {
      python_.tracker.result().missing.resize(std::min(missing, python_.tracker.result().missing.size()));
      if (error.doubtful || error.assumed || minor_of(environment_.version) >= first_that_continues) continue;
      ended.insert(file);
      take_back(later);
    }
  }
}

/// Whether the table says of a submodule that this release of its package has lost it.
bool Importer::is_gone_by_table(std::string_view name) {
  const auto dot = name.rfind('.');
  const auto* parent = dot == std::string_view::npos ? nullptr : python_.sys_modules.find_loaded(name.substr(0, dot));
  return parent != nullptr && python_.import_statements.lacks_by_table(*parent, name.substr(dot + 1));
}

/// For a module of which there is no file: one that still counts as present; null if it is missing.
Module* Importer::stand_in(const std::string& name, const Frame* from) {
  const auto top = name.substr(0, name.find('.'));
  const auto* parent =
      name == top ? nullptr : python_.sys_modules.find_loaded(std::string_view(name).substr(0, name.rfind('.')));
  const bool made = parent != nullptr && parent->path.empty() && parent->opaque;
  if (is_gone_by_table(name)) return nullptr;
  // Whatever made a package made what is in it: as little is known of it.
  if (made) return &python_.sys_modules.make_module(name);
  if (name != top && !python_.handlers.caught("ModuleNotFoundError") && python_.sys_modules.makes_module(name) &&
      !has_lost_its_file(name) && !python_.absent_names.is_module_nowhere(name, from)) {
    // Nobody expects the failure, so the package more likely makes this module at run time.
    python_.tracker.note(name + " is imported and has no file; assumed to be created at run time");
    return &python_.sys_modules.make_module(name);
  }
  if (parent != nullptr && !parent->search_complete && !python_.handlers.caught("ModuleNotFoundError") &&
      !has_lost_its_file(name)) {
    python_.tracker.note(name + " has no file in the directories that are known of the __path__ of " + parent->name +
                         "; assumed to be in another");
    return &python_.sys_modules.make_module(name);
  }
  if (environment_.is_elsewhere(name)) return &python_.sys_modules.make_module(name);
  if (name != top && environment_.may_have_parts_elsewhere(top)) return &python_.sys_modules.make_module(name);
  if (environment_.is_namespace_elsewhere(name)) {
    auto& module = python_.sys_modules.make_module(name);
    module.opaque = false;  // all that is in it is known
    return &module;
  }
  if (from == nullptr || python_.handlers.caught("ModuleNotFoundError")) return nullptr;
  // A Python that cannot be looked at has its standard library.
  if (name != top && finder_.is_library_not_at_hand(top)) return &python_.sys_modules.make_module(name);
  if (!environment_.complete) {
    python_.tracker.note_missing(name, from);
    return &python_.sys_modules.make_module(name);
  }
  // Code may have put the directory in which it lies into sys.path.
  const auto is_unknown = [](const Value& item) { return item.unknown(); };
  heap_.work(python_.finders.path().items->size());
  if (name != top ||
      !(has(python_.finders.path().items->doubt, ListDoubt::may_hold_more) ||
        std::any_of(python_.finders.path().items->begin(), python_.finders.path().items->end(), is_unknown)))
    return nullptr;
  python_.tracker.note(name + " is in no directory of sys.path that is known; assumed to be in one that code adds");
  return &python_.sys_modules.make_module(name);
}

/// Whether the distribution of a module has put a file there that is gone: then nothing makes it at run time.
bool Importer::has_lost_its_file(const std::string& name) {
  constexpr std::uint64_t work_of_records = 100'000;
  const auto* top = python_.sys_modules.find_loaded(std::string_view(name).substr(0, name.find('.')));
  if (top == nullptr || top->search.empty()) return false;
  heap_.work(work_of_records);
  return package_that_lost_module(files_, std::string(parent_path(top->search.front())), name).has_value();
}

/// What failed is in sys.modules no more, and neither is another module that its code has put there under its name; but
/// that one may be in use. Source: CPython 3.11 Lib/importlib/_bootstrap.py, _load_unlocked.
void Importer::forget_module(const std::string& name, const Module& failed) {
  const auto& modules = python_.sys_modules.modules();
  const auto at = modules.find(name);
  if (at == modules.end() || at->second.get() != &failed) {
    python_.sys_modules.take_out_module(name);
    return;
  }
  std::erase(order_, &failed);
  python_.extension_modules.forget(failed);
  python_.sys_modules.erase(name);
}

Module& Importer::load_place(const std::string& name, const ModulePlace& place, const Frame* from) {
  using Kind = ModulePlace::Kind;
  heap_.keep(sizeof(Module) + 4 * (name.size() + place.path.size()));
  auto& module = python_.sys_modules.entry(name, true);
  module.name = name;
  module.path = place.path;
  module.package = place.package;
  module.search = place.search;
  module.opaque = place.kind != Kind::source && place.kind != Kind::namespace_package;
  // Of a package that counts as installed elsewhere the libraries may be known, and lie in a folder of its name.
  if (place.kind == Kind::namespace_package && environment_.elsewhere.contains(name))
    module.opaque = !finder_.hold_modules(place.search);
  python_.tracker.result().modules.push_back(
      {name, place.path, place.kind == Kind::extension || place.kind == Kind::bytecode, "", 0});
  if (from != nullptr && from->source != nullptr)
    python_.tracker.result().modules.back().source = from->source->path(),
    python_.tracker.result().modules.back().line = from->line;
  order_.push_back(&module);
  const bool doubtful = from != nullptr && (from->maybe || from->doubtful);
  const auto way = python_.doubt.on_doubtful_way(doubtful);
  const auto outside = python_.doubt.enter_module();
  const AtEnd leave([&] { python_.doubt.leave_module(outside, finder_.in_standard_library(place.path)); });
  ++depth_;
  try {
    run_place(module, place, from);
  } catch (const PythonError& failure) {
    --depth_;
    const auto error = python_.raise_statements.without_doubt(failure);
    failed_.emplace(name, error);
    forget_module(name, module);
    throw error;
  } catch (...) {
    --depth_;
    throw;
  }
  --depth_;
  python_.raise_statements.forget_doubted(depth_);
  module.complete = true;
  // What its code has put in its place is what the import gives.
  auto* in_place = python_.sys_modules.find_loaded(name);
  return in_place == nullptr ? module : *in_place;
}

void Importer::run_place(Module& module, const ModulePlace& place, const Frame* from) {
  using Kind = ModulePlace::Kind;
  if (place.kind == Kind::extension) {
    module.group = python_.extension_modules.mypyc_group(place.path);
    // Modules of a group make one another, without the files through which others get at them.
    if (module.group.empty() || from == nullptr || from->module->group != module.group)
      python_.extension_modules.load_extension(module, from);
  }
  if (place.kind == Kind::source) run_source(module);
  if (place.kind == Kind::bytecode) refuse_other_bytecode(module);
  // Of a package that counts as installed elsewhere a rule has the libraries that it maps.
  const bool elsewhere = place.kind == Kind::namespace_package && environment_.elsewhere.contains(module.name);
  const auto& rules = elsewhere ? rules_.elsewhere : rules_.modules;
  if (const auto rule = rules.find(module.name); rule != rules.end()) {
    Frame frame;
    frame.module = &module;
    frame.source = module.source;
    python_.requests.run_rule(frame, *rule->second, {});
  }
  if (place.kind == Kind::extension) python_.extension_modules.import_for_extension(module);
}

/// Bytecode of another Python. Of a release that is not known nothing is said.
/// Source: CPython 3.11 Lib/importlib/_bootstrap_external.py, _classify_pyc.
void Importer::refuse_other_bytecode(const Module& module) {
  constexpr std::uint64_t longest = 64 << 20;
  const auto bytes = python_.host.read_text(module.path, longest);
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
void Importer::import_if_there(const std::string& name, const Frame* from) {
  const auto missing = python_.tracker.result().missing.size();
  const Handler handler(python_);
  try {
    import_module(name, from);
  } catch (const PythonError&) {
    python_.tracker.result().missing.resize(std::min(missing, python_.tracker.result().missing.size()));
  }
}

/// Source: CPython 3.11 Lib/encodings/__init__.py, search_function.
void Importer::import_codec(Frame& frame, const std::string& codec) {
  constexpr std::size_t longest = 40;
  if (!follows(frame) || codec.size() > longest) return;
  std::string name;
  for (const char c : codec) name += is_name_part(c) ? (c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c) : '_';
  if (!name.empty()) import_if_there("encodings." + name, &frame);
}

/// Whether Python has such an encoding: a module of `encodings`, or another name of one. True where its files cannot
/// be read. Source: CPython Lib/encodings/__init__.py, normalize_encoding and search_function.
bool Importer::has_encoding(std::string name) {
  constexpr std::uint64_t most_aliases = 1 << 20;
  std::replace_if(name.begin(), name.end(), [](char c) { return !is_name_part(c); }, '_');
  const auto folder = finder_.library_folder() + "/encodings/";
  const auto aliases = python_.host.read_text(folder + "aliases.py", most_aliases);
  return !aliases || aliases->find("'" + name + "'") != std::string::npos || finder_.has_file(folder + name + ".py");
}

/// A source that no Python compiles, whatever its grammar, or that this one does not. Until 3.11.3 a zero byte was a
/// ValueError. Source: CPython 3.12 Parser/tokenizer.c, valid_utf8; Python/pythonrun.c, _Py_SourceAsString.
void Importer::raise_if_broken(const Module& module) {
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

void Importer::run_source(Module& module) {
  if (!visible_.may_follow(module.path)) {
    module.opaque = true;
    python_.tracker.note(module.path +
                         " lies outside of packages, Python and the search path; what it imports is not known");
    return;
  }
  auto read = python_.host.read_source(module.path);
  if (!read) {
    module.opaque = true;
    python_.tracker.note(module.path + " cannot be read (" + read.error().message + "); what it imports is not known");
    return;
  }
  module.source = python_.host.parse(std::move(*read));
  if (cost_.exhausted()) throw Exhausted();
  python_.tracker.note_left_out(*module.source);
  heap_.look_at(2 * module.source->size());
  // This is asked of all of them later; now the text is there.
  if (!finder_.in_standard_library(module.path)) module.source->may_load_libraries();
  raise_if_broken(module);
  if (const auto line = module.source->malformed(); line > 0)  // of a grammar that is not known
    python_.tracker.note_unread(module.path + ":" + std::to_string(line) + " cannot be understood as Python");
  Frame frame;
  frame.module = &module;
  frame.source = module.source;
  if (python_.calls.run_counted(frame)) return;
  module.names_lost = module.takes_unseen = module.doubtful = true;
  python_.calls.note_steps(frame);
}

std::string Importer::absolute_name(const Module& module, std::size_t dots, const std::string& name) const {
  if (dots == 0) return name;
  std::string base = module.name;
  for (std::size_t i = module.package ? 1 : 0; i < dots && !base.empty(); ++i) {
    const auto dot = base.rfind('.');
    base = dot == std::string::npos ? std::string() : base.substr(0, dot);
  }
  return name.empty() || base.empty() ? base : base + "." + name;
}

// importlib's _sanity_check and _resolve_name.
void Importer::leads_out_of_packages(const Module& module) const {
  const bool in_package = module.package || module.name.find('.') != std::string::npos;
  throw PythonError{"ImportError", in_package ? "attempted relative import beyond top-level package"
                                              : "attempted relative import with no known parent package"};
}

void Importer::retry_without(const std::string& missing) {
  std::erase_if(failed_, [&](const auto& one) { return one.second.module == missing; });
}

}  // namespace cudald::python
