#include <doctest/doctest.h>

#include "common/world.h"

namespace cudald {
namespace {

/// A program that wants versions of liba.so.
TestWorld wanting(std::vector<NeededVersion> versions, const ElfSpec& library) {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .needs_versions = {{"liba.so", std::move(versions)}}}));
  world.add("/lib/liba.so", library);
  return world;
}

std::string problems(const Report& report) {
  std::string text;
  for (const auto& problem : report.resolution.version_problems) text += problem.message + "\n";
  return text;
}

TEST_CASE("each version that is asked for must be defined by the library named") {
  struct Row {
    std::string name;
    std::vector<NeededVersion> wanted;
    std::vector<std::string> defined;
    std::string problems, outcome;
  };
  const std::string missing = "/lib/liba.so: version `V3' not found (required by /bin/app)\n",
                    weak = "/lib/liba.so: weak version `V3' not found (required by /bin/app)\n",
                    none = "/lib/liba.so: no version information available (required by /bin/app)\n";
  const Row rows[] = {
      {"both there", {{"V1"}, {"V2"}}, {"V1", "V2"}, "", "loads\n"},
      {"one missing", {{"V1"}, {"V3"}}, {"V1", "V2"}, missing, missing},
      {"weak and missing", {{"V1"}, {.name = "V3", .weak = true}}, {"V1"}, weak, "loads\n"},
      {"weak and missing before a missing one",
       {{.name = "V3", .weak = true}, {"V3"}},
       {"V1"},
       weak + missing,
       missing},
      {"no versions at all", {{"V3"}}, {}, none, "loads\n"},
      {"the name as a base version", {{"liba.so"}}, {"V1"}, "", "loads\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    auto world = wanting(row.wanted, {.soname = "liba.so", .defines_versions = row.defined});
    const auto report = world.explain({"/bin/app"});
    CHECK(problems(report) == row.problems);
    CHECK(outcome(report) == row.outcome);
  }
}

TEST_CASE("of a library with few and with many versions the same are found") {
  for (const std::size_t count : {std::size_t{2}, std::size_t{255}, std::size_t{256}, std::size_t{1000}}) {
    CAPTURE(count);
    std::vector<std::string> defined;
    for (std::size_t i = 0; i < count; ++i) defined.push_back("V" + std::to_string(i));
    const auto last = "V" + std::to_string(count - 1), next = "V" + std::to_string(count);
    auto world = wanting({{"V0"}, {last}, {next}}, {.soname = "liba.so", .defines_versions = defined});
    CHECK(problems(world.explain({"/bin/app"})) ==
          "/lib/liba.so: version `" + next + "' not found (required by /bin/app)\n");
  }
}

TEST_CASE("the provider is the loaded object of that name, by soname or as it was found") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"./link.so", "libb.so"}, .needs_versions = {{"liba.so.1", {{"V1"}}}}}));
  world.add("/real.so", {.soname = "liba.so.1", .defines_versions = {"V2"}});
  world.files.add_symlink("/link.so", "real.so");
  world.add("/lib/libb.so", {.needs_versions = {{"./link.so", {{"V1"}}}}});
  CHECK(problems(world.explain({"/bin/app"})) ==
        "./link.so: version `V1' not found (required by /bin/app)\n"
        "./link.so: version `V1' not found (required by /lib/libb.so)\n");
}

TEST_CASE("a library that is missing is not told a second time for its versions") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}, .needs_versions = {{"liba.so", {{"V1"}}}}}));
  const auto report = world.explain({"/bin/app"});
  CHECK(problems(report) == "");
  CHECK(outcome(report) == "liba.so: cannot open shared object file: No such file or directory\n");
}

TEST_CASE("a version that differs in its name alone does not fit, nor one that differs in its hash") {
  const ElfSpec library{.soname = "liba.so", .defines_versions = {"V1"}};
  auto built = build_elf(library);
  poke(built.bytes, built.at["version definitions"] + 28 + 8, std::uint32_t{1});  // vd_hash of V1
  auto world = wanting({{"V1"}}, library);
  world.files.add_file("/lib/liba.so", built.bytes);
  CHECK(problems(world.explain({"/bin/app"})) != "");
}

// glibc elf/dl-version.c, match_symbol
TEST_CASE("a version record of another format than 1 ends the search for all that come after it, weak ones too") {
  struct Row {
    std::size_t damaged;  ///< of the records "liba.so", V1, V2
    NeededVersion wanted;
    std::string problems, outcome;
  };
  const std::string refused = "/lib/liba.so: unsupported version 4 of Verdef record\n";
  const Row rows[] = {
      {0, {"V1"}, refused, refused}, {1, {"V1"}, refused, refused}, {1, {"liba.so"}, "", "loads\n"},
      {2, {"V1"}, "", "loads\n"},    {2, {"V2"}, refused, refused}, {2, {.name = "V3", .weak = true}, refused, refused},
  };
  for (const Row& row : rows) {
    CAPTURE(row.damaged);
    CAPTURE(row.wanted.name);
    const ElfSpec library{.soname = "liba.so", .defines_versions = {"V1", "V2"}};
    auto built = build_elf(library);
    poke(built.bytes, built.at["version definitions"] + 28 * row.damaged, std::uint16_t{4});  // vd_version
    auto world = wanting({row.wanted}, library);
    world.files.add_file("/lib/liba.so", built.bytes);
    const auto report = world.explain({"/bin/app"});
    CHECK(problems(report) == row.problems);
    CHECK(outcome(report) == row.outcome);
  }
}

TEST_CASE("musl looks at no versions") {
  auto world = wanting({{"V3"}}, {.soname = "liba.so", .defines_versions = {"V1"}});
  world.query.environment.libc = LibcVersion{LibcKind::musl, 1, 2};
  const auto report = world.explain({"/bin/app"});
  CHECK(problems(report) == "");
  CHECK(outcome(report) == "loads\n");
}

TEST_CASE("versions of a plugin are the error of its dlopen") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"liba.so"}}));
  world.add("/lib/liba.so", {.soname = "liba.so", .defines_versions = {"V1"}});
  world.add("/lib/plugin.so", {.needs_versions = {{"liba.so", {{"V3"}}}}});
  world.query.dlopens = {{.name = "plugin.so"}};
  CHECK(outcome(world.explain({"/bin/app"})) ==
        "loads\n/lib/liba.so: version `V3' not found (required by /lib/plugin.so)\n");
}

// glibc elf/rtld.c, dl_main: a loader that nothing needs is taken off the list before versions are checked.
TEST_CASE("the program's loader is held against its versions only if something needs it") {
  for (const bool needed : {false, true}) {
    CAPTURE(needed);
    TestWorld world;
    world.add("/lib64/liba.so", {.soname = "liba.so",
                                 .needed = needed ? std::vector<ElfNeeded>{"odd.so"} : std::vector<ElfNeeded>{},
                                 .defines_versions = {"V1"}});
    world.add("/lib64/odd.so", {.soname = "odd.so", .needs_versions = {{"liba.so", {{"V2"}}}}});
    auto app = program({.needed = {"liba.so"}});
    app.interpreter = "/lib64/odd.so";
    world.add("/bin/app", app);
    const auto report = world.explain({"/bin/app"});
    CHECK(problems(report) == (needed ? "/lib64/liba.so: version `V2' not found (required by /lib64/odd.so)\n" : ""));
  }
}

}  // namespace
}  // namespace cudald
