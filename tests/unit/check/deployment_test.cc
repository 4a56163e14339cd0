#include "check/deployment.h"

#include <doctest/doctest.h>

#include <cudald/gpu_code.h>

#include "unit/check/finding_text.h"

namespace cudald {
namespace {

DeployedPackage package(const std::string& name, const std::string& version, CudaPart cuda = {},
                        std::vector<PlacedLibrary> libraries = {}) {
  DeployedPackage result;
  result.name = name;
  result.version = version;
  result.state = LockedState::declared;
  result.cuda = std::move(cuda);
  result.libraries = std::move(libraries);
  result.size = 100;
  return result;
}

CudaPart built_for(const std::string& release, const std::string& cudnn = "") {
  return {.release = release, .cudnn = cudnn, .source = "a table", .needs_gpu = true};
}

CudaPart part(const std::string& release, const std::string& cudnn = "") {
  return {.release = release, .cudnn = cudnn, .source = "its name", .is_part = true};
}

Deployment deployment_of(std::vector<DeployedPackage> packages) {
  Deployment deployment;
  deployment.given = "uv.lock";
  deployment.python = "3.11";
  deployment.platform = "linux-x86_64";
  deployment.packages = std::move(packages);
  return deployment;
}

Deployment judged_deployment(Deployment deployment) {
  judge_deployment(deployment);
  return deployment;
}

/// The message of the finding with that code; "none".
std::string message(const Deployment& deployment, std::string_view code) {
  for (const auto& finding : deployment.together.findings)
    if (finding.code == code) return finding.message;
  return "none";
}

TEST_CASE("two majors of CUDA meet") {
  const auto mixed = judged_deployment(deployment_of(
      {package("torch", "2.9.1", built_for("12.8")), package("cupy-cuda11x", "13.6.0", built_for("11"))}));
  CHECK(message(mixed, "CUD312") ==
        "cupy-cuda11x 13.6.0 is for CUDA 11, torch 2.9.1 is for CUDA 12: 2 majors of CUDA meet in one process");
  const auto one = judged_deployment(
      deployment_of({package("torch", "2.9.1", built_for("12.8")), package("cupy-cuda12x", "13.6.0", built_for("12")),
                     package("nvidia-cublas-cu11", "11.11", part("11"))}));
  CHECK(message(one, "CUD312") == "none");
}

TEST_CASE("the driver that all of it needs, and who sets it") {
  const auto both = judged_deployment(
      deployment_of({package("nvidia-cuda-runtime-cu12", "12.8.90", part("12.8")),
                     package("torch", "2.9.1", built_for("12.8")), package("old", "1", built_for("11"))}));
  CHECK(both.driver == "525.60.13");
  CHECK(both.driver_by == "torch 2.9.1, CUDA 12.8");
  auto deployment = deployment_of({package("torch", "2.9.1", built_for("12.8"))});
  deployment.together.query.environment.driver = "470.82";
  CHECK(message(judged_deployment(deployment), "CUD301") ==
        "driver 470.82 is too old for torch 2.9.1, CUDA 12.8: 525.60.13 or newer is needed");
  deployment.together.query.environment.driver = "535";
  CHECK(message(judged_deployment(deployment), "CUD301") == "none");
}

TEST_CASE("cuDNN that is older, or for another CUDA, than a framework is built with") {
  const auto torch = package("torch", "2.9.1", built_for("12.8", "9.10.2"));
  const auto with = [&](const DeployedPackage& cudnn) { return judged_deployment(deployment_of({torch, cudnn})); };
  CHECK(message(with(package("nvidia-cudnn-cu12", "9.1.0.70", part("12", "9.1.0.70"))), "CUD304") ==
        "torch 2.9.1 is built with cuDNN 9.10.2, and the lock pins nvidia-cudnn-cu12 9.1.0.70");
  CHECK(message(with(package("nvidia-cudnn-cu12", "8.9.7.29", part("12", "8.9.7.29"))), "CUD304") != "none");
  const auto newer = with(package("nvidia-cudnn-cu12", "9.13.0.50", part("12", "9.13.0.50")));
  CHECK(message(newer, "CUD304") == "none");
  CHECK(message(newer, "CUD305") == "none");
  CHECK(message(with(package("nvidia-cudnn-cu11", "9.10.2.21", part("11", "9.10.2.21"))), "CUD305") ==
        "nvidia-cudnn-cu11 9.10.2.21 is cuDNN for CUDA 11, and torch 2.9.1 is for CUDA 12.8");
}

TEST_CASE("files of one place replace one another; the same name elsewhere is a note") {
  const PlacedLibrary cudnn{"libcudnn.so.9", "nvidia/cudnn/lib"};
  const auto replaced =
      judged_deployment(deployment_of({package("a", "1", {}, {cudnn}), package("b", "2", {}, {cudnn})}));
  CHECK(message(replaced, "CUD511") == "a 1 and b 2 both install nvidia/cudnn/lib/libcudnn.so.9");
  CHECK(message(replaced, "CUD313") == "none");
  const auto twice = judged_deployment(
      deployment_of({package("a", "1", {}, {cudnn}), package("b", "2", {}, {{"libcudnn.so.9", "b.libs"}})}));
  CHECK(message(twice, "CUD511") == "none");
  CHECK(message(twice, "CUD313") == "libcudnn.so.9 lies in a 1, b 2");
  const PlacedLibrary module{"_C.abi3.so", "a"}, other{"_C.abi3.so", "b"};
  CHECK(message(judged_deployment(deployment_of({package("a", "1", {}, {module}), package("b", "2", {}, {other})})),
                "CUD313") == "none");
}

TEST_CASE("what a wheel requires and the lock lacks, and what no wheel fits") {
  auto first = package("a", "1");
  first.missing = {"gone>=2"};
  auto second = package("b", "2");
  second.state = LockedState::misfit;
  auto third = package("c", "3");
  third.state = LockedState::source;
  const auto deployment = judged_deployment(deployment_of({first, second, third}));
  CHECK(message(deployment, "CUD512") == "a 1 requires gone>=2, which the lock does not have");
  CHECK(message(deployment, "CUD513") == "the lock names no wheel of b 2 for Python 3.11 on linux-x86_64");
  CHECK(deployment.together.verdict == Verdict::fails);
  CHECK(deployment.together.headline.starts_with("uv.lock cannot be deployed: the lock names no wheel of b 2"));
}

TEST_CASE("a top-level package that was not read leaves the verdict open, another one does not") {
  auto app = package("app", "1");
  app.top_level = true;
  const auto unread = judged_deployment(deployment_of({app, package("dep", "1")}));
  CHECK(unread.together.verdict == Verdict::unknown);
  CHECK(unread.together.headline == "uv.lock: app 1 is not at hand, and what becomes of it is not known");
  CHECK(message(unread, "CUD905") == "2 of 2 packages are not at hand and were not read");
  app.state = LockedState::read;
  auto deployment = deployment_of({app, package("dep", "1")});
  deployment.asked = {0};
  deployment.together.verdict = Verdict::loads;
  const auto read = judged_deployment(deployment);
  CHECK(read.together.verdict == Verdict::loads);
  CHECK(read.together.headline == "uv.lock: its 2 packages load in one process on Python 3.11 (linux-x86_64)");
  CHECK(message(read, "CUD905") == "1 of 2 packages are not at hand and were not read");
}

TEST_CASE("a warning about the whole makes what loads a risk; what failed stays so") {
  auto app = package("app", "1", built_for("12.8"));
  app.state = LockedState::read;
  app.top_level = true;
  auto other = package("other", "1", built_for("11"));
  auto deployment = deployment_of({app, other});
  deployment.asked = {0};
  deployment.together.verdict = Verdict::loads;
  CHECK(judged_deployment(deployment).together.verdict == Verdict::risk);
  deployment.together.verdict = Verdict::fails;
  deployment.together.headline = "its own";
  CHECK(judged_deployment(deployment).together.headline == "its own");
}

TEST_CASE("sizes are summed, and those of CUDA by themselves") {
  auto unknown = package("x", "1");
  unknown.size = 0;
  const auto deployment =
      judged_deployment(deployment_of({package("a", "1"), package("nvidia-cublas-cu12", "12.8", part("12")), unknown}));
  CHECK(deployment.bytes == 200);
  CHECK(deployment.cuda_bytes == 100);
  CHECK(deployment.sizes_unknown == 1);
}

void add_gpu_object(Deployment& deployment, const std::string& package, GpuCode code) {
  Object object;
  object.path = "/lib" + package + std::to_string(deployment.together.resolution.objects.size()) + ".so";
  object.package = PackageName{package, "1.0"};
  code.registered = true;
  object.gpu = std::make_shared<GpuCode>(std::move(code));
  deployment.together.resolution.objects.push_back(std::move(object));
}

TEST_CASE("what each package has for the GPUs that are asked about, by the library that has least") {
  auto deployment = deployment_of({package("Torch", "2.9.1"), package("old", "1.0")});
  deployment.together.query.gpus = {{80, 0}, {120, 0}};
  add_gpu_object(deployment, "Torch", {.sass = {{{80, 0}, 1}, {{120, 0}, 1}}});
  add_gpu_object(deployment, "Torch", {.sass = {{{80, 0}, 1}}, .ptx = {{{90, 0}, 1}}});
  add_gpu_object(deployment, "old", {.sass = {{{70, 0}, 1}}});
  add_gpu_object(deployment, "empty", {});
  const auto found = judged_deployment(deployment);
  REQUIRE(found.gpus.size() == 2);
  CHECK(found.gpus[0].package == "torch");
  CHECK(found.gpus[0].support == std::vector<GpuSupport>{GpuSupport::machine_code, GpuSupport::ptx});
  CHECK(found.gpus[1].support == std::vector<GpuSupport>{GpuSupport::none, GpuSupport::none});
  deployment.together.query.gpus.clear();
  CHECK(judged_deployment(deployment).gpus.empty());
}

TEST_CASE("the findings on a lock as a whole say who meets whom, and how that is known") {
  auto deployment = deployment_of(
      {package("torch", "2.9.1", built_for("12.8", "9.10.2")), package("cupy-cuda11x", "13.6.0", built_for("11")),
       package("nvidia-cudnn-cu12", "9.1.0.70", part("12", "9.1.0")),
       package("nvidia-cuda-runtime-cu12", "12.4.127", part("12.4"), {{"libcudart.so.12", "nvidia/cuda_runtime/lib"}}),
       package("carrier", "1.0", {}, {{"libcudart.so.12", "carrier/lib"}})});
  deployment.together.query.environment.driver = "470.82";
  CHECK(in_full(judged_deployment(deployment).together) ==
        R"(CUD312 | warning | 11 and 12
  cupy-cuda11x 13.6.0 is for CUDA 11, torch 2.9.1 is for CUDA 12: 2 majors of CUDA meet in one process
  - cupy-cuda11x 13.6.0: CUDA 11 | table
  - torch 2.9.1: CUDA 12.8 | table
  - nvidia-cuda-runtime-cu12 12.4.127: CUDA 12.4 | table
  = Each has a runtime of its own. They share the driver and the memory of a GPU, not kernels, streams of libraries )"
        R"(and errors; what both call by one name (cuDNN, NCCL, cuRAND) can be there only once, and is of the wrong )"
        R"(major for one of them.
  > builds for one major of CUDA | the download gets smaller as well
CUD304 | warning | cuDNN
  torch 2.9.1 is built with cuDNN 9.10.2, and the lock pins nvidia-cudnn-cu12 9.1.0.70
  - torch 2.9.1: cuDNN 9.10.2 | table
  = Functions that came since then are missing.
  > cuDNN 9.10.2 or newer of the same major version
CUD301 | warning | 470.82
  driver 470.82 is too old for torch 2.9.1, CUDA 12.8: 525.60.13 or newer is needed
  - driver 525.60.13 or newer | table
  = It loads; the first call of CUDA fails, and frameworks then see no GPU.
  > a driver of 525.60.13 or newer
CUD313 | note | libcudart.so.12
  libcudart.so.12 lies in nvidia-cuda-runtime-cu12 12.4.127, carrier 1.0
  = The one that is loaded first serves all who ask for that name afterwards.
CUD905 | note | wheels
  5 of 5 packages are not at hand and were not read
  - declared, what they bring is known: torch 2.9.1, cupy-cuda11x 13.6.0, nvidia-cudnn-cu12 9.1.0.70, )"
        R"(nvidia-cuda-runtime-cu12 12.4.127, carrier 1.0 | table
  > download the wheels, and name their folder | pip download --no-deps -d wheels -r requirements.txt
cudald check --wheels wheels uv.lock
)");
}

}  // namespace
}  // namespace cudald
