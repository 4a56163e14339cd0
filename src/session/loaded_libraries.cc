#include "session/loaded_libraries.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/path.h"
#include "fs/file_part.h"
#include "image/mapped_bytes.h"
#include "process/known_dlopens.h"
#include "python/library_requests.h"

namespace cudald {
namespace {

// What is larger costs more than it tells; what frameworks open is known by tables.
constexpr std::uint64_t largest_library = std::uint64_t{48} << 20;
constexpr CostLimits limits_of_library{.kept = std::uint64_t{96} << 20, .steps = 60'000'000};

/// Extension modules are followed; what a group of mypyc's imports for each of its modules is not.
bool is_followed_module(const Object& object, const std::set<std::string_view>& modules) {
  return modules.contains(object.path) && object.path.find("__mypyc.") == std::string::npos;
}

}  // namespace

std::vector<Unfollowed> requests_of_libraries(const ProcessRecord& process, std::size_t first_object,
                                              const FileSystem& files, const Knowledge& knowledge,
                                              const std::vector<ImportedModule>& imported) {
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
    // What DT_STRSZ says; the loader itself reads on to the end of the segment, where nothing else is a name.
    const auto declared = object.image->elf.tables.declared_strings_size;
    const auto names_size = declared == 0 ? strings.size : std::min(declared, strings.size);
    auto kinds = python::may_request(FilePart(**file, strings.offset, names_size).view());
    if (is_followed_module(object, modules)) kinds.modules = false;
    if (kinds.libraries && known()) kinds.libraries = false;
    if (!kinds.any()) continue;
    const MappedBytes bytes(**file, object.image.get());
    Budget budget(limits_of_library);
    const auto found = python::library_requests(bytes, *object.image, kinds, budget,
                                                [&](std::string_view module) { return names.contains(module); });
    if (!found) continue;
    if (!found->libraries.empty()) all.push_back({Unfollowed::Kind::opened, object.path, 0, name, found->libraries});
    if (!found->modules.empty()) all.push_back({Unfollowed::Kind::compiled, object.path, 0, name, found->modules});
  }
  return all;
}

}  // namespace cudald
