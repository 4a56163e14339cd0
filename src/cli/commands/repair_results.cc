#include "cli/commands/repair_results.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/options/exit_status.h"
#include "cli/output/views.h"

namespace cudald {
namespace {

std::optional<Error> copy(const File& file, std::ostream& out) {
  std::string block(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = 0; at < file.status().size;) {
    const auto got = file.read(at, std::as_writable_bytes(std::span(block)));
    if (!got) return got.error();
    if (*got == 0) return Error{ErrorCode::unreadable, "the file became shorter while it was read", ""};
    out.write(block.data(), static_cast<std::streamsize>(*got));
    at += *got;
  }
  return std::nullopt;
}

}  // namespace

std::string path_in(const std::string& directory, std::string_view name) {
  return fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", name);
}

std::optional<Error> write_copy(const File& file, const std::string& path) {
  const auto output = Output::open(path);
  if (!output) return output.error();
  if (auto error = copy(file, (*output)->stream())) {
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
  write_view(options.format, targets, style, output.stream());
  return status;
}

}  // namespace cudald
