#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

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
  > load it at the start, where the block is made as large as it must be | export )"
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
  > load it at the start, where the block is made as large as it must be | export )"
        R"(LD_PRELOAD=/opt/plugin.so | every program of this shell then loads it
  > or make the reserve larger | export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=262144
)");
  world.query.environment.variables["GLIBC_TUNABLES"] = "glibc.rtld.optional_static_tls=262144";
  CHECK(findings(world.explain({"/bin/app", "/opt/plugin.so"})) == "");
}

}  // namespace
}  // namespace cudald
