#include <doctest/doctest.h>

#include "common/wheel_file.h"
#include "unit/check/findings/finding_text.h"
#include "unit/knowledge/library_file.h"

namespace cudald {
namespace {

/// What is told of a wheel that carries the runtime of CUDA 12.8 and this SBOM; empty: it has none.
std::string told(const std::string& sbom) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-manylinux_2_28_x86_64.whl";
  std::vector<std::pair<std::string, std::string>> members = {
      {"pkg/__init__.py", ""}, {"pkg/libcudart-1a2b.so.12", cuda_runtime("libcudart.so.12", 12080)}};
  if (!sbom.empty()) members.emplace_back("pkg-1.0.dist-info/sboms/own.cdx.json", sbom);
  world.files.add_file(path, wheel_file(members));
  std::string text;
  for (const auto& finding : world.explain({path}).findings)
    if (finding.code == "CUD509") text += finding.message + "\n";
  return text;
}

TEST_CASE("a library of CUDA that is carried must stand in the SBOM") {
  CHECK(told("") == "");
  CHECK(told(R"({"bomFormat": "CycloneDX"})") ==
        "the SBOM of pkg does not name CUDA runtime 12.8, which pkg contains\n");
  CHECK(told(R"({"components": [{"name": "zlib", "version": "1.3"}]})") != "");
  CHECK(told(R"({"components": [{"name": "CUDA", "purl": "pkg:pypi/nvidia-cuda-runtime-cu12@12.8.90",
                 "version": "12.8.90"}]})") == "");
  CHECK(told(R"({"packages": [{"name": "libcudart", "versionInfo": "12.8"}]})") == "");
}

TEST_CASE("with its right version") {
  CHECK(told(R"({"components": [{"name": "cudart", "version": "12.6.77"}]})") != "");
  CHECK(
      told(R"({"components": [{"name": "cudart", "version": "12.6.77"}, {"name": "cudart", "version": "12.8.90"}]})") ==
      "");
  CHECK(told(R"({"components": [{"name": "cudart"}]})") == "");
}

TEST_CASE("what is no SBOM is none") {
  CHECK(told("[]") == "");
  CHECK(told("{") == "");
}

TEST_CASE("each library that the SBOM lacks is evidence, and named once with its version") {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-manylinux_2_28_x86_64.whl";
  world.files.add_file(
      path, wheel_file({{"pkg/__init__.py", ""},
                        {"pkg/libcudart-1a2b.so.12", cuda_runtime("libcudart.so.12", 12080)},
                        {"pkg/copy/libcudart.so.12", cuda_runtime("libcudart.so.12", 12080)},
                        {"pkg/libcudnn_ops.so.9", cudnn_part("libcudnn_ops.so.9", 91002)},
                        {"pkg/libcuda.so.1", driver_stub()},
                        {"pkg/libz.so.1", elf({.soname = "libz.so.1"})},
                        {"pkg-1.0.dist-info/sboms/a.json", R"({"components": [{"name": "cudnn", "version": "9.1"}]})"},
                        {"pkg-1.0.dist-info/sboms/b.json", R"({"bomFormat": "CycloneDX"})"},
                        {"pkg-1.0.dist-info/sboms/odd.txt", "cudart"}}));
  CHECK(in_full(world.explain({path}), "CUD509") ==
        R"(CUD509 | note | pkg
  the SBOM of pkg does not name CUDA runtime 12.8, cuDNN 9.10.2, which pkg contains
  - libcudart.so.12 is CUDA runtime 12.8 | pkg-1.0-py3-none-manylinux_2_28_x86_64.whl!/pkg/copy/libcudart.so.12 | )"
        R"(proven
  - libcudart-1a2b.so.12 is CUDA runtime 12.8 | pkg-1.0-py3-none-manylinux_2_28_x86_64.whl!/pkg/libcudart-1a2b.so.12 )"
        R"(| proven
  - libcudnn_ops.so.9 is cuDNN 9.10.2, and the SBOM has version 9.1 | )"
        R"(pkg-1.0-py3-none-manylinux_2_28_x86_64.whl!/pkg/libcudnn_ops.so.9 | proven
  - an SBOM names what a package contains of others | rule | PEP 770, SBOM metadata in Python packages
  = A search for a library with a known vulnerability does not find this copy.
  > name it, with its version, in the SBOM | cudald check -f cyclonedx pkg-1.0-py3-none-manylinux_2_28_x86_64.whl
)");
}

