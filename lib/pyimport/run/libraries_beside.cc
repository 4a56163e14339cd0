// Whether the libraries that a compiled module needs, and that lie beside it, know anything of Python. One that does
// may bind names of the module (libtorch_python.so of torch); one that calls no function of Python (OpenBLAS of NumPy)
// can not, and the module is judged by its own file.
#include "pyimport/run/libraries_beside.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/windows_path.h"
#include "binary/bytes/readers.h"
#include "binary/elf/symbol_table.h"
#include "pyimport/run/interpreter.h"

namespace cudald::python {
namespace {

constexpr std::size_t most_libraries = 200;
constexpr std::uint64_t most_bytes_beside = std::uint64_t{256} << 20;  ///< in which a name is sought
constexpr CostLimits limits_of_symbols{.kept = std::uint64_t{64} << 20, .steps = 20'000'000};

/// Whether a library calls functions of Python, or may.
bool calls_python(const File& file, const std::shared_ptr<const Image>& image, Budget& budget) {
  if (image->pe)
    return std::any_of(image->pe->imports.begin(), image->pe->imports.end(),
                       [](const ImportedDll& dll) { return folded(dll.name).starts_with("python"); });
  const auto symbols = SymbolTable::read(file, image, 0, 0, {}, budget);
  bool any = !image->is_elf() || !symbols->complete() || symbols->limit().has_value();
  symbols->visit_all([&](std::string_view name, std::uint16_t, bool) {
    any = any || name.starts_with("Py") || name.starts_with("_Py");
  });
  return any;
}

}  // namespace

std::vector<std::string> places_beside(const std::string& path, const Image& image) {
  const std::string folder(parent_path(path));
  std::set<std::string> folders;
  for (const auto* list : {&image.elf.runpath, &image.elf.rpath})
    for (const auto element : *list ? cudald::split(**list, ":") : std::vector<std::string_view>())
      for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
        if (element.starts_with(origin))
          folders.insert(normal_path(folder + std::string(element.substr(origin.size()))));
  std::vector<std::string> places;
  for (const auto& needed : image.elf.needed)
    for (const auto& one : folders) places.push_back(one + "/" + needed.name);
  return places;
}

std::vector<std::string> needed_of_packages(const Image& image) {
  constexpr std::string_view of_linux[] = {
      "libc.so",   "libm.so",      "libdl.so",     "libpthread.so",   "librt.so",
      "ld-linux",  "libstdc++.so", "libgcc_s.",    "libpython3.",     "libGL.so",
      "libICE.so", "libSM.so",     "libX11.so",    "libXext.so",      "libXrender.",
      "libanl.so", "libatomic.so", "libglib-2.0.", "libgobject-2.0.", "libgthread-2.0.",
      "libnsl.so", "libresolv.so", "libutil.so",   "libz.so",         "libexpat.so"};
  constexpr std::string_view of_windows[] = {"api-ms-win-", "kernel32.", "ntdll.",       "user32.",  "advapi32.",
                                             "shell32.",    "ole32.",    "ws2_32.",      "psapi.",   "gdi32.",
                                             "bcrypt.",     "crypt32.",  "vcruntime140", "msvcp140", "vcomp140",
                                             "ucrtbase",    "msvcrt.",   "python3"};
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const std::string& compared, const auto& of_system) {
    if (std::none_of(std::begin(of_system), std::end(of_system), [&](auto one) { return compared.starts_with(one); }))
      names.push_back(name);
  };
  for (const auto& needed : image.elf.needed) add(needed.name, needed.name, of_linux);
  if (image.pe)
    for (const auto& dll : image.pe->imports) add(dll.name, folded(dll.name), of_windows);
  return names;
}

