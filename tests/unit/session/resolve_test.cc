#include <doctest/doctest.h>

#include "common/world.h"

namespace cudald {
namespace {

TEST_CASE("a file that cannot be the start of a process is refused with a reason") {
  struct Row {
    std::string name, bytes, reason;
  };
  const auto cut = elf({}).substr(0, 60);
  auto cut_headers = elf({});
  poke(cut_headers, 32, std::uint64_t{1} << 40);
  const Row rows[] = {
      {"empty", "", "empty"},
      {"text", "#!/bin/sh\nexit 0\n", "not an ELF file"},
      {"a program for DOS", "MZ", "a program for DOS"},
      {"cut short", cut, "cut short"},
      {"an object file", elf({.type = ET_REL}), "an object file (.o)"},
      {"a core file", elf({.type = ET_CORE}), "neither a program nor a shared library"},
      {"program headers outside", cut_headers, "program headers"},
      {"no segments", elf({.dynamic_segment = false, .load_segment = false}), "program headers"},
      {"debug information", elf({.segments = {{.type = PT_DYNAMIC}}, .dynamic_segment = false}), "no dynamic section"},
      {"a GPU's program", elf({.machine = EM_CUDA}), "made for cuda"},
      {"big-endian x86", elf({.byte_order = ByteOrder::big}), "whose loader is not simulated"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    World world;
    world.files.add_file("/bin/x", row.bytes);
    const auto report = world.explain({"/bin/x"});
    CHECK(report.resolution.objects.empty());
    REQUIRE(report.resolution.targets.size() == 1);
    REQUIRE(report.resolution.targets[0].unreadable);
    CHECK(report.resolution.targets[0].unreadable->message.find(row.reason) != std::string::npos);
    CHECK(report.verdict == Verdict::unknown);
  }
}

TEST_CASE("a machine that was asked for must be the target's") {
  World world;
  world.add("/bin/app", program({}));
  world.query.environment.machine = EM_AARCH64;
  CHECK(outcome(world.explain({"/bin/app"})) ==
        "unreadable: made for x86_64, not for the aarch64 that was asked for\n");
  world.query.environment.machine = EM_X86_64;
  CHECK(outcome(world.explain({"/bin/app"})) == "loads\n");
}

TEST_CASE("several targets are one process: the first starts, the others are opened") {
  World world;
  world.add("/bin/app", program({}));
  world.add("/opt/liba.so", {.soname = "liba.so"});
  world.add("/opt/libb.so", {.needed = {"liba.so"}});
  const auto report = world.explain({"/bin/app", "/opt/liba.so", "/opt/libb.so"});
  CHECK(outcome(report) == "loads\nloads\nloads\n");
  CHECK(objects(report) == "/bin/app\n/opt/liba.so\n/opt/libb.so\n");
  CHECK(report.resolution.targets[0].kind == TargetKind::start);
  CHECK(report.resolution.targets[1].kind == TargetKind::dlopen);
  CHECK(report.resolution.targets[2].given == "/opt/libb.so");
}

TEST_CASE("targets that cannot be read do not keep the others from being judged") {
  World world;
  world.files.add_file("/bin/text", "text");
  world.add("/bin/app", program({}));
  world.add("/opt/liba.so", {});
  const auto report = world.explain({"/bin/text", "/bin/app", "/opt/liba.so"});
  CHECK(objects(report) == "/bin/app\n/opt/liba.so\n");
  CHECK(report.verdict == Verdict::unknown);
  std::string unreadable;
  for (const auto& target : report.resolution.targets)
    if (target.unreadable) unreadable += target.given + "\n";
  CHECK(unreadable == "/bin/text\n");

  const auto later = world.explain({"/bin/app", "/bin/none", "/opt/liba.so"});
  CHECK(outcome(later) == "loads\n/bin/none: cannot open shared object file: No such file or directory\nloads\n");
}

TEST_CASE("nothing asked is nothing answered") {
  World world;
  world.query.dlopens = {{.name = "liba.so"}};
  const auto report = world.explain({});
  CHECK(report.resolution.objects.empty());
  CHECK(report.findings.empty());
}

TEST_CASE("the C library is told by the program's interpreter, or by what a library needs") {
  struct Row {
    std::string name;
    ElfSpec spec;
    LibcKind kind;
  };
  auto for_musl = program({});
  for_musl.interpreter = "/lib/ld-musl-x86_64.so.1";
  const Row rows[] = {
      {"a program for glibc", program({}), LibcKind::glibc},
      {"a program for musl", for_musl, LibcKind::musl},
      {"a library for glibc", {.needed = {"libc.so.6"}}, LibcKind::glibc},
      {"a library for musl", {.needed = {"libc.so"}}, LibcKind::musl},
      {"a library for Alpine", {.needed = {"libc.musl-x86_64.so.1"}}, LibcKind::musl},
      {"a library that does not say", {}, LibcKind::glibc},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    World world;
    world.add("/x", row.spec);
    CHECK(world.explain({"/x"}).resolution.libc.kind == row.kind);
    world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
    CHECK(world.explain({"/x"}).resolution.libc.kind == LibcKind::musl);
  }
}

}  // namespace
}  // namespace cudald
