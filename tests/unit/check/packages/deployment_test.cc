#include "check/packages/deployment.h"

#include <doctest/doctest.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>

#include "unit/check/findings/finding_text.h"

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
        "cupy-cuda11x 13.6.0 is for CUDA 11, torch 2.9.1 is for CUDA 12: 2 CUDA major versions in one process");
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
  CHECK(message(twice, "CUD313") == "libcudnn.so.9 is in a 1, b 2");
  const PlacedLibrary module{"_C.abi3.so", "a"}, other{"_C.abi3.so", "b"};
  CHECK(message(judged_deployment(deployment_of({package("a", "1", {}, {module}), package("b", "2", {}, {other})})),
                "CUD313") == "none");
}

TEST_CASE("builds of one project that install one module replace one another, read or not") {
  const auto told = [](const std::string& one, const std::string& other, LockedState state = LockedState::declared) {
    auto first = package(one, "1"), second = package(other, "2");
    first.state = second.state = state;
    return message(judged_deployment(deployment_of({first, second})), "CUD511");
  };
  CHECK(told("onnxruntime-gpu", "onnxruntime") ==
        "onnxruntime-gpu 1 and onnxruntime 2 both install the module onnxruntime");
  CHECK(told("cupy-cuda12x", "cupy-cuda11x") == "cupy-cuda12x 1 and cupy-cuda11x 2 both install the module cupy");
  CHECK(told("onnxruntime-gpu", "cupy-cuda11x") == "none");
  CHECK(told("onnxruntime-gpu", "onnxruntime", LockedState::read) == "none");  // their own files tell
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
  CHECK(unread.together.headline == "uv.lock: app 1 is not available locally: it cannot be judged without the wheels");
  CHECK(message(unread, "CUD905") == "2 of 2 packages are not available locally and were not read");
  app.state = LockedState::read;
  auto deployment = deployment_of({app, package("dep", "1")});
  deployment.asked = {0};
  deployment.together.verdict = Verdict::loads;
  const auto read = judged_deployment(deployment);
  CHECK(read.together.verdict == Verdict::loads);
  CHECK(read.together.headline == "uv.lock: its 2 packages load in one process on Python 3.11 (linux-x86_64)");
  CHECK(message(read, "CUD905") == "1 of 2 packages is not available locally and was not read");
}

TEST_CASE("of a lock with one package no number is told") {
  auto app = package("app", "1");
  app.top_level = true;
  CHECK(message(judged_deployment(deployment_of({app})), "CUD905") ==
        "its only package is not available locally and was not read");
  app.state = LockedState::read;
  auto deployment = deployment_of({app});
  deployment.asked = {0};
  deployment.together.verdict = Verdict::loads;
  CHECK(judged_deployment(deployment).together.headline ==
        "uv.lock: its package loads in one process on Python 3.11 (linux-x86_64)");
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

TEST_CASE("local versions of a file that names no index are a risk, and the index is the fix") {
  auto torch = package("torch", "2.4.1+cu121"), other = package("other", "1+local");
  torch.without_index = other.without_index = true;
  const auto found = judged_deployment(deployment_of({torch, other}));
  const auto& finding = found.together.findings.at(0);
  CHECK(finding.code == "CUD513");
  CHECK(finding.level == Level::warning);
  CHECK(finding.message ==
        "torch 2.4.1+cu121, other 1+local are on no index that the file names, but by --extra-index-url "
        "https://download.pytorch.org/whl/cu121");
  CHECK(finding.fixes.at(0).command == "sed -i '1i --extra-index-url https://download.pytorch.org/whl/cu121' uv.lock");
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
  cupy-cuda11x 13.6.0 is for CUDA 11, torch 2.9.1 is for CUDA 12: 2 CUDA major versions in one process
  - cupy-cuda11x 13.6.0: CUDA 11 | table
  - torch 2.9.1: CUDA 12.8 | table
  - nvidia-cuda-runtime-cu12 12.4.127: CUDA 12.4 | table
  = Each has a runtime of its own. They share the driver and the memory of a GPU, not kernels, streams )"
        R"(of libraries and errors; what both call by one name (cuDNN, NCCL, cuRAND) can be there only once, and is )"
        R"(of the wrong major for one of them.
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
  libcudart.so.12 is in nvidia-cuda-runtime-cu12 12.4.127, carrier 1.0
  = The one that is loaded first is used for all later requests for that name.
CUD905 | note | wheels
  5 of 5 packages are not available locally and were not read
  - declared, what they provide is known: torch 2.9.1, cupy-cuda11x 13.6.0, nvidia-cudnn-cu12 9.1.0.70, )"
        R"(nvidia-cuda-runtime-cu12 12.4.127, carrier 1.0 | table
  > read the needed bytes of the wheels from their servers | cudald check --online uv.lock
  > or download the wheels, and name their directory | pip download --no-deps -d wheels -r requirements.txt
