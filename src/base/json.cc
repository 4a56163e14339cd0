#include "base/json.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace cudald {
namespace {

/// std::bit_cast, which the C++ library of GCC 10 lacks.
template <typename To, typename From>
To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace

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

/// What the first bytes of a value in MessagePack say. Source: its specification (https://msgpack.org).
struct TableHead {
  enum class Kind { null, no, yes, number, negative, real, text, list, object };
  Kind kind = Kind::null;
  std::uint64_t value = 0;  ///< the number, or how long a text, list or object is
};

/// Reads the MessagePack that tools/embed.py writes, and that of JSON: half of a start's time went to a reader that
/// takes every byte for itself.
class TableReader {
 public:
  explicit TableReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view rest() const { return rest_; }

  TableHead head() {
    using Kind = TableHead::Kind;
    const auto first = static_cast<std::uint8_t>(take(1)[0]);
    if (first < 0x80) return {Kind::number, first};
    if (first < 0x90) return {Kind::object, first & 0x0fU};
    if (first < 0xa0) return {Kind::list, first & 0x0fU};
    if (first < 0xc0) return {Kind::text, first & 0x1fU};
    if (first >= 0xe0) return {Kind::negative, static_cast<std::uint64_t>(static_cast<std::int8_t>(first))};
    switch (first) {
      case 0xc0: return {Kind::null};
      case 0xc2: return {Kind::no};
      case 0xc3: return {Kind::yes};
      case 0xca: return {Kind::real, same_bits<std::uint64_t>(double{short_real()})};
      case 0xcb: return {Kind::real, number(8)};
      case 0xcc: return {Kind::number, number(1)};
      case 0xcd: return {Kind::number, number(2)};
      case 0xce: return {Kind::number, number(4)};
      case 0xcf: return {Kind::number, number(8)};
      case 0xd0: return {Kind::negative, signed_number<std::int8_t>()};
      case 0xd1: return {Kind::negative, signed_number<std::int16_t>()};
      case 0xd2: return {Kind::negative, signed_number<std::int32_t>()};
      case 0xd3: return {Kind::negative, number(8)};
      case 0xd9: return {Kind::text, number(1)};
      case 0xda: return {Kind::text, number(2)};
      case 0xdb: return {Kind::text, number(4)};
      case 0xdc: return {Kind::list, number(2)};
      case 0xdd: return {Kind::list, number(4)};
      case 0xde: return {Kind::object, number(2)};
      case 0xdf: return {Kind::object, number(4)};
      default: throw std::invalid_argument("a table that was compiled in has a value of no known kind");
    }
  }

  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw std::invalid_argument("a table that was compiled in is cut short");
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  /// Passes over a value, and what it holds.
  void pass() {
    for (std::uint64_t left = 1; left > 0; --left) {
      const auto [kind, size] = head();
      if (kind == TableHead::Kind::text) take(size);
      if (kind == TableHead::Kind::list) left += size;
      if (kind == TableHead::Kind::object) left += 2 * size;
    }
  }

  nlohmann::json value() {
    const auto [kind, number] = head();
    switch (kind) {
      case TableHead::Kind::null: return nullptr;
      case TableHead::Kind::no: return false;
      case TableHead::Kind::yes: return true;
      case TableHead::Kind::number: return number;
      case TableHead::Kind::negative: return static_cast<std::int64_t>(number);
      case TableHead::Kind::real: return same_bits<double>(number);
      case TableHead::Kind::text: return take(number);
      case TableHead::Kind::list: return array(number);
      case TableHead::Kind::object: return object(number);
    }
    return nullptr;
  }

 private:
  /// The most significant byte first.
  std::uint64_t number(std::size_t size) {
    std::uint64_t result = 0;
    for (const char byte : take(size)) result = result << 8 | static_cast<std::uint8_t>(byte);
    return result;
  }

  float short_real() { return same_bits<float>(static_cast<std::uint32_t>(number(4))); }

  template <typename T>
  std::uint64_t signed_number() {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<T>(number(sizeof(T)))});
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

TableValue TableValue::at(std::string_view key) const {
  if (bytes_.empty()) return {};
  TableReader reader(bytes_);
  const auto [kind, size] = reader.head();
  if (kind != TableHead::Kind::object) return {};
  for (std::uint64_t i = 0; i < size; ++i) {
    const bool found = TableValue(reader.rest()).text() == key;
    reader.pass();
    if (found) return TableValue(reader.rest());
    reader.pass();
  }
  return {};
}

std::vector<TableValue> TableValue::values() const {
  std::vector<TableValue> values;
  if (bytes_.empty()) return values;
  TableReader reader(bytes_);
  const auto [kind, size] = reader.head();
  if (kind != TableHead::Kind::list) return values;
  for (std::uint64_t i = 0; i < size; ++i) {
    values.emplace_back(reader.rest());
    reader.pass();
  }
  return values;
}

std::vector<std::pair<std::string_view, TableValue>> TableValue::entries() const {
  std::vector<std::pair<std::string_view, TableValue>> entries;
  if (bytes_.empty()) return entries;
  TableReader reader(bytes_);
  const auto [kind, size] = reader.head();
  if (kind != TableHead::Kind::object) return entries;
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto key = TableValue(reader.rest()).text();
    reader.pass();
    entries.emplace_back(key, TableValue(reader.rest()));
    reader.pass();
  }
  return entries;
}

nlohmann::json TableValue::json() const { return bytes_.empty() ? nlohmann::json() : parse_table(bytes_); }

std::string_view TableValue::text() const {
  if (bytes_.empty()) return {};
  TableReader reader(bytes_);
  const auto [kind, size] = reader.head();
  return kind == TableHead::Kind::text ? reader.take(size) : std::string_view();
}

std::uint64_t TableValue::number() const {
  if (bytes_.empty()) return 0;
  const auto [kind, number] = TableReader(bytes_).head();
  return kind == TableHead::Kind::number ? number : 0;
}

bool TableValue::flag() const { return !bytes_.empty() && TableReader(bytes_).head().kind == TableHead::Kind::yes; }

}  // namespace cudald
