#include "common/elf_builder.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace cudald {
namespace {

/// One line of the symbol table before it is written.
struct Symbol {
  std::string name;
  std::uint16_t version = VER_NDX_GLOBAL;  ///< with the hidden bit
  std::uint8_t binding = STB_GLOBAL, type = STT_NOTYPE, visibility = STV_DEFAULT;
  std::uint16_t section = SHN_UNDEF;
  std::uint64_t value = 0;
};

std::uint32_t relocation_type(std::uint16_t machine, ElfUse use) {
  struct Row {
    std::uint16_t machine;
    std::uint32_t data, call, copy, tls, static_tls;
  };
  constexpr Row rows[] = {
      {EM_X86_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_COPY, R_X86_64_DTPMOD64, R_X86_64_TPOFF64},
      {EM_386, R_386_GLOB_DAT, R_386_JMP_SLOT, R_386_COPY, R_386_TLS_DTPMOD32, R_386_TLS_TPOFF},
      {EM_AARCH64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_AARCH64_COPY, R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_TPREL},
      {EM_S390, R_390_GLOB_DAT, R_390_JMP_SLOT, R_390_COPY, R_390_TLS_DTPMOD, R_390_TLS_TPOFF},
  };
  for (const Row& row : rows)
    if (row.machine == machine) switch (use) {
        case ElfUse::data: return row.data;
        case ElfUse::call: return row.call;
        case ElfUse::copy: return row.copy;
        case ElfUse::tls: return row.tls;
        case ElfUse::static_tls: return row.static_tls;
      }
  throw std::invalid_argument("no relocation types are known for this machine");
}

class Builder {
 public:
  explicit Builder(const ElfSpec& spec) : spec_(spec), order_(spec.byte_order) {}

  BuiltElf build() {
    number_versions();
    collect_symbols();
    collect_notes();
    const bool has_notes = !notes_.empty();
    segment_count_ = (spec_.load_segment ? 1U : 0U) + (spec_.dynamic_segment ? 1U : 0U) +
                     (spec_.interpreter ? 1U : 0U) + (has_notes ? notes_.size() : 0U) +
                     (spec_.executable_stack ? 1U : 0U) + (spec_.tls_size != 0 ? 1U : 0U) + spec_.segments.size();

    // Everything that has an address comes first; the dynamic table, which names the addresses, is last.
    bytes_.assign(header_size() + segment_count_ * segment_size(), '\0');
    built_.at["segments"] = header_size();
    put_interpreter();
    put_symbols();
    put_hashes();
    put_versions();
    put_relocations();
    put_notes();
    collect_names();
    begin("strings");
    entry(DT_STRTAB, address_of("strings"));
    entry(DT_STRSZ, strings_.size());
    bytes_ += strings_;
    put_dynamic();
    put_headers();
    built_.bytes = std::move(bytes_);
    return std::move(built_);
  }

