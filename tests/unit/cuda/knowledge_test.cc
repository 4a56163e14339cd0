#include "cuda/knowledge.h"

#include <doctest/doctest.h>

#include <set>

#include <cudald/cuda_library.h>

#include "base/json.h"
#include "embedded.h"

namespace cudald {
namespace {

constexpr auto on_linux = CudaPlatform::linux;
constexpr auto on_windows = CudaPlatform::windows;

std::string driver(std::string_view cuda, CudaPlatform platform) {
  const auto need = built_in_knowledge()->driver_of(cuda, platform);
  return need ? need->version : "-";
}

std::string releases(std::string_view library) {
  std::string text;
  for (const auto& each : built_in_knowledge()->releases_of(library))
    text += (text.empty() ? "" : ", ") + std::string(to_string(each.kind)) + " " + each.first + "-" + each.last;
  return text;
}

TEST_CASE("a release runs from a driver on, and a library tells its major by its version") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.least_driver("11.8", CudaPlatform::linux)->version == "450.80.02");
  CHECK(knowledge.least_driver("10.2", CudaPlatform::linux)->version == "440.33");
  CHECK_FALSE(knowledge.least_driver("99.0", CudaPlatform::linux));
  CHECK(knowledge.major_of(CudaKind::curand, "10.3.0") == 11);
  CHECK(knowledge.major_of(CudaKind::curand, "10.3.9") == 12);
  CHECK(knowledge.major_of(CudaKind::curand, "10.4.5") == 13);
  CHECK_FALSE(knowledge.major_of(CudaKind::cudart, "12.8"));
}

TEST_CASE("a release asks for a driver, a major is content with an older one") {
  CHECK(driver("11.8", on_linux) == "520.61.05");
  CHECK(driver("11.8", on_windows) == "522.06");
  CHECK(driver("12.8.1", on_linux) == "570.26");
  CHECK(driver("13.0", on_windows) == "-");
  CHECK(driver("12.7", on_linux) == "-");
  CHECK(built_in_knowledge()->driver_floor(11, on_linux)->version == "450.80.02");
  CHECK(built_in_knowledge()->driver_floor(12, on_windows)->version == "528.33");
  CHECK_FALSE(built_in_knowledge()->driver_floor(10, on_linux));
  CHECK(built_in_knowledge()->driver_floor(13, on_windows)->version == "580");
  CHECK(driver("13.4", on_linux) == "615.71.09");
}

TEST_CASE("a release needs no newer driver than its own, though its major's floor is newer") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.least_driver("11.0", on_linux)->version == "450.51.05");
  CHECK(knowledge.least_driver("11.0", on_windows)->version == "451.48");
  CHECK(knowledge.least_driver("12.0", on_windows)->version == "527.41");
  CHECK(knowledge.least_driver("12.1", on_windows)->version == "528.33");
}

TEST_CASE("what a driver has all of, and what runs on it by minor-version compatibility") {
  const auto& knowledge = *built_in_knowledge();
  const auto told = [&](std::string_view driver, CudaPlatform platform) {
    return knowledge.cuda_of_driver(driver, platform) + " " + knowledge.newest_cuda_on(driver, platform);
  };
  CHECK(told("535.104.05", on_linux) == "12.2 12.9");
  CHECK(told("535.54.03", on_linux) == "12.2 12.9");
  CHECK(told("535.54.02", on_linux) == "12.1 12.9");
  CHECK(told("470.256.02", on_linux) == "11.4 11.8");
  CHECK(told("440.33", on_linux) == "10.2 10.2");
  CHECK(told("580.65.06", on_linux) == "13.0 13.5");
  CHECK(told("579.0", on_windows) == "12.9 12.9");
  CHECK(told("100.1", on_linux) == " ");
}

TEST_CASE("a driver is older than a release if that follows from the drivers that are known") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.is_older_than_release("535.104.05", "12.8.90", on_linux));
  CHECK_FALSE(knowledge.is_older_than_release("570.26", "12.8", on_linux));
  // A release whose driver is not known needs one that is newer than those before it, and no more is known.
  CHECK(knowledge.is_older_than_release("580.65.06", "99.0", on_linux));
  CHECK_FALSE(knowledge.is_older_than_release("9999.1", "99.0", on_linux));
  CHECK(knowledge.is_older_than_release("572.61", "13.0", on_windows));
  CHECK_FALSE(knowledge.is_older_than_release("581.15", "13.0", on_windows));
}

