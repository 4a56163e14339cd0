#include <doctest/doctest.h>

#include <cudald/gpu_code.h>

#include "common/fatbin_file.h"
#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

/// What is told of a wheel that claims these properties of NVIDIA's and holds one library.
std::string told_of_claims(const std::string& claims, const std::string& library) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl";
  world.files.add_file(
      path, wheel_file({{"pkg/__init__.py", ""},
                        {"pkg/libk.so", library},
                        {"pkg-1.0.dist-info/variant.json", R"({"variants": {"cu": {"nvidia": {)" + claims + "}}}}"}}));
  std::string text;
  for (const auto& finding : world.explain({path}).findings)
    if (finding.code == "CUD508") text += finding.message + "\n";
  return text;
}

const std::vector<FatbinEntry> code = {{2, 90}, {1, 120}};

TEST_CASE("GPUs that are claimed must have code") {
  const auto library = gpu_library({.soname = "libk.so"}, code);
  CHECK(told_of_claims(R"("sm_arch": ["90_real", "120_virtual"])", library) == "");
  CHECK(told_of_claims(R"("sm_arch": ["90_real", "120_real"])", library) ==
        "the variant of pkg claims machine code for sm_120, and none of its files has any\n");
  CHECK(told_of_claims(R"("sm_arch": ["90_virtual"])", library) ==
        "the variant of pkg claims PTX for sm_90, and none of its files has any\n");
}

TEST_CASE("the CUDA that is claimed must be that of the runtime") {
  const auto library = with_linked_runtime(13000, {.soname = "libk.so"}, {{2, 90}});
  CHECK(told_of_claims(R"("cuda_version_lower_bound": ["13.0"])", library) == "");
  CHECK(told_of_claims(R"("cuda_version_lower_bound": ["12.0"])", library) ==
        "the variant of pkg claims to run from CUDA 12.0 on, and libk.so needs the runtime of CUDA 13\n");
  CHECK(told_of_claims(R"("cuda_version_upper_bound": ["12.9"])", library) ==
        "the variant of pkg claims to be for CUDA below 12.9, and libk.so needs the runtime of CUDA 13\n");
  CHECK(told_of_claims(R"("cuda_version_upper_bound": ["13"])", library) ==
        "the variant of pkg claims to be for CUDA below 13, and libk.so needs the runtime of CUDA 13\n");
  CHECK(told_of_claims(R"("cuda_version_upper_bound": ["13.0"])", library) != "");
  CHECK(told_of_claims(R"("cuda_version_upper_bound": ["13.1"])", library) == "");
  const auto needing = elf({.soname = "libk.so", .needed = {"libcudart.so.12"}});
  CHECK(told_of_claims(R"("cuda_version_lower_bound": ["12.0"], "cuda_version_upper_bound": ["13"])", needing) == "");
  CHECK(
      told_of_claims(R"("cuda_version_lower_bound": ["11.8"])", needing).find("libk.so needs the runtime of CUDA 12") !=
      std::string::npos);
}

TEST_CASE("without claims, or with those of others, nothing is told") {
  CHECK(told_of_claims("", gpu_library({.soname = "libk.so"}, code)) == "");
}

TEST_CASE("a claim that does not hold is told with the draft that says what claims are for") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl";
  const auto told = [&](const std::string& variant) {
    world.files.add_file(path, wheel_file({{"pkg/__init__.py", ""},
                                           {"pkg/cut.so",
                                            "\x7f"
                                            "ELF"},
                                           {"pkg/libk.so", with_linked_runtime(13000, {.soname = "libk.so"}, code)},
                                           {"pkg-1.0.dist-info/variant.json", variant}}));
    return in_full(world.explain({path}), "CUD508");
  };
  CHECK(told(R"({"variants": {"cu": {"nvidia": {"sm_arch": ["80_real"]}}}})") == R"(CUD508 | warning | 80_real
  the variant of pkg claims machine code for sm_80, and none of its files has any
  - variant.json in its .dist-info says so | /dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl | proven
  - what a variant claims decides where it is installed | rule | PEP 817 (draft), variant properties; properties of )"
                                                                                 R"(NVIDIA's provider
  = An installer takes it on a machine with that GPU, where its kernels cannot be started.
  > claim what the files hold, or build for what is claimed
)");
  CHECK(told(R"({"variants": {"cu": {"nvidia": {"cuda_version_lower_bound": ["12.0"]}}}})") ==
        R"(CUD508 | warning | 12.0
  the variant of pkg claims to run from CUDA 12.0 on, and libk.so needs the runtime of CUDA 13
  - variant.json in its .dist-info says so | /dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl | proven
  - what a variant claims decides where it is installed | rule | PEP 817 (draft), variant properties; properties of )"
        R"(NVIDIA's provider
  = An installer takes it on a machine whose driver is for CUDA 12.0, where no GPU is then used.
  > claim what the files hold, or build for what is claimed
)");
  CHECK(told("{") == R"(CUD508 | warning | variant.json
  variant.json of pkg cannot be read: is not valid JSON
  - variant.json in its .dist-info says so | /dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl | proven
  - what a variant claims decides where it is installed | rule | PEP 817 (draft), variant properties; properties of )"
                     R"(NVIDIA's provider
  > claim what the files hold, or build for what is claimed
)");
}

