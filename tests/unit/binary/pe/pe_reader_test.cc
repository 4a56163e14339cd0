#include <elf.h>

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "base/byte_reader.h"
#include "binary/pe/pe_memory.h"
#include "common/pe_builder.h"
#include "unit/binary/image_of.h"
#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

std::shared_ptr<const Image> pe_image(const PeSpec& spec) { return image_of_bytes(pe(spec)); }

std::string names(const Image& image) {
  std::string text;
  for (const auto& dll : image.pe->imports) text += (dll.delayed ? "delayed " : "") + dll.name + "\n";
  return text;
}

TEST_CASE("the headers of a PE file are read in both kinds") {
  struct Row {
    bool wide;
    std::uint16_t machine, elf_machine;
    Format format;
    std::uint64_t image_base;
  };
  const Row rows[] = {
      {true, 0x8664, EM_X86_64, Format::pe32_plus, 0x180000000},
      {true, 0xaa64, EM_AARCH64, Format::pe32_plus, 0x7ffe00000000},
      {false, 0x14c, EM_386, Format::pe32, 0x10000000},
      {true, 0x1234, EM_NONE, Format::pe32_plus, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.machine);
    const auto bytes = pe({.wide = row.wide, .machine = row.machine, .subsystem = 3, .image_base = row.image_base});
    const auto image = image_of_bytes(bytes);
    CHECK(image->format == row.format);
    CHECK(image->is_pe());
    CHECK_FALSE(image->is_elf());
    CHECK_FALSE(image->elf.header.has_magic);
    CHECK(image->has_mz_magic);
    CHECK(image->file_size == bytes.size());
    CHECK(image->machine == row.elf_machine);
    CHECK(image->type == FileType::shared);
    REQUIRE(image->pe);
    CHECK(image->pe->machine == row.machine);
    CHECK(image->pe->image_base == row.image_base);
    CHECK(image->pe->subsystem == 3);
    CHECK(image->pe->dll_characteristics == 0x160);
    REQUIRE(image->pe->sections.size() == 1);
    CHECK(image->pe->sections[0].name == ".rdata");
    CHECK(image->pe->sections[0].address == 0x1000);
    CHECK(image->pe->sections[0].offset == 0x400);
    CHECK_FALSE(image->pe->managed);
    CHECK(defects(*image) == "");
  }
  CHECK(pe_image({.characteristics = 0x22})->type == FileType::executable);
  CHECK(pe_image({.characteristics = 0})->type == FileType::other);
  CHECK(pe_image({.clr_header = true})->pe->managed);
}

TEST_CASE("a file that starts with MZ and has no PE header is none") {
  const auto good = pe({});
  for (const auto size : {2, 0x3f, 0x40, 0x43, 0x50, 0x58, 0xa0}) {
    CAPTURE(size);
    const auto image = image_of_bytes(good.substr(0, static_cast<std::size_t>(size)));
    CHECK(image->has_mz_magic);
    CHECK(image->format == Format::unknown);
    CHECK_FALSE(image->pe);
    CHECK(image->defects.size() == 1);
  }
  auto bytes = good;
  poke(bytes, 0x3c, std::numeric_limits<std::uint32_t>::max());
  CHECK(defects(*image_of_bytes(bytes)) ==
        "no PE header where the DOS header points: a program for DOS, or a file that was cut short\n");
  bytes = good;
  poke(bytes, build_pe({}).at["optional header"], std::uint16_t{0x107});
  CHECK(defects(*image_of_bytes(bytes)) == "the optional header is of the unknown kind 0x107\n");
}

TEST_CASE("imports and delay imports are read in both kinds") {
  for (const bool wide : {true, false})
    for (const bool absolute : {false, true}) {
      CAPTURE(wide);
      const auto image = pe_image({.wide = wide,
                                   .image_base = 0x10000000,
                                   .imports = {{"KERNEL32.dll", {{"ExitProcess"}, {"", 7}}},
                                               {"x.y", {{"f"}}},
                                               {"cudart64_12.dll", {{"cudaMalloc"}}, true},
                                               {std::string(300, 'a') + ".dll", {}}},
                                   .absolute_delay_addresses = absolute});
      CHECK(names(*image) == "KERNEL32.dll\nx.y\n" + std::string(300, 'a') + ".dll\ndelayed cudart64_12.dll\n");
      CHECK(defects(*image) == "");
    }
}

TEST_CASE("of very many imported DLLs the first are read, and the limit is told") {
  constexpr std::size_t most = 4096;
  PeSpec spec;
  spec.imports.assign(most, {"a.dll", {{"f"}}});
  CHECK(defects(*image_of_bytes(build_pe(spec).bytes)) == "");
  spec.imports.push_back({"b.dll", {{"f"}}});
  const auto image = image_of_bytes(build_pe(spec).bytes);
  CHECK(image->pe->imports.size() == most);
  CAPTURE(defects(*image));
  CHECK(defects(*image).find("the import table names more DLLs, or longer ones, than are read") != std::string::npos);
}

