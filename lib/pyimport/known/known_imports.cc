#include <algorithm>

#include "base/path.h"
#include "package/wheel_texts.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

using Kind = ModulePlace::Kind;

constexpr std::uint64_t max_metadata = 4 << 20;  ///< RECORD and METADATA

/// importlib.machinery.ModuleSpec of a place.
Value spec(const KnownCall& call, const std::string& name, const ModulePlace& place) {
  auto object = call.python.heap.make<Object>();
  object->name = "importlib.machinery.ModuleSpec";
  object->is_class = false;
  object->names["name"] = name;
  object->names["origin"] = place.path.empty() ? Value(None{}) : Value(call.python.host.spelled(place.path));
  std::vector<Value> search;
  for (const auto& folder : place.search) search.push_back(call.python.host.spelled(folder));
  object->names["submodule_search_locations"] =
      place.package ? call.python.heap.list(std::move(search)) : Value(None{});
  auto loader = call.python.heap.make<Object>();
  loader->name = "importlib.machinery.Loader";
  loader->is_class = false;
  loader->names["exec_module"] = Named{"importlib.machinery.Loader.exec_module"};
  object->names["loader"] = std::move(loader);
  return object;
}

Value import_module(const KnownCall& call) {
  const auto* module = call.text(0, "name");
  if (module == nullptr) return call.python.tracker.unfollowed(call.frame, Unfollowed::Kind::module);
  const auto dots = std::min(module->find_first_not_of('.'), module->size());
  auto wanted = *module;
  if (dots > 0) {
    const auto* package = call.text(1, "package");
    if (package == nullptr) return Unknown{};
    Module base;
    base.name = *package;
    base.package = true;
    wanted = call.python.importer.absolute_name(base, dots, module->substr(dots));
  }
  if (wanted.empty()) return Unknown{};
  if (!follows(call.frame)) {
    call.python.tracker.leave_out(call.frame, wanted);
    return Unknown{};
  }
  return ModuleName{call.python.importer.import_module(wanted, &call.frame).name};
}

/// Without names to take from it, `__import__("a.b")` is a.
Value import_builtin(const KnownCall& call) {
  const auto* module = call.text(0, "name");
  if (module == nullptr) return call.python.tracker.unfollowed(call.frame, Unfollowed::Kind::module);
  if (module->empty() || !follows(call.frame)) return Unknown{};
  const auto* level = call.argument(4, "level");
  const auto* dots = level == nullptr ? nullptr : level->get<long long>();
  const auto name = dots != nullptr && *dots > 0 ? call.python.importer.absolute_name(
                                                       *call.frame.module, static_cast<std::size_t>(*dots), *module)
                                                 : *module;
  if (name.empty()) call.python.importer.leads_out_of_packages(*call.frame.module);
  auto& imported = call.python.importer.import_module(name, &call.frame);
  const auto* wanted = call.argument(3, "fromlist");
  if (wanted == nullptr || truth(*wanted) == false) return ModuleName{name.substr(0, name.find('.'))};
  if (const auto* names = wanted->get<List>()) {
    const auto items = call.python.heap.copy(*names);
    for (const auto& item : items)
      if (const auto* one = item.get<std::string>();
          one != nullptr && *one != "*" && imported.package && !imported.names.contains(*one) &&
          call.python.finder.find(*one, call.python.finders.search_of(imported), false).kind != Kind::absent)
        call.python.importer.import_module(imported.name + "." + *one, &call.frame);
  }
  return ModuleName{imported.name};
}

Value find_spec(const KnownCall& call) {
  const auto* module = call.text(0, "name");
  if (module == nullptr || module->starts_with('.')) return Unknown{};
  const auto dot = module->rfind('.');
  auto search = call.python.finders.search_path();
  if (dot != std::string::npos) {
    if (!follows(call.frame)) return Unknown{};
    search = call.python.finders.search_of(call.python.importer.import_module(module->substr(0, dot), &call.frame));
  }
  if (auto* loaded = call.python.sys_modules.find_loaded(*module); loaded != nullptr && loaded->path.empty()) {
    ModulePlace place;
    place.search = call.python.finders.search_of(*loaded), place.package = loaded->package;
    return spec(call, *module, place);
  }
  const auto place = call.python.finder.find(std::string_view(*module).substr(dot == std::string::npos ? 0 : dot + 1),
                                             search, dot == std::string::npos);
  if (place.kind != Kind::absent) return spec(call, *module, place);
  const auto& environment = call.python.environment;
  const bool may_be_there = dot == std::string::npos && !environment.complete;
  return may_be_there || environment.has_elsewhere(*module) ? Value() : Value(None{});
}