TEST_CASE("bounds of CUDA are whole releases or parts of one, and hold exactly") {
  const auto library = with_linked_runtime(13000, {.soname = "libk.so"}, {{2, 90}});
  const std::string lower = "\"cuda_version_lower_bound\": ", upper = "\"cuda_version_upper_bound\": ";
  CHECK(told_of_claims(lower + R"(["14.0"])", library) == "");
  CHECK(told_of_claims(lower + R"(["12.9"])", library) ==
        "the variant of pkg claims to run from CUDA 12.9 on, and libk.so needs the runtime of CUDA 13\n");
  CHECK(told_of_claims(upper + R"(["14"])", library) == "");
  CHECK(told_of_claims(upper + R"(["13.0"])", library) ==
        "the variant of pkg claims to be for CUDA below 13.0, and libk.so needs the runtime of CUDA 13\n");
  CHECK(told_of_claims(upper + R"(["any"])", library) == "");
  CHECK(told_of_claims(upper + R"(["12"])", gpu_library({.soname = "libk.so"}, code)) == "");
  // Another property with such a value, and what another provider claims, bind nothing.
  CHECK(told_of_claims(R"("driver": ["12"])", library) == "");
  CHECK(told_of_claims(R"("driver": ["12"]}, "other": {"cuda_version_upper_bound": ["12"])", library) == "");
}

TEST_CASE("GPUs are claimed by number, with sm_ or without; what is no number claims none") {
  const auto library = gpu_library({.soname = "libk.so"}, code);  // SASS of sm_90, PTX of compute_120
  CHECK(told_of_claims(R"("sm_arch": ["sm_90_real", "sm_120_virtual"])", library) == "");
  CHECK(told_of_claims(R"("sm_arch": ["sm_80_real"])", library) ==
        "the variant of pkg claims machine code for sm_80, and none of its files has any\n");
  CHECK(told_of_claims(R"("sm_arch": ["sm_80_virtual"])", library) ==
        "the variant of pkg claims PTX for sm_80, and none of its files has any\n");
  CHECK(told_of_claims(R"("sm_arch": ["all", "sm_"])", library) == "");
  CHECK(told_of_claims(R"("sm_arch": ["90"])", library) == "");
  CHECK(told_of_claims(R"("sm_arch": ["120"])", library) ==
        "the variant of pkg claims machine code for sm_120, and none of its files has any\n");
}

TEST_CASE("the newest CUDA that any file needs is held against the claims, by the file that needs it") {
  const auto told = [](const std::vector<std::pair<std::string, std::string>>& members) {
    TestWorld world;
    const std::string path = "/dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl";
    auto all = members;
    all.insert(all.begin(), {"pkg/__init__.py", ""});
    all.emplace_back("pkg-1.0.dist-info/variant.json",
                     R"({"variants": {"cu": {"nvidia": {"cuda_version_lower_bound": ["11.0"]}}}})");
    world.files.add_file(path, wheel_file(all));
    std::string text;
    for (const auto& finding : world.explain({path}).findings)
      if (finding.code == "CUD508") text += finding.message + "\n";
    return text;
  };
  const auto needing = [](const std::string& name) { return elf({.needed = {name}}); };
  const std::string rest = "the variant of pkg claims to run from CUDA 11.0 on, and ";
  CHECK(told({{"pkg/a.so", needing("libcudart.so.12")}, {"pkg/b.so", needing("libcudart.so.13")}}) ==
        rest + "b.so needs the runtime of CUDA 13\n");
  CHECK(told({{"pkg/a.so", needing("libcudart.so.13")}, {"pkg/b.so", needing("libcudart.so.12")}}) ==
        rest + "a.so needs the runtime of CUDA 13\n");
  CHECK(told({{"pkg/a.so", needing("libcudart.so.12")}, {"pkg/b.so", needing("libcudart.so.12")}}) ==
        rest + "a.so needs the runtime of CUDA 12\n");
  CHECK(told({{"pkg/a.so", needing("libcudart.so.11.0")}}) == "");
  // A library of CUDA that several majors have is no runtime, nor is one that only a newer major has.
  CHECK(told({{"pkg/a.so", needing("libcublas.so.12")}}) == "");
  CHECK(told({{"pkg/a.so", with_linked_runtime(12040)}, {"pkg/b.so", gpu_library({}, code)}}) ==
        rest + "a.so needs the runtime of CUDA 12\n");
}

TEST_CASE("a wheel whose variant.json is empty claims nothing") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl";
  world.files.add_file(path, wheel_file({{"pkg/__init__.py", ""},
                                         {"pkg/libk.so", gpu_library({.soname = "libk.so"}, code)},
                                         {"pkg-1.0.dist-info/variant.json", ""}}));
  CHECK(in_full(world.explain({path}), "CUD508") == "");
}

}  // namespace
}  // namespace cudald
