#include "cli/windows_host_option.h"

#include "base/path.h"
#include "env/windows_host_file.h"

namespace cudald {

std::optional<Error> take_windows_host(Options& options, const Host& host) {
  if (options.host.empty()) return std::nullopt;
  constexpr std::uint64_t most_bytes = std::uint64_t{8} << 20;
  const auto fault = [&options](const std::string& what) {
    return Error{ErrorCode::usage, "--host " + options.host + ": " + what, "", std::nullopt, 0};
  };
  const auto text = read_file(*make_disk_file_system(), absolute_path(options.host, host.environment.cwd), most_bytes);
  if (!text) return fault(text.error().message);
  auto described = read_windows_host(*text);
  if (!described) return fault(described.error().message);
  options.windows_host = std::make_shared<WindowsHostFile>(std::move(*described));
  if (!options.windows) options.windows = true;
  return std::nullopt;
}

}  // namespace cudald
