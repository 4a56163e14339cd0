// CUD205: another build of a library answers for a file's own.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// A program that opens one package's libldap with RTLD_GLOBAL, and then a module with a libldap of its own.
TestWorld with_two_builds(const std::vector<ElfDefinition>& first, const std::vector<ElfReference>& uses) {
  TestWorld world;
  world.add("/bin/app", program({}));
  world.add("/a/libldap-11111111.so.2", {.soname = "libldap-11111111.so.2", .defines = first});
  world.add("/b/libldap-22222222.so.2",
            {.soname = "libldap-22222222.so.2", .defines = {{"ldap_init"}, {"ldap_bind"}, {"ldap_new"}}});
  world.add("/b/module.so", {.runpath = "$ORIGIN", .needed = {"libldap-22222222.so.2"}, .uses = uses});
  world.query.dlopens = {{.name = "/a/libldap-11111111.so.2", .traits = {.global = true}}, {.name = "/b/module.so"}};
  return world;
}

TEST_CASE("a build that was opened for all answers for another one: noted, with what follows where both are called") {
  auto world = with_two_builds({{"ldap_init"}, {"ldap_bind"}}, {{"ldap_init"}, {"ldap_bind"}, {"ldap_new"}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD205 note module.so: ldap_init\n");
  CHECK(report.findings[0].message ==
        "module.so gets ldap_init and 1 more symbol from libldap-11111111.so.2, not from its own "
        "libldap-22222222.so.2");
  CHECK(report.findings[0].consequence.find("calls both builds") != std::string::npos);
  world.query.dlopens[0].traits.global = false;
  CHECK(findings(world.explain({"/bin/app"})) == "");
}

TEST_CASE("who gets everything from one build is told that the two can differ") {
  auto world = with_two_builds({{"ldap_init"}, {"ldap_bind"}, {"ldap_new"}}, {{"ldap_init"}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD205 note module.so: ldap_init\n");
  CHECK(report.findings.at(0).consequence.find("The two builds can differ") != std::string::npos);
}

TEST_CASE("another library that defines one of the names is no build of the same, nor are weak symbols a matter") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libje.so.2", "libc.so.6"}}));
  world.add("/lib/libje.so.2", {.soname = "libje.so.2", .defines = {{"malloc"}, {"mallctl"}, {"je_new"}}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines = {{"malloc"}, {"printf"}, {"exit"}, {"puts"}}});
  world.add("/opt/m.so", {.needed = {"libc.so.6"}, .uses = {{"malloc"}, {"puts"}}});
  world.query.dlopens = {{.name = "/opt/m.so"}};
  CHECK(findings(world.explain({"/bin/app"})) == "");
  auto weak = with_two_builds({{.name = "ldap_init", .binding = STB_WEAK}}, {{"ldap_init"}, {"ldap_new"}});
  CHECK(findings(weak.explain({"/bin/app"})) == "");
}

}  // namespace
}  // namespace cudald