TEST_CASE("a table of imports without end or with bad names is a defect, and the healthy ones count") {
  const PeSpec spec{.imports = {{"a.dll", {{"f"}}}, {"b.dll", {{"g"}}}, {"c.dll", {{"h"}}}}};
  auto built = build_pe(spec);
  poke(built.bytes, built.at["imports"] + 20 + 12, std::uint32_t{0x7fff0000});
  auto image = image_of_bytes(built.bytes);
  CHECK(names(*image) == "a.dll\nc.dll\n");
  CHECK(defects(*image) == "1 names of DLLs in the import table are empty, are outside the sections or have no end\n");

  // The table runs to the end of its section: all that follows it is taken for entries.
  built = build_pe(spec);
  const auto tail = built.bytes.size() - built.at["imports"];
  for (std::uint64_t at = 0; at + 4 <= tail; at += 4)
    poke(built.bytes, built.at["imports"] + at, std::uint32_t{0x1010});
  poke(built.bytes, built.at["sections"] + 8, std::uint32_t{0x1000});
  poke(built.bytes, built.at["sections"] + 16, std::uint32_t{0x1000});
  built.bytes.resize(0x1400, '\x11');
  image = image_of_bytes(built.bytes);
  CHECK(defects(*image).find("the import table has no end inside its section\n") != std::string::npos);

  built = build_pe(spec);
  poke(built.bytes, built.at["directories"] + 8, std::uint32_t{0x55550000});
  CHECK(defects(*image_of_bytes(built.bytes)) == "the import directory is outside the sections (at 0x55550000)\n");

  built = build_pe(spec);
  poke(built.bytes, built.at["directories"] + 12, std::uint32_t{0x7fffffff});
  image = image_of_bytes(built.bytes);
  CHECK(names(*image) == "a.dll\nb.dll\nc.dll\n");
  CHECK(defects(*image) == "the import directory says it has 2147483647 bytes, but only 4096 are mapped there\n");
}

TEST_CASE("memory behind a section's bytes in the file is zero") {
  // The table's terminator lies there, as linkers may lay it out.
  auto built = build_pe({.imports = {{"a.dll", {{"f"}}}}, .more_memory = 64});
  const auto end = built.at["imports"] + 20;
  auto bytes = built.bytes.substr(0, end);
  poke(bytes, built.at["sections"] + 16, static_cast<std::uint32_t>(end - 0x400));
  const auto name_at = BuiltPe::address(0x400);
  poke(bytes, built.at["imports"] + 12, name_at);
  bytes.replace(0x400, 6, std::string("a.dll\0", 6));
  poke(bytes, built.at["imports"] + 16, std::uint32_t{0x1000});
  const auto image = image_of_bytes(bytes);
  CHECK(image->pe->imports.size() == 1);
  CHECK(defects(*image) == "");
}

TEST_CASE("with a section alignment below the page, addresses are offsets") {
  auto built = build_pe({.imports = {{"a.dll", {{"f"}}}}});
  const auto table = built.at["imports"];
  const auto name = built.bytes.find("a.dll");
  poke(built.bytes, built.at["optional header"] + 32, std::uint32_t{512});
  poke(built.bytes, built.at["directories"] + 8, static_cast<std::uint32_t>(table));
  poke(built.bytes, table + 12, static_cast<std::uint32_t>(name));
  poke(built.bytes, table + 16, static_cast<std::uint32_t>(name));
  const auto image = image_of_bytes(built.bytes);
  CHECK(names(*image) == "a.dll\n");
  CHECK(defects(*image) == "");
}

TEST_CASE("sections that cannot be are defects") {
  auto built = build_pe({.imports = {{"a.dll", {{"f"}}}}});
  auto bytes = built.bytes;
  poke(bytes, built.at["sections"] + 16, std::uint32_t{0x10000});
  CHECK(defects(*image_of_bytes(bytes)) == "the section .rdata runs past the end of the file: it was cut short\n");

  bytes = built.bytes;
  poke(bytes, 0x46, std::uint16_t{2});
  bytes.replace(built.at["sections"] + 40, 40, bytes.substr(built.at["sections"], 40));
  bytes[built.at["sections"] + 41] = 'x';
  auto image = image_of_bytes(bytes);
  CHECK(defects(*image) ==
        "the section .xdata overlaps the one before it in memory\nthe sections .rdata and .xdata share bytes of the "
        "file\n");
  CHECK(names(*image) == "a.dll\n");

  bytes = built.bytes;
  poke(bytes, 0x46, std::uint16_t{65535});
  image = image_of_bytes(bytes);
  CHECK(defects(*image).starts_with("the section headers run past the end of the file\n"));
}

