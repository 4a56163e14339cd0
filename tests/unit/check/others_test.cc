#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a healthy world has no findings") {
  World world;
  world.add("/bin/app", program({.runpath = "$ORIGIN/../opt", .needed = {"liba.so", "libc.so.6"}}));
  world.add("/opt/liba.so", {.soname = "liba.so", .needed = {"libc.so.6"}, .uses = {{"f"}}});
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines = {{"f"}}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "");
  CHECK(report.verdict == Verdict::loads);
  CHECK(report.headline == "app loads, with 2 other objects");
}

TEST_CASE("what only LD_LIBRARY_PATH finds is noted once, with all names") {
  World world;
  world.add("/bin/app", program({.needed = {"liba.so", "libb.so", "libc.so"}}));
  for (const std::string name : {"liba.so", "libb.so"}) world.add("/env/" + name, {});
  world.add("/lib/libc.so", {});
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD104 note app: liba.so\n");
  CHECK(report.findings[0].message == "liba.so, libb.so are found through LD_LIBRARY_PATH");
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("an empty or relative element of a path is the current folder") {
  struct Row {
    std::string path, subject;
  };
  const Row rows[] = {
      {"/opt:", "\"\""},    {":/opt", "\"\""}, {"/opt::/b", "\"\""}, {"lib", "lib"},
      {"../lib", "../lib"}, {"$ORIGIN", ""},   {"/opt", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    World world;
    world.add("/bin/app", program({.runpath = row.path}));
    const auto expected = row.subject.empty() ? "" : "CUD107 note app: " + row.subject + "\n";
    CHECK(findings(world.explain({"/bin/app"})) == expected);
    world.add("/bin/app", program({.rpath = row.path}));
    CHECK(findings(world.explain({"/bin/app"})) == expected);
  }
}

TEST_CASE("a folder of the machine that built the file is noted, unless it is there") {
  for (const std::string folder :
       {"/home/builder/lib", "/tmp/build/lib", "/root/x/lib", "/opt/src/build/lib", "/usr/local/cuda-11.8/lib"}) {
    CAPTURE(folder);
    World world;
    world.add("/bin/app", program({.runpath = "$ORIGIN:" + folder}));
    CHECK(findings(world.explain({"/bin/app"})) == "CUD108 note app: " + folder + "\n");
    world.files.add_folder(folder);
    CHECK(findings(world.explain({"/bin/app"})) == "");
  }
}

TEST_CASE("what is found only because another file was loaded before is luck") {
  World world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"libcudart-e409450e.so.11.0", "liba.so"}}));
  world.add("/opt/libcudart-e409450e.so.11.0", {.soname = "libcudart.so.11.0"});
  world.add("/opt/liba.so", {.needed = {"libcudart.so.11.0"}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD110 note liba.so: libcudart.so.11.0\n");
  CHECK(all_words(report.findings[0]).find("/opt/libcudart-e409450e.so.11.0") != std::string::npos);
}

TEST_CASE("a symbol that nothing defines is an error, a warning or a note by who is to blame") {
  struct Row {
    std::string name;
    std::string target;
    ElfReference use;
    std::string finding;
    Verdict verdict;
  };
  const Row rows[] = {
      {"data of a program", "/bin/app", {"f"}, "CUD201 error app: f\n", Verdict::fails},
      {"a call of a program", "/bin/app", {"f", ElfUse::call}, "CUD201 warning app: f\n", Verdict::risk},
      {"of a library, which a program may define", "/lib/libx.so", {"f"}, "CUD201 warning libx.so: f\n", Verdict::risk},
      {"of an extension module",
       "/lib/libx.so",
       {"PyModule_Create2"},
       "CUD201 note libx.so: PyModule_Create2\n",
       Verdict::loads},
      {"a weak one", "/bin/app", {"f", ElfUse::data, "", STB_WEAK}, "", Verdict::loads},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    World world;
    world.add("/bin/app", program({.uses = {row.use}}));
    world.add("/lib/libx.so", {.soname = "libx.so", .uses = {row.use}});
    const auto report = world.explain({row.target});
    CHECK(findings(report) == row.finding);
    CHECK(report.verdict == row.verdict);
  }
}

TEST_CASE("missing symbols of one file are one finding, readable and counted") {
  World world;
  ElfSpec app;
  for (int i = 0; i < 20; ++i) app.uses.push_back({"_ZN3foo1" + std::string(1, static_cast<char>('a' + i)) + "Ev"});
  world.add("/bin/app", program(app));
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD201 error app: _ZN3foo1aEv\n");
  CHECK(report.findings[0].message.find("20 symbols") != std::string::npos);
  CHECK(report.findings[0].evidence.size() == 8);
  CHECK(report.findings[0].evidence[0].text.find("foo::a()") != std::string::npos);
}

TEST_CASE("a versioned symbol of a library alone is the fault of the files") {
  World world;
  world.add("/opt/plugin.so", {.soname = "plugin.so",
                               .needed = {"liba.so"},
                               .needs_versions = {{"liba.so", {{"V1"}}}},
                               .uses = {{"f", ElfUse::data, "V1"}}});
  world.add("/lib/liba.so", {.soname = "liba.so", .defines_versions = {"V1"}, .defines = {{"g", "V1"}}});
  CHECK(findings(world.explain({"/opt/plugin.so"})) == "CUD201 error plugin.so: f\n");
}

TEST_CASE("a version that is missing is an error; a library without versions only a note") {
  World world;
  world.add("/bin/app", program({.needed = {"libc.so.6"}, .needs_versions = {{"libc.so.6", {{"GLIBC_2.38"}}}}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.2.5", "GLIBC_2.36"}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD202 error app: GLIBC_2.38\n");
  const auto words = all_words(report.findings[0]);
  CHECK(words.find("version `GLIBC_2.38' not found (required by /bin/app)") != std::string::npos);
  CHECK(words.find("defines GLIBC_2.36, GLIBC_2.2.5") != std::string::npos);
  CHECK(words.find("glibc is at least 2.38") != std::string::npos);
  CHECK(words.find("not: copying a newer libc.so.6") != std::string::npos);

  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD202 note app: GLIBC_2.38\n");
}

TEST_CASE("a file that contradicts itself is a risk, a limit of ours makes the verdict unknown") {
  World world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.dynamic = {{DT_VERSYM, 0x7fff'0000'0000}}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD901 warning liba.so: liba.so\n");
  CHECK(report.verdict == Verdict::risk);

  ElfSpec huge;
  for (int i = 0; i < 3000; ++i) huge.needed.emplace_back("liba.so");
  world.add("/lib/liba.so", {});
  world.add("/bin/app", program(huge));
  const auto limited = world.explain({"/bin/app"});
  CHECK(findings(limited) == "CUD902 warning app: app\n");
  CHECK(limited.verdict == Verdict::unknown);
}

TEST_CASE("a hash table that is damaged is told, as symbols may be missed") {
  World world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .uses = {{"f"}}}));
  auto built = build_elf({.soname = "liba.so", .defines = {{"f"}}});
  poke(built.bytes, built.at["gnu hash"], std::uint32_t{0});
  world.files.add_file("/lib/liba.so", built.bytes);
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report).find("CUD901 warning ") != std::string::npos);
}

