// What the table of messages says of a symbol that nothing defines.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("some names say for which build of a program an extension was made") {
  TestWorld world;
  world.add("/bin/php", program({.defines = {{"compiler_globals_offset"}}}));
  world.add("/m/x.so", {.uses = {{"compiler_globals"}}});
  world.query.dlopens = {{.name = "/m/x.so"}};
  const auto report = world.explain({"/bin/php"});
  CHECK(report.findings.at(0).message.find("differ in thread safety") != std::string::npos);
  CHECK(report.findings[0].fixes.at(0).title.starts_with("build the extension with the phpize of this PHP"));
}

TEST_CASE("a variable that is not set is not to be unset") {
  const auto command = [](const std::string& list) {
    TestWorld world;
    world.add("/bin/app", program({.uses = {{"iJIT_NotifyEvent"}}}));
    if (!list.empty()) world.set("LD_LIBRARY_PATH", list);
    const auto report = world.explain({"/bin/app"});
    return commands(report.findings.at(0));
  };
  CHECK(command("") == "conda install 'mkl<2024.1'\n");
  CHECK(command("/x") == command(""));
}

TEST_CASE("where only LD_BIND_NOW has functions looked up at the start, that is told") {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/m/x.so", {.uses = {{"rare", ElfUse::call}}});
  world.query.dlopens = {{.name = "/m/x.so"}};
  world.set("LD_BIND_NOW", "1");
  const auto report = world.explain({"/bin/app"});
  CHECK(report.verdict == Verdict::fails);
  CHECK(commands(report.findings.at(0)).ends_with("unset LD_BIND_NOW\n"));
  world.query.dlopens = {{.name = "/m/x.so", .traits = {.bind_now = true}}};
  CHECK(commands(world.explain({"/bin/app"}).findings.at(0)).find("LD_BIND_NOW") == std::string::npos);
}

}  // namespace
}  // namespace cudald
