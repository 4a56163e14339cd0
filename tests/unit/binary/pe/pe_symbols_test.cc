#include <doctest/doctest.h>

#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "binary/bytes/readers.h"
#include "common/elf_builder.h"
#include "common/pe_builder.h"
#include "unit/binary/image_of.h"

namespace cudald {
namespace {

PeSymbols symbols_of(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/file", bytes);
  const auto file = files.open("/file");
  return read_pe_symbols(**file, **read_image(**file));
}

/// One line for each function.
std::string listed(const PeSymbols& symbols) {
  std::string text;
  for (const auto& dll : symbols.imports)
    for (const auto& function : dll)
      text += "import " + (function.name.empty() ? "#" + std::to_string(function.ordinal) : function.name) + "\n";
  for (const auto& function : symbols.exports)
    text += "export " + std::to_string(function.ordinal) + " " + function.name +
            (function.forwarder.empty() ? "" : " -> " + function.forwarder) + "\n";
  return text;
}

std::string told(const PeSymbols& symbols) {
  std::string text;
  for (const auto& defect : symbols.defects) text += (defect.limit ? "limit: " : "") + defect.message + "\n";
  return text;
}

TEST_CASE("functions are imported by name and ordinal, now and later") {
  for (const bool wide : {true, false})
    for (const bool absolute : {false, true}) {
      CAPTURE(wide);
      const auto symbols = symbols_of(pe({.wide = wide,
                                          .image_base = 0x10000000,
                                          .imports = {{"a.dll", {{"f"}, {"", 7}, {"?g@@YAHXZ"}}},
                                                      {"b.dll", {{"late"}, {"", 65535}}, true},
                                                      {"c.dll", {}}},
                                          .absolute_delay_addresses = absolute}));
      CHECK(symbols.imports.size() == 3);
      CHECK(listed(symbols) == "import f\nimport #7\nimport ?g@@YAHXZ\nimport late\nimport #65535\n");
      CHECK(told(symbols) == "");
    }
}

TEST_CASE("functions are exported by name, alias, ordinal and forwarder") {
  const auto symbols = symbols_of(
      pe({.name = "a.dll",
          .ordinal_base = 5,
          .exports = {{"f", 5, ""}, {"alias", 5, ""}, {"", 9, ""}, {"g", 7, "NTDLL.RtlG"}, {"", 12, "other.#3"}}}));
  CHECK(listed(symbols) == "export 5 f\nexport 5 alias\nexport 7 g -> NTDLL.RtlG\nexport 9 \nexport 12  -> other.#3\n");
  CHECK(told(symbols) == "");
}

TEST_CASE("the file that a forwarder leads to") {
  CHECK(forwarder_dll("NTDLL.RtlG") == "NTDLL.dll");
  CHECK(forwarder_dll("other.#3") == "other.dll");
  CHECK(forwarder_dll("api-ms-win-x-l1-1-0.f") == "api-ms-win-x-l1-1-0.dll");
  CHECK(forwarder_dll("lib.drv.f") == "lib.drv");
  CHECK(forwarder_dll("") == ".dll");
}

TEST_CASE("a function whose code begins where the export directory ends is no forwarder") {
  // The text lies behind a small directory: only the directory's size says which it is.
  const auto built = build_pe({.name = "a.dll", .exports = {{"f", 1, "NTDLL.RtlF"}}});
  const auto directory = built.at.at("exports"), text = built.bytes.find("NTDLL.RtlF");
  REQUIRE(text > directory);
  const auto at_distance = [&](std::uint32_t size) {
    auto bytes = built.bytes;
    poke(bytes, built.at.at("directories") + 4, size);
    return listed(symbols_of(bytes));
  };
  const auto distance = static_cast<std::uint32_t>(text - directory);
  CHECK(at_distance(distance) == "export 1 f\n");
  CHECK(at_distance(distance + 1) == "export 1 f -> NTDLL.RtlF\n");
}

TEST_CASE("forwarders in a circle inside a file are a defect") {
  const auto looping = [](std::vector<ExportedFunction> exports) {
    return told(symbols_of(pe({.name = "A.dll", .exports = std::move(exports)})));
  };
  CHECK(looping({{"f", 1, "a.f"}}) == "the forwarder of the export f leads back to itself\n");
  CHECK(looping({{"f", 1, "a.g"}, {"g", 2, "A.h"}, {"h", 3, "a.f"}}) ==
        "the forwarder of the export f leads back to itself\n");
  CHECK(looping({{"f", 1, "a.g"}, {"g", 2, ""}}) == "");
  CHECK(looping({{"f", 1, "b.f"}}) == "");
  CHECK(looping({{"f", 1, "abc.f"}, {"g", 2, "a.dl.g"}}) == "");
}

TEST_CASE("tables that lie are defects, and the healthy parts count") {
  const PeSpec spec{.name = "a.dll",
                    .imports = {{"b.dll", {{"f"}, {"g"}}}},
                    .exports = {{"x", 1, ""}, {"y", 2, ""}, {"z", 3, "B.z"}}};
  const auto edited = [&spec](const char* part, std::uint64_t skip, std::uint32_t value) {
    auto built = build_pe(spec);
    poke(built.bytes, built.at[part] + skip, value);
    return symbols_of(built.bytes);
  };
  CHECK(told(edited("imports", 0, 0x7fff0000)) ==
        "the table of functions imported from b.dll has no end inside its section\n");
  CHECK(told(edited("exports", 20, 0x10000000))
            .starts_with("the export directory says it has 268435456 functions; ordinals have 16 bits"));
  CHECK(told(edited("exports", 24, 60000)).starts_with("the export directory says it has 60000 names, but only "));
  CHECK(told(edited("export names", 0, 0x7fff0000)) == "1 exported names are outside the sections or have no end\n");
  CHECK(listed(edited("export names", 0, 0x7fff0000)).find("export 2 y\n") != std::string::npos);
  CHECK(told(edited("export ordinals", 0, 0xffff0000)) ==
        "1 exported names lead to functions that the export directory does not have\n");

  auto built = build_pe(spec);
  const auto forwarder = built.bytes.find("B.z");
  built.bytes[forwarder + 1] = 'x';
  CHECK(told(symbols_of(built.bytes)) == "1 forwarders in the export directory have no end or no dot\n");
}

TEST_CASE("more functions than are read is a limit") {
  std::vector<ImportedFunction> many(40000, ImportedFunction{"", 1});
  PeSpec spec;
  for (int i = 0; i < 8; ++i) spec.imports.push_back({"a.dll", many});
  CHECK(told(symbols_of(pe(spec))) == "limit: imports more functions, or longer names, than are read\n");
}

TEST_CASE("an imported name that is empty or lies nowhere ends the list of its DLL") {
  const PeSpec spec{.imports = {{"a.dll", {{"f"}, {"bad"}, {"h"}}}, {"b.dll", {{"k"}}}}};
  const auto built = build_pe(spec);
  const std::string said = "the name of a function imported from a.dll is outside the sections or has no end\n";
  auto bytes = built.bytes;
  bytes[built.bytes.find("bad")] = '\0';
  CHECK(listed(symbols_of(bytes)) == "import f\nimport k\n");
  CHECK(told(symbols_of(bytes)) == said);
  // The entry itself leads outside.
  std::string entry;
  append(entry, std::uint64_t{BuiltPe::address(built.bytes.find("bad") - 2)});
  bytes = built.bytes;
  poke(bytes, bytes.find(entry), std::uint64_t{0x7fff0000});
  CHECK(listed(symbols_of(bytes)) == "import f\nimport k\n");
  CHECK(told(symbols_of(bytes)) == said);
}

TEST_CASE("a file that is no PE file, or whose budget is spent, has no functions") {
  MemoryFileSystem files;
  files.add_file("/elf", elf({}));
  files.add_file("/dll", pe({.name = "a.dll", .imports = {{"b.dll", {{"f"}}}}, .exports = {{"x", 1, ""}}}));
  const auto image = *read_image(**files.open("/elf"));
  const auto none = read_pe_symbols(**files.open("/elf"), *image);
  CHECK(none.imports.empty());
  CHECK(none.exports.empty());
  CHECK(none.defects.empty());
  const auto dll = *read_image(**files.open("/dll"));
  Budget small({.steps = 0});
  const auto spent = read_pe_symbols(**files.open("/dll"), *dll, small);
  CHECK(listed(spent) == "");
  CHECK(told(spent) == "limit: more than 0 steps would be needed for it\n");
}

TEST_CASE("a name that is exported in a wrong directory, a circle of several, and a forwarder without an end") {
  MemoryFileSystem files;
  const auto built = build_pe({.name = "a.dll", .exports = {{"x", 1, ""}}});
  files.add_file("/dll", built.bytes);
  auto image = **read_image(**files.open("/dll"));
  image.pe->exports_at = image.pe->sections.at(0).address + 0x1000 - 39;
  CHECK(listed(read_pe_symbols(**files.open("/dll"), image)) == "");
  const auto circles = symbols_of(pe(
      {.name = "A.dll",
       .exports = {
           {"a", 1, "a.b"}, {"b", 2, "A.a"}, {"c", 3, "a.c"}, {"d", 4, "a.a"}, {"e", 5, "b.e"}, {"f", 6, "a.none"}}}));
  CHECK(told(circles) == "the forwarder of the export a leads back to itself\n");
  CHECK(told(symbols_of(pe({.name = "a.dll", .exports = {{"a", 1, "a.b"}, {"b", 2, "c.a"}}}))) == "");
}

/// A DLL that imports and exports so many functions, all of one name of 64 KiB.
std::string with_long_names(std::size_t imports, std::size_t exports) {
  PeSpec spec{.imports = {{"b.dll", {{std::string(1 << 16, 'n')}}}}};
  for (std::size_t i = 1; i < imports; ++i) spec.imports[0].functions.push_back({"", 1});
  for (std::uint32_t i = 1; i <= exports; ++i) spec.exports.push_back({"x", i, ""});
  auto built = build_pe(spec);
  const auto name = BuiltPe::address(built.bytes.find(std::string(1 << 16, 'n')));
  std::string entry;
  append(entry, std::uint64_t{name - 2});
  const auto table = built.bytes.find(entry);
  if (imports == 0) poke(built.bytes, table, std::uint64_t{0});
  for (std::size_t i = 0; i < imports; ++i) poke(built.bytes, table + 8 * i, std::uint64_t{name - 2});
  for (std::size_t i = 0; i < exports; ++i) poke(built.bytes, built.at.at("export names") + 4 * i, name);
  return built.bytes;
}

TEST_CASE("names of functions have 64 KiB at most, and all together 16 MiB") {
  const auto all = symbols_of(with_long_names(256, 0));
  REQUIRE(all.imports.size() == 1);
  CHECK(all.imports[0].size() == 256);
  CHECK(all.imports[0].back().name.size() == 1 << 16);
  CHECK(told(all) == "");
  for (const std::size_t count : {257U, 258U}) {
    const auto more = symbols_of(with_long_names(count, 0));
    CHECK(more.imports[0].size() == 256);
    CHECK(told(more) == "limit: imports more functions, or longer names, than are read\n");
  }
  const auto exported = symbols_of(with_long_names(1, 255));
  CHECK(exported.exports.size() == 255);
  CHECK(told(exported) == "");
  const auto longer = symbols_of(with_long_names(1, 256));
  // The last one is told without its name.
  CHECK(longer.exports.size() == 256);
  CHECK(longer.exports[254].name.size() == 1 << 16);
  CHECK(longer.exports[255].name.empty());
  CHECK(told(longer) == "limit: exports longer names than are read\n");
  const PeSpec spec{.imports = {{"b.dll", {{std::string((1 << 16) + 1, 'n')}}}}};
  CHECK(told(symbols_of(pe(spec))) ==
        "the name of a function imported from b.dll is outside the sections or has no end\n");
}

TEST_CASE("so many defects of the functions of a file are told") {
  for (const std::size_t count : {99U, 100U, 101U}) {
    PeSpec spec;
    for (std::size_t i = 0; i < count; ++i) spec.imports.push_back({"b.dll", {{"bad" + std::to_string(i)}}});
    auto bytes = pe(spec);
    for (std::size_t at = bytes.find("bad"); at != std::string::npos; at = bytes.find("bad", at + 1)) bytes[at] = '\0';
    CHECK(symbols_of(bytes).defects.size() == std::min<std::size_t>(count, 100));
  }
}

TEST_CASE("how many functions, names and ordinals an export directory says it has") {
  auto built = build_pe({.name = "a.dll", .exports = {{"x", 1, ""}, {"y", 2, ""}}});
  const auto directory = built.at.at("exports");
  const auto told_with = [&](std::uint64_t field, std::uint32_t count) {
    auto bytes = built.bytes;
    poke(bytes, directory + field, count);
    return told(symbols_of(bytes));
  };
  const auto there = [&](const char* table, std::size_t size) {
    return std::to_string((0x2000 - BuiltPe::address(built.at.at(table))) / size);
  };
  const std::string says = "the export directory says it has ", lie = " are inside its section\n";
  const auto addresses = [&](const std::string& count) {
    return says + count + " addresses, but only " + there("export addresses", 4) + lie;
  };
  const auto names = [&](const std::string& count) {
    return says + count + " names, but only " + there("export names", 4) + lie + says + count + " ordinals, but only " +
           there("export ordinals", 2) + lie;
  };
  CHECK(told_with(20, 65536).starts_with(addresses("65536")));
  CHECK(told_with(20, 65537).starts_with(says + "65537 functions; ordinals have 16 bits, so 65536 are read\n" +
                                         addresses("65536")));
  CHECK(told_with(24, 65536).starts_with(names("65536")));
  CHECK(told_with(24, 65537).starts_with(says + "65537 names; ordinals have 16 bits, so 65536 are read\n" +
                                         names("65536")));
  for (const auto& defect : symbols_of(built.bytes).defects) CHECK(defect.message == "");
}

TEST_CASE("faults of several exports are counted, and have no place") {
  auto built = build_pe(
      {.name = "a.dll", .exports = {{"a", 1, "B.a"}, {"b", 2, "B.b"}, {"c", 3, ""}, {"d", 4, ""}, {"e", 5, ""}}});
  auto bytes = built.bytes;
  bytes[bytes.find("B.a") + 1] = 'x';
  bytes[bytes.find("B.b") + 1] = 'x';
  CHECK(told(symbols_of(bytes)) == "2 forwarders in the export directory have no end or no dot\n");
  CHECK_FALSE(symbols_of(bytes).defects.at(0).offset);
  bytes = built.bytes;
  for (const std::uint64_t i : {2U, 4U}) poke(bytes, built.at.at("export names") + 4 * i, std::uint32_t{0x7fff0000});
  CHECK(told(symbols_of(bytes)) == "2 exported names are outside the sections or have no end\n");
  CHECK(listed(symbols_of(bytes)) == "export 1 a -> B.a\nexport 2 b -> B.b\nexport 3 \nexport 4 d\nexport 5 \n");
  bytes = built.bytes;
  for (const std::uint64_t i : {2U, 4U}) poke(bytes, built.at.at("export ordinals") + 2 * i, std::uint16_t{5});
  CHECK(told(symbols_of(bytes)) == "2 exported names lead to functions that the export directory does not have\n");
  CHECK(listed(symbols_of(bytes)) == "export 1 a -> B.a\nexport 2 b -> B.b\nexport 3 \nexport 4 d\nexport 5 \n");
}

TEST_CASE("a name that cannot be read counts as four kilobytes of names") {
  for (const std::uint32_t count : {4096U, 4097U}) {
    PeSpec spec;
    for (std::uint32_t i = 1; i <= count; ++i) spec.exports.push_back({"x", i, ""});
    auto built = build_pe(spec);
    for (std::uint32_t i = 0; i < count; ++i)
      poke(built.bytes, built.at["export names"] + 4 * i, std::uint32_t{0x7fff0000});
    CHECK(told(symbols_of(built.bytes)) == (count == 4096
                                                ? "4096 exported names are outside the sections or have no end\n"
                                                : "limit: exports longer names than are read\n"));
  }
}

TEST_CASE("so many functions are imported as are read, and of one more it is told once") {
  constexpr std::size_t most = 1 << 18;
  const std::vector<ImportedFunction> many(most / 4, ImportedFunction{"", 1});
  PeSpec spec{.imports = {{"a.dll", many}, {"b.dll", many}, {"c.dll", many}, {"d.dll", many}}};
  CHECK(told(symbols_of(pe(spec))) == "");
  spec.imports.push_back({"e.dll", {{"", 1}, {"", 2}}});
  spec.imports.push_back({"f.dll", {{"", 1}}});
  const auto symbols = symbols_of(pe(spec));
  CHECK(told(symbols) == "limit: imports more functions, or longer names, than are read\n");
  REQUIRE(symbols.imports.size() == 6);
  CHECK(symbols.imports[3].size() == most / 4);
  CHECK(symbols.imports[4].empty());
  CHECK(symbols.imports[5].empty());
}

TEST_CASE("a forwarder leads back into its own file in any case of letters, and of nothing else") {
  const auto looping = [](const std::string& name, const std::string& forwarder) {
    return told(symbols_of(pe({.name = name, .exports = {{"f", 1, forwarder}}}))) != "";
  };
  CHECK(looping("AZaz.dll", "azAZ.f"));
  CHECK(looping("a.DLL", "A.f"));
  CHECK_FALSE(looping("[.dll", "{.f"));
  CHECK_FALSE(looping("@.dll", "`.f"));
  CHECK_FALSE(looping("a.dll", "ab.f"));
  CHECK_FALSE(looping("ab.dll", "a.f"));
}

}  // namespace
}  // namespace cudald
