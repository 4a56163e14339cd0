#include "binary/elf/symbol_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include <cudald/image.h>

#include "binary/elf/elf_damage.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_table_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t longest_symbol = 1 << 16;

// Thread-local relocations, which want a real definition like calls do (elf_machine_type_class).
bool is_tls_relocation(std::uint16_t machine, std::uint32_t type) {
  switch (machine) {
    case EM_X86_64: return (type >= R_X86_64_DTPMOD64 && type <= R_X86_64_TPOFF64) || type == R_X86_64_TLSDESC;
    case EM_386:
      return type == R_386_TLS_TPOFF || type == R_386_TLS_DTPMOD32 || type == R_386_TLS_DTPOFF32 ||
             type == R_386_TLS_TPOFF32 || type == R_386_TLS_DESC;
    case EM_AARCH64: return type >= R_AARCH64_TLS_DTPMOD && type <= R_AARCH64_TLSDESC;
    default: return false;
  }
}

}  // namespace

/// Fills a SymbolTable; each step notes what it could not read.
class SymbolTableReader {
 public:
  SymbolTableReader(const File& file, std::shared_ptr<const Image> image, std::uint32_t jump_slot, std::uint32_t copy,
                    DefinedNames defined, Budget& budget, StringTable::Opener reopen)
      : file_(file),
        image_(*image),
        jump_slot_(jump_slot),
        copy_(copy),
        defined_(defined),
        budget_(budget),
        reopen_(std::move(reopen)) {
    table_->image_ = std::move(image);
    table_->layout_.is_64 = image_.format == Format::elf64;
    table_->order_ = image_.byte_order;
  }

  std::shared_ptr<const SymbolTable> read() {
    const bool has_gnu_hash = image_.elf.tables.gnu_hash.present && read_gnu_hash();
    if (has_gnu_hash) read_symbols(table_->first_hashed_ + table_->chain_.size());
    if (table_->unhashed_) read_symbols(most_listed());
    if (has_gnu_hash ? table_->nameless_ || !leads_to_all_hashed() : table_->unhashed_) defined_ = {is_any_name, {}};
    const bool wants_defined = has_gnu_hash && may_define_wanted();
    if (has_gnu_hash && !wants_defined && defines_all_hashed()) {
      first_passed_over_ = table_->first_hashed_;
      end_passed_over_ = symbol_count_;
    }
    collect_uses();
    if (!has_gnu_hash && !table_->unhashed_) read_by_sysv_hash();
    if (uses_.size() > symbol_count_) read_symbols(uses_.size());
    if (!budget_.exhausted()) collect_references(has_gnu_hash ? wants_defined : may_define_wanted());
    table_->strings_.use(nullptr);
    if (budget_.exhausted()) return SymbolTable::beyond(budget_);  // half a table would answer wrongly
    return table_;
  }

 private:
  ReadBuffer bytes(const TableRange& range, std::uint64_t wanted) {
    if (!range.present) return {};
    const auto size = std::min({wanted, range.size, most_table_bytes});
    if (wanted > size) table_->complete_ = false;
    if (!budget_.keep(size)) return {};
    ReadBuffer result(size);
    const auto got = file_.read(range.offset, result.room());
    if (!got || *got != size) table_->complete_ = false;
    result.cut(got ? *got : 0);
    return result;
  }

  StringTable strings(const TableRange& range, std::uint64_t wanted) {
    const auto size = std::min({wanted, range.size, most_table_bytes});
    const auto end = file_.status().size;
    const bool is_there = range.present && size == wanted && range.offset <= end && size <= end - range.offset;
    if (!reopen_ || !is_there || !file_.reads_anywhere(range.offset, size)) return StringTable(bytes(range, wanted));
    return budget_.keep(size) ? StringTable(reopen_, range.offset, size) : StringTable();
  }