TEST_CASE("the version resource and manifests are read") {
  const std::string manifest = R"(<assembly><dependency><dependentAssembly>
      <assemblyIdentity name="Microsoft.VC90.CRT" version="9.0.21022.8"/></dependentAssembly></dependency></assembly>)";
  const PeSpec spec{.resources = {{3, 1, "icon"},
                                  {16, 1, version_resource(0x0006000e000b2f30, 0x000c000800000000)},
                                  {24, 2, manifest}}};
  auto built = build_pe(spec);
  auto image = image_of_bytes(built.bytes);
  CHECK(image->pe->file_version == "6.14.11.12080");
  built.bytes[built.at.at("optional header") + 2] = 14;
  built.bytes[built.at.at("optional header") + 3] = 44;
  CHECK(image_of_bytes(built.bytes)->pe->linker_major == 14);
  CHECK(image_of_bytes(built.bytes)->pe->linker_minor == 44);
  CHECK(image->pe->product_version == "12.8.0.0");
  REQUIRE(image->pe->manifests.size() == 1);
  CHECK(image->pe->manifests[0].id == 2);
  REQUIRE(image->pe->manifests[0].dependencies.size() == 1);
  CHECK(image->pe->manifests[0].dependencies[0].name == "Microsoft.VC90.CRT");
  CHECK(defects(*image) == "");

  auto bytes = built.bytes;
  poke(bytes, built.at["data of resource 2"], std::uint32_t{0x40000000});
  image = image_of_bytes(bytes);
  CHECK(image->pe->file_version == "6.14.11.12080");
  CHECK(image->pe->manifests.empty());
  CHECK(defects(*image) == "a resource is outside the sections\n");

  bytes = built.bytes;  // a folder that is its own child, as a type and as an id
  poke(bytes, built.at["resources"] + 16 + 8 + 4, std::uint32_t{0x80000000});
  image = image_of_bytes(bytes);
  CHECK_FALSE(image->pe->file_version);
  CHECK(image->defects.size() == 1);
}

TEST_CASE("an import without functions is none, as Windows passes over it") {
  for (const bool wide : {true, false}) {
    CAPTURE(wide);
    const auto image = image_of_bytes(pe({.wide = wide,
                                          .machine = static_cast<std::uint16_t>(wide ? 0x8664 : 0x14c),
                                          .imports = {{"a.dll", {}, false, true},
                                                      {"b.dll", {{"f"}}},
                                                      {"c.dll", {}, false, true},
                                                      {"d.dll"},
                                                      {"e.dll", {{"f"}}, true}}}));
    CHECK(names(*image) == "b.dll\nd.dll\ndelayed e.dll\n");
    CHECK(defects(*image) == "");
  }
}

TEST_CASE("DependentLoadFlags are read if the load configuration is as long") {
  for (const bool wide : {true, false}) {
    CAPTURE(wide);
    const PeSpec spec{
        .wide = wide, .machine = static_cast<std::uint16_t>(wide ? 0x8664 : 0x14c), .dependent_load_flags = 0x800};
    auto built = build_pe(spec);
    CHECK(image_of_bytes(built.bytes)->pe->dependent_load_flags == 0x800);
    poke(built.bytes, built.at["load configuration"], std::uint32_t{wide ? 79U : 55U});
    CHECK(image_of_bytes(built.bytes)->pe->dependent_load_flags == 0);
    poke(built.bytes, built.at["directories"] + 80, std::uint32_t{0x7fff0000});
    const auto image = image_of_bytes(built.bytes);
    CHECK(image->pe->dependent_load_flags == 0);
    CHECK(image->defects.size() == 1);
  }
}

// Source: Microsoft's "PE Format", Machine Types.
TEST_CASE("machines of PE files are those of ELF") {
  for (const auto& [pe_number, elf_number] :
       {std::pair(0x014c, EM_386), std::pair(0x01c4, EM_ARM), std::pair(0x0200, EM_IA_64), std::pair(0x5064, EM_RISCV),
        std::pair(0x8664, EM_X86_64), std::pair(0xaa64, EM_AARCH64), std::pair(0x0ebc, EM_NONE)}) {
    const auto& seen_pe_number = pe_number;
    CAPTURE(seen_pe_number);
    CHECK(pe_image({.machine = static_cast<std::uint16_t>(pe_number)})->machine == elf_number);
  }
}

TEST_CASE("as many manifests are read as a file may have, and one more is told") {
  for (const std::size_t count : {15, 16, 17}) {
    CAPTURE(count);
    PeSpec spec;
    for (std::size_t i = 0; i < count; ++i)
      spec.resources.push_back({24, static_cast<std::uint32_t>(i + 1), "<assembly/>"});
    const auto image = pe_image(spec);
    CHECK(image->pe->manifests.size() == std::min<std::size_t>(count, 16));
    CHECK(defects(*image) == (count == 17 ? "limit: there are more manifests and versions than are read\n" : ""));
  }
}

TEST_CASE("of several versions the first counts, and one that is none is a defect") {
  const auto good = version_resource(0x0001000200030004, 0x0005000600070008);
  const auto first = pe_image({.resources = {{16, 1, good}, {16, 2, version_resource(0, 0)}}});
  CHECK(first->pe->file_version == "1.2.3.4");
  CHECK(first->pe->product_version == "5.6.7.8");
  for (const auto& bad : {good.substr(0, 63), std::string(100, 'x')}) {
    const auto image = pe_image({.resources = {{16, 1, bad}}});
    CHECK_FALSE(image->pe->file_version);
    CHECK(defects(*image) == "the version resource is not what its type says\n");
  }
}

