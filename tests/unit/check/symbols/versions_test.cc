#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

TEST_CASE("another copy of the library that defines the version is named, and loaded first") {
  const auto offered = [](ElfSpec app, const std::string& variable) {
    TestWorld world;
    app.needed = {"libs.so.6"};
    app.needs_versions = {{"libs.so.6", {{"V2"}}}};
    world.add("/env/bin/app", program(app));
    world.add("/env/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1"}});
    world.add("/usr/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1", "V2"}});
    if (!variable.empty()) world.set("LD_LIBRARY_PATH", variable);
    const auto report = world.explain({"/env/bin/app"});
    REQUIRE(report.findings.at(0).code == "CUD202");
    CHECK(says(report.findings[0], "/usr/lib/libs.so.6 defines V2, and is not the copy that loads"));
    return commands(report.findings[0]);
  };
  CHECK(offered({.rpath = "$ORIGIN/../lib"}, "") ==
        "export LD_PRELOAD=/usr/lib/libs.so.6${LD_PRELOAD:+:$LD_PRELOAD}\n");
  CHECK(offered({}, "/env/lib") ==
        "unset LD_LIBRARY_PATH\nexport LD_PRELOAD=/usr/lib/libs.so.6${LD_PRELOAD:+:$LD_PRELOAD}\n");
}

TEST_CASE("a version that is missing is an error; a library without versions only a note") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libc.so.6"}, .needs_versions = {{"libc.so.6", {{"GLIBC_2.38"}}}}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.2.5", "GLIBC_2.36"}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD202 error app: GLIBC_2.38\n");
  CHECK(in_full(report) ==
        R"(CUD202 | error | /bin/app | GLIBC_2.38
  app wants version GLIBC_2.38 of libc.so.6, and the one that loads, /lib/libc.so.6, does not define it
  - needed by /bin/app | /bin/app | proven
  - /lib/libc.so.6 defines GLIBC_2.36, GLIBC_2.2.5 | /lib/libc.so.6 | proven
  = The loader stops: /lib/libc.so.6: version `GLIBC_2.38' not found (required by /bin/app)
  > run it where glibc is at least 2.38: a newer release of the distribution, or a container of one
  > or take a build of app made for this glibc (2.37) or older
  ! a symlink named libc.so.6 to another release: the version is looked up inside the file
  ! copying a newer libc.so.6 beside it: libc and the loader ld.so only work as a pair
)");
  const auto words = all_words(report.findings[0]);
  CHECK(words.find("version `GLIBC_2.38' not found (required by /bin/app)") != std::string::npos);
  CHECK(words.find("defines GLIBC_2.36, GLIBC_2.2.5") != std::string::npos);
  CHECK(words.find("glibc is at least 2.38") != std::string::npos);
  CHECK(words.find("not: copying a newer libc.so.6") != std::string::npos);

  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD202 note app: GLIBC_2.38\n");
  CHECK(in_full(world.explain({"/bin/app"})) ==
        R"(CUD202 | note | /bin/app | GLIBC_2.38
  app was linked against a libc.so.6 with versions; /lib/libc.so.6 has none (no version information available)
  - needed by /bin/app | /bin/app | proven
  - /lib/libc.so.6 defines none | /lib/libc.so.6 | proven
  = The loader warns "no version information available" and continues.
)");
}

TEST_CASE("a version record that the loader does not know is an error of the library that has it") {
  for (const bool weak : {false, true}) {
    CAPTURE(weak);
    const ElfSpec library{.soname = "liba.so", .defines_versions = {"V1"}};
    auto built = build_elf(library);
    poke(built.bytes, built.at["version definitions"], std::uint16_t{16});  // vd_version
    TestWorld world;
    world.add("/bin/app",
              program({.needed = {"liba.so"}, .needs_versions = {{"liba.so", {{.name = "V1", .weak = weak}}}}}));
    world.files.add_file("/lib/liba.so", built.bytes);
    const auto report = world.explain({"/bin/app"});
    CHECK(findings(report) == "CUD202 error app: V1\n");
    CHECK(in_full(report) ==
          R"(CUD202 | error | /bin/app | V1
  app wants version V1 of liba.so, and the search for it ends at a record of the format 16: loaders know only 1
  - needed by /bin/app | /bin/app | proven
  - /lib/liba.so defines V1 | /lib/liba.so | proven
  = The loader stops: /lib/liba.so: unsupported version 16 of Verdef record
  > take another copy of liba.so: the table of its versions is damaged
)");
  }
}

