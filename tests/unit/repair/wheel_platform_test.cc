#include "repair/wheel_platform.h"

#include <doctest/doctest.h>

#include "unit/audit/audited.h"

namespace cudald {
namespace {

std::string platform(const std::string& tag, ElfSpec spec) {
  const auto made = platform_of_repaired(audit(tag, {{"a.so", elf(spec)}}));
  return made ? *made : "refused: " + made.error().message;
}

TEST_CASE(
    "a wheel without a platform of its family gets the oldest that its files fit, whatever it needs from outside") {
  CHECK(platform("linux_x86_64", wants("libc.so.6", {"GLIBC_2.28"})) == "manylinux_2_28_x86_64");
  CHECK(platform("linux_x86_64", {.needed = {"libcublas.so.12"}}) == "manylinux_2_5_x86_64");
  CHECK(platform("any", {}) == "manylinux_2_5_x86_64");
  CHECK(platform("linux_x86_64", wants("libc.so.6", {"GLIBC_2.99"})) ==
        "refused: no manylinux tag fits: it needs GLIBC_2.99");
}

TEST_CASE("a tag stays that its author has chosen, with a doubt where the files do not fit it") {
  const auto wheel = audit("manylinux_2_17_x86_64", {{"a.so", elf(wants("libc.so.6", {"GLIBC_2.28"}))}});
  CHECK(*platform_of_repaired(wheel) == "");
  CHECK(doubt_of_platform(wheel) == "the tag stays manylinux_2_17_x86_64, but a.so needs GLIBC_2.28");
  const auto fits = audit("manylinux_2_35_x86_64", {{"a.so", elf(wants("libc.so.6", {"GLIBC_2.28"}))}});
  CHECK(*platform_of_repaired(fits) == "");
  CHECK(doubt_of_platform(fits) == "");
}

TEST_CASE("wheels without ELF files are not edited") {
  const auto made = platform_of_repaired(audit("any", {{"a.py", "pass"}}));
  CHECK(made.error().message == "it has no ELF files");
}

}  // namespace
}  // namespace cudald
