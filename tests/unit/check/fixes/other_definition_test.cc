// CUD201 where the process does have a definition, or where musl lacks what glibc has.

#include <algorithm>

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// A program that opens libhost.so, which defines `f`, and a plugin that uses it.
struct Plugins {
  explicit Plugins(ElfUse use = ElfUse::data) {
    world.add("/bin/app", program({}));
    world.add("/opt/libhost.so.1", {.soname = "libhost.so.1", .defines = {{"f"}}});
    world.add("/opt/plugin.so", {.uses = {{"f", use}}});
  }
  Report open(const std::vector<DlopenRequest>& calls) {
    world.query.dlopens = calls;
    return world.explain({"/bin/app"});
  }

  TestWorld world;
  const DlopenRequest host{.name = "/opt/libhost.so.1"}, plugin{.name = "/opt/plugin.so", .traits = {.bind_now = true}};
};

TEST_CASE("a symbol of a local scope is not seen: who defines it is named, and what makes it visible") {
  Plugins process;
  const auto report = process.open({process.host, process.plugin});
  REQUIRE(findings(report) == "CUD201 error plugin.so: f\n");
  const auto& finding = report.findings[0];
  CHECK(finding.message ==
        "plugin.so needs the symbol f, which libhost.so.1 defines, but in a local scope: it was opened without "
        "RTLD_GLOBAL");
  CHECK(says(finding, "/opt/libhost.so.1 defines f; the dlopen of /opt/libhost.so.1 loaded it, with RTLD_LOCAL"));
  CHECK(commands(finding) == "patchelf --add-needed libhost.so.1 /opt/plugin.so\n\n\n");
  CHECK(says(finding, "or let the program open libhost.so.1 with RTLD_GLOBAL first"));
  // Both help.
  auto global = process.host;
  global.traits.global = true;
  CHECK(process.open({global, process.plugin}).verdict == Verdict::loads);
  process.world.add("/opt/plugin.so", {.needed = {"libhost.so.1"}, .uses = {{"f"}}});
  CHECK(process.open({process.host, process.plugin}).verdict == Verdict::loads);
}

TEST_CASE("a call that is bound lazily is told likewise, and what is opened later only does not help") {
  Plugins process(ElfUse::call);
  const DlopenRequest lazy{.name = "/opt/plugin.so"};
  const auto report = process.open({process.host, lazy});
  REQUIRE(findings(report) == "CUD201 warning plugin.so: f\n");
  CHECK(report.findings[0].message ==
        "plugin.so calls f, which libhost.so.1 defines, but in a local scope: it was opened without RTLD_GLOBAL");
  CHECK(process.open({lazy, process.host}).findings.at(0).message ==
        "plugin.so calls f, which libhost.so.1 defines, but that is opened later");
}

TEST_CASE("a definition in another version is named with that version") {
  TestWorld world;
  world.add(
      "/bin/app",
      program({.needed = {"liba.so"}, .needs_versions = {{"liba.so", {{"V1"}}}}, .uses = {{"f", ElfUse::data, "V1"}}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .defines_versions = {"V1", "V2"}, .defines = {{"f", "V2"}}});
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error app: f\n");
  CHECK(report.findings[0].message == "app needs the symbol f, which liba.so defines only in version V2");
  CHECK(says(report.findings[0], "/lib/liba.so defines f in version V2"));
}

TEST_CASE("a function of glibc that musl lacks is named as that, with the package of Alpine that provides it") {
  TestWorld world;
  world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  world.add("/bin/app", program({.uses = {{"backtrace"}}}));
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report).find("CUD201 error app: backtrace\n") != std::string::npos);
  const auto& finding = report.findings[0];
  CHECK(finding.message == "app needs the symbol backtrace, a function of glibc that musl does not have");
  CHECK(says(finding, "glibc defines backtrace, musl does not"));
  CHECK(commands(finding) == "\napk add libexecinfo-dev\n\n");
  CHECK(says(finding, "libexecinfo of Alpine up to 3.16 provides backtrace"));
}

