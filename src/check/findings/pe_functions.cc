#include "check/findings/pe_functions.h"

#include <algorithm>

#include <cudald/image.h>

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

}  // namespace cudald
