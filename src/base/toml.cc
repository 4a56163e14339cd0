#define TOML_EXCEPTIONS 0

#include "base/toml.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace cudald {
namespace {

/// A value takes some hundred bytes in memory and may take three in the file. The largest lock files that are known
/// have half of that.
constexpr std::ptrdiff_t most_values = 500'000;

bool has_too_many_values(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return c == ',' || c == '=' || c == '[' || c == '{' || c == '.'; }) > most_values;
}

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  std::ostringstream out;
  if (const auto* day = node.as_date())
    out << day->get();
  else if (const auto* number = node.as_integer())
    out << number->get();
  else if (const auto* real = node.as_floating_point())
    out << real->get();
  else if (const auto* moment = node.as_date_time())
    out << moment->get().date;
  return out.str();
}

std::vector<TomlKey> keys_of(const toml::table& table);

TomlKey key_of(std::string_view name, const toml::node& node) {
  TomlKey key;
  key.name = name;
  key.line = node.source().begin.line;
  if (const auto* table = node.as_table()) {
    key.keys = keys_of(*table);
  } else if (const auto* list = node.as_array()) {
    key.list = true;
    for (const auto& item : *list)
      if (item.is_table())
        key.tables.push_back(key_of(name, item));
      else
        key.values.push_back(text_of(item));
  } else {
    key.values.push_back(text_of(node));
  }
  return key;
}

std::vector<TomlKey> keys_of(const toml::table& table) {
  std::vector<TomlKey> keys;
  for (const auto& [name, node] : table) keys.push_back(key_of(name.str(), node));
  return keys;
}

}  // namespace

Result<std::vector<TomlKey>> read_toml(std::string_view text, std::string_view table) {
  if (has_too_many_values(text)) return Error{ErrorCode::limit, "more values than any such file has"};
  const auto parsed = toml::parse(text);
  if (!parsed)
    return Error{ErrorCode::malformed,
                 fmt::format("line {}: {}", parsed.error().source().begin.line, parsed.error().description())};
  if (table.empty()) return keys_of(parsed.table());
  const auto found = parsed.table().at_path(table);
  if (!found.is_table()) return std::vector<TomlKey>();
  return keys_of(*found.as_table());
}

const TomlKey* find_key(const std::vector<TomlKey>& keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const TomlKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

std::string text_at(const std::vector<TomlKey>& keys, std::string_view name) {
  const auto* key = find_key(keys, name);
  return key != nullptr && !key->list && key->values.size() == 1 ? key->values.front() : "";
}

}  // namespace cudald
