#include <doctest/doctest.h>

#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "audit/policy.h"

#include "common/pe_builder.h"
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
  REQUIRE(wheel.external.size() == 1);
  CHECK(wheel.external[0].is_loader);
  CHECK(wheel.external[0].standing == Standing::promised);
  REQUIRE(wheel.fit->unproven.size() == wheel.fit->tags.size());
  CHECK_FALSE(wheel.fit->unproven[0].empty());
}

TEST_CASE("a library is promised if the oldest policy that the wheel claims allows it") {
  const auto standing = [](const std::string& tag) {
    const auto wheel = audit(tag, {{"a.so", elf({.needed = {"libexpat.so.1"}})}});  // allowed from 2.12 on
    REQUIRE(wheel.external.size() == 1);
    return wheel.external[0].standing;
  };
  CHECK(standing("manylinux_2_17_x86_64") == Standing::promised);
  CHECK(standing("manylinux_2_12_x86_64") == Standing::promised);
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
  CHECK(pure.path == "/dist/pkg-1.0-cp311-cp311-any.whl");
  CHECK(pure.name == "pkg");
  CHECK(pure.version == "1.0");
  CHECK(pure.requires_python == ">=3.9");
  CHECK(pure.requires_dist == std::vector<std::string>{"numpy"});
  const auto odd = audit("linux_mips", {{"a.so", elf({.machine = EM_MIPS})}});
  CHECK(odd.fitting_tag() == "linux");
  CHECK_FALSE(odd.fit.has_value());
}

TEST_CASE("obstacles are told from the newest policy on, by kind, library and version") {
  auto first = wants("libc.so.6", {"GLIBC_2.9", "GLIBC_2.17", "GLIBC_2.99", "GLIBC_2.100", "GLIBC_2.99"});
  first.needed.emplace_back("libz.so.1");
  first.needed.emplace_back("libfoo.so.1");
  first.needed.emplace_back("libbar.so.1");
  first.x86_isa_needed = 0b100;
  const auto wheel = audit("linux_x86_64", {{"a.so", elf(first)}, {"b.so", elf(first)}});
  CHECK(obstacles(wheel) ==
        "libbar.so.1 >never a.so b.so\nlibfoo.so.1 >never a.so b.so\nlibc.so.6 GLIBC_2.100 >never a.so b.so\n"
        "libc.so.6 GLIBC_2.99 >never a.so b.so\n x86-64-v3 >never a.so b.so\n"
        "libc.so.6 GLIBC_2.17 >manylinux_2_17_x86_64 a.so b.so\n"
        "libc.so.6 GLIBC_2.9 >manylinux_2_12_x86_64 a.so b.so\n");
  std::string kinds;
  for (const auto& obstacle : wheel.fit->obstacles) kinds += std::string(to_string(obstacle.kind)) + " ";
  CHECK(kinds == "library library version version instructions version version ");
  CHECK(to_string(ObstacleKind::library) == "library");
  CHECK(to_string(ObstacleKind::version) == "version");
  CHECK(to_string(ObstacleKind::symbol) == "symbol");
  CHECK(to_string(ObstacleKind::instructions) == "instructions");
}

TEST_CASE("symbols that a policy forbids are told beside versions, of the files that are judged") {
  auto spec = wants("libc.so.6", {"GLIBC_2.17"});
  spec.needed.emplace_back("libz.so.1");
  spec.uses = {{"zcalloc"}};
  const auto wheel = audit("linux_x86_64", {{"a.so", elf(spec)}, {"arm.so", elf({.machine = EM_AARCH64})}});
  CHECK(obstacles(wheel) == "libz.so.1 zcalloc >never a.so\nlibc.so.6 GLIBC_2.17 >manylinux_2_17_x86_64 a.so\n");
  REQUIRE(wheel.fit->obstacles.size() == 2);
  CHECK(wheel.fit->obstacles[0].kind == ObstacleKind::symbol);
  CHECK(wheel.fit->obstacles[1].kind == ObstacleKind::version);
}

TEST_CASE("a file that is set aside stands against no policy") {
  const ElfSpec musl{.needed = {"libc.musl-x86_64.so.1", "libx.so"}, .x86_isa_needed = 0b100};
  const auto wheel = audit("linux_x86_64", {{"a.so", elf({.needed = {"libc.so.6"}})}, {"liba.so.1", elf(musl)}});
  REQUIRE(wheel.files.size() == 2);
  CHECK(wheel.files[1].set_aside == "made for musl");
  CHECK(obstacles(wheel) == "");
  REQUIRE(wheel.external.size() == 1);
  CHECK(wheel.external[0].name == "libc.so.6");
}

