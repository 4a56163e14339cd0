#include "cli/knowledge_option.h"

#include <charconv>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "base/path.h"
#include "cuda/tables.h"

namespace cudald {
namespace {

using Days = std::chrono::sys_days;

Days today(const Environment& environment) {
  std::chrono::sys_seconds now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (const auto epoch = environment.variable("SOURCE_DATE_EPOCH")) {
    long long seconds = 0;
    if (std::from_chars(epoch->data(), epoch->data() + epoch->size(), seconds).ec == std::errc())
      now = std::chrono::sys_seconds(std::chrono::seconds(seconds));
  }
  return std::chrono::floor<std::chrono::days>(now);
}

/// "2026-11-22"; nullopt for what is no day.
std::optional<Days> day_of(std::string_view text) {
  int year = 0, month = 0, day = 0;
  const auto number = [&](std::size_t at, std::size_t length, int& value) {
    const auto* begin = text.data() + at;
    return std::from_chars(begin, begin + length, value).ptr == begin + length;
  };
  if (text.size() != 10 || !number(0, 4, year) || !number(5, 2, month) || !number(8, 2, day)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return date.ok() ? std::optional(Days(date)) : std::nullopt;
}

}  // namespace

std::optional<Error> take_knowledge(Options& options, const Host& host) {
  options.table = built_in_knowledge();
  if (options.knowledge.empty()) return std::nullopt;
  constexpr std::uint64_t most_bytes = 16 << 20;
  const auto path = absolute_path(options.knowledge, host.environment.cwd);
  const auto text = read_file(*make_disk_file_system(), path, most_bytes);
  const auto table = text ? read_knowledge(*text) : text.error();
  if (!table) {
    auto fault = table.error();
    fault.message = "--knowledge " + options.knowledge + ": " + fault.message;
    return fault;
  }
  options.table = *table;
  return std::nullopt;
}

void write_table_days(const Knowledge& knowledge, std::ostream& out) {
  out << "tables of knowledge, and the day on which their rows were checked last\n";
  for (const auto& [table, day] : table_days(knowledge)) out << fmt::format("  {:24}{}\n", table, day);
}

void tell_old_tables(const Options& options, const Host& host) {
  constexpr auto most = std::chrono::days(180);
  if (options.verbosity < 1) return;
  std::string old;
  for (const auto& [table, day] : table_days(*options.table)) {
    const auto checked = day_of(day);
    if (checked && today(host.environment) - *checked > most)
      old += fmt::format("{}{} ({})", old.empty() ? "" : ", ", table, day);
  }
  if (old.empty()) return;
  host.complaints << fmt::format(
      "cudald: tables of knowledge older than {} days: {}; newer rows: --knowledge FILE, or a newer cudald\n",
      most.count(), old);
}

}  // namespace cudald
