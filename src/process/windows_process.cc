#include "process/windows_process.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/windows_host_file.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "binary/bytes/readers.h"
#include "knowledge/windows_names.h"
#include "loader/windows/python_on_windows.h"

namespace cudald {

WindowsProcess::WindowsProcess(ImageStore& images, WindowsHost host, bool bind)
    : Walk(images),
      facts_{std::move(host)},
      loader_(facts_),
      tree_(images, facts_.host),
      manifests_(images, tree_, facts_.host),
      bind_(bind) {
  resolution_.windows = true;
}

bool WindowsProcess::has_folder(const std::string& path) {
  if (const auto place = tree_.find(path)) return images_.folder_exists(*place);
  if (facts_.host.described && facts_.host.described->knows(folded(normal_windows_path(path)))) return true;
  const auto below = folded(facts_.host.windows) + "\\";
  if (facts_.host.has_files) return false;
  auto wanted = folded(normal_windows_path(path));
  if (!wanted.ends_with('\\')) wanted += '\\';
  // That of Windows, what is in it, and what it is in: the root of its drive.
  return wanted.starts_with(below) || below.starts_with(wanted);
}

// The folder that was added last is searched first, though nobody promises it. Source: wine dlls/ntdll/loader.c,
// LdrAddDllDirectory; conda's Python relies upon it.
void WindowsProcess::add_dll_directory(const std::string& path) {
  facts_.host.user_folders.insert(facts_.host.user_folders.begin(), path);
}

void WindowsProcess::set_path(const std::string& folders) {
  facts_.host.path.clear();
  for (const auto folder : split(folders, ";"))
    if (!folder.empty()) facts_.host.path.emplace_back(folder);
}

void WindowsProcess::note_soft_load(const std::string& name, const WindowsLoadFlags& flags,
                                    const std::string& asked_at) {
  auto edge = resolve_softly({name, EdgeKind::dlopen, 0, true, "", {flags, ""}});
  edge.asked_at = asked_at;
  resolution_.objects.front().edges.push_back(std::move(edge));
}

void WindowsProcess::start(const std::string& given, const std::string& path) {
  const auto& opened = images_.open(path);
  add_start(given, *opened.image);
  Object program;
  program.path = opened.real_path;
  program.load_name = tree_.spelled(path);
  program.origin = windows_folder(program.load_name);
  program.image = opened.image;
  program.id = opened.status.id;
  program.main_program = true;
  resolution_.targets.back().object = add_object(std::move(program));
  map(0, 0, {});
  if (const auto failure = finish(0, {}); failure.code != 0)
    resolution_.targets.front().error = windows_start_error(failure.code, failure.detail);
}

void WindowsProcess::add_start(const std::string& given, const Image& like) {
  resolution_.machine = facts_.machine = like.machine;
  facts_.format = like.format;
  add_target(given, TargetKind::start);
}

void WindowsProcess::start_host(const std::string& given, const std::string& name, const Image& like,
                                const std::vector<std::string>& needs) {
  add_start(given, like);
  auto image = std::make_shared<Image>();
  image->machine = like.machine;
  image->format = like.format;
  image->type = FileType::executable;
  image->pe.emplace();
  for (const auto& need : needs) image->pe->imports.push_back({need});
  Object program;
  program.path = program.load_name = name;
  program.main_program = true;
  program.image = std::move(image);
  program.known_by_name = true;
  resolution_.targets.back().object = add_object(std::move(program));
  map(0, 0, {});
}

int WindowsProcess::load(const std::string& given, const std::string& name, const WindowsLoadFlags& flags,
                         WindowsCaller caller, const DlopenRequest& call) {
  const auto first_new = resolution_.objects.size();
  auto& target = add_request(given, call, 0);
  const WindowsLoad load{flags, is_full_windows_path(name) ? windows_folder(name) : ""};
  auto edge = resolve({name, EdgeKind::dlopen, 0, true, "", load}, false);
  edge.asked_at = call.traits.asked_at;
  edge.known = call.known;
  target.object = edge.object;
  if (edge.object) map(*edge.object, first_new, load);
  auto failure = edge.object ? finish(first_new, load) : WindowsFailure{windows_search_error(edge.search), ""};
  if (failure.code != 0) {
    const bool module = caller == WindowsCaller::python_import;
    const auto file = windows_file_name(name);
    auto& error = resolution_.targets.back().error;
    error = windows_error(failure.code, caller, module ? std::string(file.substr(0, file.find('.'))) : name,
                          facts_.host.python_minor);
    if (!edge.object) edge.error = error;
  }
  if (failure.code == 0 && caller == WindowsCaller::python_import)
    if (const auto dll = other_python_of(*resolution_.objects[*edge.object].image, facts_.host.python_minor);
        !dll.empty()) {
      failure.code = windows_error_number::refused_by_python;
      resolution_.targets.back().error =
          "ImportError: Module use of " + dll + " conflicts with this version of Python.";
    }
  const bool later = call.traits.when == RequestTime::later;
  if (failure.code != 0 || later)
    for (auto id = first_new; id < resolution_.objects.size(); ++id) resolution_.objects[id].unmapped = true;
  if (later && edge.status == EdgeStatus::loaded) edge.status = EdgeStatus::not_loaded;
  resolution_.objects.front().edges.push_back(std::move(edge));
  return failure.code;
}

void WindowsProcess::map(ObjectId object, ObjectId first_new, const WindowsLoad& load) {
  std::vector<Listed> list{{object}};
  map_needs(list, first_new, load);
  auto& search_list = resolution_.targets.back().search_list;
  for (const auto& listed : list)
    if (std::find(search_list.begin(), search_list.end(), listed.object) == search_list.end())
      search_list.push_back(listed.object);
  note_objections(first_new);
}

void WindowsProcess::entered(ObjectId id) {
  const auto& object = resolution_.objects[id];
  if (object.known_by_name) return;
  if (auto context = manifests_.context_of(*object.image, object.load_name))
    facts_.contexts.insert_or_assign(id, std::move(*context));
}

void WindowsProcess::note_objections(ObjectId first_new) {
  for (auto id = first_new; id < resolution_.objects.size(); ++id)
    if (auto missing = loader_.objection(id, resolution_); !missing.empty())
      resolution_.objections.push_back({id, std::move(missing), facts_.contexts.at(id).fault});
}

std::optional<std::string> WindowsProcess::place_of(const std::string& path) {
  auto file = tree_.find(path);
  if (file && images_.folder_exists(*file)) file.reset();
  return file;
}

const WindowsProcess::Functions& WindowsProcess::functions_of(ObjectId id) {
  const auto& object = resolution_.objects[id];
  auto& known = functions_[object.image.get()];
  if (known) return *known;
  known = std::make_unique<Functions>();
  if (const auto file = images_.files().open(object.path)) {
    Budget budget(limits_of_one_file);
    known->symbols = read_pe_symbols(**file, *object.image, budget);
    if (!images_.budget().add(budget)) tell_limit(images_.budget(), known->symbols.defects);
  }
  known->symbols.imports.resize(object.image->pe->imports.size());
  const auto& defects = known->symbols.defects;
  const auto limit = std::find_if(defects.begin(), defects.end(), [](const Defect& one) { return one.limit; });
  if (limit != defects.end()) symbols_.limits.push_back({id, *limit});
  if (limit == defects.end() && !defects.empty()) symbols_.complete = false;
  for (const auto& function : known->symbols.exports) {
    if (!function.name.empty()) known->by_name.emplace(function.name, &function);
    known->by_ordinal.emplace(function.ordinal, &function);
  }
  return *known;
}

std::optional<std::string> WindowsProcess::find_function(const ImportedFunction& wanted, ObjectId provider,
                                                         const WindowsLoad& load, int depth) {
  const auto& dll_object = resolution_.objects[provider];
  const auto object_name =
      std::string(dll_object.known_by_name ? windows_file_name(dll_object.path) : file_name(dll_object.path));
  const auto since = since_windows(folded(object_name), wanted.name);
  // Of what is known by name, a release of Windows says which functions it has not.
  if (dll_object.known_by_name)
    return since && build_number(facts_.host) != 0 && build_number(facts_.host) < since->build
               ? std::optional(fmt::format("{} has it from {} on", object_name, since->release))
               : std::nullopt;
  const auto& functions = functions_of(provider);
  const ExportedFunction* found = nullptr;
  if (wanted.name.empty()) {
    const auto place = functions.by_ordinal.find(wanted.ordinal);
    if (place != functions.by_ordinal.end()) found = place->second;
  } else if (const auto place = functions.by_name.find(wanted.name); place != functions.by_name.end()) {
    found = place->second;
  }
  // A table that could not be read proves nothing.
  if (found == nullptr && !functions.symbols.defects.empty()) return std::nullopt;
  if (found == nullptr)
    return fmt::format("{} does not have it{}", object_name, since ? ", which came with " + since->release : "");
  if (found->forwarder.empty()) return std::nullopt;
  constexpr int most_forwarders = 32;
  if (depth == most_forwarders) return "its forwarders lead in a circle: " + found->forwarder;
  const auto dll = forwarder_dll(found->forwarder);
  auto& edges = resolution_.objects[provider].edges;
  auto known = std::find_if(edges.begin(), edges.end(),
                            [&](const Edge& edge) { return edge.kind == EdgeKind::forwarder && edge.name == dll; });
  std::optional<ObjectId> next;
  if (known != edges.end()) {
    next = known->object;
  } else {
    const auto first_new = resolution_.objects.size();
    auto edge = resolve({dll, EdgeKind::forwarder, provider, true, "", load}, false);
    next = edge.object;
    resolution_.objects[provider].edges.push_back(std::move(edge));
    if (next && *next >= first_new) map(*next, first_new, load);
  }
  if (!next) return fmt::format("{} forwards it to {}, and {} is not found", object_name, found->forwarder, dll);
  const auto name = found->forwarder.substr(found->forwarder.rfind('.') + 1);
  ImportedFunction forwarded{name, 0};
  if (name.starts_with('#')) forwarded = {"", static_cast<std::uint16_t>(std::strtoul(name.c_str() + 1, nullptr, 10))};
  return find_function(forwarded, *next, load, depth + 1);
}

WindowsFailure WindowsProcess::bind(ObjectId user, const ImportedFunction& wanted, ObjectId provider,
                                    const WindowsLoad& load) {
  ++symbols_.checked;
  const auto reason = find_function(wanted, provider, load, 0);
  if (!reason) return {};
  MissingSymbol missing;
  missing.object = user;
  missing.name = wanted.name.empty() ? fmt::format("#{}", wanted.ordinal) : wanted.name;
  const auto& dll = resolution_.objects[provider];
  missing.version_file = dll.known_by_name ? windows_file_name(dll.path) : file_name(dll.path);
  missing.message = *reason;
  missing.of_files = true;
  missing.provider = provider;
  symbols_.missing.push_back(missing);
  const bool by_ordinal = wanted.name.empty();
  return {by_ordinal ? windows_error_number::invalid_ordinal : windows_error_number::procedure_not_found, missing.name};
}

WindowsFailure WindowsProcess::bind_functions(ObjectId first_new, const WindowsLoad& load) {
  WindowsFailure first;
  // Forwarders may load more on the way.
  for (auto id = first_new; id < resolution_.objects.size(); ++id) {
    const auto image = resolution_.objects[id].image;
    for (std::size_t i = 0; i < image->pe->imports.size(); ++i) {
      const auto provider = resolution_.objects[id].edges[i].object;
      const bool open = provider && resolution_.objects[*provider].known_by_name && build_number(facts_.host) == 0;
      if (image->pe->imports[i].delayed || !provider || open) continue;
      for (const auto& wanted : functions_of(id).symbols.imports[i])
        if (auto failure = bind(id, wanted, *provider, load); failure.code != 0 && first.code == 0)
          first = std::move(failure);
    }
  }
  return first;
}

WindowsFailure WindowsProcess::finish(ObjectId first_new, const WindowsLoad& load) {
  auto failure = first_windows_failure(resolution_, first_new);
  if (!bind_) return failure;
  // The loader stops at the first DLL that is missing; whoever is to mend the file wants to know the rest as well.
  const auto function = bind_functions(first_new, load);
  if (failure.code == 0) failure = function;
  // Forwarders may have brought in more.
  return failure.code != 0 ? failure : first_windows_failure(resolution_, first_new);
}

Resolution WindowsProcess::take() {
  // A neutral program is nothing that was asked for.
  auto& start = resolution_.targets.front();
  if (resolution_.objects.front().known_by_name && !start.part_of && resolution_.targets.size() > 1) start.part_of = 1;
  std::size_t by_name = 0;
  for (const auto& object : resolution_.objects)
    by_name += object.known_by_name && !object.main_program && !object.unmapped ? 1 : 0;
  if (by_name > 0)
    resolution_.notes.push_back(
        fmt::format("of {} only the name is known ({}); exports are assumed",
                    by_name == 1 ? "1 DLL of Windows or Python" : fmt::format("{} DLLs of Windows or Python", by_name),
                    facts_.host.described ? "the machine's description" : windows_tables_source()));
  return std::move(resolution_);
}

}  // namespace cudald
