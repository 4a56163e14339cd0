#include "base/json.h"

#include <algorithm>

namespace cudald {
namespace {

/// How deep values lie within values. A bracket between quotes counts for nothing; where quotes do not match, the text
/// is no JSON anyway.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  constexpr int most_depth = 200;
  if (depth_of(text) > most_depth) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace cudald
