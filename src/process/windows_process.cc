#include "process/windows_process.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "env/windows_host_file.h"
#include "env/windows_names.h"
#include "process/windows_assemblies.h"

namespace cudald {
namespace {

constexpr int module_not_found = 126, procedure_not_found = 127, bad_exe_format = 193, side_by_side = 14001;

/// Why the loader does not take an opened file; empty if it does.
std::string refusal(const OpenedFile& opened, const Image& program, ProbeResult& result) {
  if (opened.error) {
    result = ProbeResult::unreadable;
    return opened.error->message;
  }
  const auto& image = *opened.image;
  if (!image.is_pe()) {
    result = ProbeResult::not_pe;
    return image.file_size == 0 ? "the file is empty" : image.is_elf() ? "an ELF file" : "";
  }
  if (image.machine != program.machine || image.format != program.format) {
    result = image.machine != program.machine ? ProbeResult::wrong_machine : ProbeResult::wrong_class;
    return fmt::format("{} ({})", machine_name(image.machine), image.format_name());
  }
  return "";
}

/// What the user sees if a program does not start. Source: Microsoft's "NTSTATUS Values"; message boxes of Windows 10.
std::string start_error(int code, const std::string& name) {
  switch (code) {
    case module_not_found: return "The code execution cannot proceed because " + name + " was not found. (0xc0000135)";
    case side_by_side: return windows_error_text(code);
    case procedure_not_found: return "The procedure entry point " + name + " could not be located. (0xc0000139)";
    default: return "The application was unable to start correctly (0xc000007b).";
  }
}

}  // namespace

WindowsProcess::WindowsProcess(ImageStore& images, WindowsHost host, bool bind)
    : images_(images), host_(std::move(host)), tree_(images_, host_), bind_(bind) {
  resolution_.windows = true;
}

void WindowsProcess::end(std::string error) {
  resolution_.targets[*whole_].error = std::move(error);
  whole_.reset();
}

bool WindowsProcess::has_folder(const std::string& path) {
  if (const auto place = tree_.find(path)) return images_.folder_exists(*place);
  if (host_.described && host_.described->knows(folded(normal_windows_path(path)))) return true;
  return !host_.has_files && folded(windows_folder(path + "\\.")).starts_with(folded(host_.windows));
}

// The folder that was added last is searched first, though nobody promises it. Source: wine dlls/ntdll/loader.c,
// LdrAddDllDirectory; conda's Python relies upon it.
void WindowsProcess::add_dll_directory(const std::string& path) {
  host_.user_folders.insert(host_.user_folders.begin(), path);
}

void WindowsProcess::set_path(const std::string& folders) {
  host_.path.clear();
  for (const auto folder : split(folders, ";"))
    if (!folder.empty()) host_.path.emplace_back(folder);
}

void WindowsProcess::note_soft_load(const std::string& name, const WindowsLoadFlags& flags,
                                    const std::string& asked_at) {
  auto edge = resolve_softly(name, EdgeKind::dlopen, 0, {flags, ""});
  edge.hard = false;
  edge.asked_at = asked_at;
  resolution_.objects.front().edges.push_back(std::move(edge));
}

void WindowsProcess::note_constants(ConstantScope scope) {
  ProcessRecord::note_constants(images_, scope, [this](const std::string& name, ObjectId caller) {
    return resolve_softly(name, EdgeKind::dlopen, caller, {});
  });
}

void WindowsProcess::start(const std::string& given, const std::string& path) {
  const auto& opened = images_.open(path);
  resolution_.machine = opened.image->machine;
  add_target(given, TargetKind::start);
  Object program;
  program.path = opened.real_path;
  program.load_name = tree_.spelled(path);
  program.origin = windows_folder(program.load_name);
  program.image = opened.image;
  program.id = opened.status.id;
  program.main_program = true;
  resolution_.targets.back().object = add_object(std::move(program));
  resolution_.targets.back().search_list = {0};
  check_manifest(0);
  map_imports(0, resolution_.targets.back().search_list, {});
  if (const auto failure = finish(0, {}); failure.code != 0)
    resolution_.targets.front().error = start_error(failure.code, failure.detail);
}

void WindowsProcess::start_host(const std::string& given, const std::string& name, const Image& like) {
  resolution_.machine = like.machine;
  add_target(given, TargetKind::start);
  auto image = std::make_shared<Image>();
  image->machine = like.machine;
  image->format = like.format;
  image->type = FileType::executable;
  image->pe.emplace();
  Object program;
  program.path = program.load_name = name;
  program.main_program = true;
  program.image = std::move(image);
  program.known_by_name = true;
  resolution_.targets.back().object = add_object(std::move(program));
  resolution_.targets.back().search_list = {0};
}

int WindowsProcess::load(const std::string& given, const std::string& name, const WindowsLoadFlags& flags,
                         WindowsCaller caller, const DlopenRequest& call) {
  const auto first_new = resolution_.objects.size();
  auto& target = add_request(given, call, 0);
  const WindowsLoad load{flags, is_full_windows_path(name) ? windows_folder(name) : ""};
  auto edge = resolve(name, EdgeKind::dlopen, 0, load);
  edge.hard = false;
  edge.asked_at = call.traits.asked_at;
  edge.known = call.known;
  target.object = edge.object;
  if (edge.object) {
    target.search_list.push_back(*edge.object);
    map_imports(first_new, target.search_list, load);
  }
  auto failure = edge.object ? finish(first_new, load) : Failure{code_of(edge), ""};
  if (failure.code != 0) {
    const bool module = caller == WindowsCaller::python_import;
    const auto file = windows_file_name(name);
    auto& error = resolution_.targets.back().error;
    error = windows_error(failure.code, caller, module ? std::string(file.substr(0, file.find('.'))) : name,
                          host_.python_minor);
    if (!edge.object) edge.error = error;
  }
  const bool later = call.traits.when == RequestTime::later;
  if (failure.code != 0 || later)
    for (auto id = first_new; id < resolution_.objects.size(); ++id) resolution_.objects[id].unmapped = true;
  if (later && edge.status == EdgeStatus::loaded) edge.status = EdgeStatus::not_loaded;
  resolution_.objects.front().edges.push_back(std::move(edge));
  return failure.code;
}

// The modules that a load brings in are those that its imports name, and theirs, by the rules of the call that started
// it. Source: Microsoft's LoadLibraryExW, "Remarks". The order in which they are mapped is not promised anywhere.
void WindowsProcess::map_imports(ObjectId first_new, SearchList& list, const WindowsLoad& load) {
  for (std::size_t at = 0; at < list.size(); ++at) {
    const auto id = list[at];
    const auto enlist = [&list](const Edge& edge) {
      if (edge.object && std::find(list.begin(), list.end(), *edge.object) == list.end()) list.push_back(*edge.object);
    };
    if (id < first_new) {
      for (const auto& edge : resolution_.objects[id].edges)
        if (edge.hard) enlist(edge);
      continue;
    }
    const auto image = resolution_.objects[id].image;
    for (const auto& import : image->pe->imports) {
      // The helper of delay imports calls LoadLibrary when a function is first used.
      auto edge = import.delayed ? resolve_softly(import.name, EdgeKind::delay_import, id, {})
                                 : resolve(import.name, EdgeKind::import, id, load);
      edge.hard = !import.delayed;
      if (!import.delayed) enlist(edge);
      resolution_.objects[id].edges.push_back(std::move(edge));
    }
  }
}

Edge WindowsProcess::resolve_softly(const std::string& name, EdgeKind kind, ObjectId requester,
                                    const WindowsLoad& load) {
  const auto objects_before = resolution_.objects.size();
  auto edge = resolve(name, kind, requester, load);
  if (edge.status == EdgeStatus::loaded) {
    edge.status = EdgeStatus::not_loaded;
    edge.object.reset();
    resolution_.objects.resize(objects_before);
    std::erase_if(resolution_.objections, [&](const Objection& one) { return one.object >= objects_before; });
  }
  return edge;
}

std::optional<ObjectId> WindowsProcess::loaded(const std::string& base_name) const {
  for (ObjectId id = 0; id < resolution_.objects.size(); ++id) {
    const auto& object = resolution_.objects[id];
    if (!object.unmapped && folded(windows_file_name(object.load_name)) == base_name) return id;
  }
  return std::nullopt;
}

// Source: Microsoft's "Dynamic-link library search order", "Factors that affect searching".
Edge WindowsProcess::resolve(const std::string& asked, EdgeKind kind, ObjectId requester, const WindowsLoad& load) {
  Edge edge;
  edge.name = asked;
  edge.kind = kind;
  const auto name = windows_module_name(asked);
  const auto key = folded(name);
  if (is_full_windows_path(name)) {
    probe(name, SearchRule::path, requester, edge);
  } else if (is_api_set(key)) {
    const auto host = api_set_host(key, folded(windows_file_name(resolution_.objects[requester].load_name)));
    if (host) {
      take_from_system(*host, SearchRule::api_set, requester, edge);
    } else {
      edge.search.skipped.push_back(
          {SearchRule::api_set, std::nullopt, asked, "an API set that no DLL of this Windows has", 0});
    }
  } else if (const auto known = loaded(key)) {
    edge.status = EdgeStatus::already_loaded;
    edge.rule = SearchRule::loaded_module;
    edge.object = known;
    edge.matched = MatchedBy::name;
  } else if (is_known_dll_here(key)) {
    take_from_system(name, SearchRule::known_dll, requester, edge);
  } else {
    search(name, requester, load, edge);
  }
  if (!edge.object && edge.error.empty()) {
    const bool rejected = std::any_of(edge.search.probes.begin(), edge.search.probes.end(),
                                      [](const Probe& one) { return one.result != ProbeResult::absent; });
    edge.status = rejected ? EdgeStatus::rejected : EdgeStatus::missing;
    edge.error = windows_error(code_of(edge), WindowsCaller::program, asked, 0);
  }
  return edge;
}

void WindowsProcess::take_from_system(const std::string& name, SearchRule rule, ObjectId requester, Edge& edge) {
  if (const auto known = loaded(folded(name))) {
    edge.status = EdgeStatus::already_loaded;
    edge.rule = rule;
    edge.object = known;
    edge.matched = MatchedBy::name;
    return;
  }
  probe(windows_join(host_.system(), name), rule, requester, edge);
}

void WindowsProcess::search(const std::string& name, ObjectId requester, const WindowsLoad& load, Edge& edge) {
  auto plan = windows_folders(host_, load);
  for (const auto& folder : plan.folders)
    if (probe(windows_join(folder.path, name), folder.rule, requester, edge)) break;
  for (auto& skipped : plan.skipped)
    if (skipped.before <= edge.search.probes.size()) edge.search.skipped.push_back(std::move(skipped));
}

bool WindowsProcess::is_known_dll_here(const std::string& name) const {
  const bool described = host_.described && !host_.described->known_dlls.empty();
  return described ? host_.described->known_dlls.contains(name) : is_known_dll(name);
}

bool WindowsProcess::is_known_there(const std::string& folder, const std::string& name) const {
  // A 32-bit process sees SysWOW64 under its own name here, as the description does.
  if (host_.described && (host_.described->knows(folded(folder)) || folded(folder).starts_with(folded(host_.windows))))
    return host_.described->has(folded(folder), name);
  if (folded(folder) == folded(host_.system()))
    return !host_.has_files && (is_in_system32(name) || is_known_dll(name) || added_later(name));
  return host_.python_minor != 0 && !host_.python_has_files && folded(folder) == folded(host_.application) &&
         is_beside_python(name, host_.python_minor);
}

/// Tries one path; true if the search is over. A file for another machine is passed over, which leaves error 193 if
/// nothing else is found; whatever is no PE file ends the search. Source: wine dlls/ntdll/loader.c, search_dll_file;
/// ReactOS does the same for Windows 10 (LdrpMapDllSearchPath).
bool WindowsProcess::probe(const std::string& path, SearchRule rule, ObjectId requester, Edge& edge) {
  Probe probe{path, rule, std::nullopt, ProbeResult::absent, ""};
  const auto file = tree_.find(path);
  const auto take = [&](ObjectId id, EdgeStatus status) {
    edge.status = status;
    edge.rule = rule;
    edge.object = id;
    probe.result = ProbeResult::found;
    edge.search.probes.push_back(std::move(probe));
    return true;
  };
  if (!file || images_.folder_exists(*file)) {
    if (is_known_there(windows_folder(path), folded(windows_file_name(path))))
      return take(add_known_by_name(path, requester), EdgeStatus::loaded);
    edge.search.probes.push_back(std::move(probe));
    return false;
  }
  const auto& opened = images_.open(*file);
  probe.result = ProbeResult::found;
  probe.detail = refusal(opened, *resolution_.objects.front().image, probe.result);
  if (probe.result != ProbeResult::found) {
    probe.ends_search = probe.result == ProbeResult::not_pe || probe.result == ProbeResult::unreadable;
    edge.search.probes.push_back(probe);
    return probe.ends_search;
  }
  for (ObjectId id = 0; id < resolution_.objects.size(); ++id)
    if (const auto& object = resolution_.objects[id];
        !object.unmapped && !object.known_by_name && object.id == opened.status.id) {
      edge.matched = MatchedBy::file;
      return take(id, EdgeStatus::already_loaded);
    }
  Object object;
  object.path = opened.real_path;
  object.load_name = path;
  object.origin = windows_folder(path);
  object.names = {std::string(windows_file_name(path))};
  object.id = opened.status.id;
  object.image = opened.image;
  if (edge.kind != EdgeKind::dlopen) object.loader = requester;
  const auto id = add_object(std::move(object));
  check_manifest(id);
  return take(id, EdgeStatus::loaded);
}

void WindowsProcess::check_manifest(ObjectId id) {
  const auto& object = resolution_.objects[id];
  auto missing = missing_assembly(*object.image, object.origin, host_, tree_, images_);
  if (!missing.empty()) resolution_.objections.push_back({id, std::move(missing)});
}

ObjectId WindowsProcess::add_known_by_name(const std::string& path, std::optional<ObjectId> requester) {
  auto image = std::make_shared<Image>();
  image->machine = resolution_.machine;
  image->format = resolution_.objects.front().image->format;
  image->type = FileType::shared;
  image->soname = std::string(windows_file_name(path));
  image->pe.emplace();
  Object object;
  object.path = object.load_name = path;
  object.origin = windows_folder(path);
  object.names = {*image->soname};
  object.image = std::move(image);
  object.loader = requester;
  object.known_by_name = true;
  return add_object(std::move(object));
}

int WindowsProcess::code_of(const Edge& edge) {
  return edge.status == EdgeStatus::missing ? module_not_found : bad_exe_format;
}

/// The first assembly that is missing, or import that found nothing usable.
WindowsProcess::Failure WindowsProcess::failure_of(ObjectId first_new) const {
  for (const auto& objection : resolution_.objections)
    if (objection.object >= first_new) return {side_by_side, objection.message};
  for (auto id = first_new; id < resolution_.objects.size(); ++id)
    for (const auto& edge : resolution_.objects[id].edges)
      if (edge.hard && !edge.object) return {code_of(edge), edge.name};
  return {};
}

const WindowsProcess::Functions& WindowsProcess::functions_of(ObjectId id) {
  const auto& object = resolution_.objects[id];
  auto& known = functions_[object.image.get()];
  if (known) return *known;
  known = std::make_unique<Functions>();
  if (const auto file = images_.files().open(object.path)) known->symbols = read_pe_symbols(**file, *object.image);
  known->symbols.imports.resize(object.image->pe->imports.size());
  if (!known->symbols.defects.empty()) symbols_.complete = false;
  for (const auto& function : known->symbols.exports) {
    if (!function.name.empty()) known->by_name.emplace(function.name, &function);
    known->by_ordinal.emplace(function.ordinal, &function);
  }
  return *known;
}

std::optional<std::string> WindowsProcess::find_function(const ImportedFunction& wanted, ObjectId provider,
                                                         const WindowsLoad& load, int depth) {
  const auto object_name = std::string(file_name(resolution_.objects[provider].path));
  if (resolution_.objects[provider].known_by_name) return std::nullopt;
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
  if (found == nullptr) return fmt::format("{} does not have it", object_name);
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
    auto edge = resolve(dll, EdgeKind::forwarder, provider, load);
    edge.hard = false;
    next = edge.object;
    resolution_.objects[provider].edges.push_back(std::move(edge));
    if (next && *next >= first_new) {
      auto& list = resolution_.targets.back().search_list;
      list.push_back(*next);
      map_imports(first_new, list, load);
    }
  }
  if (!next) return fmt::format("{} forwards it to {}, and {} is not found", object_name, found->forwarder, dll);
  const auto name = found->forwarder.substr(found->forwarder.rfind('.') + 1);
  ImportedFunction forwarded{name, 0};
  if (name.starts_with('#')) forwarded = {"", static_cast<std::uint16_t>(std::strtoul(name.c_str() + 1, nullptr, 10))};
  return find_function(forwarded, *next, load, depth + 1);
}

