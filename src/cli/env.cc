#include "cli/env.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cudald/cuda_stack.h>

#include "base/path.h"
#include "cli/exit_status.h"
#include "cli/option_values.h"
#include "cli/query.h"
#include "cli/tree.h"

namespace cudald {
namespace {

Error usage_error(std::string message) { return {ErrorCode::usage, std::move(message), "", std::nullopt, 0}; }

/// The prefix that is named, or active on this machine.
std::string prefix_of(const Options& options, const Environment& environment) {
  if (options.prefix) return absolute_path(*options.prefix, environment.cwd);
  for (const auto* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto value = environment.variable(name); value && value->starts_with('/')) return *value;
  return "";
}

}  // namespace

Result<int> env(const Options& given, const TextStyle& style, const Host& host, Output& output) {
  auto options = given;
  std::vector<std::string> none;
  const auto files = open_tree(options, none, host);
  if (!files) return files.error();
  const auto environment = make_queries(options, {}, host.environment).front().environment;
  const auto prefix = prefix_of(options, environment);
  if (!prefix.empty() && !is_folder(**files, prefix))
    return usage_error(fmt::format("--prefix {}: no such folder", escaped(prefix)));

  auto stack = survey(**files, environment, prefix, options.sysroot == "/");
  stack.sysroot = options.sysroot;
  stack.gpus = options.gpus;
  if (!options.driver.empty()) stack.driver = {options.driver, "--driver", "", ""};
  add_remarks(stack, **files);

  if (!options.save.empty()) {
    const auto saved = Output::open(absolute_path(options.save, host.environment.cwd));
    if (!saved) return usage_error(fmt::format("cannot write {}: {}", escaped(options.save), saved.error().message));
    write_host(stack, (*saved)->stream());
    if (const auto error = (*saved)->finish())
      return usage_error(fmt::format("cannot write {}: {}", escaped(options.save), error->message));
  }
  if (!options.print.empty()) {
    const char separator = options.print == "dll-path" ? ';' : ':';
    std::string line;
    for (const auto& folder : cuda_folders(stack)) line += (line.empty() ? "" : std::string(1, separator)) + folder;
    output.stream() << line << '\n';
    return line.empty() ? exit_findings : exit_fine;
  }
  if (options.format == OutputFormat::text)
    write_env(stack, style, output.stream());
  else
    write_env_json(stack, options.format == OutputFormat::ndjson, output.stream());
  return exit_fine;
}

std::optional<Error> take_host(Options& options, const Host& host) {
  if (options.host.empty()) return std::nullopt;
  constexpr std::uint64_t most_bytes = 1 << 20;
  const auto fault = [&options](const std::string& what) { return usage_error("--host " + options.host + ": " + what); };
  const auto text = read_file(*make_disk_file_system(), absolute_path(options.host, host.environment.cwd), most_bytes);
  if (!text) return fault(text.error().message);
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || json.value("schema", nlohmann::json()) != "cudald/host")
    return fault("no description that `cudald env --save` has written");
  if (const auto driver = json.find("driver"); driver != json.end() && driver->is_string() && options.driver.empty())
    if (set_driver(options.driver, driver->get<std::string>())) return fault("its driver is no version");
  if (const auto isa = json.find("isa"); isa != json.end() && isa->is_string() && !options.cpu_level)
    if (set_cpu(options.cpu_level, isa->get<std::string>())) return fault("its isa is not known");
  const auto gpus = json.find("gpus");
  if (gpus != json.end() && gpus->is_array() && options.gpus.empty())
    for (const auto& gpu : *gpus)
      if (!gpu.is_string() || add_gpu(options.gpus, gpu.get<std::string>())) return fault("one of its GPUs is not known");
  return std::nullopt;
}

}  // namespace cudald