TEST_CASE("a function that came to musl with a release: the musl that is there is older, and which Alpine has it") {
  TestWorld world;
  world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  world.add("/bin/app", program({.uses = {{"gone"}, {"pthread_getname_np"}}}));
  const auto anywhere = world.explain({"/bin/app"});
  REQUIRE(anywhere.verdict == Verdict::fails);
  CHECK(anywhere.findings.at(0).message ==
        "app needs 2 symbols, among them pthread_getname_np, which musl has from 1.2.3 on: the musl here is older");
  CHECK(says(anywhere.findings[0], "Alpine has that from 3.16 on"));
  CHECK(commands(anywhere.findings[0]) == "\n\n");
  world.files.add_file("/etc/os-release", "ID=alpine\nVERSION_ID=3.14.10\n");
  world.add("/bin/app", program({.uses = {{"pthread_getname_np"}}}));
  const auto alpine = world.explain({"/bin/app"});
  CHECK(alpine.findings.at(0).message ==
        "app needs the symbol pthread_getname_np, which musl has from 1.2.3 on: the musl here is older");
  CHECK(
      commands(alpine.findings[0])
          .starts_with("sed -i 's|/v3.14/|/v3.16/|' /etc/apk/repositories && apk update && apk upgrade --available\n"));
  // With glibc it is a name as any other.
  world.query.environment.libc = LibcVersion{LibcKind::glibc, 2, 36};
  CHECK_FALSE(says(world.explain({"/bin/app"}).findings.at(0), "Alpine"));
}

TEST_CASE("musl binds a lazy call never again: no LD_BIND_NOW, and no message") {
  TestWorld world;
  world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  world.set("LD_BIND_NOW", "1");
  world.add("/bin/app", program({}));
  world.add("/opt/plugin.so", {.uses = {{"gone", ElfUse::call}}});
  world.query.dlopens = {{.name = "/opt/plugin.so"}};
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report).find("CUD201 warning plugin.so: gone\n") != std::string::npos);
  CHECK(report.findings[0].consequence.find("SIGSEGV, without a message") != std::string::npos);
  CHECK(report.findings[0].consequence.find("LD_BIND_NOW") == std::string::npos);
}

TEST_CASE("a library without its hash table defines nothing for anyone, nor for itself") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  auto built = build_elf({.soname = "liba.so", .defines = {{"f"}, {"g"}}, .uses = {{"g"}}});
  world.files.add_file("/lib/liba.so", built.bytes);
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::loads);
  // As objcopy --remove-section=.gnu.hash leaves it.
  poke(built.bytes, built.at.at("gnu hash"), std::uint32_t{0});
  world.files.add_file("/lib/liba.so", built.bytes);
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD201 error app: f\nCUD201 error liba.so: g\n");
  CHECK(report.findings.at(0).message ==
        "app needs the symbol f, which liba.so defines, but the hash table of that file is empty");
  CHECK(says(report.findings[0], "install or build liba.so again, without the tool that removed .gnu.hash"));
  CHECK(findings(world.explain({"/lib/liba.so"})) == "CUD201 error liba.so: g\n");
}

TEST_CASE("symbols that have lost their names are found by nobody") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  auto built = build_elf({.soname = "liba.so", .defines = {{"f"}}, .uses = {{"other"}}});
  const auto begin = built.at.at("strings");
  auto end = built.bytes.size();
  for (const auto& [part, at] : built.at)
    if (at > begin) end = std::min<std::size_t>(end, at);
  std::fill(built.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
            built.bytes.begin() + static_cast<std::ptrdiff_t>(end), '\0');
  world.files.add_file("/lib/liba.so", built.bytes);
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.verdict == Verdict::fails);
  CHECK(report.findings.at(0).message ==
        "app needs the symbol f, which nothing defines; the symbols of liba.so have lost their names");
  REQUIRE(report.findings.size() > 1);
  CHECK(report.findings[1].message == "liba.so is damaged: it needs symbols without names");
}

}  // namespace
}  // namespace cudald
