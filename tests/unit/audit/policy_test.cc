#include <doctest/doctest.h>

#include <algorithm>

#include <cudald/session.h>
#include <cudald/wheel.h>

#include "common/wheel_file.h"
#include "common/world.h"

namespace cudald {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

ElfSpec wants(const std::string& library, const std::vector<std::string>& versions, bool weak = false) {
  ElfSpec spec{.needed = {library}, .needs_versions = {{library, {}}}};
  for (const auto& version : versions) spec.needs_versions[0].versions.push_back({version, 0, 0, weak, false});
  return spec;
}

/// The report on a wheel of that tag in a machine on which libc.so.6 and libfoo.so.1 are there, to no avail.
WheelReport audit(const std::string& tag, const Members& members, const std::string& metadata = "") {
  World world;
  for (const std::string name : {"libc.so.6", "libfoo.so.1"})
    world.add("/lib/" + name, {.soname = name, .needed = {"libleak.so"}});
  const auto path = "/dist/pkg-1.0-cp311-cp311-" + tag + ".whl";
  world.files.add_file(path, wheel_file(members, metadata));
  Session session(world.files);
  auto report = session.wheel(path);
  REQUIRE(report.has_value());
  return std::move(*report);
}

/// "libfoo.so.1 >never (a.so)", a line for each obstacle.
std::string obstacles(const WheelReport& wheel) {
  REQUIRE(wheel.fit.has_value());
  std::string text;
  for (const auto& obstacle : wheel.fit->obstacles) {
    text += obstacle.library + (obstacle.name.empty() ? "" : " " + obstacle.name) + " >";
    text += obstacle.since < wheel.fit->tags.size() ? wheel.fit->tags[obstacle.since] : "never";
    for (const auto& member : obstacle.members) text += " " + member;
    text += "\n";
  }
  return text;
}

/// "liba.so: inside pkg.libs/liba.so", a line for each need of a member.
std::string needs(const WheelReport& wheel, const std::string& member) {
  std::string text;
  for (const auto& file : wheel.files)
    if (file.member == member)
      for (const auto& need : file.needs)
        text += need.name + ": " + (need.is_loader ? "loader" : need.inside.empty() ? "outside" : need.inside) + "\n";
  return text;
}

TEST_CASE("versions and libraries decide which tag a wheel fits") {
  struct Row {
    ElfSpec file;
    std::string tag, by_versions;
  };
  const Row rows[] = {
      {{}, "manylinux_2_5_x86_64", "manylinux_2_5_x86_64"},
      {wants("libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.17"}), "manylinux_2_17_x86_64", "manylinux_2_17_x86_64"},
      {wants("libc.so.6", {"GLIBC_2.17", "GLIBC_2.34"}), "manylinux_2_34_x86_64", "manylinux_2_34_x86_64"},
      {wants("libc.so.6", {"GLIBC_2.99"}), "linux_x86_64", ""},
      {wants("libfoo.so.1", {"FOO_1"}), "linux_x86_64", "manylinux_2_5_x86_64"},
      {{.needed = {"libexpat.so.1"}}, "manylinux_2_12_x86_64", "manylinux_2_5_x86_64"},
      {{.x86_isa_needed = 0b101}, "linux_x86_64", ""},
      {{.x86_isa_needed = 0b1}, "manylinux_2_5_x86_64", "manylinux_2_5_x86_64"},
  };
  for (std::size_t row = 0; row < std::size(rows); ++row) {
    CAPTURE(row);
    const auto wheel = audit("linux_x86_64", {{"a.so", elf(rows[row].file)}});
    CHECK(wheel.fitting_tag() == rows[row].tag);
    REQUIRE(wheel.fit.has_value());
    const auto by_versions = wheel.fit->fits_but_for_libraries;
    CHECK((by_versions < wheel.fit->tags.size() ? wheel.fit->tags[by_versions] : "") == rows[row].by_versions);
    CHECK_FALSE(wheel.fit->claimed.has_value());
  }
}

