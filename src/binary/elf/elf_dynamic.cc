#include "binary/elf/elf_dynamic.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <utility>

#include <cudald/image.h>

#include "binary/elf/elf_damage.h"

namespace cudald {
namespace {

// A name longer than this is no name; PATH_MAX is 4096, an RPATH may hold many paths.
constexpr std::size_t longest_string = 1 << 20;
constexpr std::size_t most_entries = 1 << 20;
constexpr std::size_t usual_entries = 256;
constexpr std::size_t most_dynamic_text = 16 << 20;  // of all strings together: many entries may share one long string
constexpr std::size_t most_version_text = 4 << 20;
constexpr std::size_t most_names = 1 << 14;     // LibreOffice's largest file needs some hundreds
constexpr std::size_t most_versions = 1 << 13;  // of one table; libc.so.6 defines 40
constexpr std::size_t most_defects = 100;       // of one kind; nobody reads more

// Newer than the elf.h of some systems.
constexpr std::uint64_t dt_relrsz = 35, dt_relr = 36;

constexpr bool names_a_string(std::uint64_t tag) {
  return tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH || tag == DT_FILTER ||
         tag == DT_AUXILIARY || tag == DT_AUDIT || tag == DT_DEPAUDIT;
}

/// Whether a tag means anything to us; there may be a million of others.
constexpr bool is_asked_for(std::uint64_t tag) {
  return tag < DT_NUM || tag == dt_relr || tag == dt_relrsz || tag == DT_GNU_HASH ||
         (tag >= DT_VERSYM && tag <= DT_VERNEEDNUM);
}

class DynamicReader {
 public:
  DynamicReader(FileWindow& window, const ElfLayout& layout, Image& image)
      : window_(window),
        layout_(layout),
        image_(image),
        string_window_(window.file(), image.byte_order, window.budget()) {}

  void read(const ProgramHeader& segment) {
    const auto table = range_at_address(image_, segment.address);
    if (!table) {
      const bool unmapped = !is_mapped(image_, segment.address);
      image_.defects.push_back(
          {"the dynamic segment's address is in no load segment", segment.offset, false, unmapped});
      return;
    }
    // The loader reads up to DT_NULL, whatever the program header says of the size.
    collect_values(table->offset, table->size);
    locate_tables();
    read_flags();
    check_relative_relocations();
    check_removed_sections();
    fetch_strings();
    fetch_version_needs();
    fetch_version_definitions();
  }

 private:
  void defect(std::string message, std::optional<std::uint64_t> offset, bool limit = false) {
    image_.defects.push_back({std::move(message), offset, limit});
  }

  void collect_values(std::uint64_t offset, std::uint64_t size) {
    // Nearly every table is small; only a long one is read in full.
    auto bytes = window_.bytes(offset, std::min<std::uint64_t>(size, usual_entries * layout_.dynamic_size()));
    if (!has_end(bytes))
      bytes = window_.bytes(offset, std::min<std::uint64_t>(size, most_entries * layout_.dynamic_size()));
    const ByteReader reader(bytes, image_.byte_order);
    for (std::uint64_t at = 0;; at += layout_.dynamic_size()) {
      const auto tag = layout_.word_at(reader, at);
      const auto value = layout_.word_at(reader, at + layout_.word());
      if (!tag || !value) {
        defect("the dynamic table has no DT_NULL at its end", offset + at);
        return;
      }
      if (*tag == DT_NULL) return;
      if (names_a_string(*tag)) string_offsets_.push_back({*tag, *value});
      if (is_asked_for(*tag)) set_value(*tag, *value);
    }
  }

  bool has_end(std::span<const std::byte> bytes) const {
    const ByteReader reader(bytes, image_.byte_order);
    for (std::uint64_t at = 0; reader.holds(at, layout_.dynamic_size()); at += layout_.dynamic_size())
      if (*layout_.word_at(reader, at) == DT_NULL) return true;
    return false;
  }

  /// The last one counts, as in glibc's l_info.
  void set_value(std::uint64_t tag, std::uint64_t value) {
    for (auto& [known, of] : values_)
      if (known == tag) {
        of = value;
        return;
      }
    values_.push_back({tag, value});
  }

