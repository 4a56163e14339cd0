#include "cli/settings/host_option.h"

#include <algorithm>

#include <cudald/cuda_library.h>
#include <cudald/image.h>
#include <cudald/linux_host_file.h>
#include <cudald/windows_host_file.h>

#include "archive/gzip.h"
#include "base/bounded_json.h"
#include "base/path.h"
#include "cli/options/option_values.h"

namespace cudald {
namespace {

/// What a description says of any machine, as far as no option says otherwise; what is wrong with it.
std::optional<std::string> take_hardware(Options& options, const nlohmann::json& json) {
  if (const auto driver = json.find("driver");
      driver != json.end() && driver->is_string() && options.world.driver.empty())
    if (set_driver(options.world.driver, driver->get<std::string>())) return "its driver is not a version";
  if (const auto isa = json.find("isa"); isa != json.end() && isa->is_string() && !options.world.cpu_level)
    if (set_cpu(options.world.cpu_level, isa->get<std::string>())) return "its isa is not known";
  const auto gpus = json.find("gpus");
  if (gpus != json.end() && gpus->is_array() && options.world.gpus.empty())
    for (const auto& gpu : *gpus)
      if (!gpu.is_string() || add_gpu(options.world.gpus, gpu.get<std::string>()))
        return "one of its GPUs is not known";
  return std::nullopt;
}

std::string text_of(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::string> take_windows(Options& options, const std::string& text) {
  auto described = read_windows_host(text);
  if (!described) return described.error().message;
  options.resolved.windows_host = std::make_shared<WindowsHostFile>(std::move(*described));
  if (!options.world.windows) options.world.windows = true;
  return std::nullopt;
}

bool has_driver_library(const LinuxHostFile& host) {
  return std::any_of(host.libraries.begin(), host.libraries.end(), [](const HostLibrary& library) {
    return library.image->soname == "libcuda.so.1" && !(library.cuda && library.cuda->stub);
  });
}

/// A machine of which all is known that its loaders can find.
std::optional<std::string> take_linux(Options& options, const std::string& text, bool driver_stated) {
  if (options.command == Command::probe || options.question.verify)
    return "probe loads on this machine, and nothing can be loaded on a described one";
  if (options.world.prefix) return "it describes no Python environment, so that --prefix names nothing there";
  auto host = read_linux_host(text);
  if (!host) return host.error().message;
  host->name = file_name(options.world.host);
  if (options.process.clear_environment) host->variables.clear();
  // A driver whose library lies there is found there.
  if (!driver_stated && has_driver_library(*host)) options.world.driver.clear();
  options.resolved.linux_host = std::make_shared<LinuxHostFile>(std::move(*host));
  options.world.kind = WorldKind::described;
  return std::nullopt;
}

}  // namespace

std::optional<Error> take_host(Options& options, const Host& host) {
  if (options.world.host.empty()) return std::nullopt;
  if (options.world.host == "here" || options.world.host == "tag") {
    options.world.kind = options.world.host == "here" ? WorldKind::here : WorldKind::tag;
    return std::nullopt;
  }
  const auto fault = [&options](const std::string& what) {
    return Error{ErrorCode::usage, "--host " + options.world.host + ": " + what};
  };
  const auto path = absolute_path(options.world.host, host.environment.cwd);
  const auto text = read_plain_or_compressed(*make_disk_file_system(), path, most_host_bytes);
  if (!text) return fault(text.error().message);
  Budget budget(host_limits);
  const auto plain = std::string_view(*text).substr(text->starts_with("\xEF\xBB\xBF") ? 3 : 0);
  auto json = parse_json(plain, budget);
  if (!json && json.error().code == ErrorCode::limit) return fault(json.error().message);
  if (!json || !json->is_object() || text_of(*json, "schema") != "cudald/host")
    return fault("no description that `cudald env --save` or tools/capture-windows-host.ps1 has written");
  const bool driver_stated = !options.world.driver.empty();
  const auto isa_stated = options.world.cpu_level;
  if (const auto wrong = take_hardware(options, *json)) return fault(*wrong);
  const auto platform = text_of(*json, "platform");
  const bool has_libraries = json->contains("libraries");
  json = nlohmann::json();  // the whole of it is read once more
  if (platform.starts_with("windows-")) {
    if (const auto wrong = take_windows(options, *text)) return fault(*wrong);
  } else if (has_libraries && platform.starts_with("linux-")) {
    options.world.cpu_level = isa_stated;  // the description has more of its processor
    if (const auto wrong = take_linux(options, *text, driver_stated)) return fault(*wrong);
  } else if (has_libraries && platform.empty()) {
    return fault("the tree that it describes has no loader, so that nothing can be loaded there");
  } else if (!platform.empty() && !platform.starts_with("linux-")) {
    return fault("it describes a machine with another system than Linux or Windows");
  }
  return std::nullopt;
}

}  // namespace cudald