TEST_CASE("a weak version forbids nothing, a version of a library inside neither") {
  CHECK(audit("linux_x86_64", {{"a.so", elf(wants("libc.so.6", {"GLIBC_2.34"}, true))}}).fitting_tag() ==
        "manylinux_2_5_x86_64");
  auto user = wants("libgcc_s.so.1", {"GCC_14.0.0"});
  CHECK(obstacles(audit("linux_x86_64", {{"a.so", elf(user)}})) ==
        "libgcc_s.so.1 GCC_14.0.0 >manylinux_2_39_x86_64 a.so\n");
  user.runpath = "$ORIGIN/pkg.libs";
  const auto wheel = audit("linux_x86_64", {{"a.so", elf(user)}, {"pkg.libs/libgcc_s.so.1", elf({})}});
  CHECK(obstacles(wheel) == "");
  CHECK(needs(wheel, "a.so") == "libgcc_s.so.1: pkg.libs/libgcc_s.so.1\n");
  CHECK(wheel.external.empty());
}

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

TEST_CASE("forbidden symbols of zlib are found, weak ones are not") {
  ElfSpec spec{.needed = {"libz.so.1"}, .uses = {{"zcalloc"}, {"inflate"}}};
  const auto wheel = audit("linux_x86_64", {{"a.so", elf(spec)}});
  CHECK(obstacles(wheel) == "libz.so.1 zcalloc >never a.so\n");
  CHECK(wheel.fitting_tag() == "linux_x86_64");
  spec.uses[0].binding = STB_WEAK;
  CHECK(audit("linux_x86_64", {{"a.so", elf(spec)}}).fitting_tag() == "manylinux_2_5_x86_64");
}

TEST_CASE("programs count, files for other machines and another libc do not") {
  auto interpreted = program(wants("libc.so.6", {"GLIBC_2.28"}));
  const auto wheel =
      audit("manylinux_2_17_x86_64", {
                                         {"pkg-1.0.data/scripts/tool", elf(interpreted)},
                                         {"a.so", elf(wants("libc.so.6", {"GLIBC_2.5"}))},
                                         {"arm.so", elf({.machine = EM_AARCH64, .needed = {"libx.so"}})},
                                         {"musl.so", elf({.needed = {"libc.musl-x86_64.so.1", "libx.so"}})},
                                         {"readme", "no ELF file"},
                                     });
  CHECK(wheel.fitting_tag() == "manylinux_2_28_x86_64");
  CHECK(obstacles(wheel).starts_with("libc.so.6 GLIBC_2.28 >manylinux_2_28_x86_64 pkg-1.0.data/scripts/tool\n"));
  REQUIRE(wheel.files.size() == 4);
  CHECK(wheel.files[1].set_aside == "made for aarch64");
  CHECK(wheel.files[2].set_aside == "made for musl");
}

TEST_CASE("a wheel for musl fits what can be shown") {
  const auto wheel = audit("musllinux_1_1_x86_64", {{"a.so", elf({.needed = {"libc.musl-x86_64.so.1"}})}});
  CHECK(wheel.fitting_tag() == "musllinux_1_2_x86_64");
  CHECK(obstacles(wheel) == "");
  CHECK(needs(wheel, "a.so") == "libc.musl-x86_64.so.1: loader\n");
}

TEST_CASE("a wheel without libraries fits any platform, one for an unknown machine none") {
  const auto pure = audit("any", {{"a.py", "pass\n"}}, "Requires-Python: >=3.9\nRequires-Dist: numpy\n");
  CHECK(pure.fitting_tag() == "any");
  CHECK_FALSE(pure.fit.has_value());
  CHECK(pure.requires_python == ">=3.9");
  CHECK(pure.requires_dist == std::vector<std::string>{"numpy"});
  const auto odd = audit("linux_mips", {{"a.so", elf({.machine = EM_MIPS})}});
  CHECK(odd.fitting_tag() == "linux");
  CHECK_FALSE(odd.fit.has_value());
}

TEST_CASE("no tag is claimed for a wheel of which something cannot be read") {
  auto bytes = wheel_file({{"a.so", elf({})}});
  const auto directory = bytes.find("PK\1\2");
  REQUIRE(directory != std::string::npos);
  bytes.replace(directory + 42, 4, "\xff\xff\xff\x7f");  // where the member should lie
  World world;
  const std::string path = "/dist/pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl";
  world.files.add_file(path, bytes);
  Session session(world.files);
  const auto wheel = session.wheel(path);
  REQUIRE(wheel.has_value());
  CHECK(wheel->fitting_tag() == "");
  CHECK(wheel->unread == std::vector<std::string>{"a.so"});
}

}  // namespace
}  // namespace cudald
