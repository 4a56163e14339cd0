#include "package/wheel_tags.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

bool fits(const std::string& tags, const WheelEnvironment& environment) {
  return cudald::fits(*parse_wheel_file_name("a-1-" + tags + ".whl"), environment);
}

WheelPreference preference(const std::string& tags, const WheelEnvironment& environment) {
  return preference_of(*parse_wheel_file_name("a-1-" + tags + ".whl"), environment);
}

TEST_CASE("the Python, its ABI and the machine have to fit") {
  const WheelEnvironment linux{.python_version = "3.11", .machine = "x86_64"};
  for (const auto* tags : {"cp311-cp311-manylinux_2_28_x86_64", "cp38-abi3-manylinux2014_x86_64", "py3-none-any",
                           "cp311-cp311-linux_x86_64", "py2.py3-none-manylinux1_x86_64"})
    CHECK(fits(tags, linux));
  for (const auto* tags :
       {"cp312-cp312-manylinux_2_28_x86_64", "cp312-abi3-manylinux2014_x86_64", "cp311-cp311t-manylinux_2_28_x86_64",
        "cp311-cp311-manylinux_2_28_aarch64", "cp311-cp311-win_amd64", "cp311-cp311-musllinux_1_2_x86_64",
        "cp311-cp311-macosx_11_0_arm64"})
    CHECK_FALSE(fits(tags, linux));
  CHECK(fits("cp311-cp311-win_amd64", {.python_version = "3.11", .machine = "x86_64", .windows_tag = "win_amd64"}));
}

TEST_CASE("a wheel for a newer C library than the machine's does not fit") {
  const WheelEnvironment old{
      .python_version = "3.11", .machine = "x86_64", .glibc = LibcVersion{LibcKind::glibc, 2, 17}};
  CHECK(fits("cp311-cp311-manylinux2014_x86_64", old));
  CHECK(fits("cp311-cp311-manylinux_2_17_x86_64.manylinux_2_28_x86_64", old));
  CHECK_FALSE(fits("cp311-cp311-manylinux_2_28_x86_64", old));
  const WheelEnvironment musl{.python_version = "3.11", .machine = "x86_64", .musl = LibcVersion{LibcKind::musl, 1, 1}};
  CHECK(fits("cp311-cp311-musllinux_1_1_x86_64", musl));
  CHECK_FALSE(fits("cp311-cp311-musllinux_1_2_x86_64", musl));
  CHECK_FALSE(fits("cp311-cp311-manylinux2014_x86_64", musl));
}

TEST_CASE("what is made for this Python, then what is made for the newest C library, is taken first") {
  const WheelEnvironment linux{.python_version = "3.11", .machine = "x86_64"};
  CHECK(preference("cp311-cp311-manylinux1_x86_64", linux) > preference("cp38-abi3-manylinux_2_28_x86_64", linux));
  CHECK(preference("cp38-abi3-manylinux1_x86_64", linux) > preference("py3-none-manylinux_2_28_x86_64", linux));
  CHECK(preference("cp311-cp311-manylinux_2_28_x86_64", linux) > preference("cp311-cp311-manylinux2014_x86_64", linux));
  CHECK(preference("py3-none-linux_x86_64", linux) > preference("py3-none-any", linux));
}

}  // namespace
}  // namespace cudald
