#include "store/store.h"

namespace cudald {

const Loader& Store::loader(const std::string& interpreter, const Abi& abi, bool musl, const Environment& environment) {
  for (const auto& known : loaders_)
    if (known.interpreter == interpreter && known.abi == &abi && known.environment == environment)
      return *(last_loader_ = known.loader.get());
  auto loader = musl ? make_musl_loader(images.files(), interpreter, abi, environment)
                     : make_glibc_loader(images.files(), interpreter, abi, environment);
  loaders_.push_back({interpreter, &abi, environment, std::move(loader)});
  return *(last_loader_ = loaders_.back().loader.get());
}

std::shared_ptr<const CudaLibrary> Store::cuda_library(const std::string& path, bool linked) {
  const auto [place, is_new] = cuda_libraries_.try_emplace({path, linked});
  if (!is_new) return place->second;
  const auto& opened = images.open(path);
  if (!opened.image) return nullptr;
  const auto file = images.files().open(path);
  if (!file) return nullptr;
  auto found = identify(**file, *opened.image);
  if (!found && linked) found = find_static_cudart(**file, *opened.image);
  if (found) place->second = std::make_shared<const CudaLibrary>(std::move(*found));
  return place->second;
}

}  // namespace cudald