TEST_CASE("each level of x86-64 that a file needs is told, the highest one of several") {
  const auto level = [](std::uint32_t bits) {
    const auto wheel = audit("linux_x86_64", {{"a.so", elf({.x86_isa_needed = bits})}});
    return wheel.fit->obstacles.empty() ? "" : wheel.fit->obstacles.at(0).name;
  };
  CHECK(level(0b1) == "");
  CHECK(level(0b10) == "x86-64-v2");
  CHECK(level(0b100) == "x86-64-v3");
  CHECK(level(0b1000) == "x86-64-v4");
  CHECK(level(0b1110) == "x86-64-v4");
  CHECK(level(0b10000) == "");
}

TEST_CASE("the C library is what modules ask for, else other files, else what the tag claims") {
  const auto musl = elf({.needed = {"libc.musl-x86_64.so.1"}}), glibc = elf({.needed = {"libc.so.6"}});
  const auto family = [](const std::string& tag, const Members& members) {
    const auto wheel = audit(tag, members);
    REQUIRE(wheel.fit);
    return wheel.fit->family;
  };
  CHECK(family("musllinux_1_2_x86_64", {{"a.so", elf({})}}) == "musllinux");
  CHECK(family("manylinux_2_17_x86_64", {{"a.so", elf({})}}) == "manylinux");
  CHECK(family("linux_x86_64", {{"a.so", elf({})}}) == "manylinux");
  CHECK(family("musllinux_1_2_x86_64", {{"a.so", glibc}}) == "manylinux");
  CHECK(family("manylinux_2_17_x86_64", {{"liba.so.1", musl}}) == "musllinux");
  CHECK(family("linux_x86_64", {{"liba.so.1", glibc}, {"z.cpython-311-x86_64-linux-musl.so", musl}}) == "musllinux");
  const auto both = audit("linux_x86_64", {{"liba.so.1", glibc}, {"z.cpython-311-x86_64-linux-musl.so", musl}});
  CHECK(both.files.at(0).set_aside == "made for glibc");
  CHECK(both.files.at(1).set_aside == "");
}

TEST_CASE("the machine is one that a tag names and a file has, else that of the first file with one") {
  const Members members = {
      {"a.so", elf({.machine = EM_MIPS})}, {"b.so", elf({.machine = EM_AARCH64})}, {"c.so", elf({})}};
  CHECK(audit("linux_x86_64", members).machine == "x86_64");
  CHECK(audit("linux_aarch64", members).machine == "aarch64");
  CHECK(audit("linux_ppc64le", members).machine == "aarch64");
  CHECK(audit("any", members).machine == "aarch64");
  CHECK(audit("linux_mips", {members[0]}).machine == "");
}

TEST_CASE("the oldest policy that a wheel claims is its claim, newer than all if its tag is") {
  const auto claim = [](const std::string& tag) {
    const auto wheel = audit(tag, {{"a.so", elf({})}});
    if (!wheel.fit->claimed) return std::string("none");
    return wheel.fit->claimed_tag + (*wheel.fit->claimed < wheel.fit->tags.size() ? "" : " newer");
  };
  CHECK(claim("linux_x86_64") == "none");
  CHECK(claim("manylinux_2_28_x86_64.manylinux_2_17_x86_64") == "manylinux_2_17_x86_64");
  CHECK(claim("manylinux_2_17_x86_64.manylinux_2_28_x86_64") == "manylinux_2_17_x86_64");
  CHECK(claim("manylinux_2_17_x86_64.manylinux2014_x86_64") == "manylinux_2_17_x86_64");
  CHECK(claim("manylinux_2_99_x86_64") == "manylinux_2_99_x86_64 newer");
  CHECK(claim("manylinux_2_28_aarch64") == "none");
}

TEST_CASE("a version of a library that the file does not need is no need of it, and is weak if all are") {
  ElfSpec spec{.needed = {"libc.so.6"},
               .needs_versions = {{"libc.so.6", {}}, {"libold.so.1", {{"OLD_1", 0, 0, false, false}}}}};
  spec.needs_versions[0].versions = {{"GLIBC_2.17", 0, 0, true, false}};
  auto strong = spec;
  strong.needs_versions[0].versions[0].weak = false;
  const auto one = audit("linux_x86_64", {{"a.so", elf(spec)}});
  CHECK(obstacles(one) == "");
  REQUIRE(one.external.size() == 1);
  REQUIRE(one.external[0].versions.size() == 1);
  CHECK(one.external[0].versions[0].name == "GLIBC_2.17");
  CHECK(one.external[0].versions[0].weak);
  for (const bool turned : {false, true}) {
    const auto both =
        audit("linux_x86_64", {{turned ? "b.so" : "a.so", elf(spec)}, {turned ? "a.so" : "b.so", elf(strong)}});
    REQUIRE(both.external.size() == 1);
    CHECK(both.external[0].name == "libc.so.6");
    REQUIRE(both.external[0].versions.size() == 1);
    CHECK_FALSE(both.external[0].versions[0].weak);
    CHECK(both.external[0].members == std::vector<std::string>{"a.so", "b.so"});
  }
}