/// PathFinder.find_spec(name, [folder]).
Value find_in_folders(const KnownCall& call) {
  const auto* module = call.text(0, "fullname");
  const auto* given = call.argument(1, "path");
  if (module == nullptr) return Unknown{};
  std::vector<std::string> search;
  if (given == nullptr || given->get<None>() != nullptr) {
    search = call.python.finders.search_path();
  } else {
    const auto folders = call.python.calls.items_of(call.frame, *given);
    if (!folders) return Unknown{};
    for (const auto& folder : *folders) {
      const auto* text = folder.get<std::string>();
      const auto place = text == nullptr ? std::nullopt : call.python.host.place_of(*text);
      if (!place) return Unknown{};
      search.push_back(*place);
    }
  }
  const auto name = std::string_view(*module).substr(module->rfind('.') + 1);
  const auto place = call.python.finder.find(name, search, false);
  if (place.kind != Kind::absent) return spec(call, *module, place);
  // Code that gives the directory looks for a part of its own there, a compiled one where it opens what it finds.
  if (search.size() == 1 && !call.frame.maybe)
    call.python.tracker.note_absent(call.frame, search.front() + "/" + std::string(name) + ".so");
  return None{};
}

/// A finder of one folder.
Value file_finder(const KnownCall& call) {
  const auto* folder = call.text(0, "path");
  if (folder == nullptr) return Unknown{};
  auto object = call.python.heap.make<Object>();
  object->name = "importlib.machinery.FileFinder";
  object->is_class = false;
  object->names["path"] = *folder;
  object->names["find_spec"] = partial(call.python.heap, "importlib.machinery.FileFinder.find_spec", *folder);
  return object;
}

Value find_in_folder(const KnownCall& call) {
  const auto* folder = call.text(0);
  const auto* module = call.text(1, "fullname");
  const auto place = folder == nullptr || module == nullptr ? std::nullopt : call.python.host.place_of(*folder);
  if (!place) return Unknown{};
  const auto found = call.python.finder.find(std::string_view(*module).substr(module->rfind('.') + 1), {*place}, false);
  return found.kind == Kind::absent ? Value(None{}) : spec(call, *module, found);
}

Value spec_of_file(const KnownCall& call) {
  const auto *name = call.text(0, "name"), *path = call.text(1, "location");
  if (name == nullptr || path == nullptr) return Unknown{};
  const auto place = call.python.finders.place_of_file(*path);
  return place ? spec(call, *name, *place) : Value();
}

/// Classes of finders, whose functions are known by their names.
Value path_finder(const KnownCall&) { return Named{"importlib.machinery.PathFinder"}; }

/// A module that has not run yet; exec_module does that.
Value module_from_spec(const KnownCall& call) {
  const auto* given = call.argument(0, "spec");
  const auto* object = given == nullptr ? nullptr : given->get<ObjectRef>();
  if (object == nullptr || (*object)->name != "importlib.machinery.ModuleSpec") return Unknown{};
  const auto& names = (*object)->names;
  auto module = call.python.heap.make<Object>();
  module->name = "module of a spec";
  module->is_class = false;
  module->names["__name__"] = names.find("name")->second;
  module->names["__file__"] = names.find("origin")->second;
  return module;
}

Value execute_module(const KnownCall& call) {
  const auto* given = call.argument(0, "module");
  const auto* object = given == nullptr ? nullptr : given->get<ObjectRef>();
  if (object == nullptr || (*object)->name != "module of a spec" || !follows(call.frame)) return Unknown{};
  const auto given_name = (*object)->names["__name__"], given_path = (*object)->names["__file__"];
  const auto *text = given_name.get<std::string>(), *path = given_path.get<std::string>();
  const auto place = text == nullptr || path == nullptr ? std::nullopt : call.python.finders.place_of_file(*path);
  if (!place) return Unknown{};
  const auto name = *text;  // the code that is run may give the object another one
  if (const auto* loaded = call.python.sys_modules.find_loaded(name)) {
    // Code puts the module, of which nothing is known yet, into sys.modules before it is run.
    if (!loaded->opaque || !loaded->path.empty()) return Unknown{};
    call.python.sys_modules.take_out_module(name);
  }
  const auto& module = call.python.importer.load_place(name, *place, &call.frame);
  call.python.heap.work(module.names.size());
  for (const auto& [bound, value] : module.names) {
    call.python.heap.keep(Heap::size_of(value) + bound.size());
    (*object)->names.insert_or_assign(bound, value);
  }
  return None{};
}

