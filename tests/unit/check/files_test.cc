#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a file that contradicts itself is a risk, a limit of ours makes the verdict unknown") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.dynamic = {{DT_VERSYM, 0x7fff'0000'0000}}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD901 warning liba.so: liba.so\n");
  CHECK(in_full(report) ==
        R"(CUD901 | warning | /lib/liba.so | liba.so
  liba.so: DT_VERSYM points outside the load segments
  - DT_VERSYM points outside the load segments | /lib/liba.so | proven
  = What is healthy in the file was judged; the loader itself may crash on the rest.
)");
  CHECK(report.verdict == Verdict::risk);

  ElfSpec huge;
  huge.needed = {"liba.so"};
  huge.audit.assign(3000, std::string(8000, 'a'));  // more than 16 MiB of names
  world.add("/lib/liba.so", {});
  world.add("/bin/app", program(huge));
  const auto limited = world.explain({"/bin/app"});
  CHECK(findings(limited) == "CUD902 warning app: app\n");
  CHECK(in_full(limited) ==
        R"(CUD902 | warning | /bin/app | app
  app: the names in the dynamic table are longer than 16 MiB together; the rest is left out
  - the names in the dynamic table are longer than 16 MiB together; the rest is left out | /bin/app | proven
  = Nothing is claimed beyond that.
)");
  CHECK(limited.verdict == Verdict::unknown);
}

TEST_CASE("a hash table that is damaged is told, as symbols may be missed") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  auto built = build_elf({.soname = "liba.so", .defines = {{"f"}}});
  poke(built.bytes, built.at["gnu hash"], std::uint32_t{0});
  world.files.add_file("/lib/liba.so", built.bytes);
  const auto report = world.explain({"/bin/app"});
  CHECK(in_full(report).find("CUD901 | warning\n"
                             "  a symbol or hash table is damaged, so some symbols could not be looked up\n"
                             "  = Missing symbols may be more or fewer than reported.\n") != std::string::npos);
}

TEST_CASE("a file for a newer processor is found and refused") {
  TestWorld world;
  world.add("/opt/app/bin/app", program({.needed = {"libx.so.1"}}));
  world.add("/lib/libx.so.1", {.x86_isa_needed = 4});
  const auto report = world.explain({"/opt/app/bin/app"});
  CHECK(findings(report) == "CUD112 error libx.so.1: libx.so.1\n");
  CHECK(in_full(report) ==
        R"(CUD112 | error | /lib/libx.so.1 | libx.so.1
  libx.so.1 is found and refused: CPU ISA level is lower than required
  - its note asks for x86-64 ISA bits 0x4; this processor is x86-64-v1 | /lib/libx.so.1 | proven
  = The loader stops with: /lib/libx.so.1: CPU ISA level is lower than required
  > take a build for an older processor, or run it on a newer one
)");
  CHECK(all_words(report.findings.front()).find("CPU ISA level is lower than required") != std::string::npos);
  CHECK(report.verdict == Verdict::fails);
  world.query.environment.cpu = x86_64_cpu(3);
  CHECK(findings(world.explain({"/opt/app/bin/app"})) == "");
}

TEST_CASE("a file that ends before what the loader writes to ends the program without a word") {
  const auto judged = [](std::uint32_t flags, bool needed) {
    ElfSpec cut{.segments = {{.type = PT_LOAD,
                              .flags = flags,
                              .offset = 0x100000,
                              .address = 0x200000,
                              .file_size = 16,
                              .memory_size = 16,
                              .alignment = 0x1000}}};
    TestWorld world;
    world.add("/lib/liba.so", cut);
    world.add("/bin/app", program({.needed = needed ? std::vector<ElfNeeded>{"liba.so"} : std::vector<ElfNeeded>{}}));
    if (!needed) world.query.dlopens = {{.name = "liba.so"}};
    const auto report = world.explain({"/bin/app"});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].code == "CUD901");
    return std::string(to_string(report.findings[0].level)) + " " + report.findings[0].consequence;
  };
  const std::string killed = "error The loader is killed by SIGBUS while it sets the file up: no message is printed.";
  CHECK(judged(PF_R | PF_W, true) == killed);
  CHECK(judged(PF_R | PF_W, false) == killed);
  CHECK(judged(PF_R, true) ==
        "warning What is healthy in the file was judged; the loader itself may crash on the rest.");
}

}  // namespace
}  // namespace cudald
