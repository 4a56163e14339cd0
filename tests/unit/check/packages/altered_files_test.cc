// What helps where a file is no longer the one that its package has installed.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/installed_package.h"

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
  CHECK(in_full(replaced) ==
        R"(CUD201 | error | /bin/app | made_by_a
  app needs the symbol made_by_a, which nothing in the process defines
  - made_by_a | /bin/app | proven
  - liba.so is not as two 2.0 has installed it: RECORD states another size | )"
        R"(/venv/lib/python3.11/site-packages/two/liba.so | proven
  = The loader stops with: symbol lookup error: /bin/app: undefined symbol: made_by_a
  > install the files of two 2.0 again | /venv/bin/python -m pip install --force-reinstall --no-deps two==2.0
)");
  REQUIRE_FALSE(replaced.findings[0].fixes.empty());
  CHECK(replaced.findings[0].fixes[0].command ==
        "/venv/bin/python -m pip install --force-reinstall --no-deps two==2.0");
  const auto kept = record(other.size());
  for (const auto& fix : kept.findings[0].fixes) CHECK(fix.command.find("--force-reinstall") == std::string::npos);
}

TEST_CASE("a caught failure is a risk where the package states another release of what it takes functions from") {
  const auto report_with = [](const std::string& version) {
    const std::string site = "/venv/lib/python3.11/site-packages/";
    TestWorld world;
    world.query.prefix = "/venv";
    world.files.add_file("/venv/bin/python", "");
    world.add(site + "frame/libframe.so", {.soname = "libframe.so", .executable_stack = false});
    world.files.add_file(site + "frame/__init__.py", "");
    world.files.add_file(site + "frame-" + version + ".dist-info/METADATA", "Name: frame\nVersion: " + version + "\n");
    world.files.add_file(site + "ext/__init__.py", "try: from . import _C\nexcept ImportError: pass\n");
    world.add(
        site + "ext/_C.so",
        {.runpath = "$ORIGIN/../frame", .needed = {"libframe.so"}, .uses = {{"gone"}}, .executable_stack = false});
    world.files.add_file(site + "frame-" + version + ".dist-info/RECORD", "frame/libframe.so,,\n");
    world.files.add_file(site + "ext-2.0.dist-info/METADATA", "Name: ext\nVersion: 2.0\nRequires-Dist: frame==2.0\n");
    world.files.add_file(site + "ext-2.0.dist-info/RECORD", "ext/__init__.py,,\next/_C.so,,\n");
    return world.explain({"py:ext"});
  };
  const auto mismatch = report_with("2.1");
  REQUIRE(findings(mismatch) == "CUD201 warning _C.so: gone\n");
  CHECK(mismatch.verdict == Verdict::risk);
  CHECK(says(mismatch.findings[0], "ext 2.0 requires frame==2.0, and frame 2.1 is installed"));
  CHECK(findings(report_with("2.0")) == "CUD201 note _C.so: gone\n");
}

