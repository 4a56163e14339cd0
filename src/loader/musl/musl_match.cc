#include "loader/symbol_match.h"

namespace cudald {

std::optional<SymbolEntry> musl_match(const SymbolTable& table, const HashedName& name, LookUp use,
                                      std::size_t& steps) {
  std::optional<SymbolEntry> found;
  steps = table.visit(name, [&](const SymbolTable::Candidate& candidate) {
    if (candidate.hidden) return false;
    found = candidate.symbol;
    return true;
  });
  if (!found) return found;
  const bool tls = found->type() == STT_TLS;
  const bool counts = (found->section != SHN_UNDEF || (use != LookUp::call && !tls)) && (found->value != 0 || tls) &&
                      type_counts(found->type()) && binding_counts(found->binding());
  return counts ? found : std::nullopt;
}

}  // namespace cudald
