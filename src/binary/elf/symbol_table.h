#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <cudald/elf_entries.h>
#include <cudald/file_system.h>
#include <cudald/format.h>

#include "base/budget.h"
#include "base/read_buffer.h"
#include "binary/elf/elf_layout.h"
#include "binary/elf/string_table.h"

namespace cudald {

struct Image;  // cudald/image.h

/// 48 bits of a name: FNV-1a of 64 bits with MurmurHash3's finalizer. Among a million names that a process may have,
/// one that is missing is taken for another one in 3 of a billion cases.
std::uint64_t described_hash(std::string_view name);

/// A symbol name with its hashes, computed once for all objects that it is looked for in.
struct HashedName {
  explicit HashedName(std::string_view text) : name(text), gnu(gnu_hash(text)) {}

  std::uint32_t sysv() const {
    if (!sysv_) sysv_ = sysv_hash(name);
    return *sysv_;
  }

  /// By which descriptions of machines know a name.
  std::uint64_t described() const {
    if (!described_) described_ = described_hash(name);
    return *described_;
  }

  std::string_view name;
  std::uint32_t gnu;

 private:
  mutable std::optional<std::uint32_t> sysv_;
  mutable std::optional<std::uint64_t> described_;
};

/// How the relocations of a file refer to one of its symbols.
struct SymbolUse {
  bool lazy = false;        ///< by a PLT slot that may be bound at the first call
  bool immediate = false;   ///< by something that is needed when the file is relocated
  bool plt_class = false;   ///< some use wants a real definition (a call or thread-local data)
  bool data_class = false;  ///< some use accepts a program's own PLT entry as the address
  bool copy = false;        ///< a copy relocation: the program's own symbol does not count
  std::uint32_t order = 0;  ///< of the first relocation that uses it; 0 if none does
};

/// A symbol that relocations refer to.
struct Reference {
  std::string_view name;
  std::uint16_t version = 0;  ///< index as in the version table, without the hidden bit; 0 and 1 mean none
  bool weak = false;
  bool defined = false;       ///< the file has a definition of its own, which another may still come before
  bool is_protected = false;  ///< ... but not before a protected one
  SymbolUse use;
};

/// A version by the index that the version table uses.
struct IndexedVersion {
  std::string_view name;
  std::string_view file;   ///< for needed versions
  std::uint32_t hash = 0;  ///< 0: no version
  bool hidden = false;
};

/// What a description of a machine says of the symbols of one file.
struct DescribedSymbols {
  /// Definitions that differ in nothing but their names.
  struct Group {
    std::uint8_t info = 0, other = 0;                        ///< st_info, st_other
    std::uint16_t version = 0;                               ///< with the hidden bit, as in the version table
    bool undefined = false, absolute = false, zero = false;  ///< section and value, as far as a loader asks for them
    std::vector<std::uint64_t> names;                        ///< described_hash of each, sorted

    auto key() const { return std::tuple(info, other, version, undefined, absolute, zero); }
  };
  struct Reference {
    std::string name;
    std::uint16_t version = 0;
    bool weak = false, defined = false, is_protected = false;
    SymbolUse use;
  };

