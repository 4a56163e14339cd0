// A plug-in names no library that has the functions of the program that opens it. One that was made for another release
// of that program misses what only that release has, and what it misses begins like what the program has.
#include "check/fixes/host_of_module.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "check/fixes/whereabouts.h"

namespace cudald {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// How many letters two names have in common, in whole words: "ngx_" of ngx_stream_x and ngx_string, "errstart" of
/// errstart and errstart_cold, "AllocCreate" of AllocCreateInternal and AllocCreateExtended.
std::size_t common_words(std::string_view name, std::string_view wanted) {
  const auto [end, ignored] = std::mismatch(name.begin(), name.end(), wanted.begin(), wanted.end());
  auto count = static_cast<std::size_t>(end - name.begin());
  const auto begins_word = [&](std::string_view one) {
    return count >= one.size() || one[count] == '_' || is_capital(one[count]);
  };
  while (count > 0 && name[count - 1] != '_' && !(begins_word(name) && begins_word(wanted))) --count;
  return count;
}

}  // namespace

std::set<std::string, std::less<>> references_of(const Case& given, const Object& object) {
  std::set<std::string, std::less<>> names;
  given.store.symbols.get(object)->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
    if (!defined) names.emplace(name);
  });
  return names;
}

std::optional<LackingLibrary> lacking_host(const Case& given, const Object& asker, const std::string& symbol) {
  constexpr std::size_t least = 3, most_files = 64;
  const auto& objects = given.report.resolution.objects;
  const auto references = references_of(given, asker);
  LackingLibrary best;
  for (ObjectId id = 0; id < std::min(objects.size(), most_files); ++id) {
    const auto& object = objects[id];
    if (!may_serve(object, asker)) continue;
    LackingLibrary kin{id, "", 0};
    bool serves = false;
    given.store.symbols.get(object)->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
      if (!defined) return;
      serves |= references.contains(name);
      const auto alike = common_words(name, symbol);
      if (alike > kin.alike) kin.alike = alike, kin.example = name;
    });
    if (serves && kin.alike >= least && kin.alike > best.alike) best = std::move(kin);
  }
  return best.alike > 0 ? std::optional(std::move(best)) : std::nullopt;
}

std::vector<std::string> in_other_installations(const std::string& path, ImageStore& images) {
  constexpr std::size_t most_entries = 200, most = 8;
  constexpr int most_levels = 4;
  std::vector<std::string> found;
  const auto add = [&](const std::string& other) {
    if (other != path && found.size() < most && is_file(images.files(), other)) found.push_back(other);
  };
  const std::string folder(parent_path(path)), name(file_name(path));
  const auto stem = unversioned_name(name);
  for (const auto& entry : images.list(folder))
    if (stem != name && entry != stem && unversioned_name(entry) == stem) add(folder + "/" + entry);
  std::string rest = "/" + name, below = folder;
  for (int level = 0; level < most_levels && below.size() > 1; ++level) {
    const std::string above(parent_path(below));
    const auto& entries = images.list(above);
    if (entries.size() <= most_entries)
      for (const auto& entry : entries)
        if (auto other = (above == "/" ? "" : above) + "/" + entry; other != below) add(other + rest);
    rest = "/" + std::string(file_name(below)) + rest;
    below = above;
  }
  return found;
}

}  // namespace cudald
