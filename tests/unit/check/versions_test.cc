#include <doctest/doctest.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a version that is missing is an error; a library without versions only a note") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libc.so.6"}, .needs_versions = {{"libc.so.6", {{"GLIBC_2.38"}}}}}));
  world.add("/lib/libc.so.6", {.soname = "libc.so.6", .defines_versions = {"GLIBC_2.2.5", "GLIBC_2.36"}});
  const auto report = world.explain({"/bin/app"});
  CHECK(findings(report) == "CUD202 error app: GLIBC_2.38\n");
  CHECK(in_full(report) ==
        R"(CUD202 | error | /bin/app | GLIBC_2.38
  app wants version GLIBC_2.38 of libc.so.6, and the one that loads does not define it
  - asked by /bin/app | /bin/app | proven
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
  app was linked against a libc.so.6 with versions; /lib/libc.so.6 has none
  - asked by /bin/app | /bin/app | proven
  - /lib/libc.so.6 defines none | /lib/libc.so.6 | proven
  = The loader warns "no version information available" and goes on.
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
  - asked by /bin/app | /bin/app | proven
  - /lib/liba.so defines V1 | /lib/liba.so | proven
  = The loader stops: /lib/liba.so: unsupported version 16 of Verdef record
  > take another copy of liba.so: the table of its versions is damaged
)");
  }
}

}  // namespace
}  // namespace cudald
