#include "check/findings/pe_functions.h"

#include <algorithm>

#include <cudald/image.h>

#include "base/windows_path.h"
#include "binary/bytes/readers.h"

namespace cudald {

std::optional<PeSymbols> functions_in(const std::string& path, ImageStore& images) {
  const auto& opened = images.open(path);
  const auto file = images.files().open(path);
  if (opened.error || !file || !opened.image->pe) return std::nullopt;
  Budget budget(limits_of_one_file);
  auto symbols = read_pe_symbols(**file, *opened.image, budget);
  if (!images.budget().add(budget) || !symbols.defects.empty()) return std::nullopt;
  return symbols;
}

bool offers(const PeSymbols& symbols, const ImportedFunction& wanted) {
  return std::any_of(symbols.exports.begin(), symbols.exports.end(), [&](const ExportedFunction& one) {
    return wanted.name.empty() ? one.ordinal == wanted.ordinal : one.name == wanted.name;
  });
}

std::optional<bool> serves(const std::string& candidate, const std::string& file, const std::string& dll,
                           ImageStore& images) {
  const auto own = functions_in(file, images);
  if (!own) return std::nullopt;
  const auto& imports = images.open(file).image->pe->imports;
  for (std::size_t i = 0; i < std::min(imports.size(), own->imports.size()); ++i) {
    if (folded(imports[i].name) != folded(dll) || own->imports[i].empty()) continue;
    const auto other = functions_in(candidate, images);
    if (!other) return std::nullopt;
    return std::all_of(own->imports[i].begin(), own->imports[i].end(),
                       [&](const ImportedFunction& wanted) { return offers(*other, wanted); });
  }
  return std::nullopt;
}

}  // namespace cudald
