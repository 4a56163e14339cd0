#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cudald/cuda_library.h>

#include "unit/report/documents.h"

namespace cudald {
namespace {

using nlohmann::json;

Report report_with_cudart() {
  auto report = healthy_report();
  auto& object = report.resolution.objects[4];
  auto cuda = std::make_shared<CudaLibrary>();
  cuda->version = "12.8";
  cuda->release = "12.8.90";
  cuda->evidence = {"cudaRuntimeGetVersion returns 12080"};
  object.cuda = cuda;
  object.package = PackageName{"nvidia_cuda_runtime.cu12", "12.8.90"};
  return report;
}

TEST_CASE("packages and the libraries that are known by their bytes are components, each once") {
  const auto bom = json::parse(document(make_cyclonedx_writer(), {report_with_cudart(), report_with_cudart()}));
  CHECK(bom.at("specVersion") == "1.6");
  const auto& components = bom.at("components");
  REQUIRE(components.size() == 2);
  CHECK(components.at(0).at("purl") == "pkg:pypi/nvidia-cuda-runtime-cu12@12.8.90");
  CHECK(components.at(1).at("name") == "cudart");
  CHECK(components.at(1).at("version") == "12.8.90");
  CHECK(components.at(1).at("evidence").at("occurrences").at(0).at("location") == "/opt/cuda/lib/libcudart.so.12");
  CHECK(bom.at("dependencies").at(0).at("dependsOn").at(0) == components.at(1).at("bom-ref"));
}

std::string version_of(CudaKind kind, const std::string& by_bytes, const PackageName& package) {
  auto report = healthy_report();
  auto cuda = std::make_shared<CudaLibrary>();
  cuda->kind = kind;
  cuda->version = by_bytes;
  report.resolution.objects[4].cuda = cuda;
  report.resolution.objects[4].package = package;
  return json::parse(document(make_cyclonedx_writer(), {report})).at("components").at(1).value("version", "");
}

TEST_CASE("a library out of NVIDIA's own package has its version, unless the bytes contradict") {
  CHECK(version_of(CudaKind::cublas, "12", {"nvidia-cublas-cu12", "12.9.3.13"}) == "12.9.3.13");
  CHECK(version_of(CudaKind::cublas_lt, "12.9.3", {"nvidia_cublas_cu12", "12.9.3.13"}) == "12.9.3.13");
  CHECK(version_of(CudaKind::cudnn, "9.10.2", {"nvidia-cudnn", "9.10.2.21"}) == "9.10.2.21");
  CHECK(version_of(CudaKind::cublas, "11", {"nvidia-cublas-cu12", "12.9.3.13"}) == "11");
  CHECK(version_of(CudaKind::cublas, "1", {"nvidia-cublas-cu12", "12.9.3.13"}) == "1");
  CHECK(version_of(CudaKind::cublas, "12", {"torch", "12.9.3"}) == "12");
  CHECK(version_of(CudaKind::cufft, "12", {"nvidia-cublas-cu12", "12.9.3.13"}) == "12");
  CHECK(version_of(CudaKind::cudnn, "", {"nvidia-cudnn-cu12", "9.10.2.21"}) == "");
}

TEST_CASE("names that mean harm are text") {
  const auto text = document(make_cyclonedx_writer(), {hostile_report()});
  CHECK(is_harmless(text));
  CHECK(json::accept(text));
}

}  // namespace
}  // namespace cudald
