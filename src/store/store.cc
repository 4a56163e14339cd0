#include "store/store.h"

#include <cudald/cuda_library.h>

namespace cudald {

void Store::begin_question(const CostLimits& limits) {
  budget.restart(limits);
  images.begin_question();
}

std::shared_ptr<const CudaLibrary> Store::cuda_library(const std::string& path, bool linked) {
  const auto [place, is_new] = cuda_libraries_.try_emplace({path, linked});
  if (!is_new) return place->second;
  const auto& opened = images.open(path);
  if (!opened.image) return nullptr;
  const auto file = images.files().open(path);
  if (!file) return nullptr;
  auto found = identify(**file, *opened.image, *knowledge);
  if (!found && linked) found = find_static_cudart(**file, *opened.image);
  if (found) place->second = std::make_shared<const CudaLibrary>(std::move(*found));
  return place->second;
}

void Store::know_cuda_library(const std::string& path, std::shared_ptr<const CudaLibrary> library) {
  const bool linked = library && library->is_static;
  cuda_libraries_[{path, false}] = linked ? nullptr : library;
  cuda_libraries_[{path, true}] = std::move(library);
}

}  // namespace cudald