cudald check --wheels wheels uv.lock
)");
}

TEST_CASE("a runtime that a package carries or has linked in is that of its build, whatever a table says") {
  auto deployment = deployment_of({package("torch", "2.9.1", built_for("12.8")), package("plain", "1.0"),
                                   package("nvidia-cuda-runtime-cu11", "11.8.89", part("11.0"))});
  const auto add_runtime = [&](const std::string& name, const std::string& version) {
    Object object;
    object.path = "/" + name + version + ".so";
    if (!name.empty()) object.package = PackageName{name, "1"};
    CudaLibrary runtime{.kind = CudaKind::cudart, .version = version};
    runtime.is_static = true;
    object.cuda = std::make_shared<CudaLibrary>(runtime);
    deployment.together.resolution.objects.push_back(std::move(object));
  };
  for (const auto& [name, version] : std::vector<std::pair<std::string, std::string>>{
           {"Torch", "13.0"}, {"torch", ""}, {"plain", "12.4"}, {"", "9.0"}, {"nvidia-cuda-runtime-cu11", "11.8"}})
    add_runtime(name, version);
  const auto judged = judged_deployment(deployment);
  std::string told;
  for (const auto& each : judged.packages)
    told += each.name + " " + each.cuda.release + (each.cuda.needs_gpu ? " needs a GPU" : "") + "\n";
  CHECK(told == "torch 13.0 needs a GPU\nplain 12.4 needs a GPU\nnvidia-cuda-runtime-cu11 11.8\n");
  CHECK(in_full(judged.together, "CUD312").find("  - torch 2.9.1: CUDA 13.0 | proven\n") != std::string::npos);
  CHECK(judged.driver_by == "torch 2.9.1, CUDA 13.0");
}

TEST_CASE("of the parts of CUDA only the runtime sets the driver, and of equals what users asked for is named") {
  const auto set_by = [](std::vector<DeployedPackage> packages) {
    return judged_deployment(deployment_of(std::move(packages))).driver_by;
  };
  const auto torch = package("torch", "2", built_for("12.8"));
  CHECK(set_by({package("nvidia-cublas-cu12", "12", part("12.8"))}).empty());
  CHECK(set_by({package("cuda-toolkit", "12", part("12.8"))}).empty());
  CHECK(set_by({package("plain", "12")}).empty());
  for (const auto* name : {"nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime", "cuda-cudart", "cudatoolkit"}) {
    const auto runtime = package(name, "12", part("12.8"));
    CHECK(set_by({runtime}) == std::string(name) + " 12, CUDA 12.8");
    CHECK(set_by({runtime, torch}) == "torch 2, CUDA 12.8");
    CHECK(set_by({torch, runtime}) == "torch 2, CUDA 12.8");
  }
  CHECK(set_by({torch, package("other", "1", built_for("12.8"))}) == "torch 2, CUDA 12.8");
  CHECK(set_by({package("old", "1", built_for("11.8")), torch}) == "torch 2, CUDA 12.8");
  CHECK(set_by({torch, package("old", "1", built_for("11.8"))}) == "torch 2, CUDA 12.8");
}

TEST_CASE("a driver that is too old is an error where a GPU is required") {
  auto deployment = deployment_of({package("torch", "2.9.1", built_for("12.8"))});
  deployment.together.query.environment.driver = "470.82";
  deployment.together.query.require_gpu = true;
  const auto judged = judged_deployment(deployment);
  REQUIRE(judged.together.findings.front().code == "CUD301");
  CHECK(judged.together.findings.front().level == Level::error);
  // What a question about a part has told already is not told again.
  Finding told;
  told.code = "CUD301";
  told.message = "told";
  deployment.together.findings = {told};
  CHECK(findings(judged_deployment(deployment).together).find("CUD301", 1) == std::string::npos);
}

