#include "binary/elf/elf_damage.h"

#include <doctest/doctest.h>

#include <cudald/image.h>

#include "common/world.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("memory is mapped in whole pages") {
  Image image;
  image.elf.load_segments = {{.address = 0x1100, .memory_size = 0x100},
                             {.address = 0x5000, .memory_size = 0x1001, .writable = true}};
  for (const auto address : {0x1000, 0x1fff, 0x5000, 0x6fff})
    CHECK(is_mapped(image, static_cast<std::uint64_t>(address)));
  for (const auto address : {0x0, 0xfff, 0x2000, 0x4fff, 0x7000})
    CHECK_FALSE(is_mapped(image, static_cast<std::uint64_t>(address)));
  CHECK(is_mapped_writable(image, 0x6fff));
  CHECK_FALSE(is_mapped_writable(image, 0x1000));
}

/// What is told of a program whose only library is this one.
Report with_library(const std::string& bytes) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.files.add_file("/lib/liba.so", bytes);
  return world.explain({"/bin/app"});
}

TEST_CASE("a library on which the loader crashes does not load, and it is said that a tool has damaged it") {
  constexpr std::uint64_t nowhere = 0x7fff'0000'0000, text = 0, dt_relrsz = 35, dt_relr = 36;
  ElfSpec good{.soname = "liba.so", .defines = {{"f"}}};  // a file without symbols has no hash table
  const auto with = [&](std::vector<std::pair<std::uint64_t, std::uint64_t>> dynamic) {
    auto spec = good;
    spec.dynamic = std::move(dynamic);
    return elf(spec);
  };
  const auto header = good.base_address;  // its first bytes are no address of the file
  for (const auto& bytes : {with({{DT_STRTAB, nowhere}}), with({{DT_GNU_HASH, nowhere}}), with({{DT_VERDEF, nowhere}}),
                            with({{dt_relr, header}, {dt_relrsz, 8}}), with({{dt_relr, nowhere}, {dt_relrsz, 8}})}) {
    const auto report = with_library(bytes);
    CHECK(report.verdict == Verdict::fails);
    CHECK(findings(report).find("CUD120 error liba.so: liba.so\n") != std::string::npos);
    CHECK(outcome(report) == "/lib/liba.so: Segmentation fault\n");
  }
  // What the loader does not read is no harm: of two hash tables the older one, an empty table, symbols that nobody
  // names.
  for (const auto& bytes : {with({}), with({{DT_HASH, nowhere}}), with({{DT_SYMTAB, nowhere}}), with({{dt_relr, text}}),
                            with({{DT_JMPREL, nowhere}, {DT_PLTRELSZ, 0}})})
    CHECK(with_library(bytes).verdict != Verdict::fails);
}

TEST_CASE("a relocation that writes where nothing may be written makes the loader crash") {
  auto built = build_elf({.soname = "liba.so", .defines = {{"f"}}, .uses = {{"f"}}});
  CHECK(with_library(built.bytes).verdict == Verdict::loads);
  poke(built.bytes, built.at["relocations"], std::uint64_t{0x7fff'0000'0000});
  const auto report = with_library(built.bytes);
  CHECK(findings(report) == "CUD120 error liba.so: liba.so\n");
  CHECK(says(report.findings.front(), "a relocation is not about data that may be written"));
}

TEST_CASE("a section that was removed leaves zeros, which the loader calls") {
  constexpr std::uint64_t code = 0x2000, address = 0x90000, size = 64;
  ElfSpec spec{.soname = "liba.so", .defines = {{"f"}}, .uses = {{"f"}}};
  spec.segments = {{PT_LOAD, PF_R | PF_X, code, address, size, size, 0x1000}};
  spec.dynamic = {{DT_INIT, address}};
  auto bytes = elf(spec);
  bytes.resize(code + size, '\0');
  const auto report = with_library(bytes);
  CHECK(report.verdict == Verdict::fails);
  CHECK(says(report.findings.front(), "the code at DT_INIT is all zeros: its section was removed"));
  bytes[code] = '\xc3';
  CHECK(with_library(bytes).verdict == Verdict::loads);
}

TEST_CASE("versions that are needed of a library that nobody asks for stop the loader") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .needs_versions = {{"libgone.so", {{.name = "V1"}}}}});
  const auto report = world.explain({"/bin/app"});
  CHECK(outcome(report) ==
        "Inconsistency detected by ld.so: dl-version.c: _dl_check_map_versions: Assertion `needed != NULL' failed!\n");
  CHECK(findings(report) == "CUD120 error liba.so: liba.so\n");
  CHECK(commands(report.findings.front()) == "patchelf --add-needed libgone.so /lib/liba.so\n");
  // One that is needed and not found is told as that.
  world.add("/lib/liba.so",
            {.soname = "liba.so", .needed = {"libgone.so"}, .needs_versions = {{"libgone.so", {{.name = "V1"}}}}});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error liba.so: libgone.so\n");
}

}  // namespace
}  // namespace cudald