/// Adds what a file needs to the libraries beside a module. One that the module itself needs has to be found.
void CompiledFiles::add_needed(const std::string& path, const Image& image, LibrariesBeside& into) {
  const bool of_module = into.paths.empty();
  const auto needed = needed_of_packages(image);
  const auto places = needed.empty() ? std::vector<std::string>() : places_beside(path, image);
  const std::string folder(parent_path(path));
  for (const auto& name : needed) {
    const auto end = "/" + name;
    auto place = std::find_if(places.begin(), places.end(),
                              [&](const std::string& one) { return one.ends_with(end) && finder_.has_file(one); });
    // A library of a wheel that needs another one has it in its own folder: the DT_RPATH of the module, which counts
    // for both, is that folder. So has a DLL.
    const bool in_folder = (!of_module || image.pe) && finder_.has_file(folder + end);
    const auto found = place != places.end() ? *place : in_folder ? folder + end : std::string();
    if (found.empty()) {
      into.complete = into.complete && !of_module;  // what lies elsewhere, and is not the module's, is of the system
    } else if (std::find(into.paths.begin(), into.paths.end(), found) == into.paths.end()) {
      heap_.keep(found.size() + cost_of_path);
      into.paths.push_back(found);
    }
  }
}

const LibrariesBeside& CompiledFiles::libraries_of(const Module& module) {
  const auto [at, is_new] = libraries_beside_.try_emplace(module.path);
  auto& libraries = at->second;
  if (!is_new) return libraries;
  heap_.keep(module.path.size() + cost_of_path);
  const auto look_at = [&](const std::string& path, bool is_library) {
    Budget budget(limits_of_symbols);
    const auto file = files_.open(path);
    const auto image = file ? read_image(**file, budget) : Result<std::shared_ptr<const Image>>(file.error());
    if (!image || !((*image)->is_elf() || (*image)->pe)) return false;
    if (is_library) {
      libraries.bytes += (*file)->status().size;
      if (calls_python(**file, *image, budget)) libraries.know_python.push_back(path);
    }
    add_needed(path, **image, libraries);
    heap_.work(budget.cost().steps);
    return true;
  };
  libraries.complete = look_at(module.path, false) && libraries.complete;
  for (std::size_t i = 0; i < libraries.paths.size() && libraries.complete; ++i) {
    const auto path = libraries.paths[i];  // the list grows
    libraries.complete = i < most_libraries && look_at(path, true);
  }
  return libraries;
}

/// What made the code of a module, its libraries looked at.
CompiledBy CompiledFiles::maker_of(const Module& module) {
  if (module.compiled_by != CompiledBy::c_and_libraries) return module.compiled_by;
  const auto& libraries = libraries_of(module);
  return libraries.complete && libraries.know_python.empty() ? CompiledBy::c : CompiledBy::unknown;
}

/// Whether the stub beside a module, which lists its names for type checkers, is there and lacks one.
/// Source: PEP 561; typing.python.org, Distributing type information.
bool CompiledFiles::lacks_in_stub(const Module& module, const std::string& name) {
  const std::string folder(parent_path(module.path));
  const auto file = module.path.substr(folder.size() + 1);
  return finder_.holds(folder + "/" + file.substr(0, file.find('.')) + ".pyi", name) == false;
}

/// Whether a library beside a module may bind a name of it. One that knows Python may have the name in its code; where
/// no stub says otherwise, it may also copy names of other modules, or make one of any text of the other libraries.
bool CompiledFiles::may_bind_in_libraries(const Module& module, const std::string& name) {
  const auto& libraries = libraries_of(module);
  if (!libraries.complete || libraries.bytes > most_bytes_beside) return true;
  const auto any = [](const std::vector<std::string>& paths, const auto& is_so) {
    return std::any_of(paths.begin(), paths.end(), is_so);
  };
  const auto may_copy = [&](const std::string& path) { return finder_.may_copy(path, name).value_or(true); };
  const auto may_copy_any = [&](const std::string& path) { return may_copy_names(path); };
  const auto holds = [&](const std::string& path) { return finder_.holds(path, name).value_or(true); };
  return any(libraries.know_python, may_copy) ||
         (!lacks_in_stub(module, name) && (any(libraries.know_python, may_copy_any) || any(libraries.paths, holds)));
}

}  // namespace cudald::python