TEST_CASE("a branch is its newest driver; on Windows it is called by its number on Linux, or by its own") {
  const auto& knowledge = *built_in_knowledge();
  CHECK(knowledge.cuda_of_driver("535", on_linux) == "12.2");
  CHECK(knowledge.cuda_of_driver("520", on_linux) == "11.8");
  CHECK(knowledge.cuda_of_driver("521", on_linux) == "11.8");
  CHECK(knowledge.cuda_of_driver("535", on_windows) == "12.2");
  CHECK(knowledge.cuda_of_driver("536", on_windows) == "12.2");
  CHECK(knowledge.cuda_of_driver("470", on_windows) == "11.4");
  CHECK(knowledge.newest_cuda_on("525", on_windows) == "12.0");
}

TEST_CASE("a name belongs to releases") {
  CHECK(releases("libcudart.so.11.0") == "cudart 11.0-11.8");
  CHECK(releases("CUDART64_110.DLL") == "cudart 11.0-11.8");
  CHECK(releases("libcudart.so.13") == "cudart 13.0-");
  CHECK(releases("libcurand.so.10") == "curand 10.1-10.2, curand 11.0-11.8, curand 12.0-12.9, curand 13.0-");
  CHECK(releases("libcudart.so.14") == "");
  CHECK(built_in_knowledge()->name_of(CudaKind::cudart, "11.3.1", on_windows)->name == "cudart64_110.dll");
  CHECK(built_in_knowledge()->name_of(CudaKind::cufft, "12.4", on_linux)->name == "libcufft.so.11");
  CHECK_FALSE(built_in_knowledge()->name_of(CudaKind::nccl, "12.4", on_linux));
  CHECK(releases("libcusolver.so.10") == "cusolver 10.1-10.2, cusolver 11.0-11.0");
  CHECK(releases("libcublas.so.10.0") == "cublas 10.0-10.0");
  CHECK(releases("libcublasLt.so.10") == "");  // no test repeats it
}

TEST_CASE("architectures, builds and frameworks") {
  CHECK(built_in_knowledge()->likely_toolkits_for("sm_35")->guess().until == "12.0");
  CHECK(built_in_knowledge()->toolkits_for("sm_120")->since == "12.8");
  CHECK_FALSE(built_in_knowledge()->toolkits_for("sm_1"));
  CHECK_FALSE(built_in_knowledge()->likely_toolkits_for("sm_1"));
  CHECK(built_in_knowledge()->release_of_build(CudaKind::cudnn, "114b774d335490c21aa955d7e18032c61d0a73ff") ==
        "8.8.0.121 to 8.9.2.26");
  CHECK(built_in_knowledge()->release_of_build(CudaKind::cudart, "114b774d335490c21aa955d7e18032c61d0a73ff") == "");
  const auto tensorflow = built_in_knowledge()->framework("tensorflow", "2.6.0", on_linux);
  REQUIRE(tensorflow);
  CHECK(tensorflow->cuda == "11.2");
  CHECK(tensorflow->cudnn == "8");
  CHECK(tensorflow->source().starts_with("tensorflow/python/platform/build_info.py in the wheels, 20"));
  CHECK(built_in_knowledge()->framework("tensorflow", "2.12.0", on_windows)->cuda == "");
  CHECK(built_in_knowledge()->framework("torch", "2.10.0", on_linux)->cuda == "12.8");
  CHECK(built_in_knowledge()->framework("torch", "2.9.1", on_windows)->cuda == "");
  CHECK_FALSE(built_in_knowledge()->framework("onnxruntime-gpu", "1.16.3", on_linux));
  CHECK(built_in_knowledge()->likely_framework("onnxruntime-gpu", "1.16.3", on_linux)->guess().cuda == "11.8");
  CHECK(built_in_knowledge()->framework("onnxruntime-gpu", "1.16.3", on_windows)->cuda == "11.8");
  CHECK_FALSE(built_in_knowledge()->framework("torch", "0.4.1", on_linux));
}

}  // namespace
}  // namespace cudald
