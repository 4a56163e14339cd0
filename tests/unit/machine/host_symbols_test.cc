#include <doctest/doctest.h>
#include <elf.h>

#include "binary/elf/symbol_table.h"
#include "binary/known_image.h"
#include "machine/host_library.h"

namespace cudald {
namespace {

std::shared_ptr<const Image> an_image() {
  return known_image(ImageSource::description, EM_X86_64, Format::elf64, ByteOrder::little, "a.so");
}

std::shared_ptr<const SymbolTable> table_of(const std::string& row) {
  return read_symbols_row(nlohmann::json::parse(row), an_image());
}

/// What the row says once it was read and written again.
std::string passed_on(const std::string& row) { return symbols_row(*table_of(row)).dump(); }

TEST_CASE("a table without symbols is an empty row, with its two flags") {
  for (const auto* row :
       {"{}", R"({"versions":true})", R"({"incomplete":true})", R"({"versions":true,"incomplete":true})"})
    CHECK(passed_on(row) == row);
  CHECK(table_of("{}")->complete());
  CHECK_FALSE(table_of(R"({"incomplete":true})")->complete());
  CHECK(table_of(R"({"versions":true})")->describe().has_versions);
  CHECK_FALSE(table_of("{}")->describe().has_versions);
}

TEST_CASE("hashes of names are written in base64, eight digits each") {
  DescribedSymbols symbols;
  symbols.definitions = {{18, 0, 0, false, false, false, {0x000000000001, 0x00108310518f, 0xfffffffffffe}}};
  const auto row = symbols_row(*SymbolTable::of(symbols, an_image()));
  CHECK(row.dump() == R"({"defined":[[18,0,0,0,"AAAAAAABABCDEFGP///////+"]]})");
  CHECK(table_of(row.dump())->describe().definitions.at(0).names == symbols.definitions[0].names);
}

TEST_CASE("each fact of a definition comes back in its own place") {
  for (const auto* group :
       {"[18,0,0,0,\"AAAAAAAB\"]", "[17,3,0,0,\"AAAAAAAB\"]", "[18,0,2,0,\"AAAAAAAB\"]", "[18,0,32770,0,\"AAAAAAAB\"]",
        "[18,0,0,1,\"AAAAAAAB\"]", "[18,0,0,2,\"AAAAAAAB\"]", "[18,0,0,4,\"AAAAAAAB\"]"}) {
    const auto row = R"({"versions":true,"defined":[)" + std::string(group) + "]}";
    CHECK(passed_on(row) == row);
  }
  const auto group = table_of(R"({"defined":[[18,3,2,1,"AAAAAAAB"]]})")->describe().definitions.at(0);
  CHECK(group.info == 18);
  CHECK(group.other == 3);
  CHECK(group.version == 2);
  CHECK(group.undefined);
  CHECK_FALSE(group.absolute);
  CHECK_FALSE(group.zero);
  CHECK(table_of(R"({"defined":[[18,3,2,2,"AAAAAAAB"]]})")->describe().definitions.at(0).absolute);
  CHECK(table_of(R"({"defined":[[18,3,2,4,"AAAAAAAB"]]})")->describe().definitions.at(0).zero);
}

TEST_CASE("each fact of a reference comes back in its own place") {
  for (unsigned bit = 1; bit <= 128; bit *= 2) {
    CAPTURE(bit);
    const auto row = R"({"asks":[[2,)" + std::to_string(bit) + R"(,"f"]]})";
    CHECK(passed_on(row) == row);
    const auto reference = table_of(row)->describe().references.at(0);
    CHECK(reference.name == "f");
    CHECK(reference.version == 2);
    CHECK(reference.weak == (bit == 1));
    CHECK(reference.defined == (bit == 2));
    CHECK(reference.is_protected == (bit == 4));
    CHECK(reference.use.lazy == (bit == 8));
    CHECK(reference.use.immediate == (bit == 16));
    CHECK(reference.use.plt_class == (bit == 32));
    CHECK(reference.use.data_class == (bit == 64));
    CHECK(reference.use.copy == (bit == 128));
  }
}

TEST_CASE("references that differ in nothing but their names stand in one list, in their order") {
  const std::string row = R"({"asks":[[0,8,"a","b"],[1,8,"c"],[1,16,"d","e"],[0,8,"f"]]})";
  CHECK(passed_on(row) == row);
  CHECK(passed_on(R"({"asks":[[0,8,"a"],[0,8,"b"]]})") == R"({"asks":[[0,8,"a","b"]]})");
}

TEST_CASE("what is no list of symbols is passed over") {
  CHECK(passed_on(R"({"defined":5,"asks":"x"})") == "{}");
  CHECK(passed_on(R"({"defined":[5,[1,2,3,"AAAAAAAB"],[18,0,0,0,7]],"asks":[[0,8],5,[0,8,5]]})") == "{}");
  CHECK(passed_on(R"({"defined":[{"a":1,"b":2,"c":3,"d":4,"e":"AAAAAAAB"}],"asks":[{"a":0,"b":8,"c":"f"},[],[0]]})") ==
        "{}");
  CHECK(passed_on(R"({"defined":[[18,0,0,0,"AAAAAAABAAA"]]})") == R"({"defined":[[18,0,0,0,"AAAAAAAB"]]})");
}

}  // namespace
}  // namespace cudald
