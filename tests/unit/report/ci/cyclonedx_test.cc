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
  CHECK(bom.at("bomFormat") == "CycloneDX");
  CHECK(bom.at("specVersion") == "1.6");
  CHECK(bom.at("version") == 1);
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

TEST_CASE("of a library stand its place, what shows it, and whether it is linked into another file") {
  auto report = report_with_cudart();
  auto& objects = report.resolution.objects;
  auto linked = std::make_shared<CudaLibrary>();
  linked->kind = CudaKind::cudnn;
  linked->part = "ops";
  linked->is_static = true;
  objects[1].cuda = linked;
  objects[1].package = PackageName{"a b", ""};
  // Neither is a file of anybody.
  objects[0].package = PackageName{"known", "1"};
  objects[0].known_by_name = true;
  objects[2].package = PackageName{"promised", "1"};
  objects[2].path = "(promised)/libc.so.6";
  const auto bom = json::parse(document(make_cyclonedx_writer(), {report}));
  CHECK(bom.at("metadata").dump() ==
        R"({"tools":{"components":[{"name":"cudald","type":"application","version":")" CUDALD_VERSION R"("}]}})");
  const auto& components = bom.at("components");
  REQUIRE(components.size() == 4);
  CHECK(components.at(0).dump() ==
        R"({"bom-ref":"pkg:pypi/a%20b","name":"a b","purl":"pkg:pypi/a%20b","type":"library"})");
  CHECK(components.at(1).at("version") == "12.8.90");
  CHECK(components.at(2).dump() ==
        R"({"bom-ref":"cuda:cudart@12.8.90","description":"CUDA runtime",)"
        R"("evidence":{"occurrences":[{"location":"/opt/cuda/lib/libcudart.so.12"}]},"name":"cudart",)"
        R"("properties":[{"name":"cudald:evidence","value":"cudaRuntimeGetVersion returns 12080"}],)"
        R"("publisher":"NVIDIA Corporation","purl":"pkg:generic/nvidia/cudart@12.8.90","type":"library",)"
        R"("version":"12.8.90"})");
  CHECK(components.at(3).dump() ==
        R"({"bom-ref":"cuda:cudnn_ops_static@unknown","description":"cuDNN, linked into the file",)"
        R"("evidence":{"occurrences":[{"location":"/opt/app/lib/libfoo.so.1.2"}]},"name":"cudnn_ops_static",)"
        R"("publisher":"NVIDIA Corporation","type":"library"})");
  CHECK(bom.at("dependencies").dump() ==
        R"([{"dependsOn":["cuda:cudnn_ops_static@unknown"],"ref":"pkg:pypi/a%20b"},)"
        R"({"dependsOn":["cuda:cudart@12.8.90"],"ref":"pkg:pypi/nvidia-cuda-runtime-cu12@12.8.90"}])");
}

TEST_CASE("each kind of library is known by the package that NVIDIA brings it in") {
  const std::pair<CudaKind, std::string> rows[] = {
      {CudaKind::cudart, "nvidia-cuda-runtime-cu12"}, {CudaKind::cudnn, "nvidia-cudnn-cu12"},
      {CudaKind::cublas, "nvidia-cublas-cu12"},       {CudaKind::cublas_lt, "nvidia-cublas-cu12"},
      {CudaKind::cufft, "nvidia-cufft-cu12"},         {CudaKind::curand, "nvidia-curand-cu12"},
      {CudaKind::cusolver, "nvidia-cusolver-cu12"},   {CudaKind::cusparse, "nvidia-cusparse-cu12"},
      {CudaKind::nvrtc, "nvidia-cuda-nvrtc-cu12"},    {CudaKind::nvrtc_builtins, "nvidia-cuda-nvrtc-cu12"},
      {CudaKind::nvjitlink, "nvidia-nvjitlink-cu12"}, {CudaKind::nccl, "nvidia-nccl-cu12"},
  };
  for (const auto& [kind, package] : rows) {
    const auto& seen_package = package;
    CAPTURE(seen_package);
    CHECK(version_of(kind, "2", {package, "2.5"}) == "2.5");
    CHECK(version_of(kind, "2", {package + "x", "2.5"}) == "2.5");
    CHECK(version_of(kind, "2", {"x" + package, "2.5"}) == "2");
  }
  for (const auto kind : {CudaKind::tensorrt, CudaKind::driver})
    CHECK(version_of(kind, "2", {"nvidia-", "2.5"}) == "2");
}

TEST_CASE("a release of CUDA that is no version, of a stub or of nobody's file, is not taken for one") {
  auto report = report_with_cudart();
  auto& object = report.resolution.objects[4];
  auto cuda = *object.cuda;
  const auto component = [&] {
    object.cuda = std::make_shared<CudaLibrary>(cuda);
    return json::parse(document(make_cyclonedx_writer(), {report})).at("components").back();
  };
  object.package->version = "12.8.99";
  CHECK(component().at("version") == "12.8.90");
  cuda.release = "12.8 Update 1";
  CHECK(component().at("version") == "12.8.99");
  CHECK(component().at("properties").at(1).at("value") ==
        "it is out of nvidia_cuda_runtime.cu12 12.8.99, and its bytes do not contradict that");
  CHECK(component().at("properties").at(0).at("value") == "cudaRuntimeGetVersion returns 12080");
  cuda.stub = true;
  CHECK(component().at("version") == "12.8");
  CHECK(component().at("properties").size() == 1);
  cuda.stub = false;
  cuda.is_static = true;
  CHECK(component().at("version") == "12.8");
  CHECK(component().at("name") == "cudart_static");
  cuda.is_static = false;
  object.package.reset();
  CHECK(component().at("version") == "12.8");
  cuda.evidence.clear();
  CHECK_FALSE(component().contains("properties"));
  const auto bom = json::parse(document(make_cyclonedx_writer(), {report}));
  CHECK(bom.at("components").size() == 1);
  CHECK(bom.at("dependencies").dump() == "[]");
}

TEST_CASE("a library that lies at two places, in two packages, is one component with both") {
  auto report = report_with_cudart();
  report.resolution.objects[1].cuda = report.resolution.objects[4].cuda;
  report.resolution.objects[1].package = PackageName{"Torch", "2"};
  const auto bom = json::parse(document(make_cyclonedx_writer(), {report}));
  REQUIRE(bom.at("components").size() == 3);
  CHECK(bom.at("components").at(2).at("evidence").dump() ==
        R"({"occurrences":[{"location":"/opt/app/lib/libfoo.so.1.2"},{"location":"/opt/cuda/lib/libcudart.so.12"}]})");
  CHECK(bom.at("dependencies").dump() ==
        R"([{"dependsOn":["cuda:cudart@12.8.90"],"ref":"pkg:pypi/nvidia-cuda-runtime-cu12@12.8.90"},)"
        R"({"dependsOn":["cuda:cudart@12.8.90"],"ref":"pkg:pypi/torch@2"}])");
}

}  // namespace
}  // namespace cudald
