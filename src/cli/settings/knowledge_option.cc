#include "cli/settings/knowledge_option.h"

#include <string_view>

#include <fmt/format.h>

#include "base/path.h"
#include "cli/settings/today.h"
#include "knowledge/knowledge.h"
#include "knowledge/tables.h"

namespace cudald {

std::optional<Error> take_knowledge(Options& options, const Host& host) {
  options.resolved.table = built_in_knowledge();
  for (const auto& file : options.world.knowledge) {
    constexpr std::uint64_t most_bytes = 16 << 20;
    const auto path = absolute_path(file, host.environment.cwd);
    const auto text = read_file(*make_disk_file_system(), path, most_bytes);
    auto table = text ? lay_over(*options.resolved.table, *text) : text.error();
    if (!table) {
      auto fault = table.error();
      fault.message = "--knowledge " + file + ": " + fault.message;
      return fault;
    }
    options.resolved.table = std::move(*table);
  }
  return std::nullopt;
}

void write_table_days(const Knowledge& knowledge, std::ostream& out) {
  out << "built-in data, last verified\n";
  for (const auto& [table, day] : table_days(knowledge)) out << fmt::format("  {:24}{}\n", table, day);
}

void tell_old_tables(const Options& options, const Host& host) {
  constexpr int most_days = 180;
  if (options.output.verbosity < 1) return;
  const auto first = today_of(host.environment, most_days);
  std::string old;
  for (const auto& [table, day] : table_days(*options.resolved.table))
    if (!day.empty() && day < first) old += fmt::format("{}{} ({})", old.empty() ? "" : ", ", table, day);
  if (old.empty()) return;
  host.complaints << fmt::format(
      "cudald: built-in data older than {} days: {}; newer: --knowledge FILE, or a newer cudald\n", most_days, old);
}

}  // namespace cudald
