#include "image/symbol_table.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "env/abi.h"

namespace cudald {
namespace {

std::shared_ptr<const SymbolTable> table_of(const std::string& bytes, bool with_defined = false) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  const auto image = read_image(**file);
  REQUIRE(image);
  const auto* abi = find_abi((*image)->machine, (*image)->format, (*image)->byte_order);
  REQUIRE(abi != nullptr);
  Budget budget(limits_of_one_file);
  return SymbolTable::read(**file, *image, abi->jump_slot, abi->copy, {with_defined ? is_any_name : nullptr, {}},
                           budget);
}

/// What the table holds under a name: each version index, and "hidden".
std::string entries(const SymbolTable& table, const std::string& name) {
  std::string text;
  table.visit(HashedName(name), [&](const SymbolTable::Candidate& candidate) {
    text += std::to_string(candidate.version_index) + (candidate.hidden ? " hidden\n" : "\n");
    return false;
  });
  return text;
}

std::string references(const SymbolTable& table) {
  std::string text;
  for (const auto& reference : table.references()) {
    text += std::string(reference.name) + ":";
    const auto& use = reference.use;
    for (const auto& [set, word] : {std::pair{use.lazy, " lazy"},
                                    {use.immediate, " immediate"},
                                    {use.plt_class, " call"},
                                    {use.data_class, " data"},
                                    {use.copy, " copy"},
                                    {reference.weak, " weak"},
                                    {reference.defined, " own"},
                                    {reference.is_protected, " protected"}})
      if (set) text += word;
    if (reference.version > 1) text += " version " + std::string(table.version(reference.version).name);
    text += "\n";
  }
  return text;
}

struct Layout {
  bool is_64;
  ByteOrder order;
  std::uint16_t machine;
};

constexpr Layout layouts[] = {
    {true, ByteOrder::little, EM_X86_64},
    {false, ByteOrder::little, EM_386},
    {true, ByteOrder::big, EM_S390},
};

TEST_CASE("every symbol is found by either hash table, in each class and byte order, and no other one") {
  for (const auto& layout : layouts)
    for (const auto hash : {ElfHash::gnu, ElfHash::sysv, ElfHash::both}) {
      CAPTURE(layout.machine);
      CAPTURE(static_cast<int>(hash));
      ElfSpec spec{.is_64 = layout.is_64,
                   .byte_order = layout.order,
                   .machine = layout.machine,
                   .uses = {{"undefined"}},
                   .hash = hash};
      for (int i = 0; i < 200; ++i) spec.defines.push_back({"symbol_" + std::to_string(i)});
      const auto table = table_of(elf(spec));
      CHECK(table->complete());
      CHECK_FALSE(table->empty());
      CHECK_FALSE(table->has_versions());
      int found = 0;
      for (const auto& own : spec.defines) found += entries(*table, own.name) == "0\n" ? 1 : 0;
      CHECK(found == 200);
      for (const std::string name : {"symbol_200", "symbol", "", "symbol_1 "}) CHECK(entries(*table, name) == "");
    }
}

TEST_CASE("all versions of a name are offered") {
  const ElfSpec spec{.soname = "liba.so",
                     .defines_versions = {"V1", "V2"},
                     .defines = {{"f", "V1", true}, {"f", "V2"}, {"g"}, {"h", "V1"}}};
  for (const auto hash : {ElfHash::gnu, ElfHash::sysv}) {
    auto with_hash = spec;
    with_hash.hash = hash;
    const auto table = table_of(elf(with_hash));
    CHECK(table->has_versions());
    CHECK(entries(*table, "f") == "2 hidden\n3\n");
    CHECK(entries(*table, "g") == "1\n");
    CHECK(entries(*table, "h") == "2\n");
    CHECK(table->version(2).name == "V1");
    CHECK(table->version(3).hash == sysv_hash("V2"));
    CHECK(table->version(1).hash == 0);  // the base version is none
    CHECK(table->version(99).hash == 0);
  }
}

TEST_CASE("a file without a hash table answers nothing") {
  const auto table = table_of(elf({.defines = {{"f"}}, .uses = {{"g"}}, .hash = ElfHash::none}));
  CHECK(table->empty());
  CHECK(entries(*table, "f") == "");
  CHECK(references(*table) == "g: immediate data\n");
}

TEST_CASE("where the hash table is damaged, the file's own definitions are looked for as well") {
  const auto healthy = elf({.defines = {{"own"}, {"other"}}, .uses = {{"own", ElfUse::data}, {"other", ElfUse::data}}});
  CHECK(references(*table_of(healthy)) == "");
  for (const std::string name : {"own", "other"})
    for (const bool last : {false, true}) {
      const auto hash = (gnu_hash(name) & ~1U) | (last ? 1U : 0U);
      const auto at = healthy.find(std::string(reinterpret_cast<const char*>(&hash), sizeof(hash)));
      if (at == std::string::npos) continue;
      for (const char bit : std::initializer_list<char>{2, 64}) {
        auto damaged = healthy;
        damaged[at] = static_cast<char>(damaged[at] ^ bit);
        const auto table = table_of(damaged);
        CHECK(references(*table) == "own: immediate data own\nother: immediate data own\n");
        CHECK(entries(*table, name) == "");
      }
    }
}

TEST_CASE("references stand in the order of the relocations, with what each wants") {
  for (const auto& layout : layouts)
    for (const bool addends : {true, false}) {
      if (layout.machine == EM_S390 && !addends) continue;
      CAPTURE(layout.machine);
      CAPTURE(addends);
      const auto bytes = elf({.is_64 = layout.is_64,
                              .byte_order = layout.order,
                              .machine = layout.machine,
                              .needs_versions = {{"libb.so", {{"V1"}}}},
                              .defines = {{"own"}, {.name = "guarded", .visibility = STV_PROTECTED}},
                              .uses = {{"call", ElfUse::call},
                                       {"data", ElfUse::data, "V1"},
                                       {"both", ElfUse::call},
                                       {"both", ElfUse::data},
                                       {"copied", ElfUse::copy},
                                       {"weak", ElfUse::data, "", STB_WEAK},
                                       {"own", ElfUse::data},
                                       {"guarded", ElfUse::call}},
                              .addends = addends});
      const std::string first =
          "data: immediate data version V1\n"
          "both: lazy immediate call data\n"
          "copied: immediate copy\n"
          "weak: immediate data weak\n";
      CHECK(references(*table_of(bytes)) == first + "call: lazy call\n");
      CHECK(references(*table_of(bytes, true)) ==
            first + "own: immediate data own\ncall: lazy call\nguarded: lazy call own protected\n");
    }
}

TEST_CASE("thread-local data wants a real definition, as a call does") {
  for (const auto& layout : {layouts[0], layouts[1], Layout{true, ByteOrder::little, EM_AARCH64}}) {
    CAPTURE(layout.machine);
    const auto bytes = elf({.is_64 = layout.is_64, .machine = layout.machine, .uses = {{"thread", ElfUse::tls}}});
    CHECK(references(*table_of(bytes)) == "thread: immediate call\n");
  }
}

TEST_CASE("which relocations are for thread-local data") {
  struct Row {
    Layout layout;
    std::vector<std::uint32_t> types, others;
  };
  const Row rows[] = {
      {layouts[0],
       {R_X86_64_DTPMOD64, R_X86_64_DTPOFF64, R_X86_64_TPOFF64, R_X86_64_TLSDESC},
       {R_X86_64_DTPMOD64 - 1, R_X86_64_TPOFF64 + 1, R_X86_64_TLSDESC - 1, R_X86_64_TLSDESC + 1, R_X86_64_64}},
      {layouts[1],
       {R_386_TLS_TPOFF, R_386_TLS_DTPMOD32, R_386_TLS_DTPOFF32, R_386_TLS_TPOFF32, R_386_TLS_DESC},
       {R_386_TLS_TPOFF - 1, R_386_TLS_TPOFF + 1, R_386_TLS_DTPMOD32 - 1, R_386_TLS_TPOFF32 + 1, R_386_TLS_DESC - 1,
        R_386_TLS_DESC + 1, R_386_32}},
      {{true, ByteOrder::little, EM_AARCH64},
       {R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL, R_AARCH64_TLS_TPREL, R_AARCH64_TLSDESC},
       {R_AARCH64_TLS_DTPMOD - 1, R_AARCH64_TLSDESC + 1, R_AARCH64_ABS64}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.layout.machine);
    const auto built = build_elf({.is_64 = row.layout.is_64, .machine = row.layout.machine, .uses = {{"x"}}});
    const auto with = [&](std::uint32_t type) {
      auto bytes = built.bytes;
      const auto info = built.at.at("relocations") + (row.layout.is_64 ? 8 : 4);
      poke(bytes, info, row.layout.is_64 ? type : (1U << 8) | type);
      return references(*table_of(bytes));
    };
    for (const auto type : row.types) {
      CAPTURE(type);
      CHECK(with(type) == "x: immediate call\n");
    }
    for (const auto type : row.others) {
      CAPTURE(type);
      CHECK(with(type) == "x: immediate data\n");
    }
  }
}

TEST_CASE("hidden and local symbols are no references") {
  const auto bytes =
      elf({.defines = {{.name = "hidden", .visibility = STV_HIDDEN}, {.name = "internal", .visibility = STV_INTERNAL}},
           .uses = {{"hidden"}, {"internal"}, {"local", ElfUse::data, "", STB_LOCAL}, {"seen"}}});
  CHECK(references(*table_of(bytes, true)) == "seen: immediate data\n");
}

TEST_CASE("a damaged GNU hash is not used, and it is known") {
  const auto built = build_elf({.defines = {{"f"}, {"g"}, {"h"}}});
  const auto at = built.at.at("gnu hash");
  struct Row {
    std::string damage;
    std::uint64_t at;
    std::uint32_t value;
  };
  const Row rows[] = {
      {"no buckets", at, 0},
      {"more buckets than bytes", at, 0x10000000},
      {"no bloom filter", at + 8, 0},
      {"a bloom filter whose size is no power of two", at + 8, 3},
      {"a bloom filter larger than the file", at + 8, 0x40000000},
      {"a bucket far beyond the symbols", at + 24, 0x7fffffff},
  };
  for (const Row& row : rows) {
    CAPTURE(row.damage);
    auto bytes = built.bytes;
    poke(bytes, row.at, row.value);
    CHECK_FALSE(table_of(bytes)->complete());
  }
}

TEST_CASE("a chain without an end mark ends with its bytes") {
  auto built = build_elf({.defines = {{"f"}, {"g"}, {"h"}}});
  const auto at = built.at["gnu hash"];
  // Every word after the buckets loses its end mark: up to the end of the file.
  for (auto word = at + 16 + 8 + 2 * 4; word + 4 <= built.bytes.size(); word += 4)
    built.bytes[word] = static_cast<char>(built.bytes[word] & ~1);
  const auto table = table_of(built.bytes);
  CHECK_FALSE(table->complete());
  CHECK(entries(*table, "none") == "");
}

TEST_CASE("a circle in a SysV chain comes to an end") {
  auto built = build_elf({.defines = {{"f"}, {"g"}, {"h"}}, .hash = ElfHash::sysv});
  const auto at = built.at["sysv hash"];
  const std::uint32_t buckets = 2, first_chain = buckets;
  for (std::uint32_t i = 0; i < buckets; ++i) poke(built.bytes, at + 8 + 4 * i, std::uint32_t{1});
  for (std::uint32_t i = 0; i < 4; ++i) poke(built.bytes, at + 8 + 4 * (first_chain + i), std::uint32_t{1});
  const auto table = table_of(built.bytes);
  CHECK(entries(*table, "none") == "");
}

TEST_CASE("a relocation that names a symbol beyond the table makes it incomplete") {
  auto built = build_elf({.uses = {{"f"}}});
  poke(built.bytes, built.at["relocations"] + 12, std::uint32_t{0x7fffffff});
  const auto table = table_of(built.bytes);
  CHECK_FALSE(table->complete());
  CHECK(references(*table) == "");
}

}  // namespace
}  // namespace cudald
