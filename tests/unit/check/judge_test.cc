#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a healthy world has no findings") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "$ORIGIN/../opt", .needed = {"liba.so", "libc.so.6"}}));
  world.add("/opt/liba.so", {.soname = "liba.so", .needed = {"libc.so.6"}, .uses = {{"f"}}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines = {{"f"}}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "");
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.headline == "app loads, with 2 other objects");
}

TEST_CASE("findings come worst first, and the headline is that of the worst") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = "/opt:", .needed = {"liba.so"}, .uses = {{"f", ElfUse::call}, {"g"}}}));
  world.add("/env/liba.so", {});
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) ==
        "CUD201 error app: g\n"
        "CUD201 warning app: f\n"
        "CUD107 note app: \"\"\n"
        "CUD104 note app: liba.so\n");
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.headline == "app does not load: app needs the symbol g, which nothing in the process defines");
}

TEST_CASE("each finding is a rule of the catalogue and says what is wrong and what follows") {
  TestWorld world;
  world.add("/bin/app", program({.runpath = ":/home/x",
                                 .needed = {"liba.so", "libb.so", "libc.so", "libd.so", "libe.so"},
                                 .needs_versions = {{"libe.so", {{"V9"}}}}}));
  world.add("/env/liba.so", {});
  world.files.add_file("/env/libb.so", "");
  world.add("/env/libc.so", {.machine = EM_AARCH64});
  world.add("/env/libe.so", {.defines_versions = {"V1"}});
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) ==
        "CUD112 error app: libb.so\n"
        "CUD103 error app: libc.so\n"
        "CUD101 error app: libd.so\n"
        "CUD202 error app: V9\n"
        "CUD107 note app: \"\"\n"
        "CUD104 note app: liba.so\n");
  for (const auto& finding : report.findings) {
    CAPTURE(finding.code);
    const auto* rule = find_rule(finding.code);
    REQUIRE(rule != nullptr);
    CHECK(finding.name == rule->name);
    CHECK_FALSE(finding.subject.empty());
    for (const auto& text : {finding.message, finding.consequence}) {
      CHECK_FALSE(text.empty());
      CHECK(text.find('\n') == std::string::npos);
    }
    for (const auto& evidence : finding.evidence) CHECK_FALSE(evidence.text.empty());
    for (const auto& fix : finding.fixes) CHECK_FALSE(fix.title.empty());
  }
}

}  // namespace
}  // namespace cudald
