#include "check/findings/lacking_library.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "binary/elf/symbol_table.h"

namespace cudald {
namespace {

/// The function of a file that begins most like a name, if it has that much in common: a word of two letters at least.
LackingLibrary most_alike(ObjectId id, const SymbolTable& table, std::string_view wanted) {
  LackingLibrary best{id, "", 0};
  table.visit_all([&](std::string_view name, std::uint16_t, bool defined) {
    if (!defined || name.starts_with("_")) return;
    const auto [end, ignored] = std::mismatch(name.begin(), name.end(), wanted.begin(), wanted.end());
    const auto alike = static_cast<std::size_t>(end - name.begin());
    if (alike > best.alike) best.alike = alike, best.example = name;
  });
  return best;
}

/// Whether that much in common is no chance: three letters, or two that are a word of their own, as H5.
bool is_enough(std::size_t alike, std::string_view name) {
  return alike > 2 || (alike == 2 && name[1] >= '0' && name[1] <= '9');
}

}  // namespace

bool is_of_c_library(const Object& object) {
  constexpr std::string_view names[] = {"libc.",  "libm.",     "libdl.",     "libpthread.",
                                        "librt.", "libgcc_s.", "libstdc++.", "ld-linux"};
  const auto name = file_name(object.path);
  return object.dynamic_loader ||
         std::any_of(std::begin(names), std::end(names), [&](std::string_view one) { return name.starts_with(one); });
}

bool may_serve(const Object& object, const Object& asker) {
  return &object != &asker && !object.unmapped && !object.known_by_name && object.image && !is_of_c_library(object);
}

std::optional<LackingLibrary> lacking_library(const Case& given, const Object& asker, const std::string& symbol) {
  const auto& objects = given.report.resolution.objects;
  LackingLibrary best;
  for (const auto& edge : asker.edges) {
    if (!edge.hard || !edge.object || !objects[*edge.object].image || objects[*edge.object].known_by_name) continue;
    if (is_of_c_library(objects[*edge.object])) continue;
    auto kin = most_alike(*edge.object, *given.store.symbols.get(objects[*edge.object]), symbol);
    if (kin.alike > best.alike) best = std::move(kin);
  }
  return is_enough(best.alike, symbol) ? std::optional(std::move(best)) : std::nullopt;
}

}  // namespace cudald