TEST_CASE("folders of resources that lie about their place or length are defects") {
  const auto built = build_pe({.resources = {{24, 1, "<assembly/>"}}});
  const auto with = [&](std::uint64_t at, auto value) {
    auto bytes = built.bytes;
    poke(bytes, built.at.at("resources") + at, value);
    return defects(*image_of_bytes(bytes));
  };
  CHECK(with(20, std::uint32_t{0x80000000 + 0x7fff0000}) == "a directory of the resources is outside their section\n");
  CHECK(with(20, std::uint32_t{0x20}) == "a directory of the resources is outside their section\n");
  CHECK(with(14, std::uint16_t{4096}) == "a directory of the resources runs past the end of its section\n");
  CHECK(with(14, std::uint16_t{0xffff})
            .starts_with("limit: a directory of the resources has more entries than are read\n"));
}

TEST_CASE("directories that do not fit into the headers, and exports that do not fit into their section") {
  auto built = build_pe({.name = "a.dll", .exports = {{"f", 1, ""}}});
  CHECK(image_of_bytes(built.bytes)->pe->export_names == 1);
  auto bytes = built.bytes;
  // 20 bytes in front of the optional header are those of the file header, which ends with its size.
  poke(bytes, built.at["optional header"] - 4,
       static_cast<std::uint16_t>(built.at["directories"] - built.at["optional header"] + 12));
  CHECK(defects(*image_of_bytes(bytes))
            .starts_with("the optional header says it has more data directories than fit into it\n"));
  bytes = built.bytes;
  const auto end_of_page = (bytes.size() - 0x400 + 0xfff) / 0x1000 * 0x1000;
  poke(bytes, built.at["directories"], static_cast<std::uint32_t>(0x1000 + end_of_page - 20));
  const auto image = image_of_bytes(bytes);
  CHECK(defects(*image) ==
        "the export directory says it has 82 bytes, but only 20 are mapped there\n"
        "the export directory runs past the end of its section\n");
  CHECK(image->pe->exports_size == 0);
}

TEST_CASE("sections of which one is told of several faults, and those beside each other that have none") {
  // Three sections of a page each, with the same bytes of the file at first.
  auto built = build_pe({.imports = {{"a.dll", {{"f"}}}}});
  const auto table = built.at["sections"];
  const auto with = [&](std::vector<std::array<std::uint32_t, 4>> rows) {
    auto bytes = built.bytes;
    bytes.resize(0x3000);
    poke(bytes, 0x46, static_cast<std::uint16_t>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = table + 40 * i;
      bytes.replace(at, 40, std::string(40, '\0'));
      bytes.replace(at, 2, "s" + std::to_string(i));
      for (const auto& [field, value] :
           {std::pair{8U, rows[i][1]}, {12U, rows[i][0]}, {16U, rows[i][3]}, {20U, rows[i][2]}})
        poke(bytes, at + field, value);
    }
    const auto image = image_of_bytes(bytes);
    REQUIRE(image->pe->sections.size() == rows.size());
    CHECK(image->pe->sections.back().address == rows.back()[0]);
    CHECK(image->pe->sections.back().memory_size == rows.back()[1]);
    CHECK(image->pe->sections.back().offset == rows.back()[2]);
    CHECK(image->pe->sections.back().file_size == rows.back()[3]);
    return defects(*image);
  };
  const std::array<std::uint32_t, 4> first{0x1000, 0x1000, 0x400, 0x400};
  CHECK(with({first, {0x2000, 0x1000, 0x800, 0x200}, {0x3000, 0x1000, 0xa00, 0x200}}) == "");
  CHECK(with({first, {0x1fff, 0x1000, 0x800, 0x200}, {0x2000, 0x1000, 0xa00, 0x200}}) ==
        "the section s1 overlaps the one before it in memory\n");
  CHECK(with({first, {0x2000, 0x1000, 0x2c00, 0x401}, {0x3000, 0x1000, 0x2f00, 0x101}})
            .starts_with("the section s1 runs past the end of the file: it was cut short\nthe sections s1 and s2 share "
                         "bytes of the file\n"));
  CHECK(with({first, {0x2000, 0x1000, 0x2c00, 0x400}}) == "");
  CHECK(with({first, {0x2000, 0x1000, 0x7ff, 0x200}}) == "the sections s0 and s1 share bytes of the file\n");
  CHECK(with({first, {0x2000, 0x1000, 0xa00, 0x200}, {0x3000, 0x1000, 0x900, 0x101}}) ==
        "the sections s2 and s1 share bytes of the file\n");
  // Those without bytes in the file share none.
  CHECK(with({first, {0x2000, 0x1000, 0x500, 0}}) == "");
  CHECK(with({first, {0x2000, 0x1000, 0, 0x500}}) == "");
}

