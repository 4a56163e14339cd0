#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

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
  = The valid parts of the file were judged; the loader itself may crash on the rest.
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
  poke(built.bytes, built.at["gnu hash"] + 8, std::uint32_t{3});  // words of the filter: no power of two
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
  - its note requires x86-64-v3; this processor is x86-64-v1 | /lib/libx.so.1 | proven
  = The loader stops with: /lib/libx.so.1: CPU ISA level is lower than required
  > take a build for an older processor, or run it on a newer one
  > maintainer fix: build it where no file of the compiler or of glibc (crt1.o) is marked so; readelf -n shows the mark
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
        "warning The valid parts of the file were judged; the loader itself may crash on the rest.");
}

TEST_CASE("what the loader objects to is told by its cause, with what helps against that") {
  const auto told = [](const std::string& message, std::uint32_t isa = 0) {
    Image image;
    if (isa != 0) image.elf.x86_isa_needed = isa;
    auto report = made_report({made_object("/lib/liba.so", image)});
    report.resolution.objects[0].load_name = "./liba.so";
    report.query.environment.cpu = x86_64_cpu(2);
    report.resolution.objections = {{0, message}};
    return made_findings(check_files, report);
  };
  CHECK(told("./liba.so: an odd file") == R"(CUD112 | error | /lib/liba.so | liba.so
  liba.so is found and refused: an odd file
  = The loader stops with: ./liba.so: an odd file
)");
  CHECK(told("error in ./liba.so: odd") == R"(CUD112 | error | /lib/liba.so | liba.so
  liba.so is found and refused: odd
  = The loader stops with: error in ./liba.so: odd
)");
  CHECK(told("an odd file") == R"(CUD112 | error | /lib/liba.so | liba.so
  liba.so is found and refused: an odd file
  = The loader stops with: an odd file
)");
  CHECK(told("./liba.so: CPU ISA level is lower than required", 7) == R"(CUD112 | error | /lib/liba.so | liba.so
  liba.so is found and refused: CPU ISA level is lower than required
  - its note requires x86-64-v3; this processor is x86-64-v2 | /lib/liba.so | proven
  = The loader stops with: ./liba.so: CPU ISA level is lower than required
  > take a build for an older processor, or run it on a newer one
  > maintainer fix: build it where no file of the compiler or of glibc (crt1.o) is marked so; readelf -n shows the mark
)");
  CHECK(told("./liba.so: another reason", 7).find("its note requires") == std::string::npos);
  CHECK(told("./liba.so: CPU ISA level is lower than required").find("its note requires") == std::string::npos);
  CHECK(told("./liba.so: another reason", 7).find("LD_PRELOAD") == std::string::npos);
  CHECK(told("./liba.so: cannot allocate memory in static TLS block", 7).find("LD_PRELOAD") != std::string::npos);
}

TEST_CASE("a file that ends before what is written to kills the loader, where it is mapped at all") {
  const auto told = [](const LoadSegment& segment, bool limit = false, bool unmapped = false, bool windows = false) {
    Image image;
    image.file_size = 100;
    image.elf.load_segments = {{}, segment};
    image.defects = {{"it is damaged", 16, limit}, {"and once more", {}, false}};
    auto report = made_report({made_object("/lib/liba.so", image)});
    report.resolution.objects[0].unmapped = unmapped;
    report.resolution.windows = windows;
    const auto text = made_findings(check_files, report);
    CHECK(text.find("and once more") == std::string::npos);
    CHECK(text.find("it is damaged at offset 0x10 | /lib/liba.so") != std::string::npos);
    return text.find("SIGBUS") != std::string::npos;
  };
  LoadSegment segment;
  segment.offset = 100;
  segment.file_size = 1;
  segment.writable = true;
  CHECK(told(segment));
  CHECK_FALSE(told(segment, true));
  CHECK_FALSE(told(segment, false, true));
  CHECK_FALSE(told(segment, false, false, true));
  segment.offset = 99;
  CHECK_FALSE(told(segment));
  segment.offset = 101;
  segment.file_size = 0;
  CHECK_FALSE(told(segment));
  segment.file_size = 1;
  segment.writable = false;
  CHECK_FALSE(told(segment));
}

TEST_CASE("limits that were met are told: of the question, of the process, and of symbols") {
  auto report = made_report({made_object("/lib/liba.so")});
  report.resolution.limits = {"too many directories"};
  report.symbols.emplace();
  report.symbols->limits = {{0, {"too many symbols", 32, true}}};
  report.symbols->complete = false;
  CHECK(made_findings(check_files, report, {}, {.steps = 10}, true) == R"(CUD902 | warning
  too many directories
  = What was not read or searched is not judged.
CUD902 | warning
  the question costs too much: more than 10 steps would be needed for it
  = What was not read or searched is not judged.
CUD902 | warning | /lib/liba.so | liba.so
  liba.so: too many symbols
  - too many symbols at offset 0x20 | /lib/liba.so | proven
  = Nothing is claimed beyond that.
CUD901 | warning
  a symbol or hash table is damaged, so some symbols could not be looked up
  = Missing symbols may be more or fewer than reported.
)");
}

TEST_CASE("GPU code that is damaged is told beside the file") {
  auto report = made_report({made_object("/lib/liba.so"), made_object("/lib/libb.so")});
  GpuCode code;
  code.defects = {{"a fatbin is damaged", {}, false}};
  report.resolution.objects[1].gpu = std::make_shared<GpuCode>(code);
  CHECK(made_findings(check_files, report) == R"(CUD901 | warning | /lib/libb.so | libb.so
  libb.so: a fatbin is damaged
  - a fatbin is damaged | /lib/libb.so | proven
  = Which GPUs it has code for is not shown.
)");
}

}  // namespace
}  // namespace cudald