TEST_CASE("an SBOM is one by its lists or by its own word, and odd entries of it name nothing") {
  const std::string lacks = "the SBOM of pkg does not name CUDA runtime 12.8, which pkg contains\n";
  CHECK(told(R"({"components": "cudart"})") == "");
  CHECK(told(R"({"packages": {"name": "cudart"}})") == "");
  CHECK(told(R"({"bomFormat": "SPDX"})") == "");
  CHECK(told(R"({"bomFormat": 1})") == "");
  CHECK(told(R"({"components": []})") == lacks);
  CHECK(told(R"({"packages": []})") == lacks);
  CHECK(told(R"({"components": ["cudart", 1, {"name": 12, "purl": ["cudart"]}, {"version": "12.8"}]})") == lacks);
  CHECK(told(R"({"components": [{"purl": "pkg:generic/CUDART@12.8.90", "version": "12.8.90"}]})") == "");
}

TEST_CASE("versions agree number by number") {
  const std::string has = "the SBOM of pkg does not name CUDA runtime 12.8, which pkg contains\n";
  const auto stated = [](const std::string& version) {
    return told(R"({"components": [{"name": "cuda_runtime", "version": ")" + version + R"("}]})");
  };
  for (const std::string version : {"12.8", "12", "12.8.90", ""}) CHECK(stated(version) == "");
  for (const std::string version : {"12.80", "12.8x", "1", "12.", "13.8", "12.9"}) CHECK(stated(version) == has);
}

/// CUD509 of a wheel with these members beside an SBOM that names nothing.
std::string told_of_members(std::vector<std::pair<std::string, std::string>> members, const std::string& sbom,
                            int files = 1) {
  TestWorld world;
  const std::string path = "/dist/pkg-1.0-py3-none-manylinux_2_28_x86_64.whl";
  members.emplace_back("pkg/__init__.py", "");
  for (int i = 0; i < files; ++i) members.emplace_back("pkg-1.0.dist-info/sboms/" + std::to_string(i) + ".json", sbom);
  world.files.add_file(path, wheel_file(members));
  std::string text;
  for (const auto& finding : world.explain({path}).findings)
    if (finding.code == "CUD509") text += finding.message + "\n";
  return text;
}

TEST_CASE("cuBLASLt comes with cuBLAS, and a library that says no version fits any") {
  const auto lt = library({"libcublasLt.so.12",
                           "libcublasLt.so.12",
                           {{"cublasLtCreate", ""}, {"cublasLtMatmul", ""}, {"cublasLtGetVersion", answer(120805)}}});
  const auto sbom = [](const std::string& name, const std::string& version) {
    return R"({"components": [{"name": ")" + name + R"(", "version": ")" + version + R"("}]})";
  };
  CHECK(told_of_members({{"pkg/libcublasLt.so.12", lt}}, sbom("nvidia-cublas-cu12", "12.8.5")) == "");
  CHECK(told_of_members({{"pkg/libcublasLt.so.12", lt}}, sbom("nvidia-cuda-runtime-cu12", "12.8.5")) ==
        "the SBOM of pkg does not name cuBLASLt 12.8.5, which pkg contains\n");
  const auto silent = elf({.soname = "libcudnn.so.9"});
  CHECK(told_of_members({{"pkg/libcudnn.so.9", silent}}, sbom("cudnn", "8.1")) ==
        "the SBOM of pkg does not name cuDNN 9, which pkg contains\n");
  CHECK(told_of_members({{"pkg/libcudnn.so.9", silent}}, sbom("cudart", "8.1")) ==
        "the SBOM of pkg does not name cuDNN 9, which pkg contains\n");
}

TEST_CASE("twenty SBOMs are read, and of more none; one that cannot be read counts as none") {
  const auto runtime = cuda_runtime("libcudart.so.12", 12080);
  const std::string lacks = "the SBOM of pkg does not name CUDA runtime 12.8, which pkg contains\n";
  CHECK(told_of_members({{"pkg/libcudart.so.12", runtime}}, R"({"components": []})", 20) == lacks);
  CHECK(told_of_members({{"pkg/libcudart.so.12", runtime}}, R"({"components": []})", 21) == "");
  CHECK(told_of_members({{"pkg/libcudart.so.12", "text"}}, R"({"components": []})") == "");
  CHECK(told_of_members({{"pkg/libcudart.so.12", elf({.soname = "libcudart.so.12"})}}, R"({"components": []})") == "");
}

}  // namespace
}  // namespace cudald