TEST_CASE("a table of imports is cut wherever in an entry its section ends") {
  for (const std::uint32_t there : {1U, 3U, 13U, 15U, 17U, 19U}) {
    auto built = build_pe({.imports = {{"a.dll", {{"f"}}}}});
    poke(built.bytes, built.at["directories"] + 8, 0x2000 - there);
    CAPTURE(there);
    CHECK(defects(*image_of_bytes(built.bytes)).ends_with("the import table has no end inside its section\n"));
    built = build_pe({.imports = {{.dll = "a.dll", .functions = {{"f"}}, .delayed = true}}});
    poke(built.bytes, built.at["directories"] + 8 * 13, 0x2000 - there);
    CHECK(defects(*image_of_bytes(built.bytes)).ends_with("the delay-import table has no end inside its section\n"));
  }
}

TEST_CASE("an import without an address table ends the imports, and names in the headers are none") {
  const PeSpec spec{.imports = {{"a.dll", {{"f"}}}, {"b.dll", {{"g"}}}, {"c.dll", {{"h"}}}}};
  for (const std::uint64_t field : {12U, 16U}) {
    auto built = build_pe(spec);
    poke(built.bytes, built.at["imports"] + 20 + field, std::uint32_t{0});
    const auto image = image_of_bytes(built.bytes);
    CHECK(names(*image) == "a.dll\n");
    CHECK(defects(*image) == "");
  }
  for (const std::uint32_t place : {0x3ffU, 0x400U}) {
    auto built = build_pe(spec);
    poke(built.bytes, built.at["imports"] + 16, std::uint32_t{0x100c});
    poke(built.bytes, built.at["imports"], place);
    const auto image = image_of_bytes(built.bytes);
    REQUIRE(!image->pe->imports.empty());
    CHECK(image->pe->imports[0].names_at == (place == 0x3ff ? 0x100c : 0x400));
  }
}

TEST_CASE("a DLL's own name, which may be missing or lie nowhere") {
  const PeSpec spec{.name = "own.dll", .exports = {{"f", 1, ""}}};
  auto built = build_pe(spec);
  const auto exports = built.at["exports"];
  CHECK(image_of_bytes(built.bytes)->soname == "own.dll");
  poke(built.bytes, exports + 12, std::uint32_t{0});
  auto image = image_of_bytes(built.bytes);
  CHECK_FALSE(image->soname);
  CHECK(defects(*image) == "");
  CHECK(image->pe->exports_at == BuiltPe::address(exports));
  CHECK(image->pe->export_names == 1);
  poke(built.bytes, exports + 12, std::uint32_t{0x7fff0000});
  image = image_of_bytes(built.bytes);
  CHECK_FALSE(image->soname);
  CHECK(defects(*image) == "the DLL's own name in the export directory is outside the sections or has no end\n");
  for (const std::uint32_t there : {40U, 39U, 14U}) {
    built = build_pe(spec);
    poke(built.bytes, built.at["directories"], 0x2000 - there);
    poke(built.bytes, built.at["directories"] + 4, std::uint32_t{8});
    image = image_of_bytes(built.bytes);
    CHECK(defects(*image) == (there == 40 ? "" : "the export directory runs past the end of its section\n"));
    CHECK(image->pe->exports_at == (there == 40 ? 0x2000 - 40 : 0));
  }
}

TEST_CASE("numbers and texts that end where a section's bytes end in the file go on with zeros") {
  auto bytes = pe({.constants = std::string("abcdefgh")});
  const auto sections = build_pe({}).at["sections"];
  poke(bytes, sections + 16, std::uint32_t{6});
  const auto place = bytes.find("abcdefgh");
  REQUIRE(place == 0x400);
  FaultyFile file(bytes);
  const auto image = *read_image(file);
  PeMemory memory(file, *image->pe);
  CHECK(memory.number<std::uint32_t>(0x1002) == 0x66656463);
  CHECK(memory.number<std::uint32_t>(0x1003) == 0x00666564);
  CHECK(memory.number<std::uint32_t>(0x1006) == 0U);
  CHECK(memory.number<std::uint32_t>(0x1ffc) == 0U);
  CHECK(memory.number<std::uint32_t>(0x1ffd) == std::nullopt);
  CHECK(memory.number<std::uint16_t>(0) == std::uint16_t{0x5a4d});
  CHECK(memory.number<std::uint16_t>(0x400) == std::nullopt);
  CHECK(memory.string(0x1001, 100) == "bcdef");
  CHECK(memory.string(0x1001, 5) == "bcdef");
  CHECK(memory.string(0x1001, 4) == std::nullopt);
  CHECK(memory.string(0x1006, 100) == "");
  CHECK(memory.string(0x2000, 100) == std::nullopt);
  CHECK(memory.mapped(0x1001) == 0xfff);
  CHECK(memory.mapped(0x2000) == 0);
  CHECK(memory.bytes(0x1004, 4) == std::vector<std::byte>{std::byte{'e'}, std::byte{'f'}, {}, {}});
  CHECK(memory.bytes(0x1ffe, 4).size() == 2);
  CHECK(memory.bytes(0x2000, 4).empty());
  // The whole section is in the file, and the text has no end.
  auto full = bytes;
  full.resize(0x1400, 'x');
  poke(full, sections + 16, std::uint32_t{0x1000});
  FaultyFile whole(full);
  const auto other = *read_image(whole);
  CHECK(PeMemory(whole, *other->pe).string(0x1ffe, 100) == std::nullopt);
}