TEST_CASE("a renamed wheel has the tags of its WHEEL, each once, and others have none") {
  Package package;
  package.archive = "/x/pkg.whl";
  package.tags = {"cp311-abi3-linux_x86_64", "cp312-abi3-linux_x86_64", "bad", "cp312-cp312-any"};
  const auto tags = tags_of(package);
  CHECK(tags.python == std::vector<std::string>{"cp311", "cp312"});
  CHECK(tags.abi == std::vector<std::string>{"abi3", "cp312"});
  CHECK(tags.platform == std::vector<std::string>{"linux_x86_64", "any"});
  package.archive = "/x/pkg-1-py3-none-any.whl";
  CHECK(tags_of(package).python == std::vector<std::string>{"py3"});
  CHECK(tags_of(package).abi == std::vector<std::string>{"none"});
  CHECK(tags_of(package).platform == std::vector<std::string>{"any"});
  CHECK(tags_of({}).python.empty());
}

TEST_CASE("where a library stands is told, of a machine whose loader is not known nothing") {
  const auto standings = [](const std::string& tag, std::uint16_t machine) {
    const ElfSpec spec{
        .machine = machine,
        .needed = {"libc.so.6", "libcuda.so.1", "libcudart.so.12", "libnone.so", "libpython3.11.so.1.0"}};
    const auto wheel = audit(tag, {{"a.so", elf(spec)}}, "Requires-Dist: nvidia-cuda-runtime-cu12\n");
    std::string told;
    for (const auto& library : wheel.external)
      told += library.name + " " + std::string(to_string(library.standing)) + "\n";
    return told;
  };
  CHECK(standings("manylinux_2_17_x86_64", EM_X86_64) ==
        "libc.so.6 promised\nlibcuda.so.1 driver\nlibcudart.so.12 required\nlibnone.so undeclared\n"
        "libpython3.11.so.1.0 python\n");
  CHECK(standings("linux_mips", EM_MIPS) == "");
}

TEST_CASE("what a file defines itself is no use of a forbidden symbol") {
  const ElfSpec spec{.needed = {"libz.so.1"}, .defines = {{"zcalloc"}}, .uses = {{"inflate"}}};
  CHECK(obstacles(audit("linux_x86_64", {{"a.so", elf(spec)}})) == "");
}

TEST_CASE("obstacles of one kind are told by library, and of one library the newest version first") {
  auto spec = wants("libc.so.6", {"GLIBC_2.99", "GLIBC_2.999"});
  spec.needed.emplace_back("libm.so.6");
  spec.needs_versions.push_back({"libm.so.6", {{"GLIBC_2.9999", 0, 0, false, false}}});
  CHECK(obstacles(audit("linux_x86_64", {{"a.so", elf(spec)}})) ==
        "libc.so.6 GLIBC_2.999 >never a.so\nlibc.so.6 GLIBC_2.99 >never a.so\nlibm.so.6 GLIBC_2.9999 >never a.so\n");
}

TEST_CASE("forbidden symbols are told beside a library that no policy allows, and not of a library inside") {
  ElfSpec spec{.runpath = "$ORIGIN/libs", .needed = {"libz.so.1"}, .uses = {{"zcalloc"}}};
  CHECK(obstacles(audit("linux_x86_64", {{"a.so", elf(spec)}, {"libs/libz.so.1", elf({})}})) == "");
  spec.needed.emplace_back("libfoo.so.1");
  CHECK(obstacles(audit("linux_x86_64", {{"a.so", elf(spec)}})) ==
        "libfoo.so.1 >never a.so\nlibz.so.1 zcalloc >never a.so\n");
}

TEST_CASE("no tag is claimed where names of symbols are too long to be read") {
  ElfSpec spec{.needed = {"libz.so.1"}, .uses = {{std::string(70'000, 'x')}}};
  const auto wheel = audit("linux_x86_64", {{"a.so", elf(spec)}});
  CHECK_FALSE(wheel.complete);
  CHECK(wheel.fitting_tag() == "");
  spec.needed = {"libc2.so"};  // of which no symbol is forbidden
  CHECK(audit("linux_x86_64", {{"a.so", elf(spec)}}).complete);
}

TEST_CASE("a wheel with files of Linux and of Windows is judged by those of Linux") {
  const auto wheel = audit("linux_x86_64", {{"a.so", elf({.needed = {"libexpat.so.1"}})}, {"b.pyd", pe({})}});
  CHECK(wheel.fitting_tag() == "manylinux_2_12_x86_64");
  CHECK(wheel.machine == "x86_64");
  CHECK(wheel.windows_files == std::vector<std::string>{"b.pyd"});
  REQUIRE(wheel.external.size() == 1);
  CHECK(wheel.external[0].name == "libexpat.so.1");
}

}  // namespace
}  // namespace cudald
