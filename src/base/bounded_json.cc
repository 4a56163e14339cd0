#include "base/bounded_json.h"

#include <cstdint>

#include "base/json.h"

namespace cudald {

Result<nlohmann::json> parse_json(std::string_view text, Budget& budget) {
  constexpr std::uint64_t value_bytes = 64;  // of one in its list or object, with what it owns
  if (!budget.keep(shape_of_json(text).values * value_bytes + text.size())) return budget.error();
  auto json = parse_json(text);
  if (json.is_discarded()) return Error{ErrorCode::malformed, "is not valid JSON"};
  return json;
}

}  // namespace cudald