  std::optional<std::uint64_t> value(std::uint64_t tag) const {
    for (const auto& [known, of] : values_)
      if (known == tag) return of;
    return std::nullopt;
  }

  /// Whether the loader reads a table in any case. Of two hash tables glibc takes the GNU one; symbols and their
  /// versions it reads for relocations that name a symbol.
  bool is_always_read(std::uint64_t address_tag) const {
    const auto size = layout_.relocation_size(true);
    if (address_tag == DT_SYMTAB) return value(DT_RELASZ).value_or(0) / size > value(DT_RELACOUNT).value_or(0);
    if (address_tag == DT_HASH) return !value(DT_GNU_HASH);
    return address_tag != DT_VERSYM;
  }

  TableRange table(std::uint64_t address_tag, std::optional<std::uint64_t> size_tag, const char* name) {
    const auto address = value(address_tag);
    if (!address) return {};
    auto range = range_at_address(image_, *address);
    if (!range) {
      const bool empty = size_tag && value(*size_tag).value_or(0) == 0;
      image_.defects.push_back({std::string(name) + " points outside the load segments", std::nullopt, false,
                                !empty && is_always_read(address_tag) && !is_mapped(image_, *address)});
      return {};
    }
    if (size_tag) {
      const auto size = value(*size_tag).value_or(0);
      if (size > range->size) defect(std::string(name) + " runs past its segment's bytes in the file", range->offset);
      range->size = std::min(range->size, size);
    }
    return *range;
  }

  void locate_tables() {
    image_.elf.tables.symbols = table(DT_SYMTAB, {}, "DT_SYMTAB");
    image_.elf.tables.strings = table(DT_STRTAB, {}, "DT_STRTAB");
    image_.elf.tables.declared_strings_size = value(DT_STRSZ).value_or(0);
    image_.elf.tables.symbol_versions = table(DT_VERSYM, {}, "DT_VERSYM");
    image_.elf.tables.gnu_hash = table(DT_GNU_HASH, {}, "DT_GNU_HASH");
    image_.elf.tables.sysv_hash = table(DT_HASH, {}, "DT_HASH");
    image_.elf.tables.plt_relocations = table(DT_JMPREL, DT_PLTRELSZ, "DT_JMPREL");
    image_.elf.tables.plt_relocations_have_addends = value(DT_PLTREL).value_or(DT_RELA) == DT_RELA;
    image_.elf.tables.relocations = table(DT_RELA, DT_RELASZ, "DT_RELA");
    if (const auto size = value(dt_relrsz); size.value_or(0) != 0)
      if (const auto range = value(dt_relr) ? range_at_address(image_, *value(dt_relr)) : std::nullopt) {
        image_.elf.tables.relr = *range;
        image_.elf.tables.relr.size = std::min(range->size, *size);
      }
    image_.elf.tables.implicit_relocations = table(DT_REL, DT_RELSZ, "DT_REL");
    skip_relative(image_.elf.tables.relocations, DT_RELACOUNT, true);
    skip_relative(image_.elf.tables.implicit_relocations, DT_RELCOUNT, false);
  }

  void read_flags() {
    const auto flags = value(DT_FLAGS).value_or(0);
    image_.elf.flags_1 = static_cast<std::uint32_t>(value(DT_FLAGS_1).value_or(0));
    image_.elf.symbolic = value(DT_SYMBOLIC).has_value() || (flags & DF_SYMBOLIC) != 0;
    image_.elf.bind_now =
        value(DT_BIND_NOW).has_value() || (flags & DF_BIND_NOW) != 0 || (image_.elf.flags_1 & DF_1_NOW) != 0;
    image_.elf.static_tls = (flags & DF_STATIC_TLS) != 0 || has_unflagged_static_tls();
    image_.elf.text_relocations = value(DT_TEXTREL).has_value() || (flags & DF_TEXTREL) != 0;
  }

  /// For AArch64 GNU ld does not set DF_STATIC_TLS: only a relocation says that the data has to be in the static block.
  /// Source: glibc sysdeps/aarch64/dl-machine.h, R_AARCH64_TLS_TPREL.
  bool has_unflagged_static_tls() {
    if (image_.machine != EM_AARCH64 || !layout_.is_64 || image_.elf.tls_size == 0) return false;
    const auto& relocations = image_.elf.tables.relocations;
    const auto size = layout_.relocation_size(true);
    for (std::uint64_t at = 0; at + size <= relocations.size; at += size) {
      const auto info = window_.number<std::uint64_t>(relocations.offset + at + offsetof(Elf64_Rela, r_info));
      if (!info) return false;
      if (ELF64_R_TYPE(*info) == R_AARCH64_TLS_TPREL) return true;
    }
    return false;
  }

