#include "loader/windows/windows.h"

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/windows_host_file.h>

#include "base/windows_path.h"
#include "knowledge/windows_names.h"
#include "loader/windows/python_on_windows.h"
#include "loader/windows/windows_errors.h"

namespace cudald {
namespace {

using namespace windows_error_number;

/// The module of that name (in lower case): two files of one name cannot both be found by it.
std::optional<ObjectId> loaded(const std::string& name, const Resolution& resolution) {
  for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    if (!object.unmapped && folded(windows_file_name(object.load_name)) == name) return id;
  }
  return std::nullopt;
}

std::optional<ObjectId> loaded_from(const std::string& path, const Resolution& resolution) {
  for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
    const auto& object = resolution.objects[id];
    if (!object.unmapped && folded(object.load_name) == folded(path)) return id;
  }
  return std::nullopt;
}

/// The call for whose sake a request is made. What a file imports is searched for with the flags that the file states,
/// if it does. Source: Microsoft's /DEPENDENTLOADFLAG.
WindowsLoad load_of(const Request& request, const Resolution& resolution) {
  const auto& image = resolution.objects[request.requester].image;
  const bool stated = request.kind == EdgeKind::import && image && image->pe && image->pe->dependent_load_flags != 0;
  return stated ? WindowsLoad{WindowsLoadFlags::of(image->pe->dependent_load_flags), request.load.folder}
                : request.load;
}

/// The DLL that an API set stands for if this requester asks; nullopt if no DLL of this Windows has it.
std::optional<std::string> api_set_host_for(const Request& request, const Resolution& resolution) {
  const auto& requester = resolution.objects[request.requester];
  return api_set_host(folded(request.name), folded(windows_file_name(requester.load_name)));
}

}  // namespace

std::vector<Need> WindowsLoader::needs(const Image& image) const {
  std::vector<Need> needs;
  if (!image.pe) return needs;
  for (const auto& import : image.pe->imports)
    needs.push_back(
        {import.name, import.delayed ? EdgeKind::delay_import : EdgeKind::import, !import.delayed, import.delayed});
  return needs;
}

Result<std::string> WindowsLoader::expanded_name(const Request& request, const Resolution&) const {
  return windows_module_name(request.name);
}

std::optional<Reuse> WindowsLoader::reuse(const Request& request, const Resolution& resolution,
                                          const std::vector<ObjectId>&) const {
  if (is_full_windows_path(request.name)) return std::nullopt;
  auto name = folded(request.name);
  auto rule = SearchRule::loaded_module;
  if (is_api_set_here(name)) {
    const auto host = api_set_host_for(request, resolution);
    if (!host) return std::nullopt;
    name = folded(*host);
    rule = SearchRule::api_set;
  } else if (const auto* path = redirected(name, request.requester, resolution)) {
    const auto id = loaded_from(*path, resolution);
    return id ? std::optional(Reuse{*id, MatchedBy::name, SearchRule::manifest}) : std::nullopt;
  }
  const auto id = loaded(name, resolution);
  return id ? std::optional(Reuse{*id, MatchedBy::name, rule}) : std::nullopt;
}

void WindowsLoader::search(const Request& request, const Resolution& resolution, SearchVisitor& visitor) const {
  const auto in_folder = [&visitor](const std::string& folder, const std::string& name, SearchRule rule) {
    return visitor.candidate({windows_join(folder, ""), name, rule, std::nullopt, false, ""});
  };
  if (is_full_windows_path(request.name)) {
    visitor.candidate({"", request.name, SearchRule::path, std::nullopt, false, ""});
    return;
  }
  const auto key = folded(request.name);
  if (is_api_set_here(key)) {
    if (const auto host = api_set_host_for(request, resolution)) {
      in_folder(facts_.host.system(), *host, SearchRule::api_set);
    } else {
      visitor.skipped(
          {SearchRule::api_set, std::nullopt, request.shown_name(), "an API set that no DLL of this Windows has", 0});
    }
    return;
  }
  if (const auto* path = redirected(key, request.requester, resolution)) {
    visitor.candidate({"", *path, SearchRule::manifest, std::nullopt, false, ""});
    return;
  }
  if (is_known_dll_here(key)) {
    in_folder(facts_.host.system(), request.name, SearchRule::known_dll);
    return;
  }
  const auto& host = facts_.host;
  if (host.python_minor != 0 && is_stable_python_dll(key) &&
      in_folder(host.application, request.name, SearchRule::application_folder) == SearchVisitor::Next::stop)
    return;
  const auto plan = windows_folders(host, load_of(request, resolution));
  auto skipped = plan.skipped.begin();
  // Rules that stand right behind the folder that has the file were passed over as well.
  const auto skip_until = [&](std::size_t tried) {
    for (; skipped != plan.skipped.end() && skipped->before <= tried; ++skipped) visitor.skipped(*skipped);
  };
  std::size_t tried = 0;
  skip_until(tried);
  for (const auto& folder : plan.folders) {
    const auto next = in_folder(folder.path, request.name, folder.rule);
    skip_until(++tried);
    if (next == SearchVisitor::Next::stop) return;
  }
}

