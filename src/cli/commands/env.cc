#include "cli/commands/env.h"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cudald/cuda_stack.h>
#include <cudald/linux_host_file.h>
#include <cudald/writers.h>

#include "archive/gzip.h"
#include "base/path.h"
#include "base/usage_error.h"
#include "cli/options/exit_status.h"
#include "cli/options/option_values.h"
#include "cli/output/query.h"
#include "cli/output/views.h"
#include "cli/settings/open_tree.h"
#include "os/this_windows.h"
#include "os/typed_path.h"

namespace cudald {
namespace {

/// The prefix that is named, or active on this machine.
std::string prefix_of(const Options& options, const Environment& environment) {
  if (options.world.prefix) return absolute_path(*options.world.prefix, environment.cwd);
  for (const auto* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto value = environment.variable(name); value && !value->empty())
      if (const auto path = tree_path_of_typed(*value); path.starts_with('/')) return path;
  return "";
}

/// Writes the description of a machine, compressed if its name says so.
std::optional<Error> save(const CudaStack& stack, const LinuxHostFile& machine, const std::string& path,
                          const Host& host) {
  const auto fault = [&path](const std::string& message) {
    return usage_error(fmt::format("cannot write {}: {}", escaped(path), message));
  };
  std::ostringstream text;
  write_host(stack, machine, text);
  auto bytes = std::move(text).str();
  if (path.ends_with(".gz")) {
    auto compressed = gzip(bytes);
    if (!compressed) return fault(compressed.error().message);
    bytes = std::move(*compressed);
  }
  const auto saved = Output::open(absolute_path(path, host.environment.cwd));
  if (!saved) return fault(saved.error().message);
  (*saved)->stream() << bytes;
  if (const auto error = (*saved)->finish()) return fault(error->message);
  return std::nullopt;
}

}  // namespace

Result<int> env(const Options& given, const TextStyle& style, const Host& host, Output& output) {
  auto options = given;
  std::vector<Typed> none;
  const auto files = open_tree(options, none, host);
  if (!files) return files.error();
  const auto environment = make_queries(options, {}, host.environment).front().environment;
  const auto prefix = prefix_of(options, environment);
  if (!prefix.empty() && !is_folder(**files, prefix))
    return usage_error(fmt::format("--prefix {}: no such directory", escaped(prefix)));

  auto stack = survey(**files, environment, prefix, options.world.sysroot == "/", options.resolved.table);
  stack.sysroot = options.world.sysroot;
  if (!options.world.gpus.empty() || !options.world.machine_gpus) stack.gpus = options.world.gpus;
  if (!options.world.driver.empty()) stack.driver = {options.world.driver, "--driver", "", ""};
  add_remarks(stack, **files);

  if (!options.output.save.empty()) {
    if (options.world.sysroot == "/" && this_windows() != nullptr)
      return usage_error("cudald for Windows cannot describe this machine yet; tools/capture-windows-host.ps1 does");
    const auto machine =
        describe_linux_host(**files, environment, options.question.symbols_asked, *options.resolved.table);
    if (auto error = save(stack, machine, options.output.save, host)) return std::move(*error);
  }
  if (!options.output.print.empty()) {
    const char separator = options.output.print == "dll-path" ? ';' : ':';
    std::string line;
    for (const auto& folder : cuda_folders(stack)) line += (line.empty() ? "" : std::string(1, separator)) + folder;
    output.stream() << line << '\n';
    return line.empty() ? exit_findings : exit_fine;
  }
  write_view(options.output.format, stack, style, output.stream());
  return exit_fine;
}

}  // namespace cudald
