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
  const auto words = all_words(report.findings[0]);
  CHECK(words.find("version `GLIBC_2.38' not found (required by /bin/app)") != std::string::npos);
  CHECK(words.find("defines GLIBC_2.36, GLIBC_2.2.5") != std::string::npos);
  CHECK(words.find("glibc is at least 2.38") != std::string::npos);
  CHECK(words.find("not: copying a newer libc.so.6") != std::string::npos);

  world.add("/lib/libc.so.6", {.soname = "libc.so.6"});
  CHECK(findings(world.explain({"/bin/app"})) == "CUD202 note app: GLIBC_2.38\n");
}

}  // namespace
}  // namespace cudald
