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
  const WheelEnvironment windows{.python_version = "3.11", .machine = "x86_64", .windows_tag = "win_amd64"};
  CHECK(fits("cp311-cp311-win_amd64", windows));
  CHECK(fits("py3-none-any", windows));
  CHECK_FALSE(fits("cp311-cp311-win_arm64", windows));
  CHECK_FALSE(fits("cp311-cp311-linux_x86_64", windows));
  CHECK_FALSE(fits("cp311-cp311-manylinux1_x86_64", windows));
  CHECK_FALSE(fits("cp312-cp312-win_amd64", windows));
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

TEST_CASE("a wheel for another minor version of Python fits where its ABI is stable") {
  const WheelEnvironment python_3_11{.python_version = "3.11", .machine = "x86_64"}, any_python{.machine = "x86_64"};
  struct Row {
    const char* tags;
    bool in_3_11, in_any;
  };
  for (const auto& row : {Row{"cp38-abi3-any", true, true},
                          Row{"cp38-none-any", false, true},
                          Row{"cp312-none-any", false, true},
                          Row{"cp312-abi3-any", false, true},
                          Row{"cp311-abi3-any", true, true},
                          Row{"cp38-cp38-any", false, true},
                          Row{"cp312-cp312-any", false, true},
                          Row{"py3-none-any", true, true},
                          Row{"py310-none-any", true, true},
                          Row{"py311-none-any", true, true},
                          Row{"py312-none-any", false, true},
                          Row{"py2-none-any", false, false},
                          Row{"pp311-pypy311_pp73-any", false, false},
                          Row{"cp27-cp27mu-any", false, false},
                          Row{"py2.cp311-none-any", true, true},
                          Row{"cp311-cp311t-any", false, false},
                          Row{"cp311-cp311.cp311t-any", true, true},
                          Row{"cp311-abi3t-any", false, false},
                          Row{"cp310-abi3.abi3t-any", true, true},
                          Row{"cp312-abi3.abi3t-any", false, true}}) {
    CAPTURE(row.tags);
    CHECK(fits(row.tags, python_3_11) == row.in_3_11);
    CHECK(fits(row.tags, any_python) == row.in_any);
  }
  CHECK(cudald::fits({"a", "1", "", {"py3"}, {}, {"any"}}, python_3_11));
  CHECK_FALSE(cudald::fits({"a", "1", "", {"py3"}, {"none"}, {"any"}, "cu128"}, python_3_11));
  CHECK_FALSE(cudald::fits({"a", "1", "", {"py3"}, {"none"}, {}}, python_3_11));
}

TEST_CASE("the C library that a tag asks for") {
  struct Row {
    const char* tag;
    LibcVersion libc;
    bool fits;
  };
  const auto glibc = [](int major, int minor) { return LibcVersion{LibcKind::glibc, major, minor}; };
  const auto musl = [](int major, int minor) { return LibcVersion{LibcKind::musl, major, minor}; };
  for (const auto& row : {Row{"manylinux1_x86_64", glibc(2, 5), true},
                          {"manylinux1_x86_64", glibc(2, 4), false},
                          {"manylinux2010_x86_64", glibc(2, 12), true},
                          {"manylinux2010_x86_64", glibc(2, 11), false},
                          {"manylinux2014_x86_64", glibc(2, 17), true},
                          {"manylinux2014_x86_64", glibc(2, 16), false},
                          {"manylinux_2_28_x86_64", glibc(2, 28), true},
                          {"manylinux_2_28_x86_64", glibc(2, 27), false},
                          {"manylinux_2_0_x86_64", glibc(2, 5), true},
                          {"manylinux_0_5_x86_64", glibc(2, 5), true},
                          {"manylinux_3_0_x86_64", glibc(2, 40), false},
                          {"manylinux_x_17_x86_64", glibc(2, 17), false},
                          {"manylinux_2_x_x86_64", glibc(2, 17), false},
                          {"manylinux_x86_64", glibc(2, 17), false},
                          {"manylinux3_2_17_x86_64", glibc(2, 17), false},
                          {"macosx_11_0_x86_64", glibc(2, 17), false},
                          {"musllinux_1_2_x86_64", glibc(2, 17), false},
                          {"linux_x86_64", glibc(2, 17), true},
                          {"linux_i686", glibc(2, 17), false},
                          {"musllinux_1_2_x86_64", musl(1, 2), true},
                          {"musllinux_1_0_x86_64", musl(1, 2), true},
                          {"musllinux_2_1_x86_64", musl(1, 2), false},
                          {"musllinux_0_1_x86_64", musl(1, 2), false},
                          {"manylinux_1_1_x86_64", musl(1, 2), false},
                          {"macosx_1_1_x86_64", musl(1, 2), false}}) {
    CAPTURE(row.tag);
    WheelEnvironment environment{.python_version = "3.11", .machine = "x86_64"};
    (row.libc.kind == LibcKind::musl ? environment.musl : environment.glibc) = row.libc;
    CHECK(fits(std::string("py3-none-") + row.tag, environment) == row.fits);
  }
  CHECK(fits("py3-none-manylinux_2_28_s390x", {.machine = "s390x"}));
  CHECK_FALSE(fits("py3-none-manylinux_s390x", {.machine = "s390x"}));
}

TEST_CASE("what is preferred counts the ABI, and of the tags that fit the newest C library") {
  const WheelEnvironment linux{.python_version = "3.11", .machine = "x86_64"};
  struct Row {
    const char* tags;
    int python, platform;
  };
  for (const auto& row :
       {Row{"cp311-cp311-manylinux_2_28_x86_64.manylinux2014_x86_64", 2, 2028},
        Row{"cp311-cp311-manylinux2014_x86_64.manylinux_2_28_x86_64", 2, 2028},
        Row{"cp311-cp311-manylinux_2_17_x86_64.manylinux_2_28_aarch64", 2, 2017},
        Row{"cp38-abi3-manylinux1_x86_64", 1, 2005}, Row{"cp38-abi3-manylinux2010_x86_64", 1, 2012},
        Row{"py3-none-linux_x86_64", 0, 1}, Row{"py3-none-any", 0, 0}, Row{"py3-none-win_amd64", 0, 0},
        Row{"cp311-abi3.cp311-any", 2, 0}, Row{"cp311-none.abi3-any", 1, 0}, Row{"cp311-abi3.abi3t-any", 1, 0}}) {
    CAPTURE(row.tags);
    CHECK(preference(row.tags, linux).python == row.python);
    CHECK(preference(row.tags, linux).platform == row.platform);
  }
  CHECK(preference("cp311-cp311-win_amd64", {.machine = "x86_64", .windows_tag = "win_amd64"}).platform == 1);
}

TEST_CASE("the minor version of Python that a text names") {
  const std::pair<const char*, int> rows[] = {{"cp311", 11},  {"py39", 9}, {"3.11", 11}, {"3.0", 0}, {"cp30", 0},
                                              {"3.11.4", 11}, {"py3", -1}, {"3", -1},    {"3.", -1}, {"3.x", -1},
                                              {"cp27", -1},   {"", -1},    {"none", -1}};
  for (const auto& row : rows) CHECK_MESSAGE(minor_version(row.first) == row.second, row.first);
}

}  // namespace
}  // namespace cudald
