#include <doctest/doctest.h>

#include "loader/static_tls.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

ElfSpec initial_exec(std::uint64_t size, const std::vector<ElfNeeded>& needed = {}) {
  return {.needed = needed, .flags = DF_STATIC_TLS, .tls_size = size};
}

TEST_CASE("a library alone that a dlopen would refuse says so") {
  TestWorld world;
  world.add("/lib/liba.so", initial_exec(1600));
  CHECK(findings(world.explain({"/lib/liba.so"})) == "");
  // Together with what it needs.
  world.add("/lib/libb.so", initial_exec(100, {"liba.so"}));
  const auto report = world.explain({"/lib/libb.so"});
  CHECK(report.verdict == Verdict::loads);
  CHECK(in_full(report) ==
        R"(CUD118 | note | /lib/liba.so | liba.so
  libb.so can be linked with a program, but a dlopen of it fails
  - 1700 bytes of thread-local data of the initial-exec model; glibc keeps 1664 bytes for it | /lib/liba.so | proven
  = The loader would stop with: cannot allocate memory in static TLS block
  > load it at the start, when the block is made as large as needed | export )"
        R"(LD_PRELOAD=/lib/libb.so:/lib/liba.so | every program of this shell then loads it
  > or make the reserve larger | export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384
)");
  // Of a program and of what is linked with it there is room for all.
  world.add("/bin/app", program({.needed = {"libb.so"}}));
  CHECK(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("a dlopen for which there is no room fails, and both ways out are told") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/opt/plugin.so", initial_exec(100'000));
  const auto report = world.explain({"/bin/app", "/opt/plugin.so"});
  CHECK(report.verdict == Verdict::fails);
  CHECK(in_full(report, "CUD112") ==
        R"(CUD112 | error | /opt/plugin.so | plugin.so
  plugin.so is found and refused: cannot allocate memory in static TLS block
  = The loader stops with: /opt/plugin.so: cannot allocate memory in static TLS block
  > load it at the start, when the block is made as large as needed | export )"
        R"(LD_PRELOAD=/opt/plugin.so | every program of this shell then loads it
  > or make the reserve larger | export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=262144
)");
  world.query.environment.variables["GLIBC_TUNABLES"] = "glibc.rtld.optional_static_tls=262144";
  CHECK(findings(world.explain({"/bin/app", "/opt/plugin.so"})) == "");
}