  /// Reads `count` numbers from `at` bytes into the range; fewer where the range ends.
  template <typename T>
  void read_numbers(const TableRange& range, std::uint64_t at, std::uint64_t count, std::vector<T>& into) {
    if (at > range.size) return;
    const auto available = std::min((range.size - at) / sizeof(T), most_table_bytes / sizeof(T));
    if (!budget_.keep(std::min(count, available) * sizeof(T))) return;
    into.resize(std::min(count, available));
    const auto got = file_.read(range.offset + at, std::as_writable_bytes(std::span(into)));
    into.resize(got ? *got / sizeof(T) : 0);
    if (into.size() != count) table_->complete_ = false;
    if ((table_->order_ == ByteOrder::little) == (std::endian::native == std::endian::little)) return;
    const std::vector<T> raw = into;
    const ByteReader reader(std::as_bytes(std::span(raw)), table_->order_);
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = reader.unchecked<T>(i * sizeof(T));
  }

  /// What DT_STRSZ says, or more if a symbol's name lies beyond it.
  std::uint64_t strings_size() const {
    std::uint64_t highest = 0;
    const ByteReader symbols(table_->symbols_, table_->order_);
    for (std::uint64_t at = 0; symbols.holds(at, table_->layout_.symbol_size()); at += table_->layout_.symbol_size())
      highest = std::max<std::uint64_t>(highest, symbols.unchecked<std::uint32_t>(at));
    const auto declared = std::min(image_.elf.tables.declared_strings_size, image_.elf.tables.strings.size);
    return highest < declared ? declared : std::min(highest + longest_symbol, image_.elf.tables.strings.size);
  }

  /// What is said of the first symbols, so many of them.
  void read_symbols(std::uint64_t count) {
    symbol_count_ = count;
    table_->symbols_ = bytes(image_.elf.tables.symbols, count * table_->layout_.symbol_size());
    if (image_.elf.tables.symbol_versions.present)
      read_numbers(image_.elf.tables.symbol_versions, 0, count, table_->versions_);
    table_->strings_ = strings(image_.elf.tables.strings, strings_size());
    table_->strings_.use(&file_);
    table_->nameless_ = begins_with_zeros(table_->strings_);
    table_->index_versions();
  }

  /// The first byte of a string table is zero, and then its names follow.
  static bool begins_with_zeros(const StringTable& strings) {
    const auto beginning = strings.beginning(0, 64);
    return beginning.size() > 1 && std::all_of(beginning.begin(), beginning.end(), [](char each) { return each == 0; });
  }

  /// How many symbols the table has at most, where no hash table tells it: linkers put the names behind it.
  std::uint64_t most_listed() const {
    const auto& symbols = image_.elf.tables.symbols;
    const auto& names = image_.elf.tables.strings;
    const bool names_follow = names.present && names.offset > symbols.offset;
    return std::min(symbols.size, names_follow ? names.offset - symbols.offset : symbols.size) /
           table_->layout_.symbol_size();
  }

  /// Whether the file defines each symbol that its hash table leads to, as libraries do. In programs, functions of
  /// libraries may be among them.
  bool defines_all_hashed() const {
    const ByteReader symbols(table_->symbols_, table_->order_);
    const auto size = table_->layout_.symbol_size();
    const std::uint64_t section_at =
        table_->layout_.is_64 ? offsetof(Elf64_Sym, st_shndx) : offsetof(Elf32_Sym, st_shndx);
    if (!symbols.holds(0, symbol_count_ * size)) return false;
    for (std::uint64_t index = table_->first_hashed_; index < symbol_count_; ++index)
      if (symbols.unchecked<std::uint16_t>(index * size + section_at) == SHN_UNDEF) return false;
    return true;
  }

