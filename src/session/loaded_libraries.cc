#include "session/loaded_libraries.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/path.h"
#include "binary/constants/mapped_bytes.h"
#include "knowledge/known_dlopens.h"
#include "pyimport/compiled/library_requests.h"
#include "tree/file_part.h"

namespace cudald {
namespace {

// What is larger costs more than it tells; what frameworks open is known by tables.
constexpr std::uint64_t largest_library = std::uint64_t{48} << 20;
constexpr CostLimits limits_of_library{.kept = std::uint64_t{96} << 20, .steps = 60'000'000};

/// Extension modules are followed; what a group of mypyc's imports for each of its modules is not.
bool is_followed_module(const Object& object, const std::set<std::string_view>& modules) {
  return modules.contains(object.path) && object.path.find("__mypyc.") == std::string::npos;
}

/// By the names of the functions of others that a file uses.
python::RequestKinds kinds_in(const File& file, const ElfTables& tables) {
  // What DT_STRSZ says; the loader itself reads on to the end of the segment, where nothing else is a name.
  const auto names_size = tables.declared_strings_size == 0
                              ? tables.strings.size
                              : std::min(tables.declared_strings_size, tables.strings.size);
  return python::may_request(FilePart(file, tables.strings.offset, names_size).view());
}

/// What is asked of a file, in the key of what is kept.
std::string_view question_of(python::RequestKinds kinds) {
  return kinds.libraries ? kinds.modules ? "libraries and modules" : "libraries" : "modules";
}

std::optional<python::LibraryRequests> requests_of(const File& file, const Image& image, python::RequestKinds kinds) {
  Budget budget(limits_of_library);
  return python::library_requests(MappedBytes(file, &image), image, kinds, budget);
}

}  // namespace

namespace python {

void fields(Is<LibraryRequests> auto& requests, auto&& take) {
  auto& [libraries, modules, opens_computed, imports_computed, runs_code] = requests;
  take(libraries, modules, opens_computed, imports_computed, runs_code);
}

}  // namespace python

std::vector<Unfollowed> requests_of_libraries(const ProcessRecord& process, std::size_t first_object,
                                              const FileSystem& files, const Knowledge& knowledge,
                                              const std::vector<ImportedModule>& imported, KeptReadings& kept) {
  std::set<std::string_view> modules, names;
  for (const auto& module : imported) modules.insert(module.path), names.insert(module.name);
  std::vector<Unfollowed> all;
  const auto& objects = process.resolution().objects;
  for (auto id = first_object; id < objects.size(); ++id) {
    const auto& object = objects[id];
    if (!object.image || object.unmapped || object.path.find("-packages/") == std::string::npos) continue;
    const auto file = files.open(object.path);
    const auto& strings = object.image->elf.tables.strings;
    const auto size = file ? (*file)->status().size : 0;
    if (!file || (*file)->is_stream() || !strings.present || strings.size > size) continue;
    const auto name = std::string(file_name(object.path));
    const auto known = [&] {
      return !known_dlopens(object.image->soname.value_or(""), object.path, files, knowledge).empty();
    };
    if (size > largest_library) {
      if (!known())
        all.push_back({Unfollowed::Kind::opened, object.path, 0, name, "(it is too large to be looked into)"});
      continue;
    }
    auto kinds = kinds_in(**file, object.image->elf.tables);
    if (is_followed_module(object, modules)) kinds.modules = false;
    if (kinds.libraries && known()) kinds.libraries = false;
    if (!kinds.any()) continue;
    const auto found = kept.read(
        **file, [&](const File& given) { return requests_of(given, *object.image, kinds); }, question_of(kinds));
    if (!found) continue;
    const auto add = [&](Unfollowed::Kind kind, std::string list) {
      if (!list.empty()) all.push_back({kind, object.path, 0, name, std::move(list)});
    };
    add(Unfollowed::Kind::opened, found->listed_libraries());
    add(Unfollowed::Kind::compiled,
        found->listed_modules([&](std::string_view module) { return names.contains(module); }));
  }
  return all;
}

}  // namespace cudald
