#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

/// Whether there is a driver for the GPU in the world that is asked about; nothing if it cannot be told.
std::optional<bool> has_driver(const KnownCall& call) {
  const auto& finds = call.python.loader.finds;
  call.python.heap.work(work_of_request);
  return finds ? std::optional(finds("libcuda.so.1")) : std::nullopt;
}

/// Whether the GPUs that are stated are those that the process sees, and the package was built for CUDA.
bool sees_stated_gpus(const KnownCall& call) {
  const auto& environment = call.python.environment;
  call.python.tracker.result().looked_at.variables.insert("CUDA_VISIBLE_DEVICES");
  const auto dot = call.built_for.rfind('.');
  if (dot == std::string_view::npos || environment.gpus.empty() ||
      environment.variables.contains("CUDA_VISIBLE_DEVICES"))
    return false;
  auto* module = call.python.sys_modules.find_loaded(call.built_for.substr(0, dot));
  const auto cuda = module == nullptr
                        ? std::nullopt
                        : call.python.bindings.module_attribute(call.frame, *module, call.built_for.substr(dot + 1));
  return cuda && cuda->get<std::string>() != nullptr;
}

/// With a driver it hangs on the GPU, which may be none, or none that the driver serves.
Value is_available(const KnownCall& call) {
  const auto driver = has_driver(call);
  return driver == false ? Value(false) : driver == true && sees_stated_gpus(call) ? Value(true) : Value();
}

Value device_count(const KnownCall& call) {
  const auto driver = has_driver(call);
  if (driver == false) return Value(0LL);
  if (driver != true || !sees_stated_gpus(call)) return {};
  return static_cast<long long>(call.python.environment.gpus.size());
}

/// (8, 6) of the first GPU, where all are of one kind: which one is asked about does not matter then.
Value device_capability(const KnownCall& call) {
  const auto& gpus = call.python.environment.gpus;
  if (has_driver(call) != true || !sees_stated_gpus(call)) return {};
  constexpr std::uint32_t base = 10;
  for (const auto gpu : gpus)
    if (gpu != gpus.front()) return {};
  return call.python.heap.list(
      {{static_cast<long long>(gpus.front() / base), static_cast<long long>(gpus.front() % base)}});
}

// Which functions of packages these are stands in data/python-rules.json.
constexpr KnownFunction gpu_rows[] = {{"whether a GPU is available", is_available},
                                      {"the number of GPUs", device_count},
                                      {"the capability of the GPU", device_capability}};

}  // namespace

std::span<const KnownFunction> known_gpu() { return gpu_rows; }

}  // namespace cudald::python