  std::vector<Group> definitions;
  std::vector<Reference> references;  ///< in the order of the relocations
  bool has_versions = false;
  bool complete = true;
};

/// Whether names of a kind are wanted, by how they begin: with the first `longest_beginning` bytes, or fewer where all
/// names end; behind a shorter name others may follow.
using NameFilter = bool (*)(std::string_view beginning);
inline constexpr std::size_t longest_beginning = 8;
inline bool is_any_name(std::string_view) { return true; }

/// Of which symbols that a file defines itself the references are wanted.
struct DefinedNames {
  NameFilter wanted = nullptr;  ///< nullptr: of none
  /// One of these is defined wherever any of that kind is: where none is, no name is looked at. Empty: that is not
  /// known of the kind.
  std::span<const std::string_view> signs;
};

/// One file's dynamic symbols with their hash tables, as the loader would use them.
class SymbolTable {
 public:
  /// Reads the tables that `image` locates. Faults are kept in `complete()`. References to symbols that the file
  /// defines itself always find at least that definition, unless its hash table is damaged: else they are only
  /// collected if names of that kind are wanted.
  static std::shared_ptr<const SymbolTable> read(const File&, std::shared_ptr<const Image>, std::uint32_t jump_slot,
                                                 std::uint32_t copy);
  /// `reopen` opens the file again for as long as the table is in use: names are read when they are asked for then.
  static std::shared_ptr<const SymbolTable> read(const File&, std::shared_ptr<const Image>, std::uint32_t jump_slot,
                                                 std::uint32_t copy, DefinedNames, Budget&,
                                                 StringTable::Opener reopen = {});

  /// Of a file that a description tells of, in which names are found by their hashes.
  static std::shared_ptr<const SymbolTable> of(const DescribedSymbols&, std::shared_ptr<const Image>);
  DescribedSymbols describe() const;

  /// The table of a file that is not read, as the budget does not allow it.
  static std::shared_ptr<const SymbolTable> beyond(const Budget&);

  bool complete() const { return complete_ && !strings_.is_broken(); }
  /// A relocation that writes to an address at which the file has no memory that may be written; none: there is none.
  const std::optional<Defect>& damage() const { return damage_; }
  /// Why not all was read that there is, where a limit of ours is the reason: then the table is empty, or references
  /// are left out.
  const std::optional<Defect>& limit() const { return limit_; }
  bool has_versions() const { return !versions_.empty(); }
  /// Whether it has a hash table without buckets, so that no loader finds any of its symbols: .gnu.hash or .hash was
  /// removed from the file. Source: glibc elf/dl-lookup.c, do_lookup_x, l_nbuckets.
  bool is_unhashed() const { return unhashed_; }
  /// Whether its symbols have lost their names: the string table begins with zeros, as .dynstr was removed.
  bool is_nameless() const { return nameless_; }
  bool empty() const { return !is_described_ && !has_gnu_hash_ && buckets_.empty(); }
  std::size_t memory() const;
  /// In the order of the relocations.
  const std::vector<Reference>& references() const { return references_; }
  const IndexedVersion& version(std::uint16_t index) const {
    static const IndexedVersion none;
    return index < indexed_.size() ? indexed_[index] : none;
  }

  /// Every global symbol that has a name: calls `visit(name, version index, whether it is defined)`. Ends where the
  /// names are longer, all together, than symbols can have.
  template <typename Visit>
  void visit_all(Visit visit) const {
    strings_.read_all();
    const ByteReader symbols(symbols_, order_);
    const auto size = layout_.symbol_size();
    auto room = most_text();
    for (std::size_t index = 1; symbols.holds(index * size, size); ++index) {
      const auto symbol = symbol_at(layout_, symbols, index * size);
      const auto name = string(symbol.name);
      if (name.size() > room) return;
      room -= name.size();
      if (name.empty() || symbol.binding() == STB_LOCAL) continue;
      visit(name, index < versions_.size() ? static_cast<std::uint16_t>(versions_[index] & 0x7fff) : std::uint16_t{0},
            symbol.section != SHN_UNDEF);
    }
  }

  struct Candidate {
    SymbolEntry symbol;
    std::uint16_t version_index = 0;  ///< without the hidden bit
    bool hidden = false;
  };

  /// Calls `visit(Candidate)` for each symbol of this name in the order of the hash chain, until it returns true. Gives
  /// the steps taken along the chain.
  template <typename Visit>
  std::size_t visit(const HashedName& name, Visit visit) const {
    return is_described_   ? visit_described(name, visit)
           : has_gnu_hash_ ? visit_gnu(name, visit)
                           : visit_sysv(name, visit);
  }

 private:
  friend class SymbolTableReader;