TEST_CASE("entries of resources that end where their section ends") {
  const auto built = build_pe({.resources = {{24, 1, "<assembly/>"}}});
  const auto root = built.at.at("resources");
  const auto cut_at = [&](std::uint64_t place, std::uint32_t there) {
    // What the folder or data at a place is moved to: so many bytes before the end of the mapped page.
    auto bytes = built.bytes;
    const auto away = 0x2000 - there - BuiltPe::address(root);
    poke(bytes, root + place, static_cast<std::uint32_t>(away | (place == 68 ? 0 : 0x80000000)));
    const auto image = image_of_bytes(bytes);
    CHECK(image->pe->manifests.empty());
    return defects(*image);
  };
  // The places stand in the entries of the three folders, 24 bytes each.
  const std::string outside = "a directory of the resources is outside their section\n";
  for (const std::uint64_t level : {20U, 44U}) {
    CHECK(cut_at(level, 13) == outside);
    CHECK(cut_at(level, 15) == outside);
    CHECK(cut_at(level, 16) == "");  // a folder of nothing
  }
  CHECK(cut_at(68, 3) == "a resource is outside the sections\n");
  CHECK(cut_at(68, 7) == "a resource is outside the sections\n");
  CHECK(cut_at(68, 8) == "");
}

/// Each defect with its place, a line each.
std::string placed_defects(const Image& image) {
  std::string text;
  for (const auto& defect : image.defects)
    text += (defect.limit ? "limit: " : "") + defect.message +
            (defect.offset ? " @" + std::to_string(*defect.offset) : "") + "\n";
  return text;
}

TEST_CASE("each number of the headers has its own place, in both kinds") {
  for (const bool wide : {true, false}) {
    auto built = build_pe({.wide = wide, .imports = {{"a.dll", {{"f"}}}}});
    auto& bytes = built.bytes;
    const auto optional = built.at.at("optional header"), section = built.at.at("sections");
    poke(bytes, 0x48, std::uint32_t{0x11223344});
    poke(bytes, optional + 36, std::uint32_t{0x200});
    poke(bytes, optional + 56, std::uint32_t{0x3000});
    poke(bytes, optional + 60, std::uint32_t{0x380});
    poke(bytes, optional + 68, std::uint16_t{0x102});
    poke(bytes, optional + 70, std::uint16_t{0x304});
    poke(bytes, section + 8, std::uint32_t{0x1ff});
    poke(bytes, section + 36, std::uint32_t{0x40000040});
    bytes.replace(section, 8, "eightful");
    const auto image = image_of_bytes(bytes);
    const auto& pe = *image->pe;
    CHECK(pe.timestamp == 0x11223344);
    CHECK(pe.characteristics == 0x2022);
    CHECK(pe.section_alignment == 4096);
    CHECK(pe.file_alignment == 0x200);
    CHECK(pe.image_size == 0x3000);
    CHECK(pe.headers_size == 0x380);
    CHECK(pe.subsystem == 0x102);
    CHECK(pe.dll_characteristics == 0x304);
    REQUIRE(pe.sections.size() == 1);
    CHECK(pe.sections[0].name == "eightful");
    CHECK(pe.sections[0].memory_size == 0x1ff);
    CHECK(pe.sections[0].address == 0x1000);
    CHECK(pe.sections[0].file_size == bytes.size() - 0x400);
    CHECK(pe.sections[0].offset == 0x400);
    CHECK(pe.sections[0].flags == 0x40000040);
    CHECK(image->byte_order == ByteOrder::little);
  }
}

TEST_CASE("what is wrong with the headers is told with its place") {
  const auto built = build_pe({});
  const auto optional = built.at.at("optional header"), directories = built.at.at("directories");
  const auto cut = [&](std::uint64_t size) { return placed_defects(*image_of_bytes(built.bytes.substr(0, size))); };
  const auto poked = [&](std::uint64_t at, auto value) {
    auto bytes = built.bytes;
    poke(bytes, at, value);
    return placed_defects(*image_of_bytes(bytes));
  };
  const std::string none = "no PE header where the DOS header points: a program for DOS, or a file that was cut short";
  CHECK(cut(0x3f) == none + "\n");
  CHECK(cut(0x43) == none + " @64\n");
  CHECK(poked(0x3c, std::uint32_t{0x48}) == none + " @72\n");
  CHECK(poked(0x40, std::uint32_t{0x4551}) == none + " @64\n");
  CHECK(cut(optional + 1) == "the PE header runs past the end of the file @68\n");
  CHECK(cut(optional + 2) == "the optional header is too short, or runs past the end of the file @88\n");
  CHECK(poked(optional, std::uint16_t{0x10c}) == "the optional header is of the unknown kind 0x10c @88\n");
  CHECK(poked(0x54, std::uint16_t{111}) == "the optional header is too short, or runs past the end of the file @88\n");
  // It ends before the first directory, or within the second.
  CHECK(poked(0x54, std::uint16_t{112})
            .starts_with("the optional header says it has more data directories than fit into it @" +
                         std::to_string(directories) + "\n"));
  CHECK(poked(0x54, std::uint16_t{127})
            .starts_with("the optional header says it has more data directories than fit into it @" +
                         std::to_string(directories + 8) + "\n"));
  CHECK(poked(0x46, std::uint16_t{100}).starts_with("the section headers run past the end of the file @328\n"));
  CHECK(placed_defects(*image_of_bytes(built.bytes)) == "");
  CHECK(placed_defects(*pe_image({.wide = false})) == "");
}