  // What a tool has moved without its table, or a table without what it is about. Only the first relocation is looked
  // at: the loader takes them as they come, and a table that was moved begins with other bytes.
  // Source: glibc elf/dynamic-link.h; gABI, "Relative Relocation Table".
  void check_relative_relocations() {
    if (image_.elf.text_relocations) return;
    if (const auto address = value(dt_relr), size = value(dt_relrsz); address && size.value_or(0) != 0) {
      const auto range = range_at_address(image_, *address);
      const auto first = range ? word_at(range->offset) : std::nullopt;
      const bool is_bitmap = first && (*first & 1) != 0;
      if (!range && !is_mapped(image_, *address))
        fatal("DT_RELR points outside the load segments");
      else if (first && (is_bitmap || !is_mapped_writable(image_, *first)))
        fatal("the first entry of DT_RELR is not the address of data that may be written");
    }
    const auto& relocations = image_.elf.tables.relocations;
    if (!relocations.present || value(DT_RELACOUNT).value_or(0) == 0) return;
    const auto size = layout_.relocation_size(true);
    const auto skipped = std::min(*value(DT_RELACOUNT), value(DT_RELASZ).value_or(0) / size) * size;
    if (skipped == 0 || skipped > relocations.offset) return;
    const auto first = word_at(relocations.offset - skipped);
    if (first && !is_mapped_writable(image_, *first))
      fatal("the first relocation of DT_RELA is not about data that may be written");
  }

  // `objcopy --remove-section` leaves zeros where a section was, and all that refers to it. The loader calls DT_INIT
  // and DT_INIT_ARRAY; crti.o's _init calls __gmon_start__ where its symbol has an address, as a nameless one has.
  // Source: glibc elf/dl-init.c, sysdeps/x86_64/crti.S.
  void check_removed_sections() {
    const auto init = value(DT_INIT), array = value(DT_INIT_ARRAY);
    if (init && holds_zeros(*init)) return fatal("the code at DT_INIT is all zeros: its section was removed");
    if (array && value(DT_INIT_ARRAYSZ).value_or(0) != 0)
      if (const auto range = range_at_address(image_, *array))
        if (const auto first = word_at(range->offset); first && *first != 0 && holds_zeros(*first))
          return fatal("the code of the first function of DT_INIT_ARRAY is all zeros: its section was removed");
    const auto& symbols = image_.elf.tables.symbols;
    const auto& relocations = image_.elf.tables.plt_relocations;
    if (!init || !symbols.present || !relocations.present || relocations.size == 0) return;
    const auto info = word_at(relocations.offset + layout_.word());
    const auto symbol = info ? layout_.is_64 ? *info >> 32 : *info >> 8 : 0;
    if (symbol == 0 || symbol >= symbols.size / layout_.symbol_size()) return;
    const auto at = symbols.offset + symbol * layout_.symbol_size();
    if (window_.number<std::uint32_t>(at) == 0U && word_at(at + layout_.word()) == 0U)
      fatal("the symbol of the first call has no name: the section of DT_SYMTAB was removed");
  }

  /// Where the bytes of an address are in the file: of a segment, or before it in its first page, which is mapped as
  /// well.
  std::optional<std::uint64_t> mapped_offset(std::uint64_t address) const {
    if (const auto range = range_at_address(image_, address)) return range->offset;
    constexpr std::uint64_t page = 4096;
    for (const auto& segment : image_.elf.load_segments)
      if (const auto before = segment.address - address;
          address < segment.address && address / page == segment.address / page && before <= segment.offset)
        return segment.offset - before;
    return std::nullopt;
  }

  /// Whether the file holds nothing but zeros at an address, where code is.
  bool holds_zeros(std::uint64_t address) {
    const auto offset = mapped_offset(address);
    return offset && window_.number<std::uint64_t>(*offset) == 0U;
  }

