#include <doctest/doctest.h>

#include "unit/audit/audited.h"

namespace cudald {
namespace {

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

TEST_CASE("forbidden symbols of zlib are found, weak ones are not") {
  ElfSpec spec{.needed = {"libz.so.1"}, .uses = {{"zcalloc"}, {"inflate"}}};
  const auto wheel = audit("linux_x86_64", {{"a.so", elf(spec)}});
  CHECK(obstacles(wheel) == "libz.so.1 zcalloc >never a.so\n");
  CHECK(wheel.fitting_tag() == "linux_x86_64");
  spec.uses[0].binding = STB_WEAK;
  CHECK(audit("linux_x86_64", {{"a.so", elf(spec)}}).fitting_tag() == "manylinux_2_5_x86_64");
}

TEST_CASE("a wheel for musl fits what can be shown") {
  const auto wheel = audit("musllinux_1_1_x86_64", {{"a.so", elf({.needed = {"libc.musl-x86_64.so.1"}})}});
  CHECK(wheel.fitting_tag() == "musllinux_1_2_x86_64");
  CHECK(obstacles(wheel) == "");
  CHECK(needs(wheel, "a.so") == "libc.musl-x86_64.so.1: loader\n");
}

TEST_CASE("a library is promised if the oldest policy that the wheel claims allows it") {
  const auto standing = [](const std::string& tag) {
    const auto wheel = audit(tag, {{"a.so", elf({.needed = {"libexpat.so.1"}})}});  // allowed from 2.12 on
    REQUIRE(wheel.external.size() == 1);
    return wheel.external[0].standing;
  };
  CHECK(standing("manylinux_2_17_x86_64") == Standing::promised);
  CHECK(standing("manylinux_2_5_x86_64") != Standing::promised);
  CHECK(standing("manylinux_2_5_x86_64.manylinux_2_17_x86_64") != Standing::promised);
  CHECK(standing("manylinux_2_17_x86_64.manylinux_2_5_x86_64") != Standing::promised);
  CHECK(standing("linux_x86_64") == Standing::promised);
}

TEST_CASE("what a requirement brings is what the session's tables say") {
  const auto newer = read_knowledge(R"({"schema": "cudald/providers", "checked": "2030-01-02", "source": "notes",
    "providers": [{"name": "libmine.so.7", "pip": [{"distribution": "mine", "oldest": "1", "version": "2",
                                                    "folder": "mine", "platform": "linux"}]}]})");
  REQUIRE(newer);
  const auto standing = [&](std::shared_ptr<const Knowledge> known) {
    const auto wheel =
        audit("linux_x86_64", {{"a.so", elf({.needed = {"libmine.so.7"}})}}, "Requires-Dist: mine\n", std::move(known));
    REQUIRE(wheel.external.size() == 1);
    return wheel.external[0].standing;
  };
  CHECK(standing(*newer) == Standing::declared);
  CHECK(standing(built_in_knowledge()) == Standing::possible);
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

}  // namespace
}  // namespace cudald
