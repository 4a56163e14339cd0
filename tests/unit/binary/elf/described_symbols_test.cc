#include <doctest/doctest.h>

#include <cudald/image.h>

#include "binary/elf/symbol_table.h"
#include "binary/image_store.h"
#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "machine/abi.h"

namespace cudald {
namespace {

struct Tables {
  std::shared_ptr<const SymbolTable> real, described;
};

Tables tables_of(const ElfSpec& spec) {
  MemoryFileSystem files;
  files.add_file("/liba.so", elf(spec));
  ImageStore images(files);
  const auto image = images.open("/liba.so").image;
  const auto& abi = *find_abi(image->machine, image->format, image->byte_order);
  auto real = SymbolTable::read(**files.open("/liba.so"), image, abi.jump_slot, abi.copy);
  return {real, SymbolTable::of(real->describe(), image)};
}

/// All that a look-up is offered for a name, but for values and places.
std::string offered(const SymbolTable& table, std::string_view name) {
  std::string text;
  table.visit(HashedName(name), [&](const SymbolTable::Candidate& candidate) {
    text += std::to_string(candidate.symbol.info) + " " + std::string(table.version(candidate.version_index).name) +
            (candidate.hidden ? " hidden" : "") + (candidate.symbol.value == 0 ? " zero" : "") + "\n";
    return false;
  });
  return text;
}

TEST_CASE("a described table offers for each name what the file's own does") {
  for (const auto hash : {ElfHash::gnu, ElfHash::sysv}) {
    const auto tables = tables_of({.soname = "liba.so",
                                   .defines_versions = {"A_1", "A_2"},
                                   .defines = {{.name = "plain"},
                                               {.name = "both", .version = "A_1", .hidden = true},
                                               {.name = "both", .version = "A_2"},
                                               {.name = "weak", .binding = STB_WEAK},
                                               {.name = "data", .type = STT_OBJECT},
                                               {.name = "tls", .type = STT_TLS, .value = 0}},
                                   .hash = hash});
    REQUIRE_FALSE(tables.real->empty());
    CHECK_FALSE(tables.described->empty());
    CHECK(tables.described->has_versions());
    for (const auto* name : {"plain", "both", "weak", "data", "tls", "none", ""}) {
      CAPTURE(name);
      CHECK(offered(*tables.described, name) == offered(*tables.real, name));
    }
    CHECK(offered(*tables.described, "both").find("A_1 hidden") != std::string::npos);
  }
}

TEST_CASE("a described table refers to the same symbols in the same order") {
  const auto tables = tables_of({.needs_versions = {{"libb.so", {{"B_1"}}}},
                                 .uses = {{.name = "second", .use = ElfUse::call, .version = "B_1"},
                                          {.name = "first", .binding = STB_WEAK},
                                          {.name = "third", .use = ElfUse::tls}}});
  const auto& real = tables.real->references();
  const auto& described = tables.described->references();
  REQUIRE(real.size() == 3);
  REQUIRE(described.size() == real.size());
  for (std::size_t i = 0; i < real.size(); ++i) {
    CHECK(described[i].name == real[i].name);
    CHECK(described[i].weak == real[i].weak);
    CHECK(described[i].use.plt_class == real[i].use.plt_class);
    CHECK(described[i].use.lazy == real[i].use.lazy);
    CHECK(tables.described->version(described[i].version).name == tables.real->version(real[i].version).name);
  }
}

TEST_CASE("a file without symbols is described as one") {
  const auto tables = tables_of({});
  CHECK(offered(*tables.described, "any").empty());
  CHECK_FALSE(tables.described->empty());  // it is known to have none
}

TEST_CASE("names are known by 48 bits, which no release may change") {
  CHECK(described_hash("") == 0xefd01f60ba99);
  CHECK(described_hash("malloc") < std::uint64_t{1} << 48);
  CHECK(described_hash("malloc") != described_hash("calloc"));
}

/// Each group: "info other version undefined absolute zero: names".
std::vector<std::string> groups(const DescribedSymbols& symbols, const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const auto& group : symbols.definitions) {
    auto line = std::to_string(group.info) + " " + std::to_string(group.other) + " " + std::to_string(group.version) +
                (group.undefined ? " undefined" : "") + (group.absolute ? " absolute" : "") +
                (group.zero ? " zero" : "") + ":";
    CHECK(std::is_sorted(group.names.begin(), group.names.end()));
    for (const auto& name : names)
      if (std::count(group.names.begin(), group.names.end(), described_hash(name)) == 1) line += " " + name;
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_CASE("definitions are described by all that a loader asks of them, and nothing else") {
  for (const auto hash : {ElfHash::gnu, ElfHash::sysv}) {
    auto built = build_elf({.soname = "liba.so",
                            .defines_versions = {"A_1"},
                            .defines = {{"plain"},
                                        {.name = "same", .value = 0x200},
                                        {.name = "older", .version = "A_1", .hidden = true},
                                        {.name = "newer", .version = "A_1"},
                                        {.name = "weak", .binding = STB_WEAK},
                                        {.name = "guarded", .visibility = STV_PROTECTED},
                                        {.name = "tls", .type = STT_TLS, .value = 0},
                                        {.name = "fixed", .value = 0x1234567}},
                            .uses = {{"imported"}, {.name = "address", .value = 0x300}},
                            .hash = hash});
    std::string value;
    append(value, std::uint64_t{0x1234567});
    poke(built.bytes, built.bytes.find(value) - 2, std::uint16_t{SHN_ABS});
    MemoryFileSystem files;
    files.add_file("/file", built.bytes);
    const auto file = std::move(*files.open("/file"));
    const auto table = SymbolTable::read(*file, *read_image(*file), R_X86_64_JUMP_SLOT, R_X86_64_COPY);
    const auto symbols = table->describe();
    CHECK(symbols.complete);
    CHECK(symbols.has_versions);
    CHECK(groups(symbols,
                 {"plain", "same", "older", "newer", "weak", "guarded", "tls", "fixed", "imported", "address"}) ==
          std::vector<std::string>{"18 0 1 absolute: fixed", "18 0 1 undefined: address", "18 0 1: plain same",
                                   "18 0 2: newer", "18 0 32770: older", "18 3 1: guarded", "22 0 1 zero: tls",
                                   "34 0 1: weak"});
    // What is made of it offers the same, and is described alike.
    const auto again = SymbolTable::of(symbols, *read_image(*file));
    CHECK(groups(again->describe(), {"plain", "fixed"}) == groups(symbols, {"plain", "fixed"}));
    again->visit(HashedName("fixed"), [](const SymbolTable::Candidate& candidate) {
      CHECK(candidate.symbol.section == SHN_ABS);
      CHECK(candidate.symbol.value == 1);
      return false;
    });
    CHECK(offered(*again, "address").starts_with("18 "));
    CHECK(offered(*again, "imported").empty());
  }
}

TEST_CASE("a look-up in a described table ends where it is told to") {
  const auto tables = tables_of({.defines_versions = {"A_1", "A_2"}, .defines = {{"f", "A_1", true}, {"f", "A_2"}}});
  for (const auto* table : {&*tables.real, &*tables.described}) {
    int offers = 0;
    table->visit(HashedName("f"), [&](const SymbolTable::Candidate&) { return ++offers == 1; });
    CHECK(offers == 1);
  }
}

TEST_CASE("references keep all that is said of them, and so does a table that is not complete") {
  DescribedSymbols symbols;
  symbols.complete = false;
  symbols.references = {
      {"a", 2, true, false, false, {true, false, true, false, false, 5}},
      {"bc", 3, false, true, false, {false, true, false, true, false, 6}},
      {"", 0, false, false, true, {false, false, false, false, true, 7}},
  };
  const auto table = SymbolTable::of(symbols, std::make_shared<Image>());
  CHECK_FALSE(table->complete());
  CHECK_FALSE(table->has_versions());
  std::string text;
  const auto again = table->describe();
  CHECK_FALSE(again.complete);
  CHECK_FALSE(again.has_versions);
  for (const auto& one : again.references) {
    text += one.name + " " + std::to_string(one.version);
    for (const bool flag : {one.weak, one.defined, one.is_protected, one.use.lazy, one.use.immediate, one.use.plt_class,
                            one.use.data_class, one.use.copy})
      text += flag ? '1' : '0';
    text += std::to_string(one.use.order) + "\n";
  }
  CHECK(text == "a 2100101005\nbc 3010010106\n 0001000017\n");
  CHECK_FALSE(SymbolTable::beyond(Budget())->describe().complete);
}

TEST_CASE("versions of a description count as far as linkers would count them") {
  auto image = std::make_shared<Image>();
  image->elf.version_definitions = {{.name = "D", .hash = 1, .index = 66}, {.name = "E", .hash = 2, .index = 67}};
  const auto version = [&](std::uint16_t index) {
    return std::string(SymbolTable::of({.has_versions = true}, image)->version(index).name);
  };
  CHECK(version(66) == "D");
  CHECK(version(67) == "");
  image->elf.version_needs = {{.file = "libb.so", .versions = {{.name = "N", .index = 2}}}};
  CHECK(version(67) == "E");
  CHECK(version(2) == "N");
}

TEST_CASE("versions of one name are offered in the order in which they are described") {
  const auto tables = tables_of(
      {.defines_versions = {"A_1", "A_2", "A_3"}, .defines = {{"f", "A_3"}, {"f", "A_1", true}, {"f", "A_2", true}}});
  CHECK(offered(*tables.real, "f") == "18 A_3\n18 A_1 hidden\n18 A_2 hidden\n");
  CHECK(offered(*tables.described, "f") == offered(*tables.real, "f"));
}

TEST_CASE("the hash by which descriptions know names stays the same") {
  CHECK(described_hash("a") != described_hash("b"));
  CHECK(described_hash("ab") != described_hash("ba"));
  CHECK((described_hash("cudaMalloc") >> 48) == 0);
  CHECK(described_hash("") == 0xefd01f60ba99);
  CHECK(described_hash("cudaMalloc") == 0xb74ef302a448);
  CHECK(described_hash("\xff") == 0x1bbd5c813c69);
}

}  // namespace
}  // namespace cudald