TEST_CASE("all that takes room counts, and the C library and what has no such data do not") {
  TestWorld world;
  const auto spec = [](std::uint64_t size, bool initial, const std::string& soname) {
    return ElfSpec{.soname = soname, .flags = initial ? std::uint64_t{DF_STATIC_TLS} : 0, .tls_size = size};
  };
  auto first = spec(800, true, "liba.so");
  first.needed = {"libb.so", "libc.so.6", "libd.so", "libe.so"};
  world.add("/lib/liba.so", first);
  world.add("/lib/libb.so", spec(900, true, "libb.so"));
  world.add("/lib/libc.so.6", spec(100'000, true, "libc.so.6"));
  world.add("/lib/libd.so", spec(100'000, false, "libd.so"));
  world.add("/lib/libe.so", spec(0, true, "libe.so"));
  CHECK(in_full(world.explain({"/lib/liba.so"})) ==
        R"(CUD118 | note | /lib/libb.so | libb.so
  liba.so can be linked with a program, but a dlopen of it fails
  - 1700 bytes of thread-local data of the initial-exec model; glibc keeps 1664 bytes for it | /lib/libb.so | )"
        R"(proven
  = The loader would stop with: cannot allocate memory in static TLS block
  > load it at the start, when the block is made as large as needed | export )"
        R"(LD_PRELOAD=/lib/liba.so:/lib/libb.so | every program of this shell then loads it
  > or make the reserve larger | export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384
)");
  world.add("/lib/libb.so", spec(800, true, "libb.so"));
  CHECK(in_full(world.explain({"/lib/liba.so"})) == "");
}

TEST_CASE("the room that glibc keeps is enough up to its last byte, and the larger of two is named") {
  const auto told = [](std::uint64_t first, std::uint64_t second) {
    TestWorld world;
    world.add("/lib/liba.so", {.soname = "liba.so", .needed = {"libb.so"}, .flags = DF_STATIC_TLS, .tls_size = first});
    world.add("/lib/libb.so", {.soname = "libb.so", .flags = DF_STATIC_TLS, .tls_size = second});
    return findings(world.explain({"/lib/liba.so"}));
  };
  const auto room = static_tls_reserve({});
  CHECK(told(room - 8, 8) == "");
  CHECK(told(room, 8) == "CUD118 note liba.so: liba.so\n");
  CHECK(told(8, room) == "CUD118 note libb.so: libb.so\n");
  CHECK(told(room, room) == "CUD118 note liba.so: liba.so\n");
}

TEST_CASE("musl has no room, and no reserve that could be made larger") {
  TestWorld world;
  world.files.add_file("/lib/ld-musl-x86_64.so.1", elf({.soname = "libc.musl-x86_64.so.1"}));
  world.add("/opt/liba.so", {.soname = "liba.so", .needed = {"libc.so"}, .flags = DF_STATIC_TLS, .tls_size = 8});
  world.add("/lib/libc.so", {.soname = "libc.so", .flags = DF_STATIC_TLS, .tls_size = 800});
  CHECK(in_full(world.explain({"/opt/liba.so"})) == R"(CUD118 | note | /opt/liba.so | liba.so
  liba.so can be linked with a program, but a dlopen of it fails
  - 8 bytes of thread-local data of the initial-exec model; musl has room for none | /opt/liba.so | proven
  = The loader would stop with: initial-exec TLS resolves to dynamic definition
  > load it at the start, when the block is made as large as needed | export LD_PRELOAD=/opt/liba.so | )"
                                                    R"(every program of this shell then loads it
)");
}

TEST_CASE("a reserve is made larger from glibc 2.32 on, beside what the variable has, in powers of two") {
  const auto fixes = [](const std::string& glibc, std::uint64_t size, const std::string& tunables = "") {
    TestWorld world;
    world.files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader(glibc));
    if (!tunables.empty()) world.set("GLIBC_TUNABLES", tunables);
    world.add("/bin/app", program({}));
    world.add("/opt/plugin.so", {.soname = "plugin.so", .flags = DF_STATIC_TLS, .tls_size = size});
    const auto report = world.explain({"/bin/app", "/opt/plugin.so"});
    for (const auto& finding : report.findings)
      if (finding.code == "CUD112") return commands(finding);
    return std::string("none\n");
  };
  const std::string preload = "export LD_PRELOAD=/opt/plugin.so\n",
                    larger = "export GLIBC_TUNABLES=", reserve = "glibc.rtld.optional_static_tls=";
  CHECK(fixes("2.37", 100'000) == preload + larger + reserve + "262144\n");
  CHECK(fixes("2.32", 100'000) == preload + larger + reserve + "262144\n");
  CHECK(fixes("2.31", 100'000) == preload);
  CHECK(fixes("2.37", 100'000, "glibc.malloc.check=1") == preload + larger + "$GLIBC_TUNABLES:" + reserve + "262144\n");
  CHECK(fixes("2.37", 4'000) == preload + larger + reserve + "16384\n");
  CHECK(fixes("2.37", 8'192) == preload + larger + reserve + "16384\n");
  CHECK(fixes("2.37", 8'200) == preload + larger + reserve + "32768\n");
}

TEST_CASE("of two dlopens that are refused each preloads its own libraries") {
  TestWorld world;
  world.add("/bin/app", program({}));
  for (const std::string name : {"one", "two"})
    world.add("/opt/" + name + ".so",
              {.soname = name + ".so", .flags = DF_STATIC_TLS, .tls_size = name == "one" ? 50'000U : 60'000U});
  const auto report = world.explain({"/bin/app", "/opt/one.so", "/opt/two.so"});
  std::string text;
  for (const auto& finding : report.findings)
    if (finding.code == "CUD112") text += commands(finding);
  CHECK(text == R"(export LD_PRELOAD=/opt/one.so
export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=262144
export LD_PRELOAD=/opt/two.so
export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=262144
)");
  CHECK(in_full(report, "CUD118") == "");
}

}  // namespace
}  // namespace cudald
