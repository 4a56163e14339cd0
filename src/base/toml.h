#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/result.h>

namespace cudald {

/// A key of a table of TOML, with what it stands for as text.
struct TomlKey {
  std::string name;
  std::size_t line = 0;
  std::vector<std::string> values;  ///< a bool is "true" or "false", a day "2027-01-01"
  bool list = false;                ///< of several values
  std::vector<TomlKey> keys;        ///< of a table
  std::vector<TomlKey> tables;      ///< of a list of tables, each with its keys
};

/// The keys of a document, or of one of its tables: "tool.cudald". None if that table is not there. Errors: malformed
/// with the line where it is no TOML; limit where it has more values than any file that is known.
Result<std::vector<TomlKey>> read_toml(std::string_view text, std::string_view table);

/// The key of that name; nullptr if there is none.
const TomlKey* find_key(const std::vector<TomlKey>&, std::string_view name);
/// Its value, if it is one text; else empty.
std::string text_at(const std::vector<TomlKey>&, std::string_view name);

}  // namespace cudald
