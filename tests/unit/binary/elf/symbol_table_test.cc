#include "binary/elf/symbol_table.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "machine/abi.h"
#include "unit/tree/faulty_file.h"

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

TEST_CASE("no symbol is offered behind one that is taken") {
  for (const auto hash : {ElfHash::gnu, ElfHash::sysv}) {
    CAPTURE(static_cast<int>(hash));
    const auto table = table_of(elf({.soname = "liba.so",
                                     .defines_versions = {"V1", "V2"},
                                     .defines = {{"f", "V1", true}, {"f", "V2"}},
                                     .hash = hash}));
    const auto offered = [&](std::size_t wanted) {
      std::size_t count = 0;
      table->visit(HashedName("f"), [&](const SymbolTable::Candidate&) { return ++count == wanted; });
      return count;
    };
    CHECK(offered(1) == 1);
    CHECK(offered(2) == 2);
    CHECK(offered(3) == 2);
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

/// The table of a file as its image says, though it cannot be read at one place.
std::shared_ptr<const SymbolTable> faulty_table(const std::string& bytes, std::uint64_t place, bool fails) {
  const auto image = read_image(FaultyFile(bytes));
  REQUIRE(image);
  const auto* abi = find_abi((*image)->machine, (*image)->format, (*image)->byte_order);
  REQUIRE(abi != nullptr);
  return SymbolTable::read(FaultyFile(bytes, place, fails), *image, abi->jump_slot, abi->copy);
}

const ElfSpec two_functions{.needs_versions = {{"libb.so", {{"V1"}}}},
                            .defines = {{"f"}, {"g"}},
                            .uses = {{"imported", ElfUse::data, "V1"}, {"called", ElfUse::call}},
                            .hash = ElfHash::both};

TEST_CASE("a table that cannot be read makes the whole incomplete, whichever it is") {
  const auto built = build_elf(two_functions);
  const std::string all = "imported: immediate data version V1\ncalled: lazy call\n";
  CHECK(references(*faulty_table(built.bytes, UINT64_MAX, true)) == all);
  for (const bool fails : {true, false}) {
    CAPTURE(fails);
    const auto at = [&](const char* part, std::uint64_t offset = 0) {
      return faulty_table(built.bytes, built.at.at(part) + offset, fails);
    };
    CHECK_FALSE(at("symbols", 30)->complete());
    CHECK(references(*at("symbols")) == "");
    CHECK_FALSE(at("strings", 1)->complete());
    CHECK_FALSE(at("symbol versions", 2)->complete());
    CHECK(references(*at("symbol versions")) == "imported: immediate data\ncalled: lazy call\n");
    CHECK_FALSE(at("relocations")->complete());
    CHECK(references(*at("relocations")) == "called: lazy call\n");
    CHECK_FALSE(at("plt relocations")->complete());
    CHECK(references(*at("plt relocations")) == "imported: immediate data version V1\n");
    // Header, filter and buckets; the other hash table stands in.
    for (const std::uint64_t offset : {0U, 4U, 16U, 24U, 28U}) {
      CAPTURE(offset);
      const auto table = at("gnu hash", offset);
      CHECK_FALSE(table->complete());
      CHECK(entries(*table, "f") == "1\n");
      CHECK(entries(*table, "g") == "1\n");
      CHECK(entries(*table, "h") == "");
      CHECK(references(*table) == all);
    }
    CHECK_FALSE(at("gnu hash", 32)->complete());
    CHECK(entries(*at("gnu hash", 32), "f") == "");
  }
}

TEST_CASE("a SysV hash table that cannot be read has no symbols") {
  ElfSpec spec = two_functions;
  spec.hash = ElfHash::sysv;
  const auto built = build_elf(spec);
  const auto hash = built.at.at("sysv hash");
  for (const bool fails : {true, false}) {
    for (const std::uint64_t offset : {0U, 4U, 8U}) {
      const auto table = faulty_table(built.bytes, hash + offset, fails);
      CHECK_FALSE(table->complete());
      CHECK(entries(*table, "f") == "");
      CHECK(references(*table) == "imported: immediate data version V1\ncalled: lazy call\n");
    }
    CHECK_FALSE(faulty_table(built.bytes, hash + 8 + 3 * 4, fails)->complete());
  }
  auto bytes = built.bytes;
  poke(bytes, hash, std::uint32_t{0});
  CHECK(table_of(bytes)->empty());
  poke(bytes, hash, std::uint32_t{0x7fffffff});
  CHECK_FALSE(table_of(bytes)->complete());
}

TEST_CASE("half a table is not used where the budget does not allow it all") {
  for (const auto hash : {ElfHash::gnu, ElfHash::sysv}) {
    ElfSpec spec = two_functions;
    spec.hash = hash;
    const FaultyFile file(elf(spec));
    const auto image = *read_image(file);
    const auto with = [&](Budget& budget) {
      return SymbolTable::read(file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {is_any_name, {}}, budget);
    };
    Budget all;
    CHECK_FALSE(with(all)->limit());
    REQUIRE(all.cost().kept > 100);
    const auto check = [&](const CostLimits& limits) {
      Budget budget(limits);
      const auto table = with(budget);
      REQUIRE(table->limit());
      CHECK(table->limit()->message == "its symbol tables are not read: " + budget.error().message);
      CHECK(table->limit()->limit);
      CHECK_FALSE(table->limit()->offset);
      CHECK(table->empty());
      CHECK(table->references().empty());
    };
    for (std::uint64_t kept = 0; kept < all.cost().kept; ++kept) check({.kept = kept});
    for (std::uint64_t steps = 0; steps < all.cost().steps; ++steps) check({.steps = steps});
    Budget enough({.kept = all.cost().kept, .steps = all.cost().steps});
    CHECK_FALSE(with(enough)->limit());
    CHECK(enough.cost() == all.cost());
  }
}

TEST_CASE("a call bound at once, and data in the table of calls") {
  auto built = build_elf({.uses = {{"x"}, {"y", ElfUse::call}}});
  poke(built.bytes, built.at.at("relocations") + 8, std::uint32_t{R_X86_64_JUMP_SLOT});
  poke(built.bytes, built.at.at("plt relocations") + 8, std::uint32_t{R_X86_64_GLOB_DAT});
  CHECK(references(*table_of(built.bytes)) == "x: immediate call\ny: immediate data\n");
}

TEST_CASE("the calls at the end of the table of relocations are calls, where its size counts them") {
  const auto bytes = elf({.uses = {{"x"}, {"y", ElfUse::call}}});
  const FaultyFile file(bytes);
  const auto image = std::make_shared<Image>(**read_image(file));
  auto& tables = image->elf.tables;
  const auto& calls = tables.plt_relocations;
  const auto said = [&] {
    Budget budget;
    return references(*SymbolTable::read(file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {}, budget));
  };
  const auto as_it_is = tables.relocations;
  REQUIRE(as_it_is.offset + as_it_is.size == calls.offset);
  tables.relocations.size += calls.size;
  CHECK(said() == "x: immediate data\ny: lazy call\n");
  tables.relocations = calls;
  CHECK(said() == "y: lazy call\n");
  // What no table of calls has is bound with the others.
  tables.relocations = {as_it_is.offset, as_it_is.size + calls.size, true};
  tables.plt_relocations.size = 0;
  CHECK(said() == "x: immediate data\ny: immediate call\n");
}

TEST_CASE("a program's own symbol that it copies is a reference; of others only kinds that are wanted") {
  const auto bytes = elf({.defines = {{"own_a"}, {"own_b"}, {"copied"}, {"other"}},
                          .uses = {{"own_a"}, {"own_b"}, {"copied", ElfUse::copy}, {"other"}}});
  CHECK(references(*table_of(bytes)) == "copied: immediate copy own\n");
  const FaultyFile file(bytes);
  const auto image = *read_image(file);
  const auto wanted = [&](DefinedNames names) {
    Budget budget;
    return references(*SymbolTable::read(file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, names, budget));
  };
  const auto is_own = [](std::string_view name) { return name.starts_with("own_"); };
  const std::string own = "own_a: immediate data own\nown_b: immediate data own\ncopied: immediate copy own\n";
  CHECK(wanted({is_own, {}}) == own);
  const std::string_view missing[] = {"missing"}, there[] = {"missing", "other"};
  CHECK(wanted({is_own, missing}) == "copied: immediate copy own\n");
  CHECK(wanted({is_own, there}) == own);
  CHECK(wanted({is_any_name, {}}) == own + "other: immediate data own\n");
}

TEST_CASE("a sign that is only imported is none") {
  for (const auto hash : {ElfHash::gnu, ElfHash::sysv}) {
    const auto bytes = elf({.defines = {{"own"}}, .uses = {{"own"}, {.name = "sign", .value = 0x100}}, .hash = hash});
    const FaultyFile file(bytes);
    const auto image = *read_image(file);
    Budget budget;
    const std::string_view signs[] = {"sign"};
    const auto table = SymbolTable::read(file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {is_any_name, signs}, budget);
    CHECK(references(*table) == "sign: immediate data\n");
  }
}

TEST_CASE("all symbols that have a name and are not local, with versions") {
  const auto table = table_of(elf({.needs_versions = {{"libb.so", {{"V1"}}}},
                                   .defines_versions = {"D1"},
                                   .defines = {{"f", "D1", true}, {.name = "local", .binding = STB_LOCAL}, {""}, {"w"}},
                                   .uses = {{"imported", ElfUse::data, "V1"}}}));
  std::vector<std::string> all;
  table->visit_all([&](std::string_view name, std::uint16_t version, bool defined) {
    all.push_back(std::string(name) + " " + std::to_string(version) + (defined ? " own" : ""));
  });
  std::sort(all.begin(), all.end());
  CHECK(all == std::vector<std::string>{"f 2 own", "imported 3", "w 1 own"});
  std::string plain;
  table_of(elf({.defines = {{"f"}}}))->visit_all([&](std::string_view name, std::uint16_t version, bool) {
    plain += std::string(name) + std::to_string(version);
  });
  CHECK(plain == "f0");
}

TEST_CASE("names are read beyond the size that the file states") {
  const auto table = table_of(elf({.defines = {{"f"}}, .uses = {{"imported"}}, .dynamic = {{DT_STRSZ, 2}}}));
  CHECK(table->complete());
  CHECK(entries(*table, "f") == "0\n");
  CHECK(references(*table) == "imported: immediate data\n");
}

/// A file with so many symbols, imported or its own, that all have one name.
std::string repeated(const std::string& name, int count, bool imported) {
  ElfSpec spec;
  for (int i = 0; i < count; ++i) {
    const auto other = "s" + std::to_string(i);
    if (imported) spec.uses.push_back({i == 0 ? name : other});
    if (!imported) spec.defines.push_back({i == 0 ? name : other});
  }
  auto built = build_elf(spec);
  const auto symbols = built.at.at("symbols");
  const auto place = built.bytes.find(name + '\0') - built.at.at("strings");
  for (int i = 0; i < count; ++i)
    poke(built.bytes, symbols + sizeof(Elf64_Sym) * static_cast<std::size_t>(i + 1), static_cast<std::uint32_t>(place));
  return built.bytes;
}

TEST_CASE("names have 64 KiB at most, and all together a few times the table of names") {
  const std::string longest(1 << 16, 'n'), longer(longest + "n");
  const auto imported = table_of(repeated(longest, 1, true));
  CHECK_FALSE(imported->limit());
  REQUIRE(imported->references().size() == 1);
  CHECK(imported->references()[0].name == longest);
  const auto refused = table_of(repeated(longer, 1, true));
  REQUIRE(refused->limit());
  CHECK(refused->limit()->message == "it refers to symbols with longer names than are read");
  CHECK(refused->limit()->limit);
  CHECK_FALSE(refused->limit()->offset);
  CHECK(refused->references().empty());
  // Four times the table, which is hardly longer than that name, and 1 MiB.
  const auto many = table_of(repeated(longest, 25, true));
  REQUIRE(many->limit());
  CHECK(many->references().size() == 20);
  int visited = 0;
  table_of(repeated(longest, 25, false))->visit_all([&](std::string_view, std::uint16_t, bool) { ++visited; });
  CHECK(visited == 20);
  // A symbol without a name before such a long table.
  const auto unnamed = table_of(elf({.defines = {{longer}}, .uses = {{""}}}));
  CHECK_FALSE(unnamed->limit());
  REQUIRE(unnamed->references().size() == 1);
  CHECK(unnamed->references()[0].name.empty());
}

TEST_CASE("names that are read when they are asked for are the same, unless the file goes") {
  const auto bytes = elf(two_functions);
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const Reopener reopener(files);
  const auto file = std::move(*files.open("/file"));
  const auto image = *read_image(*file);
  const auto with = [&](const File& one, const StringTable::Opener& opener, Budget& budget) {
    return SymbolTable::read(one, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {}, budget, opener);
  };
  Budget budget;
  const auto table = with(*file, reopener.of("/file"), budget);
  CHECK(entries(*table, "f") == "1\n");
  CHECK(references(*table) == "imported: immediate data version V1\ncalled: lazy call\n");
  CHECK(table->complete());
  const auto gone = with(*file, reopener.of("/gone"), budget);
  CHECK(gone->complete());
  gone->visit_all([](std::string_view, std::uint16_t, bool) {});
  // Read while the file was open, as one block.
  CHECK(gone->complete());
  FaultyFile stream(bytes);
  stream.stream = true;
  files.take_log();
  CHECK(entries(*with(stream, reopener.of("/file"), budget), "f") == "1\n");
  CHECK(files.take_log().empty());
}

TEST_CASE("a reference may be to a symbol behind those that the hash table speaks of, and to one without a name") {
  auto built = build_elf({.defines = {{"f"}, {"g"}, {"h"}}, .uses = {{"f"}, {"g"}, {"h"}, {""}}});
  CHECK(references(*table_of(built.bytes)) == ": immediate data\n");
  // Each bucket's chain ends with its first symbol.
  const auto chain = built.at.at("gnu hash") + 16 + 8 + 2 * 4;
  for (std::uint64_t i = 0; i < 3; ++i) built.bytes[chain + 4 * i] = static_cast<char>(built.bytes[chain + 4 * i] | 1);
  for (std::uint64_t i = 0; i < 2; ++i) poke(built.bytes, chain - 8 + 4 * i, std::uint32_t{2});
  const auto table = table_of(built.bytes, true);
  CHECK(table->references().size() == 4);
  CHECK(references(*table).find("f: immediate data own\n") != std::string::npos);
  CHECK(references(*table).find("g: immediate data own\n") != std::string::npos);
  CHECK(references(*table).find("h: immediate data own\n") != std::string::npos);
}

/// How many symbols with a name it speaks of.
int count_of(const SymbolTable& table) {
  int count = 0;
  table.visit_all([&](std::string_view, std::uint16_t, bool) { ++count; });
  return count;
}

TEST_CASE("a SysV table speaks of as many symbols as its buckets, its length or relocations lead to") {
  const ElfSpec spec{.defines = {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}, .hash = ElfHash::sysv};
  const auto built = build_elf(spec);
  const auto hash = built.at.at("sysv hash");
  constexpr std::uint32_t buckets = 3;
  struct Row {
    std::uint32_t length, highest;
    int names;
  };
  for (const auto& row : std::vector<Row>{{0, 0, 0}, {0, 1, 1}, {0, 3, 3}, {2, 3, 3}, {5, 3, 4}, {6, 3, 5}}) {
    auto bytes = built.bytes;
    poke(bytes, hash + 4, row.length);
    for (std::uint32_t i = 0; i < buckets; ++i) poke(bytes, hash + 8 + 4 * i, i == 1 ? row.highest : 0);
    CAPTURE(row.length);
    CAPTURE(row.highest);
    const auto table = table_of(bytes);
    CHECK(table->complete());
    CHECK(count_of(*table) == row.names);
  }
  auto used = spec;
  used.uses = {{"a"}};
  auto other = build_elf(used);
  poke(other.bytes, other.at.at("relocations") + 12, std::uint32_t{4});
  poke(other.bytes, other.at.at("sysv hash") + 4, std::uint32_t{0});
  for (std::uint32_t i = 0; i < buckets; ++i) poke(other.bytes, other.at.at("sysv hash") + 8 + 4 * i, std::uint32_t{1});
  CHECK(count_of(*table_of(other.bytes)) == 4);
}

TEST_CASE("the filter of a GNU hash is asked for two bits, whose distance has five bits") {
  const auto built = build_elf({.defines = {{"first"}, {"other"}}});
  const auto at = built.at.at("gnu hash");
  for (const std::string name : {"first", "other"})
    for (const std::uint32_t shift : {0U, 1U, 6U, 15U, 26U, 30U, 31U, 32U, 33U, 63U}) {
      const auto hash = gnu_hash(name);
      const auto one = std::uint64_t{1} << (hash & 63), two = std::uint64_t{1} << ((hash >> (shift & 31)) & 63);
      const auto with = [&](std::uint64_t filter) {
        auto bytes = built.bytes;
        poke(bytes, at + 12, shift);
        poke(bytes, at + 16, filter);
        return entries(*table_of(bytes), name);
      };
      CAPTURE(shift);
      CHECK(with(one | two) == "0\n");
      CHECK(with(~one) == "");
      CHECK(with(~two) == "");
    }
}

TEST_CASE("a chain may be longer than what is read of it at once, and relocations more than those") {
  constexpr int count = 5000;
  ElfSpec spec;
  for (int i = 0; i < count; ++i) spec.defines.push_back({"own" + std::to_string(i)});
  auto built = build_elf(spec);
  const auto hash = built.at.at("gnu hash");
  constexpr std::uint64_t buckets = count / 2 + 1;
  // All buckets lead to one chain through all symbols.
  for (std::uint64_t i = 0; i < buckets; ++i) poke(built.bytes, hash + 24 + 4 * i, std::uint32_t{1});
  const auto chain = hash + 24 + 4 * buckets;
  for (std::uint64_t i = 0; i + 1 < count; ++i)
    built.bytes[chain + 4 * i] = static_cast<char>(built.bytes[chain + 4 * i] & ~1);
  const auto table = table_of(built.bytes);
  CHECK(table->complete());
  CHECK(count_of(*table) == count);
  int found = 0;
  for (const auto& own : spec.defines) found += entries(*table, own.name) == "0\n" ? 1 : 0;
  CHECK(found == count);

  for (const bool is_64 : {true, false}) {
    ElfSpec user{.is_64 = is_64, .machine = static_cast<std::uint16_t>(is_64 ? EM_X86_64 : EM_386)};
    for (int i = 0; i < count; ++i) user.uses.push_back({"f" + std::to_string(i)});
    const auto used = table_of(elf(user));
    REQUIRE(used->references().size() == count);
    bool in_order = used->complete();
    for (std::size_t i = 0; i < count; ++i) in_order &= used->references()[i].name == user.uses[i].name;
    CHECK(in_order);
    CHECK(used->references().back().use.order == count);
  }
}

/// The size of the table of names as a file states it.
std::uint64_t size_of_names(const std::string& bytes) {
  const auto image = read_image(FaultyFile(bytes));
  REQUIRE(image);
  return (*image)->elf.tables.declared_strings_size;
}

TEST_CASE("a description of nothing has no symbols, and each part of a table takes memory") {
  const ElfSpec spec{.defines_versions = {"V1"}, .defines = {{"f", "V1"}, {"g"}, {"h"}}, .uses = {{"called"}}};
  const auto table = table_of(elf(spec));
  // The null symbol, one that is called, and three of its own, in two buckets.
  const auto strings = size_of_names(elf(spec));
  CHECK(table->memory() == 5 * 24 + strings + 5 * 2 + 8 + 2 * 4 + 3 * 4 + sizeof(Reference));
  CHECK(SymbolTable().memory() == 0);
  CHECK(SymbolTable().empty());
  DescribedSymbols described;
  described.definitions.push_back({.names = {1, 2, 3}});
  const auto three = SymbolTable::of(described, std::make_shared<Image>())->memory();
  described.definitions[0].names.push_back(4);
  const auto four = SymbolTable::of(described, std::make_shared<Image>())->memory();
  CHECK(three > 0);
  CHECK(three % 3 == 0);
  CHECK(four == three / 3 * 4);
  described.references.push_back({.name = "four"});
  CHECK(SymbolTable::of(described, std::make_shared<Image>())->memory() == four + 4 + sizeof(Reference));
}

TEST_CASE("what reading symbols costs") {
  const FaultyFile file(elf({.defines = {{"f"}, {"g"}, {"h"}}, .uses = {{"called", ElfUse::call}, {"data"}}}));
  const auto image = *read_image(file);
  Budget budget;
  const auto table = SymbolTable::read(file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {}, budget);
  REQUIRE(table->references().size() == 2);
  const auto strings = image->elf.tables.declared_strings_size;
  const auto hash = image->elf.tables.gnu_hash;
  // Header, filter, two buckets, and a chain: from the second bucket's start, which is its second entry, what is left
  // of the file is taken for it at first.
  const auto left = (hash.size - 16 - 8 - 2 * 4) / 4 - 1;
  const auto chain = std::min<std::uint64_t>(left, 1024);
  CHECK(budget.cost().steps == chain + 2);
  // Blocks of the chain are kept as long as it is read, and the uses of symbols up to the highest.
  CHECK(budget.cost().kept ==
        16 + 8 + 8 + 4 * chain + 4 * 3 + 6 * 24 + strings + 3 * sizeof(SymbolUse) + 2 * sizeof(Reference));
}

TEST_CASE("while the symbols are read the open file serves, and afterwards the file is opened again") {
  const auto bytes = elf({.defines = {{std::string(40'000, 'f')}, {"last"}}, .uses = {{"imported"}}});
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const Reopener reopener(files);
  auto file = std::move(*files.open("/file"));
  const auto image = *read_image(*file);
  files.take_log();
  Budget budget;
  const auto table =
      SymbolTable::read(*file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {}, budget, reopener.of("/file"));
  CHECK(files.take_log().empty());
  CHECK(references(*table) == "imported: immediate data\n");
  file.reset();
  CHECK(entries(*table, "last") == "0\n");
  CHECK(entries(*table, "lost") == "");
  CHECK(files.take_log() == std::vector<std::string>{"open /file"});
  CHECK(table->complete());
  // As one that was read at once.
  CHECK(count_of(*table) == count_of(*table_of(bytes)));
  // What lies beyond the file now is read at once, as far as it is there.
  files.add_file(
      "/cut",
      bytes.substr(
          0, build_elf({.defines = {{std::string(40'000, 'f')}, {"last"}}, .uses = {{"imported"}}}).at.at("strings") +
                 100));
  const auto cut = std::move(*files.open("/cut"));
  files.take_log();
  const auto half = SymbolTable::read(*cut, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {}, budget, reopener.of("/cut"));
  CHECK_FALSE(half->complete());
  CHECK(entries(*half, "last") == "");
  CHECK(files.take_log().empty());
}

TEST_CASE("calls among relocations without addends are bound at once where they are not in the table of calls") {
  for (const bool addends : {true, false}) {
    auto built =
        build_elf({.is_64 = false, .machine = EM_386, .uses = {{"x"}, {"y", ElfUse::call}}, .addends = addends});
    built.bytes[built.at.at("relocations") + 4] = R_386_JMP_SLOT;
    CHECK(references(*table_of(built.bytes)) == "x: immediate call\ny: lazy call\n");
  }
}

TEST_CASE("symbols are read once where relocations name the last of them") {
  for (const auto hash : {ElfHash::gnu, ElfHash::none}) {
    const FaultyFile file(elf({.uses = {{"called", ElfUse::call}, {"data"}}, .hash = hash}));
    const auto image = *read_image(file);
    Budget budget;
    const auto table = SymbolTable::read(file, image, R_X86_64_JUMP_SLOT, R_X86_64_COPY, {}, budget);
    REQUIRE(table->references().size() == 2);
    const auto strings = image->elf.tables.declared_strings_size;
    // Header, filter and one bucket of the hash table; the null symbol and two.
    CHECK(budget.cost().kept ==
          (hash == ElfHash::gnu ? 16 + 8 + 4 : 0) + 3 * 24 + strings + 3 * sizeof(SymbolUse) + 2 * sizeof(Reference));
    CHECK(budget.cost().steps == 2);
  }
}

}  // namespace
}  // namespace cudald
