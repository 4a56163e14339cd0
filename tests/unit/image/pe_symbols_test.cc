#include <doctest/doctest.h>

#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "common/pe_builder.h"
#include "unit/image/image_of.h"

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
  CHECK(told(edited("export names", 0, 0x7fff0000)) == "1 exported names lie outside the sections or have no end\n");
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

}  // namespace
}  // namespace cudald