TEST_CASE("a target that cannot be read is the verdict unknown, whatever else there is") {
  World world;
  world.add("/bin/app", program({.needed = {"none.so"}}));
  world.files.add_file("/bin/secret", elf(program({})), {.readable = false});
  world.files.add_special("/bin/pipe");
  world.files.add_file("/bin/text", "#!/bin/sh\n");
  struct Row {
    std::string target, finding;
  };
  const Row rows[] = {
      {"/bin/none", "CUD904 error /bin/none\n"}, {"/bin/secret", "CUD904 error /bin/secret\n"},
      {"/bin", "CUD904 error /bin\n"},           {"/bin/pipe", "CUD904 error /bin/pipe\n"},
      {"/bin/text", "CUD901 error /bin/text\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.target);
    const auto report = world.explain({row.target});
    CHECK(findings(report) == row.finding);
    CHECK(report.verdict == Verdict::unknown);
    CHECK(report.headline.starts_with(row.target + ": "));
    CHECK(report.resolution.objects.empty());
  }
}

TEST_CASE("while a library is missing, nothing is said of symbols that it might define") {
  World world;
  world.add("/bin/app", program({.needed = {"none.so"}, .uses = {{"f"}}}));
  CHECK(findings(world.explain({"/bin/app"})) == "CUD101 error app: none.so\n");
}

TEST_CASE("findings come worst first, and the headline is that of the worst") {
  World world;
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
  World world;
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

TEST_CASE("libraries that need one another are noted; a dlopen closes no circle") {
  World world;
  world.add("/bin/app", program({.needed = {"liba.so", "libd.so"}}));
  world.add("/lib/liba.so", {.needed = {"libb.so"}});
  world.add("/lib/libb.so", {.needed = {"libc.so"}});
  world.add("/lib/libc.so", {.needed = {"liba.so"}});
  world.add("/lib/libd.so", {});
  world.query.dlopens = {{.name = "libb.so", .caller = "libd.so"}, {.name = "libd.so", .caller = "libb.so"}};
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD113 note liba.so: liba.so\n");
  CHECK(report.findings[0].message == "liba.so, libb.so, libc.so need one another in a circle");
  CHECK(report.verdict == Verdict::loads);
}

TEST_CASE("a copy behind the one of LD_LIBRARY_PATH is noted, if it is another file") {
  World world;
  world.add("/bin/app", program({.runpath = "/opt", .needed = {"liba.so", "libb.so"}}));
  for (const std::string folder : {"/env/", "/opt/"}) world.add(folder + "liba.so", {});
  world.add("/env/libb.so", {});
  world.files.add_hard_link("/opt/libb.so", "/env/libb.so");
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.set("LD_LIBRARY_PATH", "/env");
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD109 note app: liba.so\nCUD104 note app: liba.so\n");
  CHECK(report.findings[0].message == "liba.so comes from LD_LIBRARY_PATH; without it /opt/liba.so would load");
}

TEST_CASE("an object without versions that answers for the library of a version is noted") {
  World world;
  const VersionNeed need{"libc.so", {{.name = "V1"}}};
  world.add("/bin/app", program({.needed = {"libc.so"},
                                 .needs_versions = {need},
                                 .uses = {{.name = "malloc", .version = "V1"}, {.name = "free", .version = "V1"}}}));
  world.add("/lib/libc.so", {.soname = "libc.so",
                             .defines_versions = {"V1"},
                             .defines = {{.name = "malloc", .version = "V1"}, {.name = "free", .version = "V1"}}});
  CHECK(findings(world.explain({"/bin/app"})) == "");
  world.add("/opt/libje.so", {.soname = "libje.so", .defines = {{"malloc"}, {"free"}}});
  world.query.environment.preload = {"/opt/libje.so"};
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD204 note libje.so: malloc\n");
  CHECK(report.findings[0].message ==
        "malloc and 1 more are answered by libje.so, not by the library whose version was asked for");
}

}  // namespace
}  // namespace cudald