/// Since 3.10 it brings the readers along, and with them zipfile.
/// Source: CPython 3.11 Lib/importlib/resources/_common.py, from_package.
Value resources(const KnownCall& call) {
  const auto* given = call.argument(0);
  auto name = call.text(0) == nullptr ? std::string() : *call.text(0);
  if (given != nullptr && given->get<ModuleName>() != nullptr) name = given->get<ModuleName>()->name;
  if (given == nullptr || !follows(call.frame)) return Unknown{};
  call.python.importer.import_if_there("importlib.readers", &call.frame);
  if (name.empty()) return Unknown{};
  const auto& module = call.python.importer.import_module(name, &call.frame);
  if (module.search.empty()) return Unknown{};
  return call.python.host.spelled(module.search.front());
}

/// The older functions, which ask for the same. Source: CPython 3.10 Lib/importlib/resources.py, 3.13 _functional.py.
Value resource_text(const KnownCall& call) {
  const auto folder = resources(call);
  const auto *path = folder.get<std::string>(), *name = call.text(1);
  if (path == nullptr || name == nullptr || call.arguments.size() > 2) return Unknown{};
  auto text = call.python.host.read_text(*path + "/" + *name, max_metadata);
  return text ? Value(std::move(*text)) : Value();
}
Value resource_that_is_opened(const KnownCall& call) {
  resources(call);
  return Unknown{};
}

/// The folder NAME-VERSION.dist-info of a package. Throws PackageNotFoundError; empty if that is not sure.
std::string metadata_folder(const KnownCall& call, const std::string& package) {
  const auto wanted = normal_distribution_name(package);
  call.python.importer.import_for_distribution(call.frame, "");
  for (const auto& folder : call.python.finders.search_path()) {
    const auto& names = call.python.finder.list(folder);
    call.python.heap.work(2 * names.size());
    for (const auto& name : names)
      if (name.ends_with(".dist-info") && normal_distribution_name(name.substr(0, name.find('-'))) == wanted)
        return folder + "/" + name;
  }
  const bool may_be_elsewhere = !call.python.environment.complete;
  if (may_be_elsewhere || call.frame.maybe) return "";
  PythonError error{"PackageNotFoundError", "No package metadata was found for " + package};
  error.type = "importlib.metadata.PackageNotFoundError";
  if (call.python.handlers.caught_for_all("PackageNotFoundError")) throw error;
  // Others than dist-info tell of a package, too.
  if (!call.python.importer.has_other_metadata(package))
    call.python.doubt.raise_if_certain(call.frame, std::move(error));
  return "";
}

Value version_of(const KnownCall& call, const std::string& folder) {
  const auto text = call.python.host.read_text(folder + "/METADATA", max_metadata);
  const auto version = text ? parse_wheel_metadata(*text).version : std::string();
  return version.empty() ? Value() : Value(version);
}

/// The paths of RECORD, as pathlib's.
Value files_of(const KnownCall& call, const std::string& folder) {
  const auto text = call.python.host.read_text(folder + "/RECORD", max_metadata);
  if (!text) return None{};
  std::vector<Value> paths;
  for (const auto& row : parse_record(*text).rows)
    if (paths.size() < max_length)
      paths.push_back(call.python.host.spelled(absolute_path(std::string(row.path), parent_path(folder))));
  return call.python.heap.list(std::move(paths));
}

/// What is asked of the package with the name that is given.
Value asked_of_package(const KnownCall& call, std::string_view attribute,
                       Value (*read)(const KnownCall&, const std::string& folder)) {
  const auto* name = call.text(0);
  if (name == nullptr) return Unknown{};
  const auto folder = metadata_folder(call, *name);
  call.python.importer.import_for_distribution(call.frame, attribute);
  return folder.empty() ? Value() : read(call, folder);
}
Value package_version(const KnownCall& call) { return asked_of_package(call, "version", version_of); }
Value package_files(const KnownCall& call) { return asked_of_package(call, "files", files_of); }

/// Its version and its files are asked of it.
Value distribution(const KnownCall& call) {
  const auto* name = call.text(0);
  const auto folder = name == nullptr ? std::string() : metadata_folder(call, *name);
  if (folder.empty()) return Unknown{};
  auto object = call.python.heap.make<Object>();
  object->name = of_distribution;
  object->is_class = false;
  object->names["version"] = version_of(call, folder);
  object->names["files"] = files_of(call, folder);
  return object;
}

