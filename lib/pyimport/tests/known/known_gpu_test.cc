#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "pyimport/known/known_functions.h"
#include "pyimport/run_import.h"
#include "pyimport/tests/built_in_rules.h"

using namespace cudald;

namespace {

enum class Driver { there, absent, unknown };

/// What is loaded by a module that asks whether there is a GPU: "gpu.so", "cpu.so", both (it is not known) or none.
std::string loaded_with(const std::string& condition, Driver driver, const std::vector<std::uint32_t>& gpus = {},
                        const std::string& cuda = "'12.8'") {
  MemoryFileSystem files;
  files.add_folder("/s");
  for (const auto* name : {"/s/gpu.so", "/s/cpu.so", "/s/torch/_C.so"}) files.add_file(name, "");
  files.add_file("/s/torch/__init__.py", "from . import cuda\nfrom . import _C\nfrom . import version\n");
  files.add_file("/s/torch/version.py", "cuda = " + cuda + "\n");
  files.add_file("/s/torch/cuda/__init__.py",
                 "def get_device_capability():\n    return probe()\ndef is_available():\n    return probe()\ndef "
                 "device_count():\n    return probe()\n");
  files.add_file("/s/m.py", "import torch\nif " + condition + ":\n    import gpu\nelse:\n    import cpu\n");
  PythonEnvironment python;
  python.version = "3.11";
  python.path = {"/s"};
  python.extension_suffixes = {".so"};
  python.gpus = gpus;
  PythonLoader loader;
  std::string result;
  loader.load = [&](const LoadStep& step) {
    if (step.path == "/s/gpu.so" || step.path == "/s/cpu.so") result += step.path.substr(3) + " ";
    return LoadAnswer{true, ""};
  };
  if (driver != Driver::unknown)
    loader.finds = [&](const std::string& name) { return name == "libcuda.so.1" && driver == Driver::there; };
  Budget budget(python_limits);
  const auto import = run_import("m", python, files, loader, embedded_python_rules(), budget);
  CHECK(import.imported);
  return result;
}

}  // namespace

TEST_CASE("without a driver no GPU is available to torch") {
  for (const std::string condition : {"torch.cuda.is_available()", "torch.cuda.device_count() > 0",
                                      "torch._C._cuda_getDeviceCount()", "torch._C._cuda_isDriverSufficient()"})
    CHECK(loaded_with(condition, Driver::absent) == "cpu.so ");
}

TEST_CASE("with a driver it hangs on the GPU, and so it does where nothing is known of a driver") {
  const auto open = loaded_with("torch.cuda.is_available()", Driver::there);
  CHECK(open != "cpu.so ");
  CHECK(loaded_with("torch.cuda.is_available()", Driver::unknown) == open);
  CHECK(loaded_with("torch.cuda.device_count() > 0", Driver::there) == open);
}

TEST_CASE("with a driver and GPUs that are stated, torch sees them if it was built for CUDA") {
  for (const std::string condition :
       {"torch.cuda.is_available()", "torch.cuda.device_count() == 2", "torch.cuda.get_device_capability() == (8, 6)"})
    CHECK(loaded_with(condition, Driver::there, {86, 86}) == "gpu.so ");
  const auto open = loaded_with("torch.cuda.is_available()", Driver::there);
  CHECK(loaded_with("torch.cuda.is_available()", Driver::there, {86}, "None") == open);
  CHECK(loaded_with("torch.cuda.get_device_capability() == (8, 6)", Driver::there, {86, 90}) == open);
  CHECK(loaded_with("torch.cuda.is_available()", Driver::absent, {86}) == "cpu.so ");
}

TEST_CASE("all that functions of packages are called for is known") {
  const auto& functions = test::built_in_rules().functions;
  CHECK(functions.size() > 10);
  for (const auto& row : functions) {
    const auto name = row.first, as = row.second.as;
    CAPTURE(name);
    CHECK(python::is_known_function(as));
  }
}
