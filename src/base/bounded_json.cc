#include "base/bounded_json.h"

#include <cstdint>

#include "base/json.h"

namespace cudald {
namespace {

/// At most as many as there are brackets and commas outside of strings.
std::uint64_t count_values(std::string_view text) {
  std::uint64_t values = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else {
      quoted = c == '"';
      values += c == '[' || c == '{' || c == ',';
    }
  }
  return values;
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, Budget& budget) {
  constexpr std::uint64_t value_bytes = 64;  // of one in its list or object, with what it owns
  if (!budget.keep(count_values(text) * value_bytes + text.size())) return budget.error();
  auto json = parse_json(text);
  if (json.is_discarded()) return Error{ErrorCode::malformed, "is no JSON", "", std::nullopt, 0};
  return json;
}

}  // namespace cudald