TEST_CASE("as many directories count as the header says, sixteen at most") {
  auto built =
      build_pe({.name = "a.dll", .imports = {{"b.dll", {{"f"}}}}, .exports = {{"g", 1, ""}}, .clr_header = true});
  const auto with = [&](std::uint32_t count) {
    poke(built.bytes, built.at["directories"] - 4, count);
    const auto image = image_of_bytes(built.bytes);
    CHECK(defects(*image) == "");
    return (image->soname ? "own " : "") + std::string(image->pe->imports.empty() ? "" : "imports ") +
           (image->pe->managed ? "managed" : "");
  };
  CHECK(with(0) == "");
  CHECK(with(1) == "own ");
  CHECK(with(2) == "own imports ");
  CHECK(with(14) == "own imports ");
  CHECK(with(15) == "own imports managed");
  CHECK(with(17) == "own imports managed");
  CHECK(with(~std::uint32_t{0}) == "own imports managed");
}

TEST_CASE("each directory that lies nowhere, or is too long, is told by its name") {
  const std::pair<std::uint64_t, std::string> rows[] = {{0, "export"},        {1, "import"},
                                                        {2, "resource"},      {10, "load configuration"},
                                                        {13, "delay-import"}, {14, "CLR header"}};
  for (const auto& [number, name] : rows) {
    auto built = build_pe({});
    const auto entry = built.at["directories"] + 8 * number;
    poke(built.bytes, entry, std::uint32_t{0x70000});
    auto image = image_of_bytes(built.bytes);
    CHECK(placed_defects(*image) == "the " + name + " directory is outside the sections (at 0x70000)\n");
    CHECK_FALSE(image->pe->managed);
    // The headers are mapped as well, and are as long as they say.
    poke(built.bytes, entry, std::uint32_t{0x3ff});
    poke(built.bytes, entry + 4, std::uint32_t{1});
    CHECK(defects(*image_of_bytes(built.bytes)).find("directory says") == std::string::npos);
    poke(built.bytes, entry + 4, std::uint32_t{2});
    CHECK(placed_defects(*image_of_bytes(built.bytes))
              .starts_with("the " + name + " directory says it has 2 bytes, but only 1 are mapped there\n"));
  }
}

TEST_CASE("the load configuration must have the flags whole") {
  for (const bool wide : {true, false}) {
    auto built = build_pe({.wide = wide, .dependent_load_flags = 0x8123});
    for (const std::uint32_t there : {0U, 1U, 2U}) {
      poke(built.bytes, built.at["load configuration"], (wide ? 78U : 54U) + there);
      CHECK(image_of_bytes(built.bytes)->pe->dependent_load_flags == (there == 2 ? 0x8123 : 0));
    }
  }
}

TEST_CASE("names of DLLs have 32767 characters at most, and all together 16 MiB, bad ones counting as 4096") {
  const std::string longest(32767, 'n');
  CHECK(names(*pe_image({.imports = {{longest, {{"f"}}}}})) == longest + "\n");
  CHECK(defects(*pe_image({.imports = {{longest + "n", {{"f"}}}}})) ==
        "1 names of DLLs in the import table are empty, are outside the sections or have no end\n");
  CHECK(pe_image({.name = longest, .exports = {{"f", 1, ""}}})->soname == longest);
  CHECK_FALSE(pe_image({.name = longest + "n", .exports = {{"f", 1, ""}}})->soname);
  for (const std::size_t length : {4096U, 4097U}) {
    PeSpec spec{.imports = {{std::string(length, 'd'), {{"f"}}, true}}};
    spec.imports.insert(spec.imports.end(), 4095, {"", {{"f"}}});
    const auto image = pe_image(spec);
    CHECK(image->pe->imports.size() == (length == 4096 ? 1 : 0));
    CHECK(placed_defects(*image) ==
          "4095 names of DLLs in the import table are empty, are outside the sections or have no end\n" +
              std::string(length == 4096 ? ""
                                         : "limit: the delay-import table names more DLLs, or longer ones, than are "
                                           "read\n"));
  }
}