  std::optional<std::uint64_t> word_at(std::uint64_t offset) {
    if (layout_.is_64) return window_.number<std::uint64_t>(offset);
    const auto number = window_.number<std::uint32_t>(offset);
    return number ? std::optional<std::uint64_t>(*number) : std::nullopt;
  }

  void fatal(std::string message) { image_.defects.push_back({std::move(message), std::nullopt, false, true}); }

  // DT_RELACOUNT says how many relocations at the start need no symbol; the loader relies on it too.
  void skip_relative(TableRange& range, std::uint64_t count_tag, bool addends) {
    const auto size = layout_.relocation_size(addends);
    const auto skipped = std::min(value(count_tag).value_or(0), range.size / size) * size;
    range.offset += skipped;
    range.size -= skipped;
  }

  /// nullopt too for one that has no end, or that the budget does not allow.
  const std::optional<std::string>& string_at(std::uint64_t offset) {
    static const std::optional<std::string> none;
    if (!image_.elf.tables.strings.present || offset >= image_.elf.tables.strings.size) return none;
    const auto [known, is_new] = known_strings_.try_emplace(offset);
    if (is_new)
      known->second =
          string_window_.string(image_.elf.tables.strings.offset + offset,
                                image_.elf.tables.strings.offset + image_.elf.tables.strings.size, longest_string);
    return known->second;
  }

  void take(std::uint64_t tag, const std::string& text) {
    switch (tag) {
      case DT_NEEDED: image_.elf.needed.push_back({NeededTag::needed, text}); break;
      case DT_FILTER: image_.elf.needed.push_back({NeededTag::filter, text}); break;
      case DT_AUXILIARY: image_.elf.needed.push_back({NeededTag::auxiliary, text}); break;
      case DT_AUDIT: image_.elf.audit.push_back(text); break;
      case DT_DEPAUDIT: image_.elf.depaudit.push_back(text); break;
      case DT_SONAME: image_.soname = text; break;
      case DT_RPATH: image_.elf.rpath = text; break;
      case DT_RUNPATH: image_.elf.runpath = text; break;
      default: break;
    }
  }

  void fetch_strings() {
    if (string_offsets_.size() > most_names) {
      defect("the dynamic table names more libraries and directories than are read; the rest is left out", std::nullopt,
             true);
      string_offsets_.resize(most_names);
    }
    std::size_t bad = 0;
    for (const auto& [tag, offset] : string_offsets_) {
      const auto& text = string_at(offset);
      if (text) {
        if ((text_size_ += text->size()) > most_dynamic_text) {
          defect("the names in the dynamic table are longer than 16 MiB together; the rest is left out", std::nullopt,
                 true);
          return;
        }
        if (!window_.budget()->keep(text->size() + sizeof(Needed))) return;
        take(tag, *text);
      } else if (++bad <= most_defects) {
        defect("an entry of the dynamic table (tag " + std::to_string(tag) + ") names a string outside DT_STRTAB",
               std::nullopt);
      }
    }
  }

  /// The name of a version or of its file; many records may share one long string, and each has a copy of it.
  std::string version_name(std::uint64_t offset) {
    const auto& text = string_at(offset);
    if (!text || !has_room_for_versions()) return "";
    version_text_size_ += text->size();
    const bool paid = window_.budget()->keep(text->size() + sizeof(NeededVersion));
    return paid && has_room_for_versions() ? *text : "";
  }

  bool has_room_for_versions() const {
    return version_text_size_ <= most_version_text && version_count_ <= most_versions;
  }

  void tell_of_versions() {
    if (!has_room_for_versions() && !std::exchange(versions_told_, true))
      defect("there are more versions, or longer names of them, than are read; the rest is left out", std::nullopt,
             true);
  }

  /// Follows a chain of records by their own `next` fields. Chains only lead forward, and the records
  /// of all chains together cannot be more than the bytes that hold them.
  template <typename Visit>
  void walk(std::uint64_t start, std::uint64_t end, std::uint64_t record_size, std::uint64_t next_at, const char* name,
            Visit visit) {
    for (std::uint64_t at = start;;) {
      if (at > end || record_size > end - at || records_left_ == 0) {
        defect(std::string(name) + " leads outside its segment or repeats itself", at);
        return;
      }
      --records_left_;
      ++version_count_;
      if (has_room_for_versions()) visit(at);
      if (!has_room_for_versions()) return tell_of_versions();
      const auto next = window_.number<std::uint32_t>(at + next_at).value_or(0);
      if (next == 0) return;
      at += next;
    }
  }