const std::vector<std::string>& WindowsLoader::subfolders() const {
  static const std::vector<std::string> none;
  return none;
}

// Windows 7 searches for a file by the name of an API set that it does not know. Source: Microsoft, API set loader
// operation; the schema of 6.1.7601 in data/windows.json.
bool WindowsLoader::is_api_set_here(const std::string& lower_name) const {
  const auto& host = facts_.host;
  const auto& build = host.build.empty() && host.described ? host.described->build : host.build;
  const bool old = build.starts_with("6.0.") || build.starts_with("6.1.");
  return is_api_set(lower_name) && (!old || is_api_set_of_windows_7(lower_name));
}

bool WindowsLoader::is_known_dll_here(const std::string& lower_name) const {
  const auto& described = facts_.host.described;
  if (!facts_.host.known_dlls.empty()) return facts_.host.known_dlls.contains(lower_name);
  return described && !described->known_dlls.empty() ? described->known_dlls.contains(lower_name)
                                                     : is_known_dll(lower_name);
}

// The manifest of the requester counts, else that of whoever brought it in; what that one does not redirect, the
// program's manifest may. Source: wine dlls/ntdll/loader.c, fixup_imports and find_actctx_dll; dlls/ntdll/actctx.c,
// RtlFindActivationContextSectionString.
const std::string* WindowsLoader::redirected(const std::string& lower_name, ObjectId requester,
                                             const Resolution& resolution) const {
  const auto in_context = [&](ObjectId id) -> const std::string* {
    const auto context = facts_.contexts.find(id);
    if (context == facts_.contexts.end()) return nullptr;
    const auto file = context->second.files.find(lower_name);
    return file == context->second.files.end() ? nullptr : &file->second;
  };
  if (facts_.contexts.empty()) return nullptr;
  auto nearest = requester;
  // Whoever brought an object in stands before it.
  while (!facts_.contexts.contains(nearest)) {
    const auto& loader = resolution.objects[nearest].loader;
    if (!loader || *loader >= nearest) break;
    nearest = *loader;
  }
  const auto* path = in_context(nearest);
  return path != nullptr ? path : in_context(0);
}

bool WindowsLoader::known_by_name(const std::string& path) const {
  const auto& host = facts_.host;
  const auto folder = folded(windows_folder(path)), name = folded(windows_file_name(path));
  // A 32-bit process sees SysWOW64 under its own name here, as the description does.
  if (host.described && (host.described->knows(folder) || folder.starts_with(folded(host.windows))))
    return host.described->has(folder, name);
  if (folder == folded(host.system())) {
    const auto later = added_later(name);
    // A driver comes with the machine; a redistributable has a command that installs it.
    const bool installed = later && (!host.fresh || later->command.empty());
    if (host.has_files) return host.partial && is_host_of_api_sets(name);
    return is_in_system32(name) || is_known_dll(name) || installed;
  }
  return host.python_minor != 0 && !host.python_has_files && folder == folded(host.application) &&
         is_beside_python(name, host.python_minor);
}

Judgement WindowsLoader::judge(const OpenedFile& opened, const Request&) const {
  using Action = Judgement::Action;
  if (opened.error) return {Action::stop, ProbeResult::unreadable, opened.error->message};
  const auto& image = *opened.image;
  if (!image.is_pe()) {
    const auto* what = image.file_size == 0 ? "the file is empty" : image.is_elf() ? "an ELF file" : "";
    return {Action::stop, ProbeResult::not_pe, what};
  }
  if (image.machine == facts_.machine && image.format == facts_.format) return {};
  const auto result = image.machine != facts_.machine ? ProbeResult::wrong_machine : ProbeResult::wrong_class;
  return {Action::next, result, fmt::format("{} ({})", machine_name(image.machine), image.format_name())};
}

std::vector<std::string> WindowsLoader::names(const Request&, const std::string& path, bool is_new) const {
  if (!is_new) return {};
  return {std::string(windows_file_name(path))};
}

std::string WindowsLoader::objection(ObjectId id, const Resolution&) const {
  const auto context = facts_.contexts.find(id);
  return context == facts_.contexts.end() ? "" : context->second.missing;
}

std::string WindowsLoader::not_found(const Request& request, const Resolution&, const Search& search) const {
  return windows_error(windows_search_error(search), WindowsCaller::program, request.shown_name(), 0);
}

std::string WindowsLoader::refused(const Request& request, const std::string&, const std::string&,
                                   const Resolution&) const {
  return windows_error(bad_exe_format, WindowsCaller::program, request.shown_name(), 0);
}

std::string WindowsLoader::origin(const std::string& load_name) const { return windows_folder(load_name); }

}  // namespace cudald
