#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

ElfSpec wants(const std::string& library, const std::vector<std::string>& versions, bool weak = false) {
  ElfSpec spec{.needed = {library}, .needs_versions = {{library, {}}}};
  for (const auto& version : versions) spec.needs_versions[0].versions.push_back({version, 0, 0, weak, false});
  return spec;
}

/// The findings of that code on a wheel of that tag.
std::vector<Finding> tag_findings(const std::string& tag, const ElfSpec& spec, const std::string& metadata = "") {
  TestWorld world;
  for (const std::string name : {"libc.so.6", "libcudart.so.12"}) world.add("/lib/" + name, {.soname = name});
  const auto path = "/dist/pkg-1.0-cp311-cp311-" + tag + ".whl";
  world.files.add_file(path, wheel_file({{"a.so", elf(spec)}}, metadata));
  world.query.world = WorldKind::here;  // in that of the tag CUD501 tells of libraries
  auto findings = world.explain({path}).findings;
  std::erase_if(findings, [](const Finding& finding) { return finding.code != "CUD503"; });
  return findings;
}

TEST_CASE("CUD503 tells a tag that promises more than the wheel keeps") {
  const auto newer = wants("libc.so.6", {"GLIBC_2.34"});
  const auto found = tag_findings("manylinux_2_17_x86_64", newer);
  REQUIRE(found.size() == 1);
  CHECK(found[0].level == Level::warning);
  CHECK(found[0].subject == "GLIBC_2.34 of libc.so.6");
  CHECK(all_words(found[0]).find("needed by a.so") != std::string::npos);
  CHECK(all_words(found[0]).find("--platform-tag manylinux_2_34_x86_64 /dist/pkg-1.0") != std::string::npos);
  CHECK(tag_findings("manylinux_2_34_x86_64", newer).empty());
  CHECK(tag_findings("manylinux_2_33_x86_64", newer).empty());  // 2_34 is the oldest policy that is known for it
  CHECK(tag_findings("linux_x86_64", newer).empty());
  // Of several tags the one that promises most counts.
  CHECK(tag_findings("manylinux_2_34_x86_64.manylinux_2_17_x86_64", newer).size() == 1);
}

TEST_CASE("CUD503 is a note for libraries, and none is made for what a required package brings") {
  const ElfSpec cuda{.needed = {"libcudart.so.12"}};
  const auto found = tag_findings("manylinux_2_17_x86_64", cuda);
  REQUIRE(found.size() == 1);
  CHECK(found[0].level == Level::note);
  CHECK(found[0].subject == "libcudart.so.12");
  CHECK(tag_findings("manylinux_2_17_x86_64", cuda, "Requires-Dist: nvidia_cuda.runtime-cu12 (==12.8)\n").empty());
  const auto* for_extra = "Requires-Dist: nvidia-cuda-runtime-cu12; extra == \"x\"\n";
  CHECK(tag_findings("manylinux_2_17_x86_64", cuda, for_extra).size() == 1);
  CHECK(tag_findings("linux_x86_64", cuda).empty());
}

TEST_CASE("CUD503 tells a tag for musl on libraries for glibc") {
  const auto found = tag_findings("musllinux_1_2_x86_64", {.needed = {"libc.so.6"}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].message.find("made for glibc") != std::string::npos);
}

TEST_CASE("CUD503 tells the tag `any` on modules for one machine") {
  const auto findings_of = [](const std::vector<std::pair<std::string, std::string>>& members) {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-py3-none-any.whl";
    world.files.add_file(path, wheel_file(members));
    auto findings = world.explain({path}).findings;
    std::erase_if(findings, [](const Finding& finding) { return finding.code != "CUD503"; });
    return findings;
  };
  const auto module = elf({.defines = {{"PyInit_a"}}}), library = elf({.soname = "liba.so"});
  const auto found = findings_of({{"pkg/a.so", module}, {"pkg/liba.so", library}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].level == Level::warning);
  CHECK(found[0].message ==
        "pkg-1.0-py3-none-any.whl claims any machine and system, and its modules are made for Linux on x86_64");
  CHECK(all_words(found[0]).find("--platform-tag manylinux_2_5_x86_64 /dist/pkg-1.0") != std::string::npos);
  CHECK(findings_of({{"pkg/liba.so", library}}).empty());  // that code may leave alone
  CHECK(findings_of({{"pkg/a.so", module}, {"pkg/arm.so", elf({.machine = EM_AARCH64})}}).empty());
  CHECK(findings_of({{"pkg/a.so", module}, {"pkg/a.pyd", pe(PeSpec{})}}).empty());
  const auto for_macos = "\xcf\xfa\xed\xfe" + std::string(200, '\0');
  CHECK(findings_of({{"pkg/a.so", module}, {"pkg/a-darwin.so", for_macos}}).empty());
  CHECK(findings_of({{"pkg/a.so", module}, {"pkg/liba.dylib", for_macos}}).empty());
}

