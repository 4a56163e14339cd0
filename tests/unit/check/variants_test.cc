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

}  // namespace
}  // namespace cudald