TEST_CASE("of cuDNN that does not fit one finding of each kind is told, by the first who wants another") {
  const auto told = [](std::vector<DeployedPackage> packages) {
    std::string text;
    for (const auto& finding : judged_deployment(deployment_of(std::move(packages))).together.findings)
      if (finding.subject == "cuDNN")
        text += std::string(finding.code) + ": " + finding.message + "; " + finding.consequence + "; " +
                finding.fixes.front().title + "\n";
    return text;
  };
  const auto torch = package("torch", "2", built_for("12.8", "9.10.2"));
  const auto jax = package("jax", "1", built_for("12", "9.8.0"));
  const std::string major =
      "; Its library has another name: a program that needs the one does not find the other.; cuDNN ";
  CHECK(told({package("nvidia-cudnn-cu11", "8.9.7", part("11", "8.9.7")), torch, jax}) ==
        "CUD304: torch 2 is built with cuDNN 9.10.2, and the lock pins nvidia-cudnn-cu11 8.9.7" + major +
            "9.10.2 or newer of the same major version\n"
            "CUD305: nvidia-cudnn-cu11 8.9.7 is cuDNN for CUDA 11, and torch 2 is for CUDA 12.8; "
            "; nvidia-cudnn-cu12 in its place\n");
  CHECK(told({jax, package("cudnn", "9.8.0", part("", "9.8.0"))}).empty());
  // Of a table that knows the major alone, an older release of it is no fault; what bytes say is judged elsewhere.
  CHECK(told({package("a", "1", built_for("12", "9")), package("cudnn", "8.9", part("", "8.9"))}) ==
        "CUD304: a 1 is built with cuDNN 9, and the lock pins cudnn 8.9" + major +
            "9 or newer of the same major version\n");
  CHECK(told({package("a", "1", built_for("12", "9")), package("cudnn", "9.0", part("", "9.0"))}).empty());
  auto by_bytes = torch;
  by_bytes.cuda.source.clear();
  CHECK(told({by_bytes, package("cudnn", "8.9", part("11", "8.9"))}).empty());
  CHECK(told({package("a", "1", {.cudnn = "9.10.2", .source = "a table"}), package("cudnn", "8.9", part("11", "8.9"))})
            .empty());
}

TEST_CASE("what is replaced and what is carried twice, by names as the system compares them") {
  const auto told = [](Deployment deployment) {
    std::string text;
    for (const auto& finding : judged_deployment(std::move(deployment)).together.findings)
      if (finding.code == "CUD511" || finding.code == "CUD313")
        text += std::string(finding.code) + " " + finding.subject + ": " + finding.message + "\n";
    return text;
  };
  auto of_windows =
      deployment_of({package("a", "1", {}, {{"Cudnn.dll", "Bin"}}), package("b", "2", {}, {{"cudnn.DLL", "bin"}}),
                     package("c", "3", {}, {{"z.DLL", "c"}}), package("d", "4", {}, {{"Z.dll", "d"}})});
  of_windows.windows = true;
  CHECK(told(of_windows) ==
        R"(CUD511 bin/cudnn.DLL: a 1 and b 2 both install bin/cudnn.DLL
CUD313 cudnn.dll: cudnn.dll is in a 1, b 2
CUD313 z.dll: z.dll is in c 3, d 4
)");
  of_windows.windows = false;
  CHECK(told(of_windows).empty());
  CHECK(told(deployment_of({package("a", "1", {}, {{"liba.so.1", "x"}, {"liba.so.1", "x"}, {"libb.so.1", "x"}}),
                            package("b", "2", {}, {{"liba.so.1", "y"}, {"libb.so.1", "y"}})})) ==
        "CUD313 liba.so.1: liba.so.1, libb.so.1 are in a 1, b 2\n");
  for (const auto* name : {"liba.so", "a.so.1", "_C.abi3.so"})
    CHECK(told(deployment_of({package("a", "1", {}, {{name, "x"}}), package("b", "2", {}, {{name, "y"}})})).empty());

  auto first = package("a", "1", {}, {{"liba.so.1", "x"}, {"libb.so.1", "x"}}), second = first;
  second.name = "b";
  auto deployment = deployment_of({first, second});
  CHECK(in_full(judged_deployment(deployment).together, "CUD511")
            .find("  - 2 files have the same place in both | table\n") != std::string::npos);
  for (auto& each : deployment.packages) each.state = LockedState::read, each.libraries.pop_back();
  CHECK(in_full(judged_deployment(deployment).together, "CUD511") ==
        R"(CUD511 | warning | x/liba.so.1
  a 1 and b 1 both install x/liba.so.1
  - 1 file has the same place in both | proven
  - pip unpacks one wheel after the other without checking for conflicts | rule | the binary distribution )"
        R"(format, PEP 427
  = The one that is installed last replaces the files of the other, and both count as installed. Users of the )"
        R"(replaced ones get another release, or one for another CUDA.
  > keep a or b, and lock again
)");
  deployment.packages[1].state = LockedState::declared;
  CHECK(in_full(judged_deployment(deployment).together, "CUD511").find("in both | table\n") != std::string::npos);
}

