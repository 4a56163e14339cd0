#include <sstream>

#include <doctest/doctest.h>

#include <cudald/deployment.h>

#include "common/example_report.h"

namespace cudald {
namespace {

std::string deployment_words(const Deployment& deployment, int verbosity = 0) {
  TextStyle style;
  style.width = 120;
  style.verbosity = verbosity;
  std::ostringstream out;
  write_deployment(deployment, style, out);
  return out.str();
}

TEST_CASE("GPU code is a table of packages and GPUs, those first that lack some") {
  Deployment deployment;
  deployment.given = "uv.lock";
  deployment.kind = "uv.lock";
  CHECK(deployment_words(deployment).find("GPU code") == std::string::npos);
  deployment.together.query.gpus = {{80, 0}, {120, 0}};
  deployment.gpus = {{"torch", {GpuSupport::machine_code, GpuSupport::ptx}},
                     {"cupy", {GpuSupport::machine_code, GpuSupport::none}}};
  const auto text = deployment_words(deployment);
  const auto head = text.find("GPU code"), cupy = text.find("cupy"), torch = text.find("torch");
  REQUIRE(head != std::string::npos);
  CHECK(text.substr(head, text.find('\n', head) - head).find("sm_80           sm_120") != std::string::npos);
  CHECK(head < cupy);
  CHECK(cupy < torch);
  CHECK(text.substr(cupy, torch - cupy).find("machine code    none") != std::string::npos);
  CHECK(text.substr(torch).find("machine code    PTX") != std::string::npos);
}

TEST_CASE("an environment is told as what is installed") {
  Deployment deployment;
  deployment.given = ".venv";
  deployment.kind = "environment";
  deployment.bytes = 5'000'000;
  const auto text = deployment_words(deployment);
  CHECK(text.find("Environment   .venv: 0 packages") != std::string::npos);
  CHECK(text.find("5 MB on disk") != std::string::npos);
}

DeployedPackage package(const std::string& name, const std::string& version, LockedState state, CudaPart cuda = {}) {
  DeployedPackage made;
  made.name = name;
  made.version = version;
  made.state = state;
  made.cuda = std::move(cuda);
  made.top_level = !made.cuda.is_part;
  return made;
}

/// A part of CUDA of some megabytes.
DeployedPackage part(const std::string& name, std::uint64_t size) {
  auto made = package(name, "1", LockedState::declared, {.release = "12.8", .is_part = true});
  made.size = size * 1'000'000;
  return made;
}

Deployment whole_lock() {
  Deployment lock;
  lock.given = "uv.lock";
  lock.kind = "uv.lock";
  lock.python = "3.12";
  lock.platform = "linux-x86_64";
  lock.left_out = 7;
  lock.notes = {"a note"};
  lock.packages = {package("zeta", "1", LockedState::declared),
                   package("torch", "2.9.1", LockedState::read, {.release = "12.8", .cudnn = "9.10.2"}),
                   package("click", "8", LockedState::read),
                   package("cupy-cuda12x", "13.6", LockedState::declared, {.release = "12"}),
                   package("dnn", "1", LockedState::declared, {.cudnn = "9.1"}),
                   part("nccl", 300),
                   part("cudnn", 700),
                   part("none", 0),
                   part("cublas", 500),
                   part("curand", 100)};
  lock.asked = {1, 2};
  lock.alone = {failing_report(), healthy_report()};
  lock.together = healthy_report();
  lock.driver = "525.60.13";
  lock.driver_by = "torch 2.9.1, CUDA 12.8";
  lock.bytes = 2'000'000'000;
  lock.cuda_bytes = 1'600'000'000;
  lock.sizes_unknown = 1;
  return lock;
}

TEST_CASE(
    "a lock on one screen: what is read and what has to do with CUDA first, what sets the driver, what it weighs") {
  CHECK(deployment_words(whole_lock()) ==
        R"(Lock          uv.lock: 10 packages for Python 3.12 on linux-x86_64; 7 of the lock are for others; 2 read
              a note
Per package   torch 2.9.1        FAILS      CUDA 12.8, cuDNN 9.10.2
              click 8            LOADS
              cupy-cuda12x 13.6  not read   CUDA 12
              zeta 1             not read
              dnn 1              not read   cuDNN 9.1
Driver        525.60.13 or newer, for torch 2.9.1, CUDA 12.8
Size          2.0 GB in wheels, 1.6 GB of it libraries of CUDA (cudnn 700 MB, cublas 500 MB, nccl 300 MB, ...); of 1
              package the size is not known

LOADS  app loads, with 4 other files
no findings (5 files).
)");
  auto lock = whole_lock();
  lock.left_out = 0;
  lock.notes.clear();
  lock.packages.resize(9);
  lock.alone.clear();
  lock.together = failing_report();
  lock.driver.clear();
  lock.sizes_unknown = 0;
  const std::string verdict =
      "FAILS  app does not load: libcudart.so.12 is not found in any directory the loader searches\n";
  CHECK(deployment_words(lock) ==
        R"(error[CUD101] library-not-found: libcudart.so.12 is not found in any directory the loader searches

Lock          uv.lock: 9 packages for Python 3.12 on linux-x86_64; 2 read
Per package   torch 2.9.1        FAILS      CUDA 12.8, cuDNN 9.10.2
              click 8            FAILS
              cupy-cuda12x 13.6  not read   CUDA 12
              zeta 1             not read
              dnn 1              not read   cuDNN 9.1
Size          2.0 GB in wheels, 1.6 GB of it libraries of CUDA (cudnn 700 MB, cublas 500 MB, nccl 300 MB)
fix           pip install nvidia-cuda-runtime-cu12

)" + verdict +
            "1 error (4 files).\n");
  CHECK(deployment_words(lock, -1) == verdict);
  CHECK(deployment_words(lock, 1).find("\n\nLock  ") != std::string::npos);
  lock.bytes = 0;
  CHECK(deployment_words(lock).find("Size") == std::string::npos);
}

TEST_CASE("twelve packages and twelve rows of GPU code are shown, all with -v") {
  Deployment lock;
  lock.together.query.gpus = {{90, 0}};
  const auto is_cut = [&](int count) {
    lock.packages.assign(static_cast<std::size_t>(count), package("p", "1", LockedState::read));
    lock.gpus.assign(static_cast<std::size_t>(count), {"q", {GpuSupport::ptx}});
    const auto text = deployment_words(lock);
    CHECK(deployment_words(lock, 1).find("more; -v") == std::string::npos);
    const auto cut = text.find("              and 1 more; -v names all\n");
    if (cut == std::string::npos) return false;
    CHECK(text.find("and 1 more; -v names all\n", cut + 20) != std::string::npos);
    return true;
  };
  CHECK_FALSE(is_cut(12));
  CHECK(is_cut(13));
}

}  // namespace
}  // namespace cudald