/// pkgutil.extend_path(): the list and the directories of that name below sys.path, or below the __path__ of the
/// package around it. Source: CPython Lib/pkgutil.py; its `.pkg` files are not read.
Value extend_path(const KnownCall& call) {
  const auto* given = call.argument(0, "path");
  const auto* name = call.text(1, "name");
  if (given == nullptr || given->get<List>() == nullptr || name == nullptr) return Unknown{};
  auto items = call.python.heap.copy(*given->get<List>());
  const auto dot = name->rfind('.');
  auto* package = dot == std::string::npos ? nullptr : call.python.sys_modules.find_loaded(name->substr(0, dot));
  if (dot != std::string::npos && package == nullptr) return *given;
  const auto search = package == nullptr ? call.python.finders.search_path() : call.python.finders.search_of(*package);
  for (const auto& folder : search) {
    const auto place = call.python.finder.find(std::string_view(*name).substr(dot == std::string::npos ? 0 : dot + 1),
                                               {folder}, dot == std::string::npos);
    for (const auto& portion : place.search) {
      const auto spelled = call.python.host.spelled(portion);
      const bool is_there = std::any_of(items.begin(), items.end(), [&](const Value& item) {
        const auto* text = item.get<std::string>();
        return text != nullptr && *text == spelled;
      });
      if (!is_there) items.emplace_back(spelled);
    }
  }
  if (package != nullptr && !package->search_complete) items.take_doubt(ListDoubt::may_hold_more);
  return call.python.heap.list(std::move(items));
}

constexpr KnownFunction import_rows[] = {{"importlib.import_module", import_module},
                                         {"builtins.__import__", import_builtin},
                                         {"importlib.util.find_spec", find_spec},
                                         {"pkgutil.extend_path", extend_path},
                                         {"importlib.machinery.PathFinder", path_finder},
                                         {"importlib.machinery.PathFinder.find_spec", find_in_folders},
                                         {"importlib.machinery.FileFinder", file_finder},
                                         {"importlib.machinery.FileFinder.find_spec", find_in_folder},
                                         {"importlib.util.spec_from_file_location", spec_of_file},
                                         {"importlib.machinery.spec_from_file_location", spec_of_file},
                                         {"importlib.util.module_from_spec", module_from_spec},
                                         {"importlib._bootstrap.module_from_spec", module_from_spec},
                                         {"importlib.machinery.Loader.exec_module", execute_module},
                                         {"importlib.resources.files", resources},
                                         {"importlib.resources.read_text", resource_text},
                                         {"importlib.resources.read_binary", resource_that_is_opened},
                                         {"importlib.resources.open_text", resource_that_is_opened},
                                         {"importlib.resources.open_binary", resource_that_is_opened},
                                         {"importlib.resources.path", resource_that_is_opened},
                                         {"importlib.resources.contents", resource_that_is_opened},
                                         {"importlib.resources.is_resource", resource_that_is_opened},
                                         {"importlib.metadata.version", package_version},
                                         {"importlib.metadata.distribution", distribution},
                                         {"importlib.metadata.Distribution.from_name", distribution},
                                         {"importlib.metadata.files", package_files}};

}  // namespace

/// Whether a folder of sys.path holds an egg or its links, of whatever name.
bool Importer::has_other_metadata(const std::string& package) {
  const auto wanted = normal_distribution_name(package);
  for (const auto& folder : python_.finders.search_path())
    for (const auto& name : finder_.list(folder))
      if (name.find(".egg") != std::string::npos && normal_distribution_name(name).starts_with(wanted)) return true;
  return false;
}

/// What looking for distributions, and reading the metadata or the list of files of one, brings in. The archive
/// pythonXY.zip stands on sys.path before all folders that pip installs into, and is hardly ever there.
/// Source: CPython 3.15 Lib/importlib/metadata/__init__.py, FastPath.children, Distribution.metadata and files
void Importer::import_for_distribution(Frame& frame, std::string_view attribute) {
  if (!follows(frame)) return;
  if (attribute.empty() && minor_of(environment_.version) >= 15) import_if_there("zipfile", &frame);
  if (attribute == "version" || attribute == "metadata" || attribute == "name" || attribute == "requires")
    import_if_there("email.parser", &frame);
  if (attribute == "files") import_if_there("csv", &frame);
}

std::span<const KnownFunction> known_imports() { return import_rows; }

}  // namespace cudald::python
