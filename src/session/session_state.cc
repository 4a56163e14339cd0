#include "session/session_state.h"

namespace cudald {

const ElfLoader& SessionState::loader(const std::string& interpreter, const Abi& abi, bool musl,
                                      const Environment& environment) {
  for (const auto& known : loaders_)
    if (known.interpreter == interpreter && known.abi == &abi && known.environment == environment)
      return *(last_loader_ = known.loader.get());
  const auto& files = store.images.files();
  auto loader = musl ? make_musl_loader(files, interpreter, abi, environment)
                     : make_glibc_loader(files, interpreter, abi, environment);
  loaders_.push_back({interpreter, &abi, environment, std::move(loader)});
  return *(last_loader_ = loaders_.back().loader.get());
}

}  // namespace cudald
