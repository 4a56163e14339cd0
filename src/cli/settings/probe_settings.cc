#include "cli/settings/probe_settings.h"

#include <filesystem>

namespace cudald {

ProbeSettings probe_settings(const Options& options) {
  std::error_code fault;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", fault);
  const auto beside = self.parent_path() / "cudald-probe-child";
  const bool in_build_folder = !fault && std::filesystem::exists(beside, fault);
  const std::filesystem::path installed = CUDALD_LIBEXECDIR "/cudald-probe-child";
  return {in_build_folder ? beside.string() : installed.string(),
          options.run.timeout.value_or(std::chrono::seconds(60))};
}

}  // namespace cudald
