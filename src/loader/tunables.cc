#include "loader/tunables.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/path.h"

namespace cudald {
namespace {

/// As the loader reads it: 0 where no digit stands. Since glibc 2.39 what follows the number makes it none.
/// Source: glibc elf/dl-minimal.c, _dl_strtoul; elf/dl-tunables.c, tunable_initialize.
std::optional<std::uint64_t> number_of_tunable(std::string_view text, const LibcVersion& libc) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with('0')) {
    base = 8;
  }
  const auto* end = text.data() + text.size();
  std::uint64_t value = 0;
  const bool begins = base == 16 || (!text.empty() && is_digit(text.front()));
  const auto read = begins ? std::from_chars(text.data(), end, value, base) : std::from_chars_result{text.data(), {}};
  const bool fits = read.ec != std::errc::result_out_of_range;
  if (libc.at_least(2, 39) && (read.ptr != end || !fits)) return std::nullopt;
  if (!fits) return UINT64_MAX;
  return negative ? ~value + 1 : value;
}

}  // namespace

void visit_tunables(std::string_view glibc_tunables, const LibcVersion& libc,
                    const std::function<void(std::string_view name, std::uint64_t value)>& visit) {
  for (const auto pair : split(glibc_tunables, ":")) {
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (const auto value = number_of_tunable(pair.substr(equals + 1), libc)) visit(pair.substr(0, equals), *value);
  }
}

}  // namespace cudald