  /// Whether the hash table leads to each hash in it, one bucket after the other, as linkers write it. In any other the
  /// loader may not find what the file defines itself.
  bool leads_to_all_hashed() const {
    const auto& table = *table_;
    const auto count = static_cast<std::uint32_t>(table.buckets_.size());
    // The rest of a division by a number that stays the same takes two multiplications: Lemire, Kaser and Kurz,
    // "Faster remainder by direct computation" (2019), theorem 1 for 32 bits.
    const auto reciprocal = count == 0 ? 0 : UINT64_MAX / count + 1;
    const auto rest_of = [count, reciprocal](std::uint32_t hash) {
      const auto fraction = reciprocal * hash, low = (fraction & UINT32_MAX) * count;
      return static_cast<std::uint32_t>(((fraction >> 32) * count + (low >> 32)) >> 32);
    };
    std::uint64_t place = 0;
    for (std::uint32_t bucket = 0; bucket < count; ++bucket) {
      const auto first = table.buckets_[bucket];
      if (first == 0) continue;
      if (first != table.first_hashed_ + place) return false;
      for (bool ends = false; !ends; ++place) {
        if (place >= table.chain_.size()) return false;
        ends = (table.chain_[place] & 1) != 0;
        // The lowest bit of the hash itself is not in the table.
        const auto hash = table.chain_[place] & ~std::uint32_t{1}, rest = rest_of(hash);
        const bool may_be_even = rest == bucket && table.passes_bloom(hash);
        const bool may_be_odd = (rest + 1 == count ? 0 : rest + 1) == bucket && table.passes_bloom(hash | 1);
        if (!may_be_even && !may_be_odd) return false;
      }
    }
    return place == table.chain_.size();
  }

  void read_by_sysv_hash() {
    const auto count = read_sysv_hash();
    if (table_->unhashed_) defined_ = {is_any_name, {}};
    read_symbols(table_->unhashed_ ? most_listed() : std::max<std::uint64_t>(count, uses_.size()));
  }

  /// Returns how many symbols the table speaks of.
  std::uint64_t read_sysv_hash() {
    const auto& range = image_.elf.tables.sysv_hash;
    if (!range.present) return 0;
    const auto word = table_->layout_.sysv_hash_word(image_.machine);
    std::vector<std::uint32_t> header;
    read_hash_numbers(word, 0, 2, header);
    if (header.size() != 2) return 0;
    if ((table_->unhashed_ = header[0] == 0)) return 0;
    read_hash_numbers(word, 2 * word, header[0], table_->buckets_);
    // The loader never looks at nchain: the chain is as long as the buckets and relocations need it.
    const auto& buckets = table_->buckets_;
    const auto highest = buckets.empty() ? 0 : *std::max_element(buckets.begin(), buckets.end());
    const auto chain_at = 2 * word + std::uint64_t{word} * header[0];
    const auto available = chain_at < range.size ? (range.size - chain_at) / word : 0;
    const auto wanted = std::max<std::uint64_t>({header[1], highest + std::uint64_t{1}, uses_.size()});
    read_hash_numbers(word, chain_at, std::min(wanted, available), table_->chain_);
    return table_->chain_.size();
  }

  /// Numbers of DT_HASH, which count symbols: what does not fit into 32 bits leads nowhere.
  void read_hash_numbers(std::size_t word, std::uint64_t at, std::uint64_t count, std::vector<std::uint32_t>& into) {
    const auto& range = image_.elf.tables.sysv_hash;
    if (word == sizeof(std::uint32_t)) return read_numbers(range, at, count, into);
    std::vector<std::uint64_t> wide;
    read_numbers(range, at, count, wide);
    into.clear();
    for (const auto number : wide) into.push_back(number <= UINT32_MAX ? static_cast<std::uint32_t>(number) : 0);
  }

