#include "cli/host_option.h"

#include <cudald/windows_host_file.h>

#include "base/json.h"
#include "base/path.h"
#include "cli/option_values.h"

namespace cudald {

std::optional<Error> take_host(Options& options, const Host& host) {
  if (options.host.empty()) return std::nullopt;
  if (options.host == "here" || options.host == "tag") {
    options.world = options.host == "here" ? WorldKind::here : WorldKind::tag;
    return std::nullopt;
  }
  constexpr std::uint64_t most_bytes = std::uint64_t{8} << 20;
  const auto fault = [&options](const std::string& what) {
    return Error{ErrorCode::usage, "--host " + options.host + ": " + what, "", std::nullopt, 0};
  };
  const auto text = read_file(*make_disk_file_system(), absolute_path(options.host, host.environment.cwd), most_bytes);
  if (!text) return fault(text.error().message);
  const auto json = parse_json(*text);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "cudald/host")
    return fault("no description that `cudald env --save` or tools/capture-windows-host.ps1 has written");
  if (const auto driver = json.find("driver"); driver != json.end() && driver->is_string() && options.driver.empty())
    if (set_driver(options.driver, driver->get<std::string>())) return fault("its driver is no version");
  if (const auto isa = json.find("isa"); isa != json.end() && isa->is_string() && !options.cpu_level)
    if (set_cpu(options.cpu_level, isa->get<std::string>())) return fault("its isa is not known");
  const auto gpus = json.find("gpus");
  if (gpus != json.end() && gpus->is_array() && options.gpus.empty())
    for (const auto& gpu : *gpus)
      if (!gpu.is_string() || add_gpu(options.gpus, gpu.get<std::string>()))
        return fault("one of its GPUs is not known");
  const auto platform = json.find("platform");
  if (platform == json.end() || !platform->is_string() ||
      !platform->get_ref<const std::string&>().starts_with("windows-"))
    return std::nullopt;
  auto described = read_windows_host(*text);
  if (!described) return fault(described.error().message);
  options.windows_host = std::make_shared<WindowsHostFile>(std::move(*described));
  if (!options.windows) options.windows = true;
  return std::nullopt;
}

}  // namespace cudald
