// What helps where a file is no longer the one that its package has installed.

#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a library that was replaced is installed again, one that is as RECORD says is not") {
  const std::string site = "/venv/lib/python3.11/site-packages/";
  TestWorld world;
  world.files.add_file("/venv/bin/python", "");
  world.add("/bin/app", program({.runpath = site + "two", .needed = {"liba.so"}, .uses = {{"made_by_a"}}}));
  const auto other = elf({.soname = "liba.so"});
  world.files.add_file(site + "two/liba.so", other);
  const auto record = [&](std::size_t size) {
    world.files.add_file(site + "two-2.0.dist-info/RECORD", "two/liba.so,sha256=x," + std::to_string(size) + "\n");
    world.files.add_file(site + "two-2.0.dist-info/METADATA", "Name: two\nVersion: 2.0\n");
    return world.explain({"/bin/app"});
  };
  const auto replaced = record(other.size() + 1);
  REQUIRE(findings(replaced) == "CUD201 error app: made_by_a\n");
  REQUIRE_FALSE(replaced.findings[0].fixes.empty());
  CHECK(replaced.findings[0].fixes[0].command ==
        "/venv/bin/python -m pip install --force-reinstall --no-deps two==2.0");
  for (const auto& fix : record(other.size()).findings[0].fixes)
    CHECK(fix.command.find("--force-reinstall") == std::string::npos);
}

TEST_CASE("an extension that is made for another release of its framework is to be taken in the one for it") {
  const std::string site = "/venv/lib/python3.11/site-packages/";
  TestWorld world;
  world.files.add_file("/venv/bin/python", "");
  world.add(site + "frame/libframe.so", {.soname = "libframe.so"});
  world.add("/bin/app", program({.runpath = site + "ext", .needed = {"libext.so"}}));
  world.add(site + "ext/libext.so",
            {.soname = "libext.so", .runpath = "$ORIGIN/../frame", .needed = {"libframe.so"}, .uses = {{"gone"}}});
  world.files.add_file(site + "frame-2.1.dist-info/METADATA", "Name: frame\nVersion: 2.1\n");
  world.files.add_file(site + "ext-2.0.dist-info/METADATA", "Name: ext\nVersion: 2.0\nRequires-Dist: frame==2.0\n");
  world.files.add_file(site + "ext-2.0.dist-info/RECORD", "ext/libext.so,,\n");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(findings(report) == "CUD201 error libext.so: gone\n");
  REQUIRE_FALSE(report.findings[0].fixes.empty());
  CHECK(report.findings[0].fixes[0].command == "/venv/bin/python -m pip install ext==2.1 frame==2.1");
  // Not released in step: what the metadata states is sure to fit.
  world.files.add_file(site + "ext-2.0.dist-info/METADATA", "Name: ext\nVersion: 0.7\nRequires-Dist: frame==2.0\n");
  CHECK(world.explain({"/bin/app"}).findings[0].fixes[0].command == "/venv/bin/python -m pip install frame==2.0");
  CHECK(all_words(report.findings[0]).find("ext 2.0 requires frame==2.0, and frame 2.1 is installed") !=
        std::string::npos);
}

}  // namespace
}  // namespace cudald
