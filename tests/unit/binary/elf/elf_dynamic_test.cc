#include <limits>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "base/path.h"
#include "binary/elf/elf_dynamic.h"
#include "unit/binary/image_of.h"

namespace cudald {
namespace {

struct Abi {
  bool is_64;
  ByteOrder order;
  std::uint16_t machine;
};

constexpr Abi abis[] = {
    {true, ByteOrder::little, EM_X86_64},
    {false, ByteOrder::little, EM_386},
    {true, ByteOrder::big, EM_S390},
    {false, ByteOrder::big, EM_S390},
};

/// A file that says something in every part of its dynamic table.
ElfSpec talkative(const Abi& abi) {
  return {
      .is_64 = abi.is_64,
      .byte_order = abi.order,
      .machine = abi.machine,
      .soname = "libtalk.so.1",
      .rpath = ":/old//lib/:$ORIGIN",
      .runpath = "$ORIGIN/../lib::/opt/lib:",
      .needed = {"libb.so", {NeededTag::filter, "libf.so"}, "liba.so", {NeededTag::auxiliary, "libx.so"}, "libb.so"},
      .audit = {"audit-1.so", "audit-2.so"},
      .depaudit = {"depaudit.so"},
      .flags = DF_SYMBOLIC | DF_STATIC_TLS,
      .flags_1 = DF_1_NOW | df_1_nodeflib,
      .needs_versions = {{"libb.so", {{"B_1"}, {.name = "B_2", .weak = true}, {.name = "B_3", .hidden = true}}},
                         {"liba.so", {{"A_1"}}}},
      .defines_versions = {"TALK_1", "TALK_2"},
      .defines = {{"talk", "TALK_2"}},
      .uses = {{"b", ElfUse::call, "B_1"}}};
}

std::string needed(const Image& image) {
  std::string text;
  for (const auto& entry : image.elf.needed) {
    const char* const marks[] = {"", "filter ", "auxiliary "};
    text += marks[static_cast<int>(entry.tag)] + entry.name + "\n";
  }
  return text;
}

std::string versions(const Image& image) {
  std::string text;
  for (const auto& need : image.elf.version_needs)
    for (const auto& version : need.versions)
      text += "needs " + version.name + " of " + need.file + " as " + std::to_string(version.index) +
              (version.weak ? " weak" : "") + (version.hidden ? " hidden" : "") +
              (version.hash == sysv_hash(version.name) ? "\n" : " with another hash\n");
  for (const auto& version : image.elf.version_definitions)
    text += "defines " + version.name + " as " + std::to_string(version.index) + (version.base ? " base" : "") +
            (version.hash == sysv_hash(version.name) ? "\n" : " with another hash\n");
  return text;
}

void check_talk(const Image& image) {
  CHECK(image.soname == "libtalk.so.1");
  CHECK(image.elf.rpath == ":/old//lib/:$ORIGIN");
  CHECK(image.elf.runpath == "$ORIGIN/../lib::/opt/lib:");
  CHECK(needed(image) == "libb.so\nfilter libf.so\nliba.so\nauxiliary libx.so\nlibb.so\n");
  CHECK(image.elf.audit == std::vector<std::string>{"audit-1.so", "audit-2.so"});
  CHECK(image.elf.depaudit == std::vector<std::string>{"depaudit.so"});
  CHECK(image.elf.symbolic);
  CHECK(image.elf.static_tls);
  CHECK(image.elf.bind_now);
  CHECK(image.elf.flags_1 == (DF_1_NOW | df_1_nodeflib));
  CHECK(versions(image) ==
        "needs B_1 of libb.so as 4\n"
        "needs B_2 of libb.so as 5 weak\n"
        "needs B_3 of libb.so as 6 hidden\n"
        "needs A_1 of liba.so as 7\n"
        "defines libtalk.so.1 as 1 base\n"
        "defines TALK_1 as 2\n"
        "defines TALK_2 as 3\n");
  CHECK(defects(image) == "");
}

TEST_CASE("the dynamic table is read in both classes and byte orders") {
  for (const auto& abi : abis) {
    CAPTURE(abi.machine);
    CAPTURE(abi.is_64);
    check_talk(*image_of(talkative(abi)));
  }
}

TEST_CASE("of two entries with one tag the last counts, and every needed one") {
  const auto twice = build_elf({.soname = "first.so", .needed = {"a.so", "b.so"}});
  const auto name_of_b = twice.bytes.find("b.so") - twice.at.at("strings");
  const auto image = image_of({.soname = "first.so", .needed = {"a.so", "b.so"}, .dynamic = {{DT_SONAME, name_of_b}}});
  CHECK(image->soname == "b.so");
  CHECK(needed(*image) == "a.so\nb.so\n");
}

TEST_CASE("an empty path is there, and no path is none") {
  const auto image = image_of({.rpath = "", .runpath = ""});
  CHECK(image->elf.rpath == "");
  CHECK(image->elf.runpath == "");
  const auto none = image_of(ElfSpec{});
  CHECK_FALSE(none->elf.rpath.has_value());
  CHECK_FALSE(none->elf.runpath.has_value());
  CHECK_FALSE(none->soname.has_value());
}

TEST_CASE("binding flags have several spellings") {
  struct Row {
    std::uint64_t flags, flags_1, tag;
    bool symbolic, bind_now, static_tls;
  };
  const Row rows[] = {
      {0, 0, DT_DEBUG, false, false, false},
      {DF_SYMBOLIC, 0, DT_DEBUG, true, false, false},
      {0, 0, DT_SYMBOLIC, true, false, false},
      {DF_BIND_NOW, 0, DT_DEBUG, false, true, false},
      {0, DF_1_NOW, DT_DEBUG, false, true, false},
      {0, 0, DT_BIND_NOW, false, true, false},
      {DF_STATIC_TLS, 0, DT_DEBUG, false, false, true},
      {DF_ORIGIN | DF_TEXTREL, df_1_noopen | df_1_pie, DT_TEXTREL, false, false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.flags);
    CAPTURE(row.flags_1);
    CAPTURE(row.tag);
    const auto image = image_of({.flags = row.flags, .flags_1 = row.flags_1, .dynamic = {{row.tag, 0}}});
    CHECK(image->elf.symbolic == row.symbolic);
    CHECK(image->elf.bind_now == row.bind_now);
    CHECK(image->elf.static_tls == row.static_tls);
    CHECK(image->elf.flags_1 == row.flags_1);
  }
}

TEST_CASE("static TLS of AArch64 is announced by its relocation alone") {
  const auto is_static = [](std::uint16_t machine, ElfUse use, std::uint64_t tls_size) {
    return image_of({.machine = machine, .uses = {{"f", ElfUse::data}, {"x", use}}, .tls_size = tls_size})
        ->elf.static_tls;
  };
  CHECK(is_static(EM_AARCH64, ElfUse::static_tls, 8));
  CHECK_FALSE(is_static(EM_AARCH64, ElfUse::tls, 8));
  CHECK_FALSE(is_static(EM_AARCH64, ElfUse::static_tls, 0));
  CHECK_FALSE(is_static(EM_X86_64, ElfUse::static_tls, 8));
}

TEST_CASE("text relocations are announced by a tag or by a flag") {
  CHECK(image_of({.dynamic = {{DT_TEXTREL, 0}}})->elf.text_relocations);
  CHECK(image_of({.flags = DF_TEXTREL})->elf.text_relocations);
  CHECK_FALSE(image_of({.flags = DF_ORIGIN})->elf.text_relocations);
}

TEST_CASE("the table ends at DT_NULL, whatever its program header says of its size") {
  const auto after = image_of({.needed = {"a.so"}, .dynamic = {{DT_NULL, 0}, {DT_BIND_NOW, 0}}});
  CHECK_FALSE(after->elf.bind_now);
  CHECK(defects(*after) == "");

  auto built = build_elf({.soname = "liba.so", .needed = {"a.so", "b.so"}});
  const auto dynamic_header = built.at["segments"] + 56;
  REQUIRE(built.bytes[dynamic_header] == PT_DYNAMIC);
  poke(built.bytes, dynamic_header + 32, std::uint64_t{16});
  poke(built.bytes, dynamic_header + 40, std::uint64_t{16});
  const auto small = image_of_bytes(built.bytes);
  CHECK(needed(*small) == "a.so\nb.so\n");
  CHECK(small->soname == "liba.so");
}

TEST_CASE("the size of the string table does not count, as for the loader") {
  const auto image = image_of({.soname = "liba.so", .needed = {"libb.so"}, .dynamic = {{DT_STRSZ, 1}}});
  CHECK(image->soname == "liba.so");
  CHECK(needed(*image) == "libb.so\n");
}

TEST_CASE("tables are found by address, and cut to the bytes that are there") {
  const ElfSpec spec{.defines = {{"f"}, {"g"}}, .uses = {{"h"}, {"i", ElfUse::call}}, .hash = ElfHash::both};
  const auto built = build_elf(spec);
  const auto image = image_of_bytes(built.bytes);
  const auto starts = [&](const TableRange& range, const char* part) {
    return range.present && range.offset == built.at.at(part);
  };
  CHECK(starts(image->elf.tables.symbols, "symbols"));
  CHECK(starts(image->elf.tables.strings, "strings"));
  CHECK(starts(image->elf.tables.gnu_hash, "gnu hash"));
  CHECK(starts(image->elf.tables.sysv_hash, "sysv hash"));
  CHECK(starts(image->elf.tables.relocations, "relocations"));
  CHECK(starts(image->elf.tables.plt_relocations, "plt relocations"));
  CHECK(image->elf.tables.relocations.size == 24);
  CHECK(image->elf.tables.plt_relocations.size == 24);
  CHECK_FALSE(image->elf.tables.symbol_versions.present);
  CHECK_FALSE(image->elf.tables.implicit_relocations.present);
  CHECK(image->elf.tables.plt_relocations_have_addends);

  auto long_relocations = spec;
  long_relocations.dynamic = {{DT_RELASZ, 1'000'000}};
  const auto cut = image_of(long_relocations);
  CHECK(cut->elf.tables.relocations.size == cut->file_size - cut->elf.tables.relocations.offset);
  CHECK(defects(*cut) == "DT_RELA runs past its segment's bytes in the file\n");

  auto without_addends = spec;
  without_addends.addends = false;
  const auto rel = image_of(without_addends);
  CHECK(rel->elf.tables.implicit_relocations.size == 16);
  CHECK_FALSE(rel->elf.tables.relocations.present);
  CHECK_FALSE(rel->elf.tables.plt_relocations_have_addends);
}

TEST_CASE("a table that begins where the bytes of the segment before it end lies in the next one") {
  Image image;
  image.file_size = 0x8000;
  image.elf.load_segments = {{.offset = 0, .address = 0x1000, .file_size = 0x1000, .memory_size = 0x1000},
                             {.offset = 0x5000, .address = 0x2000, .file_size = 0x1000, .memory_size = 0x3000},
                             {.offset = 0x7000, .address = 0x9000, .file_size = 0x2000, .memory_size = 0x2000}};
  struct Row {
    std::uint64_t address;
    std::optional<std::uint64_t> offset;
    std::uint64_t size;
  };
  const Row rows[] = {
      {0x0fff, std::nullopt, 0}, {0x1000, 0, 0x1000}, {0x1fff, 0xfff, 1},
      {0x2000, 0x5000, 0x1000},  {0x2fff, 0x5fff, 1}, {0x3000, std::nullopt, 0},  // only in memory
      {0x9000, 0x7000, 0x1000},  {0x9fff, 0x7fff, 1}, {0xa000, std::nullopt, 0},  // behind the end of the file
      {0xb000, std::nullopt, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.address);
    const auto range = range_at_address(image, row.address);
    REQUIRE(range.has_value() == row.offset.has_value());
    if (!range) continue;
    CHECK(range->present);
    CHECK(range->offset == *row.offset);
    CHECK(range->size == row.size);
  }
}

TEST_CASE("relative relocations at the start are left out") {
  const auto count = [](std::uint64_t relative) {
    return image_of({.uses = {{"a"}, {"b"}, {"c"}}, .dynamic = {{DT_RELACOUNT, relative}}})
               ->elf.tables.relocations.size /
           24;
  };
  CHECK(count(0) == 3);
  CHECK(count(2) == 1);
  CHECK(count(3) == 0);
  CHECK(count(std::numeric_limits<std::uint64_t>::max()) == 0);
}

TEST_CASE("a table that points nowhere is a defect, and the others still count") {
  constexpr std::uint64_t nowhere = 0x7fff'0000'0000;
  struct Row {
    std::uint64_t tag;
    std::string defect;
  };
  const Row rows[] = {
      {DT_SYMTAB, "DT_SYMTAB points outside the load segments\n"},
      {DT_GNU_HASH, "DT_GNU_HASH points outside the load segments\n"},
      {DT_HASH, "DT_HASH points outside the load segments\n"},
      {DT_VERSYM, "DT_VERSYM points outside the load segments\n"},
      {DT_JMPREL, "DT_JMPREL points outside the load segments\n"},
      {DT_RELA, "DT_RELA points outside the load segments\n"},
      {DT_REL, "DT_REL points outside the load segments\n"},
      {DT_VERNEED, "DT_VERNEED points outside the load segments\n"},
      {DT_VERDEF, "DT_VERDEF points outside the load segments\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.defect);
    const auto image = image_of({.soname = "liba.so", .needed = {"libb.so"}, .dynamic = {{row.tag, nowhere}}});
    CHECK(image->soname == "liba.so");
    CHECK(needed(*image) == "libb.so\n");
    CHECK(defects(*image) == row.defect);
  }
}

TEST_CASE("names outside the string table are a defect each") {
  const auto image =
      image_of({.soname = "liba.so", .dynamic = {{DT_NEEDED, 0x100000}, {DT_RUNPATH, ~std::uint64_t{0}}}});
  CHECK(image->soname == "liba.so");
  CHECK(image->elf.needed.empty());
  CHECK_FALSE(image->elf.runpath.has_value());
  CHECK(image->defects.size() == 2);

  const auto no_strings = image_of({.soname = "liba.so", .dynamic = {{DT_STRTAB, 1}}});
  CHECK_FALSE(no_strings->soname.has_value());
  CHECK_FALSE(no_strings->defects.empty());
}

TEST_CASE("a dynamic segment outside the load segments is a defect") {
  auto built = build_elf({.soname = "liba.so"});
  poke(built.bytes, built.at["segments"] + 56 + 16, std::uint64_t{1});
  const auto image = image_of_bytes(built.bytes);
  CHECK_FALSE(image->soname.has_value());
  CHECK(defects(*image) == "the dynamic segment's address is in no load segment\n");
  CHECK(image->defects.front().fatal);
}

TEST_CASE("chains of version records end where their bytes end") {
  const ElfSpec spec{
      .soname = "liba.so", .needs_versions = {{"libb.so", {{"B_1"}, {"B_2"}}}}, .defines_versions = {"A_1"}};
  const auto built = build_elf(spec);
  const auto with = [&](const char* part, std::uint64_t at, std::uint32_t value) {
    auto bytes = built.bytes;
    poke(bytes, built.at.at(part) + at, value);
    return image_of_bytes(bytes);
  };
  constexpr std::uint32_t far = 0x7fffffff;
  constexpr std::uint32_t aux_next = 16 + 12;  // vna_next of the first vernaux
  for (const auto& image : {with("version needs", 12, far), with("version needs", 8, far),
                            with("version needs", aux_next, far), with("version needs", aux_next, 1)}) {
    CHECK_FALSE(image->defects.empty());
    CHECK(image->soname == "liba.so");
    CHECK(image->elf.version_definitions.size() == 2);
  }
  for (const std::uint32_t next : {far, 1U}) {
    const auto image = with("version definitions", 16, next);
    CHECK_FALSE(image->defects.empty());
    CHECK(image->elf.version_needs.size() == 1);
  }
}

TEST_CASE("every library of a long list is read") {
  ElfSpec spec;
  for (int i = 0; i < 3000; ++i) spec.needed.emplace_back("lib" + std::to_string(i) + ".so");
  const auto image = image_of(spec);
  CHECK(image->elf.needed.size() == 3000);
  CHECK(image->elf.needed.back().name == "lib2999.so");
  CHECK(defects(*image) == "");
}

TEST_CASE("a long string named by many entries does not fill the memory") {
  ElfSpec spec{.soname = std::string((1 << 20) - 1, 'x')};
  const auto name = build_elf(spec);
  const auto offset = name.bytes.find("xxxx") - name.at.at("strings");
  for (int i = 0; i < 900; ++i) spec.dynamic.emplace_back(DT_NEEDED, offset);
  const auto image = image_of(spec);
  CHECK(image->elf.needed.size() < 20);
  CHECK(defects(*image).find("limit: the names in the dynamic table") != std::string::npos);
}

TEST_CASE("so many names of a dynamic table are read, and of more it is told") {
  const auto with = [](std::size_t count) {
    ElfSpec spec{.soname = "liba.so"};
    spec.dynamic.assign(count - 1, {DT_NEEDED, 1});
    return image_of(spec);
  };
  const auto most = with(1 << 14);
  CHECK(most->elf.needed.size() == (1 << 14) - 1);
  CHECK(defects(*most) == "");
  const auto more = with((1 << 14) + 1);
  CHECK(more->elf.needed.size() == (1 << 14) - 1);
  CHECK(defects(*more) ==
        "limit: the dynamic table names more libraries and directories than are read; the rest is left out\n");
}

TEST_CASE("of names outside the string table a hundred are told") {
  const auto with = [](std::size_t count) {
    ElfSpec spec{.soname = "liba.so"};
    spec.dynamic.assign(count, {DT_NEEDED, 0x7fffffff});
    return image_of(spec)->defects.size();
  };
  CHECK(with(99) == 99);
  CHECK(with(100) == 100);
  CHECK(with(101) == 100);
}

TEST_CASE("all names together have 16 MiB at most") {
  // Of half a mebibyte each, with the name of the library.
  constexpr std::size_t size = 1 << 19;
  const auto with = [](std::size_t longer) {
    ElfSpec spec{.soname = std::string(size, 'x') + std::string(longer, 'y')};
    const auto name = build_elf(spec);
    const auto offset = name.bytes.find("xxxx") - name.at.at("strings");
    spec.dynamic.assign(31, {DT_NEEDED, offset + longer});
    return image_of(spec);
  };
  CHECK(defects(*with(0)) == "");
  CHECK(with(0)->elf.needed.size() == 31);
  CHECK(defects(*with(1)) ==
        "limit: the names in the dynamic table are longer than 16 MiB together; the rest is left out\n");
  CHECK(with(1)->elf.needed.size() == 30);
}

TEST_CASE("so many versions are read of each table, and of more it is told once") {
  const auto versions = [](std::size_t count) {
    std::vector<NeededVersion> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back({"V" + std::to_string(i)});
    return all;
  };
  constexpr std::size_t most = 1 << 13;
  const std::string told =
      "limit: there are more versions, or longer names of them, than are read; the rest is left out\n";
  // The record of the file counts as well.
  const auto needs = image_of({.needs_versions = {{"libb.so", versions(most - 1)}}});
  REQUIRE(needs->elf.version_needs.size() == 1);
  CHECK(needs->elf.version_needs[0].versions.size() == most - 1);
  CHECK(needs->elf.version_needs[0].versions.back().name == "V8190");
  CHECK(defects(*needs) == "");
  const auto more = image_of({.needs_versions = {{"libb.so", versions(most)}, {"libc.so", versions(1)}}});
  REQUIRE(more->elf.version_needs.size() == 1);
  CHECK(more->elf.version_needs[0].versions.size() == most - 1);
  CHECK(defects(*more) == told);

  const auto definitions = [](std::size_t count) {
    ElfSpec spec;
    for (std::size_t i = 0; i < count; ++i) spec.defines_versions.push_back("D" + std::to_string(i));
    return image_of(spec);
  };
  CHECK(definitions(most - 1)->elf.version_definitions.size() == most);
  CHECK(defects(*definitions(most - 1)) == "");
  CHECK(definitions(most)->elf.version_definitions.size() == most);
  CHECK(defects(*definitions(most)) == told);
}

TEST_CASE("names of versions have 4 MiB at most together") {
  constexpr std::size_t size = 1 << 19;
  const auto with = [](std::size_t longer) {
    std::vector<NeededVersion> versions(7, {std::string(size, 'v')});
    return image_of({.needs_versions = {{std::string(size + longer, 'f'), versions}}});
  };
  CHECK(defects(*with(0)) == "");
  REQUIRE(with(0)->elf.version_needs.size() == 1);
  CHECK(with(0)->elf.version_needs[0].versions.size() == 7);
  const auto more = with(1);
  CHECK(defects(*more) ==
        "limit: there are more versions, or longer names of them, than are read; the rest is left out\n");
  REQUIRE(more->elf.version_needs.size() == 1);
  CHECK(more->elf.version_needs[0].versions.size() == 6);
}

TEST_CASE("what a damaged chain of versions says, and where") {
  const auto built = build_elf({.soname = "liba.so", .needs_versions = {{"libb.so", {{"B_1"}, {"B_2"}}}}});
  auto bytes = built.bytes;
  const auto needs = built.at.at("version needs");
  poke(bytes, needs + 12, std::uint32_t{0x7fffffff});
  const auto image = image_of_bytes(bytes);
  REQUIRE(image->defects.size() == 1);
  CHECK(image->defects[0].message == "DT_VERNEED leads outside its segment or repeats itself");
  CHECK(image->defects[0].offset == needs + 0x7fffffff);
  CHECK_FALSE(image->defects[0].limit);
  REQUIRE(image->elf.version_needs.size() == 1);
  CHECK(image->elf.version_needs[0].versions.size() == 2);
  // A record must fit whole before the end of the segment's bytes.
  for (const std::uint64_t left : {15U, 16U}) {
    bytes = built.bytes;
    poke(bytes, needs + 12, static_cast<std::uint32_t>(bytes.size() - left - needs));
    CHECK(image_of_bytes(bytes)->defects.empty() == (left == 16));
  }
}

TEST_CASE("the dynamic table ends within an entry, and its place is told") {
  const ElfSpec spec{.soname = "liba.so", .dynamic_end = false};
  const auto built = build_elf(spec);
  const auto image = image_of_bytes(built.bytes);
  REQUIRE(image->defects.size() == 1);
  CHECK(image->defects[0].message == "the dynamic table has no DT_NULL at its end");
  CHECK(image->defects[0].offset == built.bytes.size());
  CHECK(image->soname == "liba.so");
  // Half of another entry: its tag, and no value.
  auto bytes = built.bytes + std::string("\x0e\0\0\0\0\0\0\0", 8);
  poke(bytes, built.at.at("segments") + 32, std::uint64_t{bytes.size()});
  const auto half = image_of_bytes(bytes);
  REQUIRE(half->defects.size() == 1);
  CHECK(half->defects[0].message == "the dynamic table has no DT_NULL at its end");
  CHECK(half->defects[0].offset == built.bytes.size());
}

TEST_CASE("an address is found by the bytes that its segment has in the file") {
  Image image;
  image.file_size = 100;
  image.elf.load_segments = {{.offset = 40, .address = 1000, .file_size = 20},
                             {.offset = 90, .address = 2000, .file_size = 50},
                             {.offset = 101, .address = 3000, .file_size = 5},
                             {.offset = 100, .address = 4000, .file_size = 5}};
  const auto place = [&](std::uint64_t address) {
    const auto range = range_at_address(image, address);
    return range ? std::to_string(range->offset) + "+" + std::to_string(range->size) + (range->present ? "" : "?")
                 : "-";
  };
  CHECK(place(999) == "-");
  CHECK(place(1000) == "40+20");
  CHECK(place(1019) == "59+1");
  CHECK(place(1020) == "-");
  CHECK(place(2000) == "90+10");
  CHECK(place(2009) == "99+1");
  CHECK(place(2010) == "-");
  CHECK(place(3000) == "-");
  CHECK(place(4000) == "-");
}

TEST_CASE("where each table lies, and what is said of it") {
  const auto built = build_elf({.needs_versions = {{"libb.so", {{"V1"}}}},
                                .defines_versions = {"D1"},
                                .defines = {{"f"}},
                                .uses = {{"h", ElfUse::data, "V1"}, {"i", ElfUse::call}},
                                .hash = ElfHash::both,
                                .dynamic = {{DT_STRSZ, 0x1234}}});
  const auto image = image_of_bytes(built.bytes);
  const auto& tables = image->elf.tables;
  for (const auto& [range, part] : {std::pair(tables.symbols, "symbols"),
                                    {tables.strings, "strings"},
                                    {tables.symbol_versions, "symbol versions"},
                                    {tables.gnu_hash, "gnu hash"},
                                    {tables.sysv_hash, "sysv hash"}}) {
    CHECK(range.present);
    CHECK(range.offset == built.at.at(part));
    CHECK(range.size == built.bytes.size() - range.offset);
  }
  CHECK(tables.declared_strings_size == 0x1234);
  CHECK_FALSE(tables.relr.present);
  const auto none = image_of({.dynamic_segment = false});
  CHECK(none->elf.tables.declared_strings_size == 0);
  CHECK_FALSE(none->elf.tables.symbols.present);
  CHECK_FALSE(none->elf.version_needs_format);
}

TEST_CASE("relative relocations at the start are left out of tables with and without addends, in both classes") {
  for (const bool is_64 : {true, false})
    for (const bool addends : {true, false})
      for (const std::uint64_t skipped : {0U, 1U, 2U, 5U}) {
        const auto built =
            build_elf({.is_64 = is_64,
                       .machine = static_cast<std::uint16_t>(is_64 ? EM_X86_64 : EM_386),
                       .uses = {{"a"}, {"b"}, {"c"}},
                       .addends = addends,
                       .dynamic = {{static_cast<std::uint64_t>(addends ? DT_RELACOUNT : DT_RELCOUNT), skipped}}});
        const auto image = image_of_bytes(built.bytes);
        const auto& tables = image->elf.tables;
        const auto& range = addends ? tables.relocations : tables.implicit_relocations;
        const std::uint64_t size = (is_64 ? 8 : 4) * (addends ? 3U : 2U),
                            left_out = std::min<std::uint64_t>(skipped, 3);
        CHECK(range.present);
        CHECK(range.offset == built.at.at("relocations") + left_out * size);
        CHECK(range.size == (3 - left_out) * size);
        CHECK_FALSE((addends ? tables.implicit_relocations : tables.relocations).present);
      }
}

TEST_CASE("what a table that is too long, or lies nowhere, is told with") {
  const ElfSpec spec{.uses = {{"a"}, {"i", ElfUse::call}}};
  const auto built = build_elf(spec);
  for (const auto& [tag, name, part] : {std::tuple(std::uint64_t{DT_RELASZ}, "DT_RELA", "relocations"),
                                        {DT_PLTRELSZ, "DT_JMPREL", "plt relocations"}}) {
    auto longer = spec;
    longer.dynamic = {{tag, 0x1000}};
    const auto at = build_elf(longer).at.at(part);
    const auto image = image_of(longer);
    REQUIRE(image->defects.size() == 1);
    CHECK(image->defects[0].message == name + std::string(" runs past its segment's bytes in the file"));
    CHECK(image->defects[0].offset == at);
    // Exactly as long as the bytes that are there.
    longer.dynamic = {{tag, build_elf(longer).bytes.size() - at}};
    CHECK(image_of(longer)->defects.empty());
    longer.dynamic[0].second += 1;
    CHECK(image_of(longer)->defects.size() == 1);
  }
  const auto nowhere = image_of({.dynamic = {{DT_STRTAB, 1}}});
  CHECK(defects(*nowhere) == "DT_STRTAB points outside the load segments\n");
  CHECK(nowhere->defects.front().fatal);
  CHECK_FALSE(nowhere->defects[0].offset);
  auto bytes = elf({.soname = "liba.so"});
  poke(bytes, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 16, std::uint64_t{1});
  const auto segment = image_of_bytes(bytes);
  REQUIRE(segment->defects.size() == 1);
  CHECK(segment->defects[0].offset == build_elf({.soname = "liba.so"}).at.at("dynamic"));
}

TEST_CASE("an entry that names a string outside its table is told by its tag") {
  const auto size = [] {
    const auto image = image_of({.soname = "liba.so"});
    return image->elf.tables.strings.size;
  }();
  for (const auto& [tag, offset] :
       {std::pair<std::uint64_t, std::uint64_t>(DT_RUNPATH, 0x100000), {DT_AUDIT, size + 16}}) {
    const auto image = image_of({.soname = "liba.so", .dynamic = {{tag, offset}}});
    REQUIRE(image->defects.size() == 1);
    CHECK(image->defects[0].message ==
          "an entry of the dynamic table (tag " + std::to_string(tag) + ") names a string outside DT_STRTAB");
    CHECK_FALSE(image->defects[0].offset);
    CHECK_FALSE(image->defects[0].limit);
  }
}

TEST_CASE("each number of the records of versions") {
  const auto built =
      build_elf({.soname = "liba.so", .needs_versions = {{"libb.so", {{"B_1"}}}}, .defines_versions = {"A_1"}});
  auto bytes = built.bytes;
  const auto need = built.at.at("version needs"), record = need + 16, definition = built.at.at("version definitions");
  CHECK(image_of_bytes(bytes)->elf.version_needs_format == 1);
  CHECK(image_of_bytes(bytes)->elf.version_definitions.at(0).format == 1);
  poke(bytes, need, std::uint16_t{7});
  poke(bytes, record, std::uint32_t{0x11223344});
  poke(bytes, record + 4, std::uint16_t{0xfffd});  // all flags but the one for weak ones
  poke(bytes, record + 6, std::uint16_t{0x7ffe});
  poke(bytes, definition, std::uint16_t{8});
  poke(bytes, definition + 2, std::uint16_t{0xfffe});  // all but the one for the file's own name
  poke(bytes, definition + 4, std::uint16_t{0xfffd});
  poke(bytes, definition + 8, std::uint32_t{0x55667788});
  auto image = image_of_bytes(bytes);
  CHECK(image->elf.version_needs_format == 7);
  const auto version = image->elf.version_needs.at(0).versions.at(0);
  CHECK(version.hash == 0x11223344);
  CHECK_FALSE(version.weak);
  CHECK(version.index == 0x7ffe);
  CHECK_FALSE(version.hidden);
  const auto defined = image->elf.version_definitions.at(0);
  CHECK(defined.format == 8);
  CHECK_FALSE(defined.base);
  CHECK(defined.index == 0x7ffd);
  CHECK(defined.hash == 0x55667788);
  CHECK(defined.name == "liba.so");
  poke(bytes, record + 4, std::uint16_t{2});
  poke(bytes, record + 6, std::uint16_t{0xffff});
  poke(bytes, record + 8, std::uint32_t{0x7fffffff});
  poke(bytes, definition + 2, std::uint16_t{1});
  poke(bytes, definition + 20, std::uint32_t{0x7fffffff});
  image = image_of_bytes(bytes);
  CHECK(image->elf.version_needs.at(0).versions.at(0).weak);
  CHECK(image->elf.version_needs.at(0).versions.at(0).index == 0x7fff);
  CHECK(image->elf.version_needs.at(0).versions.at(0).hidden);
  CHECK(image->elf.version_needs.at(0).versions.at(0).name == "");
  CHECK(image->elf.version_definitions.at(0).base);
  CHECK(image->elf.version_definitions.at(0).name == "");
  CHECK(image->elf.version_definitions.at(1).name == "A_1");
  // A file of which no version is wanted is none of whose versions are.
  poke(bytes, need + 2, std::uint16_t{0});
  CHECK(image_of_bytes(bytes)->elf.version_needs.empty());
  CHECK(image_of_bytes(bytes)->defects.empty());
}

TEST_CASE("records that share their bytes are no more than these can hold") {
  // Each number says 4: the next record begins four bytes further on.
  constexpr std::uint64_t size = 160;
  for (const auto& [tag, records, name] :
       {std::tuple(std::uint64_t{DT_VERNEED}, size / 16 + 1, "DT_VERNEED"), {DT_VERDEF, size / 20 + 1, "DT_VERDEF"}}) {
    ElfSpec spec{.dynamic = {{tag, 0}}};
    const auto start = (elf(spec).size() + 15) / 16 * 16;
    spec.dynamic[0].second = spec.base_address + start;
    auto bytes = elf(spec);
    bytes.resize(start);
    for (std::uint64_t i = 0; i < size; i += 4) append(bytes, std::uint32_t{4});
    poke(bytes, sizeof(Elf64_Ehdr) + 32, std::uint64_t{bytes.size()});
    const auto image = image_of_bytes(bytes);
    REQUIRE(image->defects.size() == 1);
    CHECK(image->defects[0].message == name + std::string(" leads outside its segment or repeats itself"));
    CHECK(image->defects[0].offset == start + 4 * records);
  }
}

TEST_CASE("a million entries of a dynamic table are read, and of more it is told that they have no end") {
  constexpr std::uint64_t most = 1 << 20;
  auto built = build_elf({});
  const auto start = (built.bytes.size() + 15) / 16 * 16, header = sizeof(Elf64_Ehdr);
  poke(built.bytes, header + sizeof(Elf64_Phdr) + 16, 0x10000 + start);
  std::string entry;
  append(entry, std::uint64_t{DT_DEBUG});
  append(entry, std::uint64_t{0});
  for (const std::uint64_t count : {most - 1, most}) {
    auto bytes = built.bytes;
    bytes.resize(start + (count + 1) * entry.size());
    poke(bytes, header + 32, std::uint64_t{bytes.size()});
    for (std::uint64_t i = 0; i < count; ++i) bytes.replace(start + i * entry.size(), entry.size(), entry);
    const auto image = image_of_bytes(std::move(bytes));
    REQUIRE(image->defects.size() == (count == most ? 1 : 0));
    if (count == most) CHECK(image->defects[0].offset == start + most * entry.size());
  }
}

}  // namespace
}  // namespace cudald