TEST_CASE("of the versions that a library defines the last four are told") {
  const auto told = [](int count, const std::string& wanted = "X_9") {
    Image image;
    for (int i = 0; i <= count; ++i) {
      VersionDefinition definition;
      definition.name = "X_" + std::to_string(i);
      definition.base = i == 0;
      image.elf.version_definitions.push_back(definition);
    }
    auto report = made_report({made_object("/bin/app"), made_object("/lib/libx.so", image)});
    report.resolution.version_problems = {{.object = 0, .provider = 1, .file = "libx.so", .version = wanted}};
    made_findings(check_versions, report);
    return report.findings.at(0).evidence.at(1).text;
  };
  CHECK(told(0) == "/lib/libx.so defines none");
  CHECK(told(1) == "/lib/libx.so defines X_1");
  CHECK(told(4) == "/lib/libx.so defines X_4, X_3, X_2, X_1");
  CHECK(told(5) == "/lib/libx.so defines X_5, X_4, X_3, X_2, ...");
}

TEST_CASE("each kind of problem with versions is told in its own words") {
  const auto told = [](VersionProblem problem) {
    auto report = made_report({made_object("/bin/app"), made_object("/lib/libx.so")});
    report.resolution.libc = {LibcKind::glibc, 2, 31};
    problem.provider = 1;
    problem.file = "libx.so";
    problem.message = "the loader's line";
    report.resolution.version_problems = {std::move(problem)};
    return made_findings(check_versions, report);
  };
  CHECK(told({.version = "X_1"}) == R"(CUD202 | error | /bin/app | X_1
  app wants version X_1 of libx.so, and the one that loads, /lib/libx.so, does not define it
  - needed by /bin/app | /bin/app | proven
  - /lib/libx.so defines none | /lib/libx.so | proven
  = The loader stops: the loader's line
  > take a build of app that was made with libx.so of this system, or build it here
  > or run it on the release of the system that it was built for, as in a container
  ! a symlink named libx.so to another release: the version is looked up inside the file
)");
  CHECK(told({.version = "GLIBC_2.34"}) == R"(CUD202 | error | /bin/app | GLIBC_2.34
  app wants version GLIBC_2.34 of libx.so, and the one that loads, /lib/libx.so, does not define it
  - needed by /bin/app | /bin/app | proven
  - /lib/libx.so defines none | /lib/libx.so | proven
  = The loader stops: the loader's line
  > run it where glibc is at least 2.34: a newer release of the distribution, or a container of one
  > or take a build of app made for this glibc (2.31) or older
  ! a symlink named libx.so to another release: the version is looked up inside the file
  ! copying a newer libc.so.6 beside it: libc and the loader ld.so only work as a pair
)");
  CHECK(told({.version = "GLIBC_"}).find("run it where glibc") == std::string::npos);
  CHECK(told({.version = "X_1", .weak = true}) == "");
  CHECK(told({.version = "X_1", .no_versions_at_all = true}) == R"(CUD202 | note | /bin/app | X_1
  app was linked against a libx.so with versions; /lib/libx.so has none (no version information available)
  - needed by /bin/app | /bin/app | proven
  - /lib/libx.so defines none | /lib/libx.so | proven
  = The loader warns "no version information available" and continues.
)");
  CHECK(told({.version = "X_1", .weak = true, .unknown_format = std::uint16_t{2}}) == R"(CUD202 | error | /bin/app | X_1
  app wants version X_1 of libx.so, and the search for it ends at a record of the format 2: loaders know only 1
  - needed by /bin/app | /bin/app | proven
  - /lib/libx.so defines none | /lib/libx.so | proven
  = The loader stops: the loader's line
  > take another copy of libx.so: the table of its versions is damaged
)");
}

TEST_CASE("a library that LD_LIBRARY_PATH puts into a program wants a newer glibc: without it the own copy loads") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libn.so.6", "libc.so.6"}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.31"}});
  world.add("/usr/lib/libn.so.6", {.soname = "libn.so.6"});
  world.add("/nix/lib/libn.so.6",
            {.soname = "libn.so.6", .needed = {"libc.so.6"}, .needs_versions = {{"libc.so.6", {{"GLIBC_2.38"}}}}});
  world.set("LD_LIBRARY_PATH", "/nix/lib");
  const auto report = world.explain({"/bin/app"});
  REQUIRE(report.findings.at(0).code == "CUD202");
  CHECK(says(report.findings[0],
             "LD_LIBRARY_PATH leads to that libn.so.6, and /usr/lib/libn.so.6 would load without it"));
  CHECK(report.findings[0].fixes.at(0).command == "unset LD_LIBRARY_PATH");
  // The other copy wants it as well.
  world.add("/usr/lib/libn.so.6",
            {.soname = "libn.so.6", .needed = {"libc.so.6"}, .needs_versions = {{"libc.so.6", {{"GLIBC_2.38"}}}}});
  CHECK_FALSE(says(world.explain({"/bin/app"}).findings.at(0), "unset LD_LIBRARY_PATH"));
}