TEST_CASE("what is missing is told as the metadata of a wheel or a conda package says, of a lock and an environment") {
  auto wheel = package("a", "1"), conda = package("b", "2");
  wheel.archive = "/w/a-1.whl";
  conda.archive = "/w/b-2.conda";
  wheel.missing = conda.missing = {"gone>=2", "lost"};
  auto deployment = deployment_of({wheel, conda});
  const auto beginning = [](const std::string& name) {
    return "CUD512 | warning | " + name + "\n  " + name + " " + (name == "a" ? "1" : "2") + " requires gone>=2, lost, ";
  };
  const std::string of_wheel = "  - its METADATA says so | /w/a-1.whl | proven\n",
                    of_conda = "  - its index.json says so | /w/b-2.conda | proven\n";
  const std::string lock =
      "  = A lock is installed without resolving anything, so what it requires is missing.\n"
      "  > lock again, with all dependencies\n";
  CHECK(in_full(judged_deployment(deployment).together, "CUD512") ==
        beginning("a") + "which the lock does not have\n" + of_wheel + lock + beginning("b") +
            "which the lock does not have\n" + of_conda + lock);
  deployment.kind = "environment";
  const std::string environment =
      "  = What imports it fails there.\n  > install it into that environment | pip install 'gone>=2' lost\n";
  CHECK(in_full(judged_deployment(deployment).together, "CUD512") ==
        beginning("a") + "which are not installed\n" + of_wheel + environment + beginning("b") +
            "which are not installed\n" + of_conda + environment);
}

TEST_CASE("what no wheel fits fails, what would be built is a warning; uv locks again by a command") {
  auto misfit = package("a", "1"), source = package("b", "2");
  misfit.state = LockedState::misfit;
  source.state = LockedState::source;
  auto deployment = deployment_of({source, misfit});
  const auto fix = [](const std::string& command) {
    return "  > lock again for that platform and Python, or take a release that has such a wheel" + command + "\n";
  };
  const auto told = [&](const std::string& command) {
    return "CUD513 | error | a\n  the lock names no wheel of a 1 for Python 3.11 on linux-x86_64\n"
           "  = Installing the lock there fails before anything is loaded.\n" +
           fix(command) +
           "CUD513 | warning | b\n  the lock names no wheel of b 2 for Python 3.11 on linux-x86_64, and its source "
           "would be built\n"
           "  = What is built depends on the machine that builds it: it cannot be judged here.\n" +
           fix(command);
  };
  CHECK(in_full(judged_deployment(deployment).together, "CUD513") == told(""));
  deployment.kind = "uv.lock";
  CHECK(in_full(judged_deployment(deployment).together, "CUD513") == told(" | uv lock"));
}

