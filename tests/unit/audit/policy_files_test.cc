#include <doctest/doctest.h>

#include "unit/audit/audited.h"

namespace cudald {
namespace {

TEST_CASE("only the loader's rules find a library inside, and nothing of this machine leaks in") {
  const auto wheel =
      audit("linux_x86_64", {
                                {"by_runpath.so", elf({.runpath = "$ORIGIN/libs", .needed = {"liba.so"}})},
                                {"by_nothing.so", elf({.needed = {"liba.so"}})},
                                {"absolute.so", elf({.runpath = "/lib", .needed = {"libfoo.so.1"}})},
                                {"inherits.so", elf({.rpath = "$ORIGIN/libs", .needed = {"libb.so"}})},
                                {"libs/liba.so", elf({.needed = {"libc.so.6"}})},
                                {"libs/libb.so", elf({.needed = {"liba.so"}})},
                            });
  CHECK(needs(wheel, "by_runpath.so") == "liba.so: libs/liba.so\n");
  CHECK(needs(wheel, "by_nothing.so") == "liba.so: outside\n");
  CHECK(needs(wheel, "absolute.so") == "libfoo.so.1: outside\n");
  CHECK(needs(wheel, "inherits.so") == "libb.so: libs/libb.so\n");
  CHECK(needs(wheel, "libs/libb.so") == "liba.so: libs/liba.so\n");
  CHECK(obstacles(wheel) == "liba.so >never by_nothing.so\nlibfoo.so.1 >never absolute.so\n");
}

TEST_CASE("a need that is met in one process and not in another is not met") {
  const Members members = {
      {"a.so", elf({.rpath = "$ORIGIN/libs:$ORIGIN/more", .needed = {"libb.so"}})},
      {"b.so", elf({.rpath = "$ORIGIN/libs", .needed = {"libb.so"}})},
      {"libs/libb.so", elf({.needed = {"libc2.so"}})},
      {"more/libc2.so", elf({})},
  };
  CHECK(needs(audit("linux_x86_64", members), "libs/libb.so") == "libc2.so: outside\n");
}

TEST_CASE("libraries that only need each other are looked at as well") {
  const auto wheel =
      audit("linux_x86_64", {
                                {"liba.so", elf({.soname = "liba.so", .runpath = "$ORIGIN", .needed = {"libb.so"}})},
                                {"libb.so", elf({.needed = {"liba.so", "libgone.so"}})},
                            });
  CHECK(needs(wheel, "liba.so") == "libb.so: libb.so\n");
  CHECK(needs(wheel, "libb.so") == "liba.so: liba.so\nlibgone.so: outside\n");
}

TEST_CASE("programs count, files for other machines and another libc do not") {
  auto interpreted = program(wants("libc.so.6", {"GLIBC_2.28"}));
  const auto wheel =
      audit("manylinux_2_17_x86_64", {
                                         {"pkg-1.0.data/scripts/tool", elf(interpreted)},
                                         {"a.so", elf(wants("libc.so.6", {"GLIBC_2.5"}))},
                                         {"arm.so", elf({.machine = EM_AARCH64, .needed = {"libx.so"}})},
                                         {"musl.so", elf({.needed = {"libc.musl-x86_64.so.1", "libx.so"}})},
                                         {"readme", "not an ELF file"},
                                     });
  CHECK(wheel.fitting_tag() == "manylinux_2_28_x86_64");
  CHECK(obstacles(wheel).starts_with("libc.so.6 GLIBC_2.28 >manylinux_2_28_x86_64 pkg-1.0.data/scripts/tool\n"));
  REQUIRE(wheel.files.size() == 4);
  CHECK(wheel.files[1].set_aside == "made for aarch64");
  CHECK(wheel.files[2].set_aside == "made for musl");
}

TEST_CASE("no tag is claimed for a wheel of which something cannot be read") {
  auto bytes = wheel_file({{"a.so", elf({})}});
  const auto directory = bytes.find("PK\1\2");
  REQUIRE(directory != std::string::npos);
  bytes.replace(directory + 42, 4, "\xff\xff\xff\x7f");  // where the member should lie
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  world.files.add_file(path, bytes);
  Session session(world.files);
  const auto wheel = session.wheel(path);
  REQUIRE(wheel.has_value());
  CHECK(wheel->fitting_tag() == "");
  CHECK(wheel->unread == std::vector<std::string>{"a.so"});
  CHECK(wheel->problems > 0);
  CHECK(audit("linux_x86_64", {{"a.so", elf({})}}).problems == 0);
}

TEST_CASE("only what a loader can load is a file of the wheel, by member") {
  const auto wheel = audit("linux_x86_64", {{"z.so", elf({})},
                                            {"a.cpython-311-x86_64-linux-gnu.so", elf({})},
                                            {"object.so", elf({.type = ET_REL})},
                                            {"core.so", elf({.type = ET_CORE})},
                                            {"pkg-1.0.data/scripts/tool", elf(program({.type = ET_EXEC}))},
                                            {"liba.so.1", elf({})}});
  std::string told;
  for (const auto& file : wheel.files) told += file.member + (file.extension_module ? " module\n" : "\n");
  CHECK(told == "a.cpython-311-x86_64-linux-gnu.so module\nliba.so.1\npkg-1.0.data/scripts/tool\nz.so module\n");
  CHECK(wheel.complete);
  CHECK(wheel.unread.empty());
}

TEST_CASE("of two needs each has its own answer") {
  const auto answers = [](bool with) {
    ElfSpec spec{.runpath = "$ORIGIN/libs"};
    spec.needed = {"liba.so"};
    if (with) spec.needed.emplace_back("libb.so");
    return needs(audit("linux_x86_64", {{"a.so", elf(spec)}, {"libs/liba.so", elf({})}}), "a.so");
  };
  CHECK(answers(false) == "liba.so: libs/liba.so\n");
  CHECK(answers(true) == "liba.so: libs/liba.so\nlibb.so: outside\n");
}

TEST_CASE("a need that is met in a later process alone is not met") {
  const Members members = {
      {"a.so", elf({.rpath = "$ORIGIN/libs", .needed = {"libb.so"}})},
      {"b.so", elf({.rpath = "$ORIGIN/libs:$ORIGIN/more", .needed = {"libb.so"}})},
      {"libs/libb.so", elf({.needed = {"libc2.so"}})},
      {"more/libc2.so", elf({})},
  };
  CHECK(needs(audit("linux_x86_64", members), "libs/libb.so") == "libc2.so: outside\n");
}

TEST_CASE("what a library only filters for is a need as well") {
  ElfSpec spec{.runpath = "$ORIGIN/libs"};
  spec.needed.emplace_back(NeededTag::filter, "liba.so");
  spec.needed.emplace_back(NeededTag::filter, "libb.so");
  CHECK(needs(audit("linux_x86_64", {{"a.so", elf(spec)}, {"libs/liba.so", elf({})}}), "a.so") ==
        "liba.so: libs/liba.so\nlibb.so: outside\n");
}

TEST_CASE("a module is imported alone too, however well it loads beside another one") {
  const auto wheel =
      audit("linux_x86_64", {
                                {"x.so", elf({.needed = {"libb.so"}})},
                                {"y.so", elf({.rpath = "$ORIGIN/libs:$ORIGIN", .needed = {"x.so", "libb.so"}})},
                                {"libs/libb.so", elf({})},
                            });
  CHECK(needs(wheel, "x.so") == "libb.so: outside\n");
  CHECK(needs(wheel, "y.so") == "x.so: x.so\nlibb.so: libs/libb.so\n");
}

TEST_CASE("a library that another one needs is seen with that one alone, whichever comes first") {
  const auto wheel = audit("linux_x86_64", {
                                               {"libs/liba.so.1", elf({.needed = {"libb.so.1"}})},
                                               {"libs/libb.so.1", elf({})},
                                               {"libz.so.1", elf({.rpath = "$ORIGIN/libs", .needed = {"liba.so.1"}})},
                                           });
  CHECK(needs(wheel, "libs/liba.so.1") == "libb.so.1: libs/libb.so.1\n");
  CHECK(needs(wheel, "libz.so.1") == "liba.so.1: libs/liba.so.1\n");
}

TEST_CASE("a program is started, and of one that no loader starts each need is outside") {
  const ElfSpec found{.runpath = "$ORIGIN", .needed = {"libq.so"}};
  auto fixed = found;
  fixed.type = ET_EXEC;
  const std::string scripts = "pkg-1.0.data/scripts/";
  const auto wheel = audit(
      "linux_x86_64",
      {{scripts + "started", elf(program(found))}, {scripts + "static", elf(fixed)}, {scripts + "libq.so", elf({})}});
  CHECK(needs(wheel, scripts + "started") == "libq.so: " + scripts + "libq.so\n");
  CHECK(needs(wheel, scripts + "static") == "libq.so: outside\n");
}

TEST_CASE("a file for the newest processors loads here, and an auxiliary library is no need") {
  ElfSpec spec{.runpath = "$ORIGIN/libs", .x86_isa_needed = 0b1000};
  spec.needed = {"liba.so"};
  spec.needed.emplace_back(NeededTag::auxiliary, "libc2.so");
  CHECK(needs(audit("linux_x86_64", {{"a.so", elf(spec)}, {"libs/liba.so", elf({})}, {"libs/libc2.so", elf({})}}),
              "a.so") == "liba.so: libs/liba.so\n");
}

TEST_CASE("no tag is claimed for a file that is not read to its end") {
  ElfSpec spec{.needed = {"libc.so.6"}};
  CHECK(audit("linux_x86_64", {{"a.so", elf(spec)}}).fitting_tag() == "manylinux_2_5_x86_64");
  spec.segments.resize(2000, {.type = PT_NOTE});
  const auto wheel = audit("linux_x86_64", {{"a.so", elf(spec)}});
  CHECK_FALSE(wheel.complete);
  CHECK(wheel.fitting_tag() == "");
  CHECK(wheel.fit.has_value());
}

}  // namespace
}  // namespace cudald