TEST_CASE("packages that are released in step are held against each other by their numbers") {
  const std::string site = "/venv/lib/python3.11/site-packages/";
  const auto told = [&](const std::string& audio, const std::string& torch, const std::string& line) {
    TestWorld world;
    world.files.add_file("/venv/bin/python", "");
    world.add(site + "torch/lib/libtorch.so", {.soname = "libtorch.so"});
    world.add("/bin/app", program({.runpath = site + "torchaudio", .needed = {"libta.so"}}));
    world.add(site + "torchaudio/libta.so", {.soname = "libta.so",
                                             .runpath = "$ORIGIN/../torch/lib",
                                             .needed = {"libtorch.so"},
                                             .uses = {{"torch_library_impl"}}});
    for (const auto& [name, version, file] :
         {std::tuple<std::string, std::string, std::string>("torch", torch, "torch/lib/libtorch.so"),
          {"torchaudio", audio, "torchaudio/libta.so"}}) {
      const auto info = site + name + "-" + version + ".dist-info/";
      world.files.add_file(info + "METADATA",
                           "Name: " + name + "\nVersion: " + version + "\n" + (name == "torch" ? "" : line));
      world.files.add_file(info + "RECORD", file + ",,\n");
    }
    return world.explain({"/bin/app"}).findings.at(0);
  };
  const auto newer = told("2.11.0", "2.9.0", "");
  CHECK(newer.message.starts_with("torchaudio 2.11.0 is made for torch 2.11, and torch 2.9.0 is installed: libta.so"));
  CHECK(newer.fixes.at(0).command == "/venv/bin/python -m pip install 'torchaudio==2.9.*' torch==2.9.0");
  const auto older = told("2.1.2", "1.13.1", "Requires-Dist: torch==2.1.2\n");
  CHECK(older.message.starts_with("torchaudio 2.1.2 requires torch==2.1.2, and torch 1.13.1 is installed: libta.so"));
  CHECK(older.fixes.at(0).command == "/venv/bin/python -m pip install 'torchaudio==0.13.*' torch==1.13.1");
  CHECK(told("2.9.1", "2.9.0", "").message.starts_with("libta.so needs the symbol"));
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
  CHECK(in_full(report) ==
        R"(CUD201 | error | /venv/lib/python3.11/site-packages/ext/libext.so | gone
  libext.so needs the symbol gone, which nothing in the process defines
  - gone | /venv/lib/python3.11/site-packages/ext/libext.so | proven
  - ext 2.0 requires frame==2.0, and frame 2.1 is installed | proven
  = The loader stops with: symbol lookup error: /venv/lib/python3.11/site-packages/ext/libext.so: undefined symbol: )"
        R"(gone
  > the ext of the same release as frame 2.1 | /venv/bin/python -m pip install ext==2.1 frame==2.1
)");
  REQUIRE_FALSE(report.findings[0].fixes.empty());
  CHECK(report.findings[0].fixes[0].command == "/venv/bin/python -m pip install ext==2.1 frame==2.1");
  // Not released in step: what the metadata states is sure to fit.
  world.files.add_file(site + "ext-2.0.dist-info/METADATA", "Name: ext\nVersion: 0.7\nRequires-Dist: frame==2.0\n");
  CHECK(world.explain({"/bin/app"}).findings[0].fixes[0].command == "/venv/bin/python -m pip install frame==2.0");
  CHECK(all_words(report.findings[0]).find("ext 2.0 requires frame==2.0, and frame 2.1 is installed") !=
        std::string::npos);
}

TEST_CASE("a third package states which release of a library the requester needs") {
  const std::string site = "/venv/lib/python3.11/site-packages/";
  TestWorld world;
  world.files.add_file("/venv/bin/python", "");
  world.add(site + "jit/libjit.so", {.soname = "libjit.so"});
  world.add(site + "math/libmath.so",
            {.soname = "libmath.so", .runpath = "$ORIGIN/../jit", .needed = {"libjit.so"}, .uses = {{"gone"}}});
  world.add(site + "frame/libframe.so", {.runpath = "$ORIGIN/../math", .needed = {"libmath.so"}});
  install(world, site, {"jit", "12.1"}, {"jit/libjit.so"});
  install(world, site, {"math", "12.5"}, {"math/libmath.so"});
  install(world, site, {"frame", "2.9"}, {"frame/libframe.so"});
  const auto fix_with = [&](const std::string& line) {
    world.files.add_file(site + "frame-2.9.dist-info/METADATA", "Name: frame\nVersion: 2.9\nRequires-Dist: " + line);
    const auto report = world.explain({site + "frame/libframe.so"});
    REQUIRE(findings(report) == "CUD201 warning libmath.so: gone\n");
    return report.findings[0].fixes.empty() ? "" : report.findings[0].fixes[0].command;
  };
  const std::string command = "/venv/bin/python -m pip install jit==12.8";
  CHECK(fix_with("jit==12.8\n") == command);
  CHECK(fix_with("jit==12.8; platform_system == \"Linux\"\n") == command);
  CHECK(fix_with("jit==12.1\n") == "");
  CHECK(fix_with("other==12.8\n") == "");
}

}  // namespace
}  // namespace cudald
