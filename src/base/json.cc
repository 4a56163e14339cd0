#include "base/json.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

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

namespace {

/// Reads the MessagePack that tools/embed.py writes, and no other: half of a start's time went to a reader that takes
/// every byte for itself. Source: the specification of MessagePack (https://msgpack.org).
class TableReader {
 public:
  explicit TableReader(std::string_view bytes) : rest_(bytes) {}

  nlohmann::json value() {
    const auto head = static_cast<std::uint8_t>(take(1)[0]);
    if (head < 0x80) return static_cast<std::uint64_t>(head);
    if (head < 0x90) return object(head & 0x0fU);
    if (head < 0xa0) return array(head & 0x0fU);
    if (head < 0xc0) return take(head & 0x1fU);
    switch (head) {
      case 0xc0: return nullptr;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xcb: return std::bit_cast<double>(number(8));
      case 0xcf: return number(8);
      case 0xd3: return static_cast<std::int64_t>(number(8));
      case 0xd9: return take(number(1));
      case 0xda: return take(number(2));
      case 0xdb: return take(number(4));
      case 0xdc: return array(number(2));
      case 0xdd: return array(number(4));
      case 0xde: return object(number(2));
      case 0xdf: return object(number(4));
      default: throw std::invalid_argument("a table that was compiled in has a value of no known kind");
    }
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw std::invalid_argument("a table that was compiled in is cut short");
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  /// The most significant byte first.
  std::uint64_t number(std::size_t size) {
    std::uint64_t result = 0;
    for (const char byte : take(size)) result = result << 8 | static_cast<std::uint8_t>(byte);
    return result;
  }

  nlohmann::json array(std::uint64_t size) {
    nlohmann::json::array_t values;
    values.reserve(size);
    for (std::uint64_t i = 0; i < size; ++i) values.push_back(value());
    return values;
  }

  nlohmann::json object(std::uint64_t size) {
    nlohmann::json::object_t values;
    for (std::uint64_t i = 0; i < size; ++i) {
      std::string key(value().get_ref<const std::string&>());
      values.emplace_hint(values.end(), std::move(key), value());  // they are written in order
    }
    return values;
  }

  std::string_view rest_;
};

}  // namespace

nlohmann::json parse_table(std::string_view bytes) { return TableReader(bytes).value(); }

}  // namespace cudald
