#include "session/session_state.h"

namespace cudald {

const ElfLoader& SessionState::loader(const std::string& interpreter, const Abi& abi, bool musl,
                                      const Environment& environment) {
  for (const auto& known : loaders_)
    if (known.interpreter == interpreter && known.abi == &abi && known.environment == environment)
      return *(last_loader_ = known.loader.get());
  loaders_.push_back({interpreter, &abi, environment, make_loader(interpreter, abi, musl, environment)});
  return *(last_loader_ = loaders_.back().loader.get());
}

std::unique_ptr<ElfLoader> SessionState::make_loader(const std::string& interpreter, const Abi& abi, bool musl,
                                                     const Environment& environment) const {
  const auto& files = store.images.files();
  if (!facts)
    return musl ? make_musl_loader(files, interpreter, abi, environment)
                : make_glibc_loader(files, interpreter, abi, environment);
  if (!musl) return make_glibc_loader(*facts, abi, environment);
  std::string path;
  for (const auto& folder : facts->system_folders) path += (path.empty() ? "" : ":") + folder;
  return make_musl_loader(interpreter, abi, environment, std::move(path));
}

const std::vector<MachineGpu>& SessionState::machine_gpus() {
  if (!machine_gpus_) machine_gpus_ = cudald::machine_gpus(given);
  return *machine_gpus_;
}

}  // namespace cudald
