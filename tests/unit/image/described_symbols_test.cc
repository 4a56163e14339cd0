#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/elf_builder.h"
#include "common/memory_file_system.h"
#include "env/abi.h"
#include "image/image_store.h"
#include "image/symbol_table.h"

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

}  // namespace
}  // namespace cudald
