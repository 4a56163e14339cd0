#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace cudald {

/// What parsing a text as JSON may come to, by its brackets and commas outside of quotes. Where quotes do not match,
/// the text is no JSON anyway.
struct JsonShape {
  int depth = 0;             ///< how deep values lie within values
  std::uint64_t values = 1;  ///< at most so many
};
JsonShape shape_of_json(std::string_view text);

/// What a text says as JSON; a discarded value (`is_discarded()`) if it is none, or nests its values deeper than 200.
/// In one place, as compiling the parser takes seconds.
nlohmann::json parse_json(std::string_view text);

/// The text that an object holds under a key; empty if it holds none there, or is no object.
std::string text_at(const nlohmann::json& object, const char* key);

/// A table of data/ that was compiled into the program (embedded.h). tools/embed.py writes it as MessagePack, which is
/// read in a fraction of the time that JSON takes.
nlohmann::json parse_table(std::string_view bytes);

/// A value of such a table, read where it lies: nothing is made of what nobody asks for. Also of what
/// nlohmann::json::to_msgpack writes of JSON. Throws std::invalid_argument where the bytes are no such table.
class TableValue {
 public:
  /// None, where an object holds nothing under a key.
  TableValue() = default;
  explicit TableValue(std::string_view bytes) : bytes_(bytes) {}

  bool is_there() const { return !bytes_.empty(); }
  /// Of an object what it holds under a key.
  TableValue at(std::string_view key) const;
  /// Of a list its values.
  std::vector<TableValue> values() const;
  /// Of an object what it holds, by key.
  std::vector<std::pair<std::string_view, TableValue>> entries() const;
  /// All of it.
  nlohmann::json json() const;
  /// Of a text, as it is; empty for any other value.
  std::string_view text() const;
  /// Of a number that is not negative; 0 for any other value.
  std::uint64_t number() const;
  /// Whether it is true, and not another value.
  bool flag() const;

 private:
  std::string_view bytes_;  ///< what follows it may stand there as well
};

}  // namespace cudald
