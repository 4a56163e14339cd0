#include <doctest/doctest.h>

#include <cudald/gpu_code.h>

#include "common/fatbin_file.h"
#include "common/wheel_file.h"
#include "unit/check/finding_text.h"
#include "unit/cuda/library_file.h"

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
  variant.json of pkg cannot be read: is no JSON
  - variant.json in its .dist-info says so | /dist/pkg-1.0-py3-none-manylinux_2_28_x86_64-cu.whl | proven
  - what a variant claims decides where it is installed | rule | PEP 817 (draft), variant properties; properties of )"
                     R"(NVIDIA's provider
  > claim what the files hold, or build for what is claimed
)");
}

}  // namespace
}  // namespace cudald