WindowsProcess::Failure WindowsProcess::bind(ObjectId user, const ImportedFunction& wanted, ObjectId provider,
                                             const WindowsLoad& load) {
  ++symbols_.checked;
  const auto reason = find_function(wanted, provider, load, 0);
  if (!reason) return {};
  MissingSymbol missing;
  missing.object = user;
  missing.name = wanted.name.empty() ? fmt::format("#{}", wanted.ordinal) : wanted.name;
  missing.version_file = file_name(resolution_.objects[provider].path);
  missing.message = *reason;
  symbols_.missing.push_back(missing);
  return {procedure_not_found, missing.name};
}

WindowsProcess::Failure WindowsProcess::bind_functions(ObjectId first_new, const WindowsLoad& load) {
  Failure first;
  // Forwarders may load more on the way.
  for (auto id = first_new; id < resolution_.objects.size(); ++id) {
    if (resolution_.objects[id].known_by_name) continue;
    const auto image = resolution_.objects[id].image;
    for (std::size_t i = 0; i < image->pe->imports.size(); ++i) {
      const auto provider = resolution_.objects[id].edges[i].object;
      if (image->pe->imports[i].delayed || !provider || resolution_.objects[*provider].known_by_name) continue;
      for (const auto& wanted : functions_of(id).symbols.imports[i])
        if (auto failure = bind(id, wanted, *provider, load); failure.code != 0 && first.code == 0)
          first = std::move(failure);
    }
  }
  return first;
}

WindowsProcess::Failure WindowsProcess::finish(ObjectId first_new, const WindowsLoad& load) {
  auto failure = failure_of(first_new);
  if (failure.code == 0 && bind_) failure = bind_functions(first_new, load);
  return failure.code == 0 ? failure_of(first_new) : failure;  // forwarders may have brought in more
}

Resolution WindowsProcess::take() {
  std::size_t by_name = 0;
  for (const auto& object : resolution_.objects)
    by_name += object.known_by_name && !object.main_program && !object.unmapped ? 1 : 0;
  if (by_name > 0)
    resolution_.notes.push_back(
        fmt::format("{} of the objects are DLLs of Windows or Python that are known by name only ({}): "
                    "they are taken to have every function asked for",
                    by_name, host_.described ? "the machine's description" : windows_names_source()));
  return std::move(resolution_);
}

}  // namespace cudald
