#include "base/json.h"

#include <algorithm>

namespace cudald {

JsonShape shape_of_json(std::string_view text) {
  JsonShape shape;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    const bool opens = c == '[' || c == '{';
    if (opens) shape.depth = std::max(shape.depth, ++depth);
    if (c == ']' || c == '}') --depth;
    shape.values += opens || c == ',';
  }
  return shape;
}

nlohmann::json parse_json(std::string_view text) {
  constexpr int most_depth = 200;
  if (shape_of_json(text).depth > most_depth) return nlohmann::json(nlohmann::json::value_t::discarded);
  return nlohmann::json::parse(text, nullptr, false);
}

std::string text_at(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

nlohmann::json parse_table(std::string_view bytes) { return nlohmann::json::from_msgpack(bytes); }

}  // namespace cudald