  bool read_gnu_hash() {
    std::vector<std::uint32_t> header;
    const auto& range = image_.elf.tables.gnu_hash;
    read_numbers(range, 0, 4, header);
    if (header.size() != 4 || (table_->unhashed_ = header[0] == 0)) return false;
    const std::uint64_t bucket_count = header[0], bloom_count = header[2], word = table_->layout_.word();
    const auto buckets_at = 16 + bloom_count * word, chain_at = buckets_at + bucket_count * 4;
    // The loader masks with bloom_count - 1 and divides by bucket_count: other values break it too.
    if (!std::has_single_bit(bloom_count) || chain_at > range.size) {
      table_->complete_ = false;
      return false;
    }
    if (word == 8) {
      read_numbers(range, 16, bloom_count, table_->bloom_);
    } else {
      std::vector<std::uint32_t> narrow;
      read_numbers(range, 16, bloom_count, narrow);
      table_->bloom_.assign(narrow.begin(), narrow.end());
    }
    read_numbers(range, buckets_at, bucket_count, table_->buckets_);
    if (table_->bloom_.size() != bloom_count || table_->buckets_.size() != bucket_count) {
      table_->bloom_.clear();
      table_->buckets_.clear();
      return false;
    }
    table_->first_hashed_ = header[1];
    table_->bloom_shift_ = header[3] & 31;  // as the processor takes it of a number of 32 bits
    table_->has_gnu_hash_ = true;
    read_chain(chain_at);
    return true;
  }

  // The chain's length is written nowhere: it goes on after the highest bucket's start until an end mark.
  void read_chain(std::uint64_t chain_at) {
    const auto highest = *std::max_element(table_->buckets_.begin(), table_->buckets_.end());
    if (highest < table_->first_hashed_) return;
    std::uint64_t length = highest - table_->first_hashed_;
    std::vector<std::uint32_t> block;
    for (bool ended = false; !ended;) {
      const auto at = chain_at + length * 4;
      constexpr std::uint64_t block_length = 1024;
      const auto left = at < image_.elf.tables.gnu_hash.size ? (image_.elf.tables.gnu_hash.size - at) / 4 : 0;
      if (left == 0 || length * 4 > most_table_bytes || !budget_.step(std::min(left, block_length))) {
        table_->complete_ = false;
        break;
      }
      read_numbers(image_.elf.tables.gnu_hash, at, std::min(left, block_length), block);
      if (block.empty()) break;
      for (const auto entry : block) {
        ++length;
        if ((ended = (entry & 1) != 0)) break;
      }
    }
    read_numbers(image_.elf.tables.gnu_hash, chain_at, length, table_->chain_);
  }

  void collect_uses() {
    const auto& tables = image_.elf.tables;
    const bool addends = tables.plt_relocations_have_addends;
    collect_from(addends ? without_calls(tables.relocations) : tables.relocations, true, false);
    collect_from(addends ? tables.implicit_relocations : without_calls(tables.implicit_relocations), false, false);
    collect_from(tables.plt_relocations, addends, true);
  }

  /// Of some processors, as RISC-V, the size of the table counts the calls as well, which are its last part. Source:
  /// glibc elf/dynamic-link.h, _ELF_DYNAMIC_DO_RELOC.
  TableRange without_calls(TableRange range) const {
    const auto& calls = image_.elf.tables.plt_relocations;
    if (range.present && calls.present && calls.offset >= range.offset &&
        calls.offset + calls.size == range.offset + range.size)
      range.size -= calls.size;
    return range;
  }

  void collect_from(const TableRange& range, bool addends, bool plt) {
    if (!range.present || !budget_.step(range.size / table_->layout_.relocation_size(addends))) return;
    const auto& layout = table_->layout_;
    const auto entry = layout.relocation_size(addends);
    const auto most_symbols = image_.elf.tables.symbols.size / layout.symbol_size();
    constexpr std::uint64_t entries_at_once = 4096;  // what a cache of the processor holds
    ReadBuffer block(std::min(entries_at_once, range.size / entry) * entry);
    for (std::uint64_t at = 0; at + entry <= range.size; at += block.size()) {
      block.cut((range.size - at) / entry * entry);
      const auto got = file_.read(range.offset + at, block.room());
      if (!got || *got != block.size()) {
        table_->complete_ = false;
        return;
      }
      const ByteReader reader(block, table_->order_);
      for (std::uint64_t i = 0; i < block.size(); i += entry) {
        check_place(layout.is_64 ? reader.unchecked<std::uint64_t>(i) : reader.unchecked<std::uint32_t>(i),
                    layout.is_64 ? reader.unchecked<std::uint32_t>(i + 8) : reader.unchecked<std::uint8_t>(i + 4));
        std::uint64_t symbol = 0;
        std::uint32_t type = 0;
        if (layout.is_64) {
          const auto info = reader.unchecked<std::uint64_t>(i + 8);
          symbol = info >> 32;
          type = static_cast<std::uint32_t>(info);
        } else {
          const auto info = reader.unchecked<std::uint32_t>(i + 4);
          symbol = info >> 8;
          type = info & 0xff;
        }
        if (symbol == 0 || (symbol >= first_passed_over_ && symbol < end_passed_over_ && type != copy_)) continue;
        if (!note_use(symbol, type, plt, most_symbols)) return;
      }
    }
  }