TEST_CASE("the headline of a whole lock: what is not known comes before what warns, with the driver at the end") {
  auto app = package("app", "1", built_for("12.8")), tool = package("tool", "2"),
       old = package("old", "3", built_for("11"));
  app.top_level = tool.top_level = true;
  auto deployment = deployment_of({app, tool, old});
  const std::string tail = "; driver 525.60.13 or newer, for app 1, CUDA 12.8";
  const std::string warning = "old 3 is for CUDA 11, app 1 is for CUDA 12: 2 CUDA major versions in one process";
  CHECK(judged_deployment(deployment).together.headline ==
        "uv.lock: app 1, tool 2 are not available locally: they cannot be judged without the wheels; by the pins, " +
            warning + tail);
  for (auto& each : deployment.packages) each.state = LockedState::read;
  deployment.packages[1].state = LockedState::misfit;  // a failure of its own, not something unread
  deployment.asked = {0};
  deployment.together.verdict = Verdict::loads;
  CHECK(judged_deployment(deployment).together.verdict == Verdict::fails);
  deployment.packages[1].state = LockedState::unknown;
  CHECK(message(judged_deployment(deployment), "CUD905") ==
        "1 of 3 packages is not available locally and was not read");
  CHECK(in_full(judged_deployment(deployment).together, "CUD905")
            .find("  - nothing is known of what they provide: tool 2 | table\n") != std::string::npos);
  deployment.packages[1].state = LockedState::read;
  CHECK(judged_deployment(deployment).together.headline == "uv.lock: " + warning + tail);
  deployment.packages.pop_back();
  deployment.together.verdict = Verdict::cpu_only;
  deployment.together.headline = "its own";
  CHECK(judged_deployment(deployment).together.headline == "its own");
  deployment.together.verdict = Verdict::loads;
  deployment.together.resolution.world.name = "manylinux_2_28_x86_64";
  CHECK(judged_deployment(deployment).together.headline ==
        "uv.lock: its 2 packages load in one process on Python 3.11 (manylinux_2_28_x86_64)" + tail);
  // Parts of CUDA alone are nothing that anybody imports.
  deployment.asked.clear();
  for (auto& each : deployment.packages) each.top_level = false;
  CHECK(judged_deployment(deployment).together.verdict == Verdict::unknown);
}

TEST_CASE(
    "which code a package has for a GPU counts where the runtime takes it over, it could be read, and is a package's") {
  const auto support = [](const GpuCode& code, bool in_package = true, bool with_code = true) {
    auto deployment = deployment_of({package("pkg", "1.0")});
    Object object;
    object.path = "/x/libk.so";
    if (in_package) object.package = PackageName{"Pkg", "1.0"};
    if (with_code) object.gpu = std::make_shared<GpuCode>(code);
    deployment.together.resolution.objects = {object};
    deployment.together.query.gpus = {{70, 0}, {80, 0}, {61, 0}};
    const auto judged = judged_deployment(std::move(deployment));
    return judged.gpus.empty() ? std::vector<GpuSupport>() : judged.gpus[0].support;
  };
  GpuCode code;
  code.sass[{80, 0}] = 1;
  code.ptx[{70, 0}] = 1;
  code.registered = true;
  const std::vector<GpuSupport> none;
  CHECK(support(code) == std::vector<GpuSupport>{GpuSupport::ptx, GpuSupport::machine_code, GpuSupport::none});
  CHECK(support(code, false) == none);
  CHECK(support(code, true, false) == none);
  auto unregistered = code, damaged = code;
  unregistered.registered = false;
  damaged.defects = {{"damaged", {}, false}};
  CHECK(support(unregistered) == none);
  CHECK(support(damaged) == none);
  GpuCode empty;
  empty.registered = true;
  CHECK(support(empty) == none);
}

TEST_CASE("the oldest driver is that of the newest CUDA, by the package that users asked for, on either system") {
  const auto driver = [](std::vector<DeployedPackage> packages, bool windows = false) {
    auto deployment = deployment_of(std::move(packages));
    deployment.windows = windows;
    const auto judged = judged_deployment(std::move(deployment));
    return judged.driver + " by " + judged.driver_by;
  };
  const auto torch = package("torch", "2.9.1", built_for("12.8"));
  const auto runtime = package("nvidia-cuda-runtime-cu12", "12.8.90", part("12.8"));
  const auto old_one = package("old", "1.0", built_for("11.8"));
  const std::string expected = "525.60.13 by torch 2.9.1, CUDA 12.8";
  CHECK(driver({torch, runtime}) == expected);
  CHECK(driver({runtime, torch}) == expected);
  CHECK(driver({torch, old_one}) == expected);
  CHECK(driver({old_one, torch}) == expected);
  CHECK(driver({runtime}) == "525.60.13 by nvidia-cuda-runtime-cu12 12.8.90, CUDA 12.8");
  CHECK(driver({package("odd", "1.0", built_for("99.0"))}) == " by ");
  CHECK(driver({}) == " by ");
  CHECK(driver({torch}, true) == "528.33 by torch 2.9.1, CUDA 12.8");
}

}  // namespace
}  // namespace cudald