 private:
  std::size_t header_size() const { return spec_.is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr); }
  std::size_t segment_size() const { return spec_.is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr); }
  std::size_t symbol_size() const { return spec_.is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym); }
  std::size_t relocation_size() const {
    return (spec_.is_64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel)) + (spec_.addends ? word() : 0);
  }
  std::size_t word() const { return spec_.is_64 ? 8 : 4; }
  std::uint64_t address_of(const char* part) const { return spec_.base_address + built_.at.at(part); }

  template <typename T>
  void put(T value) {
    append(bytes_, value, order_);
  }
  void put8(unsigned value) { put(static_cast<std::uint8_t>(value)); }
  void put16(std::uint64_t value) { put(static_cast<std::uint16_t>(value)); }
  void put32(std::uint64_t value) { put(static_cast<std::uint32_t>(value)); }
  void put_word(std::uint64_t value) {
    if (spec_.is_64) {
      put(value);
    } else {
      put32(value);
    }
  }

  void align(std::size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }

  void begin(const char* part) {
    align(8);
    built_.at[part] = bytes_.size();
  }

  void entry(std::uint64_t tag, std::uint64_t value) { dynamic_.emplace_back(tag, value); }

  std::uint32_t name_of(const std::string& text) {
    const auto [place, is_new] = string_offsets_.try_emplace(text, static_cast<std::uint32_t>(strings_.size()));
    if (is_new) (strings_ += text) += '\0';
    return place->second;
  }

  // Index 1 is the base version, then come the defined ones, then the needed ones.
  void number_versions() {
    needs_ = spec_.needs_versions;
    auto next = static_cast<std::uint16_t>(spec_.defines_versions.size() + 2);
    for (auto& need : needs_)
      for (auto& version : need.versions) {
        version.index = next++;
        version.hash = sysv_hash(version.name);
      }
  }

  std::uint16_t defined_version(const std::string& name) const {
    if (name.empty()) return VER_NDX_GLOBAL;
    const auto& known = spec_.defines_versions;
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw std::invalid_argument("the file defines no version " + name);
    return static_cast<std::uint16_t>(found - known.begin() + 2);
  }

  std::uint16_t needed_version(const std::string& name) const {
    if (name.empty()) return VER_NDX_GLOBAL;
    for (const auto& need : needs_)
      for (const auto& version : need.versions)
        if (version.name == name) return version.index;
    throw std::invalid_argument("the file needs no version " + name);
  }

  bool has_versions() const { return !needs_.empty() || !spec_.defines_versions.empty(); }

  /// Undefined symbols first; a GNU hash wants the others, and undefined ones with a value, sorted by bucket.
  void collect_symbols() {
    symbols_.push_back({"", VER_NDX_LOCAL, STB_LOCAL});
    collect_undefined(false);
    first_hashed_ = symbols_.size();
    collect_undefined(true);
    for (const auto& own : spec_.defines) {
      const auto hidden = own.hidden ? 0x8000 : 0;
      symbols_.push_back({own.name, static_cast<std::uint16_t>(defined_version(own.version) | hidden), own.binding,
                          own.type, own.visibility, 1, own.value});
    }
    bucket_count_ = static_cast<std::uint32_t>((symbols_.size() - first_hashed_) / 2 + 1);
    std::stable_sort(symbols_.begin() + static_cast<std::ptrdiff_t>(first_hashed_), symbols_.end(),
                     [this](const Symbol& a, const Symbol& b) {
                       return gnu_hash(a.name) % bucket_count_ < gnu_hash(b.name) % bucket_count_;
                     });
  }

  void collect_undefined(bool with_value) {
    for (const auto& use : spec_.uses)
      if ((use.value != 0) == with_value && own_symbol(use) == nullptr && find_symbol(use) == 0)
        symbols_.push_back(
            {use.name, needed_version(use.version), use.binding, type_of(use), STV_DEFAULT, SHN_UNDEF, use.value});
  }

  static std::uint8_t type_of(const ElfReference& use) {
    return use.use == ElfUse::tls || use.use == ElfUse::static_tls ? STT_TLS : use.value != 0 ? STT_FUNC : STT_NOTYPE;
  }

  const ElfDefinition* own_symbol(const ElfReference& use) const {
    for (const auto& own : spec_.defines)
      if (own.name == use.name) return &own;
    return nullptr;
  }

  std::size_t find_symbol(const ElfReference& use) const {
    const bool own = own_symbol(use) != nullptr;
    for (std::size_t i = 1; i < symbols_.size(); ++i)
      if (symbols_[i].name == use.name && (own || symbols_[i].version == needed_version(use.version))) return i;
    return 0;
  }

  void put_interpreter() {
    if (!spec_.interpreter) return;
    begin("interpreter");
    (bytes_ += *spec_.interpreter) += '\0';
    add_segment(PT_INTERP, built_.at["interpreter"], spec_.interpreter->size() + 1, 1);
  }

  void put_symbols() {
    if (symbols_.size() == 1) return;
    begin("symbols");
    entry(DT_SYMTAB, address_of("symbols"));
    entry(DT_SYMENT, symbol_size());
    for (const auto& symbol : symbols_) {
      const auto info = static_cast<unsigned>(symbol.binding << 4 | symbol.type);
      put32(name_of(symbol.name));
      if (spec_.is_64) {
        put8(info);
        put8(symbol.visibility);
        put16(symbol.section);
        put(symbol.value);
        put(std::uint64_t{0});
      } else {
        put32(symbol.value);
        put32(0);
        put8(info);
        put8(symbol.visibility);
        put16(symbol.section);
      }
    }
  }

  void put_hashes() {
    if (symbols_.size() == 1) return;
    if (spec_.hash == ElfHash::gnu || spec_.hash == ElfHash::both) put_gnu_hash();
    if (spec_.hash == ElfHash::sysv || spec_.hash == ElfHash::both) put_sysv_hash();
  }

  void put_gnu_hash() {
    begin("gnu hash");
    entry(DT_GNU_HASH, address_of("gnu hash"));
    constexpr std::uint32_t shift = 5;
    const unsigned bits = spec_.is_64 ? 64 : 32;
    std::uint64_t bloom = 0;
    std::vector<std::uint32_t> buckets(bucket_count_), chain;
    for (std::size_t i = first_hashed_; i < symbols_.size(); ++i) {
      const auto hash = gnu_hash(symbols_[i].name);
      bloom |= std::uint64_t{1} << (hash % bits) | std::uint64_t{1} << ((hash >> shift) % bits);
      auto& bucket = buckets[hash % bucket_count_];
      if (bucket == 0) bucket = static_cast<std::uint32_t>(i);
      const bool last =
          i + 1 == symbols_.size() || gnu_hash(symbols_[i + 1].name) % bucket_count_ != hash % bucket_count_;
      chain.push_back((hash & ~1U) | (last ? 1U : 0U));
    }
    put32(bucket_count_);
    put32(first_hashed_);
    put32(1);
    put32(shift);
    put_word(bloom);
    for (const auto bucket : buckets) put32(bucket);
    for (const auto link : chain) put32(link);
  }

  void put_sysv_hash() {
    begin("sysv hash");
    entry(DT_HASH, address_of("sysv hash"));
    std::vector<std::uint32_t> buckets(bucket_count_), chain(symbols_.size());
    for (std::size_t i = symbols_.size(); i-- > 1;) {
      auto& bucket = buckets[sysv_hash(symbols_[i].name) % bucket_count_];
      chain[i] = std::exchange(bucket, static_cast<std::uint32_t>(i));
    }
    // Of 64-bit s390 all numbers have 64 bits.
    const auto put_number = [&](std::uint64_t number) {
      if (spec_.machine == EM_S390)
        put_word(number);
      else
        put32(number);
    };
    put_number(buckets.size());
    put_number(chain.size());
    for (const auto bucket : buckets) put_number(bucket);
    for (const auto link : chain) put_number(link);
  }

  void put_versions() {
    if (has_versions() && symbols_.size() > 1) {
      begin("symbol versions");
      entry(DT_VERSYM, address_of("symbol versions"));
      for (const auto& symbol : symbols_) put16(symbol.version);
    }
    put_version_needs();
    put_version_definitions();
  }

  void put_version_needs() {
    if (needs_.empty()) return;
    begin("version needs");
    entry(DT_VERNEED, address_of("version needs"));
    entry(DT_VERNEEDNUM, needs_.size());
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const auto& versions = needs_[i].versions;
      put16(1);
      put16(versions.size());
      put32(name_of(needs_[i].file));
      put32(sizeof(Elf64_Verneed));
      const bool last_need = i + 1 == needs_.size();
      put32(last_need ? 0 : sizeof(Elf64_Verneed) + versions.size() * sizeof(Elf64_Vernaux));
      for (std::size_t j = 0; j < versions.size(); ++j) {
        put32(versions[j].hash);
        put16(versions[j].weak ? VER_FLG_WEAK : 0);
        put16(versions[j].index | (versions[j].hidden ? 0x8000U : 0U));
        put32(name_of(versions[j].name));
        put32(j + 1 == versions.size() ? 0 : sizeof(Elf64_Vernaux));
      }
    }
  }

  void put_version_definitions() {
    if (spec_.defines_versions.empty()) return;
    begin("version definitions");
    entry(DT_VERDEF, address_of("version definitions"));
    entry(DT_VERDEFNUM, spec_.defines_versions.size() + 1);
    for (std::size_t i = 0; i <= spec_.defines_versions.size(); ++i) {
      const auto name = i == 0 ? spec_.soname.value_or("") : spec_.defines_versions[i - 1];
      const bool last = i == spec_.defines_versions.size();
      put16(1);
      put16(i == 0 ? VER_FLG_BASE : 0);
      put16(i + 1);
      put16(1);
      put32(sysv_hash(name));
      put32(sizeof(Elf64_Verdef));
      put32(last ? 0 : sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux));
      put32(name_of(name));
      put32(0);
    }
  }

  void put_relocations() {
    for (const bool plt : {false, true}) {
      const auto is_here = [plt](const ElfReference& use) { return (use.use == ElfUse::call) == plt; };
      if (std::none_of(spec_.uses.begin(), spec_.uses.end(), is_here)) continue;
      const char* const part = plt ? "plt relocations" : "relocations";
      begin(part);
      for (const auto& use : spec_.uses)
        if (is_here(use)) put_relocation(use);
      const auto size = bytes_.size() - built_.at[part];
      const std::uint64_t tag = spec_.addends ? DT_RELA : DT_REL;
      if (plt) {
        entry(DT_JMPREL, address_of(part));
        entry(DT_PLTRELSZ, size);
        entry(DT_PLTREL, tag);
      } else {
        entry(tag, address_of(part));
        entry(spec_.addends ? DT_RELASZ : DT_RELSZ, size);
        entry(spec_.addends ? DT_RELAENT : DT_RELENT, relocation_size());
      }
    }
  }

  void put_relocation(const ElfReference& use) {
    const std::uint64_t symbol = find_symbol(use);
    const auto type = relocation_type(spec_.machine, use.use);
    put_word(spec_.base_address);
    put_word(spec_.is_64 ? symbol << 32 | type : symbol << 8 | type);
    if (spec_.addends) put_word(0);
  }

  void collect_notes() {
    notes_ = spec_.notes;
    if (spec_.abi_note) {
      const AbiNote& tag = *spec_.abi_note;
      std::string text;
      for (const auto number : {tag.os, tag.major, tag.minor, tag.patch}) append(text, number, order_);
      notes_.push_back({"GNU", NT_GNU_ABI_TAG, text});
    }
    if (spec_.x86_isa_needed) {
      std::string text;
      constexpr std::uint32_t isa_needed = 0xc0008002;
      for (const std::uint32_t number : {isa_needed, std::uint32_t{4}, *spec_.x86_isa_needed})
        append(text, number, order_);
      if (spec_.is_64) text.append(4, '\0');
      notes_.push_back({"GNU", NT_GNU_PROPERTY_TYPE_0, text});
    }
    if (!spec_.build_id.empty()) notes_.push_back({"GNU", NT_GNU_BUILD_ID, spec_.build_id});
    for (const auto& json : spec_.dlopen_notes) notes_.push_back({"FDO", 0x407c0c0a, json + std::string(1, '\0')});
  }

  /// Each in a segment of its own, as properties are padded to the word and the others are not.
  void put_notes() {
    for (const auto& note : notes_) {
      const bool wide = note.owner == "GNU" && note.type == NT_GNU_PROPERTY_TYPE_0 && spec_.is_64;
      align(8);
      const auto start = bytes_.size();
      built_.at.try_emplace("notes", start);
      put32(note.owner.size() + 1);
      put32(note.description.size());
      put32(note.type);
      (bytes_ += note.owner) += '\0';
      align(wide ? 8 : 4);
      bytes_ += note.description;
      align(wide ? 8 : 4);
      add_segment(PT_NOTE, start, bytes_.size() - start, wide ? 8 : 4);
    }
  }

  void collect_names() {
    const auto name = [this](std::uint64_t tag, const std::string& text) { entry(tag, name_of(text)); };
    for (const auto& needed : spec_.needed) switch (needed.tag) {
        case NeededTag::needed: name(DT_NEEDED, needed.name); break;
        case NeededTag::filter: name(DT_FILTER, needed.name); break;
        case NeededTag::auxiliary: name(DT_AUXILIARY, needed.name); break;
      }
    if (spec_.soname) name(DT_SONAME, *spec_.soname);
    if (spec_.rpath) name(DT_RPATH, *spec_.rpath);
    if (spec_.runpath) name(DT_RUNPATH, *spec_.runpath);
    for (const auto& library : spec_.audit) name(DT_AUDIT, library);
    for (const auto& library : spec_.depaudit) name(DT_DEPAUDIT, library);
    if (spec_.flags != 0) entry(DT_FLAGS, spec_.flags);
    if (spec_.flags_1 != 0) entry(DT_FLAGS_1, spec_.flags_1);
  }

  void put_dynamic() {
    begin("dynamic");
    dynamic_.insert(dynamic_.end(), spec_.dynamic.begin(), spec_.dynamic.end());
    if (spec_.dynamic_end) entry(DT_NULL, 0);
    for (const auto& [tag, value] : dynamic_) {
      put_word(tag);
      put_word(value);
    }
  }

  void add_segment(std::uint32_t type, std::uint64_t offset, std::uint64_t size, std::uint64_t alignment) {
    segments_.push_back({type, PF_R, offset, spec_.base_address + offset, size, size, alignment});
  }

  void put_headers() {
    const auto size = bytes_.size();
    const auto dynamic_at = built_.at["dynamic"];
    if (spec_.load_segment)
      segments_.insert(segments_.begin(), {PT_LOAD, PF_R | PF_W, 0, spec_.base_address, size, size, 0x1000});
    if (spec_.dynamic_segment) add_segment(PT_DYNAMIC, dynamic_at, size - dynamic_at, 8);
    if (spec_.executable_stack) {
      const auto flags = static_cast<std::uint32_t>(PF_R | PF_W | (*spec_.executable_stack ? PF_X : 0));
      segments_.push_back({PT_GNU_STACK, flags, 0, 0, 0, 0, 16});
    }
    if (spec_.tls_size != 0) segments_.push_back({PT_TLS, PF_R, 0, 0, 0, spec_.tls_size, 8});
    segments_.insert(segments_.end(), spec_.segments.begin(), spec_.segments.end());
    assert(segments_.size() == segment_count_);

    std::string body = std::move(bytes_);
    bytes_.clear();
    bytes_ +=
        "\x7f"
        "ELF";
    put8(spec_.is_64 ? ELFCLASS64 : ELFCLASS32);
    put8(order_ == ByteOrder::little ? ELFDATA2LSB : ELFDATA2MSB);
    put8(EV_CURRENT);
    put8(spec_.os_abi);
    bytes_.resize(EI_NIDENT);
    put16(spec_.type);
    put16(spec_.machine);
    put32(EV_CURRENT);
    put_word(0);
    put_word(header_size());
    put_word(0);
    put32(spec_.header_flags);
    put16(header_size());
    put16(segment_size());
    put16(segments_.size());
    put16(0);
    put16(0);
    put16(0);
    for (const auto& segment : segments_) put_segment(segment);
    body.replace(0, bytes_.size(), bytes_);
    bytes_ = std::move(body);
  }

  void put_segment(const ElfSegment& segment) {
    put32(segment.type);
    if (spec_.is_64) put32(segment.flags);
    put_word(segment.offset);
    put_word(segment.address);
    put_word(segment.address);
    put_word(segment.file_size);
    put_word(segment.memory_size);
    if (!spec_.is_64) put32(segment.flags);
    put_word(segment.alignment);
  }

  const ElfSpec& spec_;
  ByteOrder order_;
  BuiltElf built_;
  std::string bytes_;
  std::size_t segment_count_ = 0;
  std::vector<VersionNeed> needs_;
  std::vector<Symbol> symbols_;
  std::size_t first_hashed_ = 1;
  std::uint32_t bucket_count_ = 1;
  std::vector<ElfNote> notes_;
  std::vector<ElfSegment> segments_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dynamic_;
  std::string strings_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t> string_offsets_{{"", 0}};
};

template <typename T>
void overwrite(std::string& bytes, std::uint64_t offset, T value, ByteOrder order) {
  std::string number;
  append(number, value, order);
  bytes.replace(offset, number.size(), number);
}

}  // namespace

BuiltElf build_elf(const ElfSpec& spec) { return Builder(spec).build(); }

std::string elf(const ElfSpec& spec) { return build_elf(spec).bytes; }

void poke(std::string& bytes, std::uint64_t offset, std::uint16_t value, ByteOrder order) {
  overwrite(bytes, offset, value, order);
}

void poke(std::string& bytes, std::uint64_t offset, std::uint32_t value, ByteOrder order) {
  overwrite(bytes, offset, value, order);
}

void poke(std::string& bytes, std::uint64_t offset, std::uint64_t value, ByteOrder order) {
  overwrite(bytes, offset, value, order);
}

}  // namespace cudald