  /// Where a relocation writes. Most are near the one before.
  void check_place(std::uint64_t address, std::uint32_t type) {
    constexpr std::uint64_t page = ~std::uint64_t{4095};
    if ((address & page) == good_page_ || type == 0) return;
    if (is_mapped_writable(image_, address)) {
      good_page_ = address & page;
    } else if (!image_.elf.text_relocations && !table_->damage_) {
      table_->damage_ = Defect{"a relocation is not about data that may be written", std::nullopt, false, true};
    }
  }

  /// False if there is no room for a symbol that has such a number.
  bool note_use(std::uint64_t symbol, std::uint32_t type, bool plt, std::uint64_t most_symbols) {
    if (symbol >= most_symbols) {
      table_->complete_ = false;
      return true;
    }
    if (symbol >= uses_.size()) {
      if (!budget_.keep((symbol + 1 - uses_.size()) * sizeof(SymbolUse))) return false;
      uses_.resize(symbol + 1);
    }
    auto& use = uses_[symbol];
    if (use.order == 0) use.order = ++relocations_seen_;
    if (plt && type == jump_slot_) {
      use.lazy = use.plt_class = true;
      return true;
    }
    use.immediate = true;
    if (type == copy_) {
      use.copy = true;
    } else if (type == jump_slot_ || is_tls_relocation(image_.machine, type)) {
      use.plt_class = true;
    } else {
      use.data_class = true;
    }
    return true;
  }

  /// Whether the file may define symbols of the kind that is wanted even so.
  bool may_define_wanted() const {
    if (defined_.wanted == nullptr) return false;
    const auto is_defined = [this](std::string_view name) {
      bool found = false;
      const auto note = [&](const auto& candidate) { return found = candidate.symbol.section != SHN_UNDEF; };
      if (!table_->empty()) table_->visit(HashedName(name), note);
      return found;
    };
    return defined_.signs.empty() || std::any_of(defined_.signs.begin(), defined_.signs.end(), is_defined);
  }

  void collect_references(bool wants_defined) {
    const NameFilter wanted = wants_defined ? defined_.wanted : nullptr;
    const ByteReader symbols(table_->symbols_, table_->order_);
    const auto size = table_->layout_.symbol_size();
    auto room = table_->most_text();
    for (std::size_t index = 1; index < uses_.size() && symbols.holds(index * size, size); ++index) {
      const auto& use = uses_[index];
      if (!use.lazy && !use.immediate) continue;
      const auto symbol = symbol_at(table_->layout_, symbols, index * size);
      const auto visibility = symbol.other & 3;
      if (symbol.binding() == STB_LOCAL || visibility == STV_HIDDEN || visibility == STV_INTERNAL) continue;
      const bool defined = symbol.section != SHN_UNDEF;
      if (defined && !use.copy &&
          (wanted == nullptr || !wanted(table_->strings_.beginning(symbol.name, longest_beginning))))
        continue;
      Reference reference;
      reference.defined = defined;
      reference.is_protected = visibility == STV_PROTECTED;
      reference.name = table_->string(symbol.name);
      if (!fits(reference.name, symbol.name, room)) continue;
      reference.version =
          index < table_->versions_.size() ? static_cast<std::uint16_t>(table_->versions_[index] & 0x7fff) : 0;
      reference.weak = symbol.binding() == STB_WEAK;
      reference.use = use;
      if (!budget_.keep(sizeof(Reference))) return;
      table_->references_.push_back(reference);
    }
    std::sort(table_->references_.begin(), table_->references_.end(),
              [](const Reference& a, const Reference& b) { return a.use.order < b.use.order; });
  }

