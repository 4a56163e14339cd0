// Whether a part of DT_STRTAB is the name of a symbol. A linker lets a name be the end of another string, so a string
// may be overwritten only if no name begins in it.
#include <algorithm>

#include "base/budget.h"
#include "binary/bytes/file_window.h"
#include "rewrite/elf_parts.h"

namespace cudald {
namespace {

/// How many symbols there are by DT_GNU_HASH, the unhashed ones included. The last chain ends at the last symbol.
/// Source: glibc elf/dl-lookup.c; binutils, binutils/readelf.c, get_num_dynamic_syms.
std::optional<std::uint64_t> symbols_by_gnu_hash(FileWindow& window, const ElfParts& parts, std::uint64_t at) {
  const auto buckets = window.number<std::uint32_t>(at), first = window.number<std::uint32_t>(at + 4),
             bloom = window.number<std::uint32_t>(at + 8);
  if (!buckets || !first || !bloom) return std::nullopt;
  const auto buckets_at = at + 16 + std::uint64_t{*bloom} * parts.layout.word();
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < *buckets; ++i) {
    const auto symbol = window.number<std::uint32_t>(buckets_at + 4 * i);
    if (!symbol) return std::nullopt;
    last = std::max<std::uint64_t>(last, *symbol);
  }
  // Without a defined symbol, linkers do not say how many undefined ones there are.
  if (last < *first) return std::nullopt;
  const auto chain_at = buckets_at + 4 * std::uint64_t{*buckets};
  for (;; ++last) {
    const auto hash = window.number<std::uint32_t>(chain_at + 4 * (last - *first));
    if (!hash) return std::nullopt;
    if ((*hash & 1) != 0) return last + 1;
  }
}

std::optional<std::uint64_t> count_symbols(FileWindow& window, const ElfParts& parts) {
  for (const auto& section : parts.sections)
    if (section.type == SHT_DYNSYM) return section.size / parts.layout.symbol_size();
  if (const auto table = parts.value(DT_GNU_HASH)) {
    const auto at = parts.offset_of(*table, 16);
    return at ? symbols_by_gnu_hash(window, parts, *at) : std::nullopt;
  }
  const auto table = parts.value(DT_HASH);
  const auto word = parts.layout.sysv_hash_word(parts.machine);
  const auto at = table ? parts.offset_of(*table, 2 * word) : std::nullopt;
  if (!at) return std::nullopt;
  if (word == 8) return window.number<std::uint64_t>(*at + word);
  return window.number<std::uint32_t>(*at + word);
}

}  // namespace

bool symbols_use(const File& file, const ElfParts& parts, std::uint64_t begin, std::uint64_t end) {
  Budget budget(limits_of_one_file);
  FileWindow window(file, parts.order, &budget);
  const auto table = parts.value(DT_SYMTAB);
  const auto count = count_symbols(window, parts);
  const auto size = parts.layout.symbol_size();
  const auto at =
      table && count && *count <= parts.file_size / size ? parts.offset_of(*table, *count * size) : std::nullopt;
  if (!at) return true;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto name = window.number<std::uint32_t>(*at + i * size);
    if (!name || (*name >= begin && *name < end)) return true;
  }
  return false;
}

}  // namespace cudald
