#include "pyimport/run/finders.h"

#include <algorithm>

#include "base/path.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t max_folders = 1000;  ///< of sys.path
constexpr std::string_view own_finders = "importlib.machinery.PathFinder";

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

Finders::Finders(Interpreter& python)
    : Part(python), path_{heap_.make<ListItems>()}, meta_path_{heap_.make<ListItems>()} {
  set_known_search_path();
  auto own = heap_.make<Object>();
  own->name = own_finders;
  own->metaclass_known = true;
  own->names.insert_or_assign("find_spec", Named{std::string(own_finders) + ".find_spec"});
  meta_path_.items->emplace_back(std::move(own));
}

/// sys.path as the files of the environment make it.
void Finders::set_known_search_path() {
  *path_.items = ListItems();
  for (const auto& folder : environment_.path) path_.items->push_back(python_.host.spelled(folder));
}

/// The entry of `python -c`, which stands for the current directory. Here no module is looked for in it, yet code
/// counts from it: sys.path.insert(1, ...). Source: CPython Modules/main.c, pymain_run_python.
void Finders::add_entry_of_program() { path_.items->insert(path_.items->begin(), std::string()); }

/// Made anew only when the list was changed, as many names are looked for in between.
const std::vector<std::string>& Finders::search_path() {
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

bool Finders::has_path_as_before() {
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
std::optional<std::string> Finders::folder_of_path(const std::string& item) {
  if (item.empty()) return std::nullopt;
  if (environment_.windows == nullptr) return item;
  heap_.work(environment_.path.size());
  for (const auto& own : environment_.path)
    if (python_.host.spelled(own) == item) return own;
  return environment_.windows->find(item);
}

const std::vector<std::string>& Finders::search_of(Module& module) {
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

/// __path__ of a package, which its code may change.
Value Finders::path_of_package(Module& module) {
  std::vector<Value> items;
  for (const auto& folder : module.search) items.push_back(python_.host.spelled(folder));
  auto list = heap_.list(std::move(items));
  module.names.insert_or_assign("__path__", list);
  return list;
}

FinderAnswer Finders::ask_finders(const std::string& name, const std::vector<std::string>& search, bool before) {
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
    all.makes_it |= python_.sys_modules.makes_module(name);
  return all;
}

FinderAnswer Finders::ask_finder(const ObjectRef& finder, const std::string& name,
                                 const std::vector<std::string>& search) {
  if (finder->name == "_distutils_hack.DistutilsMetaFinder")
    return {name == "distutils" ? distutils_of_setuptools() : std::nullopt};
  Frame frame;
  frame.module = python_.sys_modules.find_loaded("site");
  if (frame.module == nullptr) return {};
  frame.scope = heap_.make<Scope>();
  std::vector<Value> folders;
  for (const auto& folder : search) folders.push_back(python_.host.spelled(folder));
  const bool top = name.find('.') == std::string::npos, old = is_old_finder(*finder);
  Arguments arguments = {{"", name}, {"", top ? Value(None{}) : heap_.list(std::move(folders))}};
  if (!old) arguments.push_back({"", None{}});
  Value answer;
  bool answered = false;
  try {
    asks_finder_ = true;
    const AtEnd leave([this] { asks_finder_ = false; });
    const auto method = python_.bindings.attribute(frame, finder, old ? "find_module" : "find_spec");
    answer = python_.calls.call(frame, method, arguments);
    answered = !method.unknown();
  } catch (const PythonError&) {
  }
  const bool of_package = !top && finder->name.starts_with(name.substr(0, name.find('.') + 1));
  // What a loader makes is not followed.
  const bool may_make_it = answer.unknown() || (old && answer.get<None>() == nullptr);
  return {place_of_spec(answer), answered && may_make_it && of_package};
}

/// Whether this Python asks the finder by find_module().
/// Source: CPython 3.11 Lib/importlib/_bootstrap.py, _find_spec and _find_spec_legacy.
bool Finders::is_old_finder(const Object& finder) const {
  return !leaves_out_old_finders() && !python_.bindings.member(finder, "find_spec") &&
         python_.bindings.member(finder, "find_module");
}

/// setuptools has its own distutils, which takes the place of the standard library's, that is gone since Python 3.12.
/// Source: setuptools 80, _distutils_hack/__init__.py, DistutilsMetaFinder.spec_for_distutils.
std::optional<ModulePlace> Finders::distutils_of_setuptools() {
  python_.importer.import_if_there("setuptools._distutils", nullptr);
  const auto* package = python_.sys_modules.find_loaded("setuptools");
  if (package == nullptr) return std::nullopt;
  auto place = finder_.find("_distutils", package->search, false);
  return place.kind == ModulePlace::Kind::absent ? std::nullopt : std::optional(std::move(place));
}

/// Whether this Python asks no finder that has no find_spec.
/// Source: CPython 3.12 Doc/whatsnew/3.12.rst, "Removed", importlib: find_module().
bool Finders::leaves_out_old_finders() const {
  constexpr int first = 12;
  return environment_.version.starts_with("3.") && minor_of(environment_.version) >= first;
}

/// The text of a module without the finders in it that Python no longer asks; nullopt if it has none.
std::optional<std::string> Finders::without_old_finders(const Module& module, const std::string& text) const {
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

/// One that has no find_spec, or has it from a class that is not known, is not followed: before Python 3.12 such a
/// finder is asked by find_module(). Source: CPython 3.11 Lib/importlib/_bootstrap.py, _find_spec_legacy.
bool Finders::has_followed_finder(const Module& module) {
  return std::any_of(meta_path_.items->begin(), meta_path_.items->end(), [&](const Value& finder) {
    const auto* object = finder.get<ObjectRef>();
    const bool own = object != nullptr && !(*object)->doubtful && (*object)->name.starts_with(module.name + ".");
    return own && (leaves_out_old_finders() || python_.bindings.member(**object, "find_spec").has_value());
  });
}

/// A module of a file that is named outright; `__init__.py` is a package's.
std::optional<ModulePlace> Finders::place_of_file(const std::string& path) {
  const auto place = python_.host.place_of(path);
  if (!place || !finder_.has_file(*place)) return std::nullopt;
  ModulePlace found;
  found.kind = place->ends_with(".py") ? ModulePlace::Kind::source : ModulePlace::Kind::extension;
  found.path = *place;
  found.package = file_name(*place).starts_with("__init__.");
  if (found.package) found.search = {std::string(parent_path(*place))};
  return found;
}

std::optional<ModulePlace> Finders::place_of_spec(const Value& spec) {
  const auto* object = spec.get<ObjectRef>();
  if (object == nullptr || (*object)->name != "importlib.machinery.ModuleSpec") return std::nullopt;
  const auto origin = python_.bindings.member(**object, "origin");
  const auto* path = origin ? origin->get<std::string>() : nullptr;
  return path == nullptr ? std::nullopt : place_of_file(*path);
}

}  // namespace cudald::python