  void fetch_version_needs() {
    const auto range = table(DT_VERNEED, {}, "DT_VERNEED");
    if (!range.present) return;
    const auto end = range.offset + range.size;
    records_left_ = range.size / sizeof(Elf64_Vernaux) + 1;
    version_count_ = 0;
    image_.elf.version_needs_format = window_.number<std::uint16_t>(range.offset).value_or(0);
    walk(range.offset, end, sizeof(Elf64_Verneed), 12, "DT_VERNEED", [&](std::uint64_t at) {
      VersionNeed need;
      need.file = version_name(window_.number<std::uint32_t>(at + 4).value_or(0));
      const auto aux = window_.number<std::uint32_t>(at + 8).value_or(0);
      if (window_.number<std::uint16_t>(at + 2).value_or(0) != 0)
        walk(at + aux, end, sizeof(Elf64_Vernaux), 12, "DT_VERNEED", [&](std::uint64_t aux_at) {
          NeededVersion version;
          version.hash = window_.number<std::uint32_t>(aux_at).value_or(0);
          version.weak = (window_.number<std::uint16_t>(aux_at + 4).value_or(0) & VER_FLG_WEAK) != 0;
          const auto other = window_.number<std::uint16_t>(aux_at + 6).value_or(0);
          version.index = other & 0x7fff;
          version.hidden = (other & 0x8000) != 0;
          version.name = version_name(window_.number<std::uint32_t>(aux_at + 8).value_or(0));
          if (has_room_for_versions()) need.versions.push_back(std::move(version));
        });
      if (!need.versions.empty()) image_.elf.version_needs.push_back(std::move(need));
    });
  }

  void fetch_version_definitions() {
    const auto range = table(DT_VERDEF, {}, "DT_VERDEF");
    if (!range.present) return;
    records_left_ = range.size / sizeof(Elf64_Verdef) + 1;
    version_count_ = 0;
    walk(range.offset, range.offset + range.size, sizeof(Elf64_Verdef), 16, "DT_VERDEF", [&](std::uint64_t at) {
      VersionDefinition definition;
      definition.format = window_.number<std::uint16_t>(at).value_or(0);
      definition.base = (window_.number<std::uint16_t>(at + 2).value_or(0) & VER_FLG_BASE) != 0;
      definition.index = window_.number<std::uint16_t>(at + 4).value_or(0) & 0x7fff;
      definition.hash = window_.number<std::uint32_t>(at + 8).value_or(0);
      const auto aux = at + window_.number<std::uint32_t>(at + 12).value_or(0);
      definition.name = version_name(window_.number<std::uint32_t>(aux).value_or(0));
      if (has_room_for_versions()) image_.elf.version_definitions.push_back(std::move(definition));
    });
  }

  FileWindow& window_;
  const ElfLayout& layout_;
  Image& image_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> string_offsets_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> values_;  ///< by tag, of which there are some dozens
  FileWindow string_window_;                                     // a place of its own: records and names lie far apart
  std::map<std::uint64_t, std::optional<std::string>> known_strings_;
  std::uint64_t records_left_ = 0;
  std::size_t text_size_ = 0, version_text_size_ = 0, version_count_ = 0;
  bool versions_told_ = false;
};

}  // namespace

std::optional<TableRange> range_at_address(const Image& image, std::uint64_t address) {
  for (const auto& segment : image.elf.load_segments) {
    if (address < segment.address || address - segment.address >= segment.file_size) continue;
    const auto skip = address - segment.address;
    if (segment.offset > image.file_size || skip >= image.file_size - segment.offset) return std::nullopt;
    const auto offset = segment.offset + skip;
    return TableRange{offset, std::min(segment.file_size - skip, image.file_size - offset), true};
  }
  return std::nullopt;
}

void read_elf_dynamic(FileWindow& window, const ElfLayout& layout, const ProgramHeader& dynamic, Image& image) {
  DynamicReader(window, layout, image).read(dynamic);
}

}  // namespace cudald
