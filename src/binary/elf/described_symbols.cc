#include <elf.h>

#include <algorithm>
#include <map>
#include <set>

#include "binary/elf/symbol_table.h"

namespace cudald {
namespace {

constexpr std::uint16_t hidden_bit = 0x8000;

DescribedSymbols::Group kind_of(const SymbolTable::Candidate& candidate) {
  const auto& symbol = candidate.symbol;
  DescribedSymbols::Group kind;
  kind.info = symbol.info;
  kind.other = symbol.other;
  kind.version = candidate.version_index | (candidate.hidden ? hidden_bit : 0);
  kind.undefined = symbol.section == SHN_UNDEF;
  kind.absolute = symbol.section == SHN_ABS;
  kind.zero = symbol.value == 0;
  return kind;
}

SymbolTable::Candidate candidate_of(const DescribedSymbols::Group& kind) {
  SymbolTable::Candidate candidate;
  candidate.symbol.info = kind.info;
  candidate.symbol.other = kind.other;
  candidate.symbol.section = kind.undefined ? SHN_UNDEF : kind.absolute ? SHN_ABS : std::uint16_t{1};
  candidate.symbol.value = kind.zero ? 0 : 1;
  candidate.version_index = kind.version & (hidden_bit - 1);
  candidate.hidden = (kind.version & hidden_bit) != 0;
  return candidate;
}

}  // namespace

std::uint64_t described_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
  return (hash ^ hash >> 33) >> 16;
}

DescribedSymbols SymbolTable::describe() const {
  DescribedSymbols symbols;
  symbols.has_versions = has_versions();
  symbols.complete = complete_ && !limit_;
  for (const auto& each : references_)
    symbols.references.push_back(
        {std::string(each.name), each.version, each.weak, each.defined, each.is_protected, each.use});
  std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint16_t, bool, bool, bool>, std::size_t> known;
  const auto add = [&](const Candidate& candidate, std::uint64_t name) {
    auto kind = kind_of(candidate);
    if (kind.undefined && kind.zero) return;  // no loader takes it for a definition
    const auto [place, is_new] = known.try_emplace(kind.key(), symbols.definitions.size());
    if (is_new) symbols.definitions.push_back(std::move(kind));
    symbols.definitions[place->second].names.push_back(name);
  };
  for (const auto& each : described_) add(each.candidate, each.hash);
  // What the loader finds by a name, not what the table holds.
  std::set<std::string_view> names;
  visit_all([&names](std::string_view name, std::uint16_t, bool) { names.insert(name); });
  for (const auto name : names) {
    const HashedName hashed(name);
    visit(hashed, [&](const Candidate& candidate) {
      add(candidate, hashed.described());
      return false;
    });
  }
  for (auto& group : symbols.definitions) std::sort(group.names.begin(), group.names.end());
  return symbols;
}

std::shared_ptr<const SymbolTable> SymbolTable::of(const DescribedSymbols& symbols,
                                                   std::shared_ptr<const Image> image) {
  auto table = std::make_shared<SymbolTable>();
  table->image_ = std::move(image);
  table->is_described_ = true;
  table->complete_ = symbols.complete;
  if (symbols.has_versions) table->versions_.push_back(0);
  table->index_versions();
  for (const auto& group : symbols.definitions)
    for (const auto name : group.names) table->described_.push_back({name, candidate_of(group)});
  std::stable_sort(table->described_.begin(), table->described_.end(),
                   [](const DescribedName& a, const DescribedName& b) { return a.hash < b.hash; });
  std::size_t text = 0;
  for (const auto& each : symbols.references) text += each.name.size();
  ReadBuffer names(text);
  auto* end = reinterpret_cast<char*>(names.room().data());
  for (const auto& each : symbols.references) {
    const std::string_view name(end, each.name.size());
    end = std::copy(each.name.begin(), each.name.end(), end);
    table->references_.push_back({name, each.version, each.weak, each.defined, each.is_protected, each.use});
  }
  table->strings_ = StringTable(std::move(names));  // the references lie in it
  return table;
}

}  // namespace cudald