  /// Whether a name can be one. Each name is hashed for each reference to it, and told where it is missing.
  bool fits(std::string_view name, std::uint32_t offset, std::uint64_t& room) {
    const auto& strings = table_->strings_;
    const bool too_long = name.empty() && offset < strings.size() && strings.size() - offset > longest_symbol &&
                          strings.beginning(offset, 1) != std::string_view("\0", 1);
    if (!too_long && name.size() <= room) {
      room -= name.size();
      return true;
    }
    table_->limit_ = Defect{"it refers to symbols with longer names than are read", std::nullopt, true};
    return false;
  }

  const File& file_;
  const Image& image_;
  std::uint32_t jump_slot_, copy_;
  DefinedNames defined_;
  Budget& budget_;
  StringTable::Opener reopen_;
  std::uint32_t relocations_seen_ = 0;
  std::uint64_t good_page_ = 1;  ///< of the last place that may be written; none yet
  std::uint64_t symbol_count_ = 0;
  std::uint64_t first_passed_over_ = 0, end_passed_over_ = 0;  ///< symbols that no reference is collected to
  std::shared_ptr<SymbolTable> table_ = std::make_shared<SymbolTable>();
  std::vector<SymbolUse> uses_;
};

std::shared_ptr<const SymbolTable> SymbolTable::read(const File& file, std::shared_ptr<const Image> image,
                                                     std::uint32_t jump_slot, std::uint32_t copy) {
  Budget budget(limits_of_one_file);
  return read(file, std::move(image), jump_slot, copy, {}, budget);
}

std::shared_ptr<const SymbolTable> SymbolTable::read(const File& file, std::shared_ptr<const Image> image,
                                                     std::uint32_t jump_slot, std::uint32_t copy, DefinedNames defined,
                                                     Budget& budget, StringTable::Opener reopen) {
  return SymbolTableReader(file, std::move(image), jump_slot, copy, defined, budget, std::move(reopen)).read();
}

std::shared_ptr<const SymbolTable> SymbolTable::beyond(const Budget& budget) {
  auto table = std::make_shared<SymbolTable>();
  table->limit_ = Defect{"its symbol tables are not read: " + budget.error().message, std::nullopt, true};
  return table;
}

// glibc elf/dl-version.c.
void SymbolTable::index_versions() {
  // Linkers count on from 1. What a description says is bound by the names that it holds, not by its numbers.
  std::size_t most = is_described_ ? 64 + image_->elf.version_definitions.size() : UINT16_MAX;
  for (const auto& need : image_->elf.version_needs) most += need.versions.size();
  const auto put = [this, most](std::uint16_t index, IndexedVersion version) {
    if (index > most) return;
    if (index >= indexed_.size()) indexed_.resize(index + std::size_t{1});
    indexed_[index] = version;
  };
  for (const auto& need : image_->elf.version_needs)
    for (const auto& version : need.versions)
      put(version.index, {version.name, need.file, version.hash, version.hidden});
  for (const auto& definition : image_->elf.version_definitions)
    if (!definition.base) put(definition.index, {definition.name, {}, definition.hash, false});
}

std::string_view SymbolTable::string(std::uint32_t offset) const { return strings_.at(offset, longest_symbol); }

std::size_t SymbolTable::memory() const {
  return symbols_.size() + strings_.size() + versions_.size() * 2 + bloom_.size() * 8 + buckets_.size() * 4 +
         chain_.size() * 4 + references_.size() * sizeof(Reference) + described_.size() * sizeof(DescribedName);
}

}  // namespace cudald