  template <typename Visit>
  bool offer(std::uint32_t index, const HashedName& name, Visit& visit) const {
    const auto at = std::uint64_t{index} * layout_.symbol_size();
    const ByteReader symbols(symbols_, order_);
    if (!symbols.holds(at, layout_.symbol_size())) return false;
    Candidate candidate{symbol_at(layout_, symbols, at), 0, false};
    if (!strings_.has(candidate.symbol.name, name.name)) return false;
    if (index < versions_.size()) {
      candidate.version_index = versions_[index] & 0x7fff;
      candidate.hidden = (versions_[index] & 0x8000) != 0;
    }
    return visit(candidate);
  }

  bool passes_bloom(std::uint32_t hash) const {
    // Both powers of two, which the compiler does not know of the former: no divisions.
    const auto bits = static_cast<std::uint32_t>(layout_.word() * 8), last = bits - 1;
    const auto filter = bloom_[(hash >> std::countr_zero(bits)) & (bloom_.size() - 1)];
    return (filter >> (hash & last) & filter >> ((hash >> bloom_shift_) & last) & 1) != 0;
  }

  template <typename Visit>
  std::size_t visit_gnu(const HashedName& name, Visit& visit) const {
    if (!passes_bloom(name.gnu)) return 0;
    auto index = buckets_[name.gnu % buckets_.size()];
    if (index < first_hashed_) return 0;
    for (std::size_t steps = 1;; ++index, ++steps) {
      const auto place = index - first_hashed_;
      if (place >= chain_.size()) return steps;
      if (((chain_[place] ^ name.gnu) >> 1) == 0 && offer(index, name, visit)) return steps;
      if ((chain_[place] & 1) != 0) return steps;
    }
  }

  template <typename Visit>
  std::size_t visit_sysv(const HashedName& name, Visit& visit) const {
    if (buckets_.empty()) return 0;
    std::size_t steps = 0;
    for (auto index = buckets_[name.sysv() % buckets_.size()]; index != 0 && steps <= chain_.size(); ++steps) {
      if (offer(index, name, visit) || index >= chain_.size()) break;
      index = chain_[index];
    }
    return steps;
  }

  template <typename Visit>
  std::size_t visit_described(const HashedName& name, Visit& visit) const {
    auto at = std::lower_bound(described_.begin(), described_.end(), name.described(),
                               [](const DescribedName& each, std::uint64_t hash) { return each.hash < hash; });
    for (; at != described_.end() && at->hash == name.described(); ++at)
      if (visit(at->candidate)) break;
    return 1;
  }

  /// Numbers versions as glibc's l_versions does: needed and defined ones together.
  void index_versions();

  /// Empty if there is none, or it is longer than any name.
  std::string_view string(std::uint32_t offset) const;
  /// What the names of all symbols can have together: more than twice their table, as a linker lets one be the end of
  /// another, and as one name may stand for several versions.
  std::uint64_t most_text() const { return 4 * std::uint64_t{strings_.size()} + (1 << 20); }

  struct DescribedName {
    std::uint64_t hash = 0;
    Candidate candidate;
  };

  std::shared_ptr<const Image> image_;
  ElfLayout layout_{};
  ByteOrder order_ = ByteOrder::little;
  bool complete_ = true;
  std::optional<Defect> limit_, damage_;
  ReadBuffer symbols_;
  StringTable strings_;
  std::vector<std::uint16_t> versions_;
  bool has_gnu_hash_ = false, unhashed_ = false, nameless_ = false;
  std::uint32_t first_hashed_ = 0, bloom_shift_ = 0;
  std::vector<std::uint64_t> bloom_;
  std::vector<std::uint32_t> buckets_, chain_;
  std::vector<IndexedVersion> indexed_;
  std::vector<Reference> references_;
  bool is_described_ = false;
  std::vector<DescribedName> described_;  ///< sorted
};

}  // namespace cudald