TEST_CASE("CUD503 is an error where no tag names the machine of the libraries") {
  const ElfSpec plain{.needed = {"libc.so.6"}};
  const auto found = tag_findings("manylinux_2_17_aarch64", plain);
  REQUIRE(found.size() == 1);
  CHECK(found[0].level == Level::error);
  CHECK(found[0].message ==
        "pkg-1.0-cp311-cp311-manylinux_2_17_aarch64.whl claims manylinux_2_17_aarch64, and its libraries are made for "
        "x86_64");
  CHECK(tag_findings("linux_aarch64", plain).size() == 1);
  CHECK(tag_findings("manylinux_2_17_aarch64.manylinux_2_17_x86_64", plain).empty());
}

TEST_CASE("CUD503 says who needs what, from which tag on that is allowed, and what the publisher can do") {
  const auto told = [](const std::string& tag, const ElfSpec& spec) {
    TestWorld world;
    for (const std::string name : {"libc.so.6", "libcudart.so.12"}) world.add("/lib/" + name, {.soname = name});
    const auto path = "/dist/pkg-1.0-cp311-cp311-" + tag + ".whl";
    world.files.add_file(path, wheel_file({{"a.so", elf(spec)}, {"b.so", elf(spec)}}));
    world.query.world = WorldKind::here;
    return in_full(world.explain({path}), "CUD503");
  };
  CHECK(told("manylinux_2_17_x86_64", wants("libc.so.6", {"GLIBC_2.34", "GLIBC_2.28"})) ==
        R"(CUD503 | warning | GLIBC_2.34 of libc.so.6
  pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl claims manylinux_2_17_x86_64, and needs GLIBC_2.34 of libc.so.6 (and )"
        R"(1 more), which is newer than that
  - GLIBC_2.34 of libc.so.6 is needed by a.so and 1 more | pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl!/a.so | )"
        R"(proven
  - GLIBC_2.28 of libc.so.6 is needed by a.so and 1 more | pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl!/a.so | )"
        R"(proven
  - GLIBC_2.34 of libc.so.6 is allowed from manylinux_2_34_x86_64 on | table
  = pip installs it on systems whose loader refuses it.
  > maintainer fix: claim what it fits | python3 -m wheel tags --remove --platform-tag manylinux_2_34_x86_64 )"
        R"(/dist/pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl
  > or build it in an image for manylinux_2_17_x86_64
)");
  CHECK(told("manylinux_2_17_x86_64", {.needed = {"libcudart.so.12"}}) ==
        R"(CUD503 | note | libcudart.so.12
  pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl claims manylinux_2_17_x86_64, and needs libcudart.so.12, which that )"
        R"(tag does not provide
  - libcudart.so.12 is needed by a.so and 1 more | pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl!/a.so | proven
  - libcudart.so.12 is allowed by no manylinux tag | table
  = pip installs it wherever the tag fits; it loads where that library can be found as well.
  > maintainer fix: put the libraries into the wheel | auditwheel repair )"
        R"(/dist/pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl | libraries of the CUDA driver must stay outside: )"
        R"(--exclude them
  > maintainer fix: claim what it fits | python3 -m wheel tags --remove --platform-tag linux_x86_64 )"
        R"(/dist/pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl | package indexes refuse linux_ tags
)");
  CHECK(told("musllinux_1_2_x86_64", {.needed = {"libc.so.6"}}) == R"(CUD503 | warning | musllinux_1_2_x86_64
  pkg-1.0-cp311-cp311-musllinux_1_2_x86_64.whl claims musllinux_1_2_x86_64, and its libraries are made for glibc
  = pip installs it on systems whose loader refuses it.
  > maintainer fix: claim what it fits | python3 -m wheel tags --remove --platform-tag manylinux_2_5_x86_64 )"
                                                                   R"(/dist/pkg-1.0-cp311-cp311-musllinux_1_2_x86_64.whl
)");
}

TEST_CASE("libraries that are made for musl do not fit a tag of glibc, nor those for glibc one of musl") {
  const auto musl = tag_findings("manylinux_2_17_x86_64", {.needed = {"libc.musl-x86_64.so.1"}});
  REQUIRE(musl.size() == 1);
  CHECK(musl[0].subject == "manylinux_2_17_x86_64");
  CHECK(musl[0].message ==
        "pkg-1.0-cp311-cp311-manylinux_2_17_x86_64.whl claims manylinux_2_17_x86_64, and its libraries are made for "
        "musl");
  CHECK(musl[0].consequence == "pip installs it on systems whose loader refuses it.");
  const auto glibc = tag_findings("musllinux_1_2_x86_64", wants("libc.so.6", {"GLIBC_2.17"}));
  REQUIRE(glibc.size() == 1);
  CHECK(glibc[0].subject == "musllinux_1_2_x86_64");
  CHECK(glibc[0].message ==
        "pkg-1.0-cp311-cp311-musllinux_1_2_x86_64.whl claims musllinux_1_2_x86_64, and its libraries are made for "
        "glibc");
}

}  // namespace
}  // namespace cudald
