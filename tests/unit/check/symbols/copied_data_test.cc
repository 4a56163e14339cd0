// CUD206: a variable that a program has copied, and that has grown since in its library.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// A file whose first symbol has this size.
std::string with_size(const ElfSpec& spec, std::uint64_t size) {
  auto built = build_elf(spec);
  constexpr std::uint64_t entry = 24, size_at = 16;
  poke(built.bytes, built.at.at("symbols") + entry + size_at, size);
  return built.bytes;
}

Report copied(std::uint64_t own, std::uint64_t theirs) {
  TestWorld world;
  world.files.add_file("/bin/app", with_size(program({.needed = {"liba.so"},
                                                      .defines = {{.name = "log", .type = STT_OBJECT}},
                                                      .uses = {{"log", ElfUse::copy}}}),
                                             own));
  world.files.add_file("/lib/liba.so",
                       with_size({.soname = "liba.so", .defines = {{.name = "log", .type = STT_OBJECT}}}, theirs));
  return world.explain({"/bin/app"});
}

TEST_CASE("a library's variable that is larger than the program's copy of it is a risk") {
  const auto report = copied(16, 64);
  REQUIRE(findings(report) == "CUD206 warning app: log\n");
  CHECK(report.verdict == Verdict::risk);
  CHECK(report.findings[0].message ==
        "app has a copy of log of 16 bytes, and in liba.so it has 64: the library writes behind the end of the copy");
}

TEST_CASE("a copy that is large enough is none") {
  CHECK(findings(copied(64, 64)) == "");
  CHECK(findings(copied(64, 16)) == "");
}

}  // namespace
}  // namespace cudald
