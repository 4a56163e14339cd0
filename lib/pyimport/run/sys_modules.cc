#include "pyimport/run/sys_modules.h"

#include <algorithm>

#include "base/find_bytes.h"
#include "base/path.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
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

}  // namespace

Module* SysModules::find_loaded(std::string_view name) {
  if (const auto other = put_back_.find(name); other != put_back_.end()) name = other->second;
  const auto at = modules_.find(name);
  return at == modules_.end() ? nullptr : at->second.get();
}

Module& SysModules::make_module(const std::string& name) {
  heap_.keep(sizeof(Module) + 4 * name.size());
  auto& made = *modules_.emplace(name, std::make_unique<Module>()).first->second;
  made.name = name;
  made.opaque = made.complete = made.package = true;
  return made;
}

Module& SysModules::entry(const std::string& name, bool placed) {
  if (placed) placed_.insert(name);
  return *modules_.emplace(name, std::make_unique<Module>()).first->second;
}

void SysModules::erase(const std::string& name) {
  std::erase_if(put_back_, [&](const auto& one) { return one.second == name; });
  modules_.erase(name);
}

/// Gives a module that code takes out of sys.modules a name of its own, so that its name can be imported once more.
std::string SysModules::take_out_module(const std::string& name) {
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

void SysModules::rename_module(const std::string& name, const std::string& other) {
  auto module = std::move(modules_.find(name)->second);
  modules_.erase(name);
  modules_.emplace(other, std::move(module));
  placed_.insert(other);
  heap_.work(put_back_.size());
  for (auto& [known_as, its_name] : put_back_)
    if (its_name == name) its_name = other;
}

/// Keeps that code may have put a module into sys.modules whose name, or the beginning of it, is this.
void SysModules::put_unsurely(UnsurePut put) {
  if (std::find(unsure_puts_.begin(), unsure_puts_.end(), put) != unsure_puts_.end()) return;
  heap_.keep(sizeof(put) + put.name.size());
  for (const auto& package : put.packages) heap_.keep(sizeof(package) + package.size());
  heap_.work(unsure_puts_.size());
  unsure_puts_.push_back(std::move(put));
}

/// The packages at the top whose code has led to this place by calls: what they make is theirs. Empty where the
/// standard library does it for whoever asks.
std::set<std::string> SysModules::packages_that_run(const Frame& frame) const {
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
void SysModules::put_module(const std::string& name, const Value& value) {
  constexpr std::uint64_t size_of_stand_in = 96;
  const auto* given = value.get<ModuleName>();
  if (const auto* object = value.get<ObjectRef>(); object != nullptr && !(*object)->is_class) {
    heap_.keep(size_of_stand_in + name.size());
    objects_in_place_.insert_or_assign(name, *object);
  } else if (const auto before = objects_in_place_.find(name); before != objects_in_place_.end()) {
    objects_in_place_.erase(before);
  }
  if (python_.doubt.is_doubtful_import()) {  // what is imported later would not be looked for
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

ObjectRef SysModules::object_in_place_of(std::string_view name) const {
  const auto at = objects_in_place_.find(name);
  return at == objects_in_place_.end() ? nullptr : at->second;
}

void SysModules::note_followed_put(const std::string& source, std::uint32_t line) {
  if (followed_puts_.emplace(source, line).second) heap_.keep(4 * source.size());
}

/// Whether a compiled file has the name of a module as a text of its own, or the whole name; of Rust, whose texts end
/// in nothing, as a part of any.
bool SysModules::names_module(const std::string& path, const std::string& wanted, const std::string& last) {
  const auto holds = [&](const std::string& text) { return finder_.holds(path, text).value_or(false); };
  const std::string end(1, '\0');
  if (!holds(last)) return false;
  // Code of Cython puts a module into sys.modules by that name.
  if (holds("cython_runtime") && !holds(end + "modules" + end)) return false;
  return holds(end + last + end) || holds(wanted) || holds("RUST_BACKTRACE");
}

/// Whether the code of a package may make this module, that no file bears, by writing into the table of modules, or by
/// changing how they are found: a compiled one where the name stands in it.
bool SysModules::makes_module(std::string_view wanted) {
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
    if (is_compiled && module.get() != python_.extension_modules.needing() &&
        names_module(module->path, std::string(wanted), std::string(last)))
      return true;
    if (module->source == nullptr) continue;
    heap_.look_at(4 * module->source->size());
    const auto text = module->source->text();
    const auto rest = python_.finders.without_old_finders(*module, *text);
    const std::string& live = rest ? *rest : *text;
    for (const std::string_view sign : {"modules.setdefault", "modules.update"})
      if (live.find(sign) != std::string::npos) return true;
    const auto puts = module_puts(live);
    heap_.work(puts.size());
    const bool all_known = std::all_of(puts.begin(), puts.end(), [&](const ModulePut& put) {
      const bool is_followed = !rest && followed_puts_.contains({module->source->path(), put.line});
      // A line of a function that was not followed has not run, unless code that is not followed may call it.
      return is_followed || (!put.definition.empty() && !python_.escapes.has_escaped(*module, put.definition));
    });
    if (!all_known) return true;
    const bool names_finders =
        live.find("sys.meta_path") != std::string::npos ||
        (live.find("meta_path") != std::string::npos && live.find("from sys import") != std::string::npos);
    if (!rest && names_finders && !python_.finders.has_followed_finder(*module)) return true;
  }
  return false;
}

/// The keys of sys.modules. Compiled code may have put others there.
ListItems SysModules::module_names() {
  ListItems names({}, ListDoubt::may_hold_more);
  heap_.work(modules_.size());
  for (const auto& [name, module] : modules_)
    if (find_loaded(name) != nullptr) names.emplace_back(std::string(name));
  heap_.keep(Heap::size_of(names));
  return names;
}

bool SysModules::may_be_loaded_unseen(std::string_view name) {
  const auto top = name.substr(0, name.find('.'));
  const auto place = finder_.find(top, python_.finders.search_path(), true);
  const bool unseen = python_.doubt.may_have_imported();
  // What is installed nowhere has been imported by nobody.
  if (place.kind == ModulePlace::Kind::absent)
    return unseen && (!environment_.complete || environment_.has_elsewhere(top) || makes_module(name));
  if (unseen) return true;
  return place.path.empty() || finder_.in_standard_library(place.path);
}

}  // namespace cudald::python