TEST_CASE("where the functions of each DLL stand, and whether it is loaded later") {
  for (const bool absolute : {false, true}) {
    const auto built = build_pe({.image_base = 0x10000000,
                                 .imports = {{"a.dll", {{"f"}}}, {"b.dll", {{"g"}}, true}},
                                 .absolute_delay_addresses = absolute});
    const auto image = image_of_bytes(built.bytes);
    REQUIRE(image->pe->imports.size() == 2);
    const auto& now = image->pe->imports[0];
    const auto& later = image->pe->imports[1];
    CHECK_FALSE(now.delayed);
    CHECK_FALSE(now.absolute_addresses);
    CHECK(later.delayed);
    CHECK(later.absolute_addresses == absolute);
    const ByteReader bytes(std::as_bytes(std::span(built.bytes)), ByteOrder::little);
    CHECK(now.names_at == bytes.number<std::uint32_t>(built.at.at("imports")));
    CHECK(later.names_at ==
          *bytes.number<std::uint32_t>(built.at.at("delay imports") + 16) - (absolute ? 0x10000000 : 0));
  }
}

TEST_CASE("of two sections at one address the later is mapped, and both parts of a gap are not") {
  PeFacts facts;
  facts.section_alignment = 4096;
  facts.headers_size = 0x10;
  facts.sections = {{"one", 0x1000, 0x10, 0x200, 0x10, 0},
                    {"two", 0x1000, 0x10, 0x400, 0x10, 0},
                    {"three", 0x3000, 0, 0x601, 0x1001, 0},
                    {"four", 0x5000, 0x10, 0, 0x10, 0}};
  std::string bytes(0x2000, '\0');
  bytes[0x200] = 'a';
  bytes[0x400] = 'b';
  bytes[0x600] = 'c';
  const FaultyFile file(bytes);
  PeMemory memory(file, facts);
  CHECK(memory.number<std::uint8_t>(0x1000) == std::uint8_t{'b'});
  CHECK(memory.mapped(0xf) == 1);
  CHECK(memory.mapped(0x10) == 0);
  CHECK(memory.mapped(0x1000) == 0x1000);
  CHECK(memory.mapped(0x2000) == 0);
  // Of a size that is not told that in the file counts, in whole pages; the offset is that of its sector.
  CHECK(memory.mapped(0x3000) == 0x3000);
  CHECK(memory.number<std::uint8_t>(0x3000) == std::uint8_t{'c'});
  // One without an offset has no bytes in the file.
  CHECK(memory.number<std::uint32_t>(0x5000) == 0U);
  facts.section_alignment = 4095;
  facts.image_size = 0x1234;
  PeMemory flat(file, facts);
  CHECK(flat.mapped(0) == 0x1234);
  CHECK(flat.number<std::uint8_t>(0x200) == std::uint8_t{'a'});
}

TEST_CASE("of resources only numbered types count, ids may have names, and of languages the first is read") {
  const auto built = build_pe({.resources = {{24, 7, "<assembly/>"}}});
  const auto root = built.at.at("resources");
  const auto with = [&](std::uint64_t at, std::uint16_t named, std::uint16_t numbered) {
    auto bytes = built.bytes;
    poke(bytes, root + at + 12, named);
    poke(bytes, root + at + 14, numbered);
    const auto image = image_of_bytes(bytes);
    CHECK(defects(*image) == "");
    return image->pe->manifests.size();
  };
  // Each folder has one entry, and stands right behind the one before it.
  CHECK(with(0, 0, 1) == 1);
  CHECK(with(0, 1, 0) == 0);
  CHECK(with(24, 1, 0) == 1);
  CHECK(with(48, 1, 0) == 0);
  CHECK(with(48, 0, 0) == 0);
  const auto image = image_of_bytes(built.bytes);
  CHECK(image->pe->manifests.at(0).id == 7);
}

TEST_CASE("of a manifest a mebibyte is read, and faults of resources have no place") {
  for (const std::size_t size : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
    const std::string file = "<file name='a'/>";
    const auto image = pe_image({.resources = {{24, 1, std::string(size - file.size(), ' ') + file}}});
    REQUIRE(image->pe->manifests.size() == 1);
    CHECK(image->pe->manifests[0].files.size() == (size == std::size_t{1} << 20 ? 1 : 0));
  }
  const auto version = pe_image({.resources = {{16, 1, std::string(64, 'x')}}});
  CHECK(placed_defects(*version) == "the version resource is not what its type says\n");
  CHECK(pe_image({.resources = {{16, 1, version_resource(1, 2).substr(0, 64)}}})->pe->file_version == "0.0.0.1");
  // Entries of a folder: as many as are read, and one more.
  for (const std::uint16_t count : {std::uint16_t{4096}, std::uint16_t{4097}}) {
    auto built = build_pe({.resources = {{24, 1, "<assembly/>"}}, .constants = std::string(40'000, '\0')});
    poke(built.bytes, built.at["resources"] + 14, count);
    CHECK((defects(*image_of_bytes(built.bytes)) == "") == (count == 4096));
  }
}

}  // namespace
}  // namespace cudald
