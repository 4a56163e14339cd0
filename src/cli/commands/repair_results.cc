#include "cli/commands/repair_results.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/options/exit_status.h"
#include "cli/output/views.h"
#include "rewrite/file_blocks.h"

namespace cudald {
std::string path_in(const std::string& directory, std::string_view name) {
  return fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", name);
}

std::optional<Error> write_copy(const File& file, const std::string& path) {
  const auto output = Output::open(path);
  if (!output) return output.error();
  auto& out = (*output)->stream();
  const auto write = [&](std::span<const std::byte> bytes) -> std::optional<Error> {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return std::nullopt;
  };
  if (auto error = each_block(file, write)) {
    (*output)->discard();
    return error;
  }
  return (*output)->finish();
}

int tell_repaired(const std::vector<RepairedTarget>& targets, const Options& options, const TextStyle& style,
                  const Host& host, Output& output) {
  int status = exit_fine;
  for (const auto& target : targets) {
    status = std::max(status, target.error ? exit_incomplete : target.refusal.empty() ? exit_fine : exit_findings);
    if (target.error)
      host.complaints << fmt::format("cudald: {}: {}\n", escaped(target.given), escaped(target.error->message));
  }
  write_view(options.output.format, targets, style, output.stream());
  return status;
}

}  // namespace cudald