TEST_CASE("where no copy defines the version, another build of the file helps") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libs.so.4"}, .needs_versions = {{"libs.so.4", {{"S_3"}}}}}));
  world.add("/lib/libs.so.4", {.soname = "libs.so.4", .defines_versions = {"S_4"}});
  CHECK(says(world.explain({"/bin/app"}).findings.at(0), "take a build of app that was made with libs.so.4 of this"));
}

TEST_CASE("the warning about a library without versions goes away with the LD_LIBRARY_PATH that leads to it") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libt.so.6"}, .needs_versions = {{"libt.so.6", {{"T_5"}}}}}));
  world.add("/lib/libt.so.6", {.soname = "libt.so.6", .defines_versions = {"T_5"}});
  world.add("/conda/lib/libt.so.6", {.soname = "libt.so.6"});
  world.set("LD_LIBRARY_PATH", "/conda/lib");
  const auto report = world.explain({"/bin/app"});
  CHECK(report.verdict == Verdict::loads);
  for (const auto& finding : report.findings)
    if (finding.code == "CUD202") CHECK(commands(finding) == "unset LD_LIBRARY_PATH\n");
}

TEST_CASE("the copy in the directory of a release that is there comes in the place of one that is gone") {
  TestWorld world;
  world.add("/opt/llvm/bin/app", program({.needed = {"libs.so.6"}, .needs_versions = {{"libs.so.6", {{"V2"}}}}}));
  world.add("/usr/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1"}});
  world.add("/opt/gcc/7.2.0/lib/libs.so.6", {.soname = "libs.so.6", .defines_versions = {"V1", "V2"}});
  world.set("LD_LIBRARY_PATH", "/opt/gcc/7.1.0/lib:/opt/llvm/lib");
  const auto finding = world.explain({"/opt/llvm/bin/app"}).findings.at(0);
  CHECK(finding.message.ends_with("; LD_LIBRARY_PATH names /opt/gcc/7.1.0/lib, which is not there"));
  CHECK(commands(finding) == "export LD_LIBRARY_PATH=/opt/gcc/7.2.0/lib:/opt/llvm/lib\n");
}

TEST_CASE("a copy that lies among others of the process comes with them") {
  TestWorld world;
  world.add("/usr/bin/app",
            program({.needed = {"libs.so.6", "libt.so.6"}, .needs_versions = {{"libs.so.6", {{"V2"}}}}}));
  for (const std::string folder : {"/usr/lib", "/opt/s/lib"}) {
    world.add(folder + "/libt.so.6", {.soname = "libt.so.6"});
    world.add(folder + "/libs.so.6", {.soname = "libs.so.6", .defines_versions = {folder == "/usr/lib" ? "V1" : "V2"}});
  }
  CHECK(commands(world.explain({"/usr/bin/app"}).findings.at(0)) ==
        "export LD_LIBRARY_PATH=/opt/s/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n");
}

TEST_CASE("a copy in the store of Nix that wants no newer C library is put first") {
  TestWorld world;
  const std::string store = "/nix/store/", own = "/nix/store/a-glibc/lib";
  world.add(store + "p-app/bin/app", program({.runpath = own, .needed = {"libn.so.6", "libc.so.6"}}));
  world.add(own + "/libc.so.6", {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.31"}});
  for (const auto& [folder, version] : {std::pair{"n1-gcc-lib", "GLIBC_2.31"}, {"n2-gcc-lib", "GLIBC_2.38"}})
    world.add(store + folder + "/lib/libn.so.6", {.soname = "libn.so.6",
                                                  .runpath = own,
                                                  .needed = {"libc.so.6"},
                                                  .needs_versions = {{"libc.so.6", {{version}}}}});
  world.set("LD_LIBRARY_PATH", store + "n2-gcc-lib/lib");
  const auto finding = world.explain({store + "p-app/bin/app"}).findings.at(0);
  CHECK(finding.message.ends_with("and /nix/store/n1-gcc-lib/lib/libn.so.6 is for this one"));
  CHECK(finding.fixes.at(0).command.starts_with("export LD_LIBRARY_PATH=/nix/store/n1-gcc-lib/lib$"));
}

}  // namespace
}  // namespace cudald
