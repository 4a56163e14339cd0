#include <cudald/deployment.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "common/example_report.h"

namespace cudald {
namespace {

nlohmann::json deployment_document(const Deployment& deployment) {
  return nlohmann::json::parse(written([&](std::ostream& out) { write_deployment_json(deployment, true, out); }));
}

/// A lock with a package that is at hand and a part of CUDA that is not.
Deployment locked() {
  Deployment deployment;
  deployment.given = "some/uv.lock";
  deployment.kind = "uv.lock";
  deployment.python = "3.12";
  deployment.platform = "linux-x86_64";
  DeployedPackage torch, runtime;
  torch.name = "torch";
  torch.version = "2.9.1";
  torch.file = "torch-2.9.1.whl";
  torch.archive = "/wheels/torch-2.9.1.whl";
  torch.sha256 = "abc";
  torch.state = LockedState::read;
  torch.size = 900;
  torch.top_level = true;
  torch.missing = {"sympy"};
  torch.cuda.release = "12.8";
  torch.cuda.cudnn = "9.10.2";
  runtime.name = "nvidia-cuda-runtime-cu12";
  runtime.version = "12.8.90";
  runtime.state = LockedState::declared;
  runtime.required_by = {"torch"};
  runtime.cuda.is_part = true;
  deployment.packages = {runtime, torch};
  deployment.asked = {1};
  deployment.alone = {failing_report()};
  deployment.together = healthy_report();
  deployment.driver = "525.60.13";
  deployment.driver_by = "torch 2.9.1, CUDA 12.8";
  deployment.bytes = 900;
  deployment.cuda_bytes = 20;
  deployment.sizes_unknown = 1;
  deployment.left_out = 7;
  return deployment;
}

TEST_CASE("the lock, its world and its verdict stand at the top") {
  auto document = deployment_document(locked());
  CHECK(document["schema"] == "cudald/deployment");
  CHECK(document["schema_version"] == "1.1");
  CHECK(document["tool"]["name"] == "cudald");
  CHECK(document["lock"].dump() == R"({"kind":"uv.lock","path":"some/uv.lock"})");
  CHECK(document["python"] == "3.12");
  CHECK(document["platform"] == "linux-x86_64");
  CHECK(document["verdict"] == "loads");
  CHECK(document["headline"] == "app loads, with 4 other files");
  CHECK(document["driver"].dump() == R"({"by":"torch 2.9.1, CUDA 12.8","version":"525.60.13"})");
  CHECK(document["bytes"].dump() == R"({"all":900,"cuda":20,"sizes_unknown":1})");
  CHECK(document["left_out"] == 7);
  CHECK(document["together"]["schema"] == "cudald/report");
  CHECK(document["together"]["verdict"] == "loads");
}

TEST_CASE("each package has all that is known of it, and nulls for the rest") {
  const auto packages = deployment_document(locked())["packages"];
  REQUIRE(packages.size() == 2);
  CHECK(packages[0].dump() ==
        R"({"archive":null,"cuda":null,"cudnn":null,"file":null,"missing":[],"name":"nvidia-cuda-runtime-cu12",)"
        R"("part_of_cuda":true,"required_by":["torch"],"sha256":null,"size":null,"state":"declared",)"
        R"("top_level":false,"version":"12.8.90"})");
  CHECK(packages[1].dump() ==
        R"({"archive":"/wheels/torch-2.9.1.whl","cuda":"12.8","cudnn":"9.10.2","file":"torch-2.9.1.whl",)"
        R"("missing":["sympy"],"name":"torch","part_of_cuda":false,"required_by":[],"sha256":"abc","size":900,)"
        R"("state":"read","top_level":true,"version":"2.9.1"})");
}

TEST_CASE("a package alone is told by its name, which is that of the one that was asked about") {
  const auto alone = deployment_document(locked())["alone"];
  REQUIRE(alone.size() == 1);
  CHECK(alone[0]["package"] == "torch");
  CHECK(alone[0]["verdict"] == "fails");
  CHECK(alone[0]["headline"] == "app does not load: libcudart.so.12 is not found in any directory the loader searches");
  REQUIRE(alone[0]["findings"].size() == 1);
  CHECK(alone[0]["findings"][0]["code"] == "CUD101");
}

TEST_CASE("GPU code is told by package and GPU, as far as both are known") {
  auto deployment = locked();
  CHECK(deployment_document(deployment)["gpus"].empty());
  deployment.together.query.gpus = {{80, 0}, {90, 0}, {120, 0}};
  deployment.gpus = {{"torch", {GpuSupport::machine_code, GpuSupport::ptx, GpuSupport::none}},
                     {"cupy", {GpuSupport::none}}};
  CHECK(deployment_document(deployment)["gpus"].dump() ==
        R"([{"package":"torch","support":[{"code":"machine code","gpu":"sm_80"},{"code":"PTX","gpu":"sm_90"},)"
        R"({"code":"none","gpu":"sm_120"}]},{"package":"cupy","support":[{"code":"none","gpu":"sm_80"}]}])");
  deployment.together.query.gpus.resize(1);
  CHECK(deployment_document(deployment)["gpus"][0]["support"].size() == 1);
}

TEST_CASE("without a driver that is needed there is none") {
  auto deployment = locked();
  deployment.driver.clear();
  CHECK(deployment_document(deployment)["driver"] == nullptr);
}

TEST_CASE("states and support have a word each") {
  CHECK(to_string(LockedState::read) == "read");
  CHECK(to_string(LockedState::declared) == "declared");
  CHECK(to_string(LockedState::unknown) == "unknown");
  CHECK(to_string(LockedState::source) == "source");
  CHECK(to_string(LockedState::misfit) == "misfit");
  CHECK(to_string(GpuSupport::machine_code) == "machine code");
  CHECK(to_string(GpuSupport::ptx) == "PTX");
  CHECK(to_string(GpuSupport::none) == "none");
}

}  // namespace
}  // namespace cudald
