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

constexpr int most_libraries_deep = 8;
constexpr std::uint64_t size_of_path = 96;  ///< bytes of one in a map, beside its text
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
  constexpr std::string_view of_linux[] = {"libc.so",  "libm.so",      "libdl.so",    "libpthread.so", "librt.so",
                                           "ld-linux", "libstdc++.so", "libgcc_s.so", "libpython3."};
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

/// Whether a library calls no function of Python, nor does one that it needs; false if one of them is not found beside
/// it, or cannot be read.
bool CompiledFiles::knows_no_python(const std::string& path, int depth) {
  const auto known = libraries_without_python_.find(path);
  if (known != libraries_without_python_.end()) return known->second;
  const auto file = files_.open(path);
  if (!file || depth > most_libraries_deep) return false;
  Budget budget(limits_of_symbols);
  const auto image = read_image(**file, budget);
  if (!image) return false;
  heap_.keep(path.size() + size_of_path);
  libraries_without_python_.emplace(path, true);  // what needs itself is judged by the others
  const bool knows_none = !calls_python(**file, *image, budget) && need_no_python(path, **image, depth + 1);
  heap_.work(budget.cost().steps);
  return libraries_without_python_[path] = knows_none;
}

/// Whether this is true of each library that a file needs; of the module's own, only if it is found.
bool CompiledFiles::need_no_python(const std::string& path, const Image& image, int depth) {
  const auto needed = needed_of_packages(image);
  const auto places = needed.empty() ? std::vector<std::string>() : places_beside(path, image);
  const std::string folder(parent_path(path));
  return std::all_of(needed.begin(), needed.end(), [&](const std::string& name) {
    const auto end = "/" + name;
    for (const auto& place : places)
      if (place.ends_with(end) && finder_.has_file(place)) return knows_no_python(place, depth);
    // A library of a wheel that needs another one has it in its own folder: the DT_RPATH of the module, which counts
    // for both, is that folder. So has a DLL.
    if ((depth > 0 || image.pe) && finder_.has_file(folder + end)) return knows_no_python(folder + end, depth);
    // What lies elsewhere, and is needed by one that knows no Python itself, is of the system (libz.so.1).
    return depth > 0;
  });
}

/// What made the code of a module, its libraries looked at.
CompiledBy CompiledFiles::maker_of(const Module& module) {
  if (module.compiled_by != CompiledBy::c_and_libraries) return module.compiled_by;
  if (const auto known = libraries_without_python_.find(module.path); known != libraries_without_python_.end())
    return known->second ? CompiledBy::c : CompiledBy::unknown;
  const auto file = files_.open(module.path);
  if (!file) return CompiledBy::unknown;
  Budget budget(limits_of_symbols);
  const auto image = read_image(**file, budget);
  const bool alone = image && need_no_python(module.path, **image, 0);
  heap_.keep(module.path.size() + size_of_path);
  libraries_without_python_.emplace(module.path, alone);
  return alone ? CompiledBy::c : CompiledBy::unknown;
}

}  // namespace cudald::python
