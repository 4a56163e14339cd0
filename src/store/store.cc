#include "store/store.h"

#include <cudald/cuda_library.h>

#include "binary/cached_facts.h"

namespace cudald {

void fields(Is<CudaLibrary> auto& library, auto&& take) {
  auto& [kind, part, version, release, major, built_for_cuda, stub, is_static, evidence] = library;
  take(kind, part, version, release, major, built_for_cuda, stub, is_static, evidence);
}

void Store::begin_question(const CostLimits& limits) {
  budget.restart(limits);
  images.begin_question();
}

std::shared_ptr<const CudaLibrary> Store::cuda_library(const std::string& path, bool linked) {
  const auto [place, is_new] = cuda_libraries_.try_emplace({path, linked});
  if (!is_new) return place->second;
  const auto& opened = images.open(path);
  if (!opened.image) return nullptr;
  if (const auto known = known_cuda_.find({opened.status.id.device, opened.status.id.inode});
      known != known_cuda_.end()) {
    const bool counts = known->second && (linked || !known->second->is_static);
    return place->second = counts ? known->second : nullptr;
  }
  const auto file = images.files().open(path);
  if (!file) return nullptr;
  auto found = identify(**file, *opened.image, *knowledge);
  const auto find_linked = [&](const File& given) { return find_static_cudart(given, *opened.image); };
  if (!found && linked) found = images.kept_facts().runtimes.read(**file, find_linked);
  if (found) place->second = std::make_shared<const CudaLibrary>(std::move(*found));
  return place->second;
}

void Store::know_cuda_library(const FileId& id, std::shared_ptr<const CudaLibrary> library) {
  known_cuda_[{id.device, id.inode}] = std::move(library);
}

}  // namespace cudald
