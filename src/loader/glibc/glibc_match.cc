#include "loader/symbol_match.h"

namespace cudald {

std::optional<SymbolEntry> glibc_match(const SymbolTable& table, const HashedName& name, const IndexedVersion* wanted,
                                       LookUp use, std::size_t& steps) {
  std::optional<SymbolEntry> found, only_default;
  int defaults = 0;
  steps = table.visit(name, [&](const SymbolTable::Candidate& candidate) {
    const auto& symbol = candidate.symbol;
    if (symbol.value == 0 && symbol.section != SHN_ABS && symbol.type() != STT_TLS) return false;
    if (use == LookUp::call && symbol.section == SHN_UNDEF) return false;
    if (!type_counts(symbol.type())) return false;
    if (table.has_versions()) {
      const auto& version = table.version(candidate.version_index);
      if (wanted != nullptr) {
        const bool same = version.hash == wanted->hash && version.name == wanted->name;
        if (!same && (wanted->hidden || version.hash != 0 || candidate.hidden)) return false;
      } else if (candidate.version_index >= 3) {
        if (!candidate.hidden && defaults++ == 0) only_default = symbol;
        return false;
      }
    }
    if (!binding_counts(symbol.binding())) return false;
    found = symbol;
    return true;
  });
  if (!found && defaults == 1 && binding_counts(only_default->binding())) found = only_default;
  return found;
}

}  // namespace cudald
