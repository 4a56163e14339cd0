// Reads TOML (https://toml.io/en/v1.0.0): configuration files and locks, which strangers write. A parser of our own, as
// one of others ended the process on some of them; its answers are held against Python's tomllib
// (tests/cli/toml_documents.py).
#include "base/toml.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/path.h"
#include "base/toml_text.h"

namespace cudald {
namespace {

/// A value takes some hundred bytes in memory and may take three in the file. The largest lock files that are known
/// have half of that.
constexpr std::ptrdiff_t most_values = 500'000;
/// Of tables and lists within each other: whoever reads the keys calls itself for each.
constexpr std::size_t most_depth = 100;

bool has_too_many_values(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return c == ',' || c == '=' || c == '[' || c == '{' || c == '.'; }) > most_values;
}

enum class TomlKind { value, list, table, tables };

/// A value while the document is read, with what decides whether it may be added to.
struct TomlNode {
  TomlKind kind = TomlKind::value;
  std::size_t line = 0;
  std::string text;
  std::vector<TomlNode> items;  ///< of lists
  std::map<std::string, std::unique_ptr<TomlNode>, std::less<>> keys;
  bool defined = false;  ///< a table that a header has named
  bool dotted = false;   ///< a table that a dotted key has made
  bool closed = false;   ///< in braces: nothing is added later
};

class TomlReader {
 public:
  explicit TomlReader(std::string_view text) : text_(text) { root_.kind = TomlKind::table; }

  std::optional<Error> read() {
    auto* table = &root_;
    depth_ = 0;
    for (text_.skip_blanks_and_lines(); !text_.at_end(); text_.skip_blanks_and_lines()) {
      if (text_.here() == '[')
        table = &header();
      else
        assign(*table, depth_);
      text_.end_line();
    }
    if (text_.failed()) return text_.fault();
    return std::nullopt;
  }

  const TomlNode& root() const { return root_; }

 private:
  std::vector<std::string> dotted_key() {
    std::vector<std::string> parts;
    do {
      text_.skip_blanks();
      parts.push_back(text_.key());
      text_.skip_blanks();
      if (parts.size() > most_depth) fail_too_deep();
    } while (text_.take('.'));
    return parts;
  }

  void fail_too_deep() { text_.fail("tables and lists nest too deeply", ErrorCode::limit); }

  TomlNode& add(TomlNode& table, const std::string& name, TomlKind kind) {
    auto& node = table.keys[name];
    node = std::make_unique<TomlNode>();
    node->kind = kind;
    node->line = text_.line();
    return *node;
  }

  /// The table of a part of a header that is not its last.
  TomlNode* step_into(TomlNode& table, const std::string& name) {
    const auto found = table.keys.find(name);
    if (found == table.keys.end()) return &add(table, name, TomlKind::table);
    auto& node = *found->second;
    if (node.kind == TomlKind::tables) return &node.items.back();
    return node.kind == TomlKind::table && !node.closed ? &node : nullptr;
  }

  /// `[a.b]` or `[[a.b]]`: the table to which the keys below it belong.
  TomlNode& header() {
    text_.take('[');
    const bool one_of_several = text_.take('[');
    const auto parts = dotted_key();
    if (!text_.take(one_of_several ? "]]" : "]")) text_.fail("a table header does not end");
    auto* table = &root_;
    for (std::size_t i = 0; table != nullptr && i + 1 < parts.size(); ++i) table = step_into(*table, parts[i]);
    auto* const named = table == nullptr ? nullptr : open(*table, parts.back(), one_of_several);
    if (named == nullptr) text_.fail("the table is defined twice, or is not a table");
    depth_ = parts.size();
    return named == nullptr ? root_ : *named;
  }

  TomlNode* open(TomlNode& table, const std::string& name, bool one_of_several) {
    const auto found = table.keys.find(name);
    const bool is_new = found == table.keys.end();
    auto& node = is_new ? add(table, name, one_of_several ? TomlKind::tables : TomlKind::table) : *found->second;
    if (one_of_several) {
      if (node.kind != TomlKind::tables) return nullptr;
      auto& item = node.items.emplace_back();
      item.kind = TomlKind::table;
      item.line = text_.line();
      item.defined = true;
      return &item;
    }
    if (node.kind != TomlKind::table || node.defined || node.dotted || node.closed) return nullptr;
    node.line = text_.line();
    node.defined = true;
    return &node;
  }

  /// `a.b = value`; the table lies that deep.
  void assign(TomlNode& table, std::size_t depth) {
    const auto parts = dotted_key();
    if (!text_.take('=')) text_.fail("a key without `=` behind it");
    text_.skip_blanks();
    auto* at = &table;
    for (std::size_t i = 0; at != nullptr && i + 1 < parts.size(); ++i) {
      const auto found = at->keys.find(parts[i]);
      auto& next = found == at->keys.end() ? add(*at, parts[i], TomlKind::table) : *found->second;
      if (found == at->keys.end()) next.dotted = true;
      at = next.kind == TomlKind::table && !next.defined && !next.closed ? &next : nullptr;
    }
    if (at == nullptr || at->keys.contains(parts.back()))
      return text_.fail(fmt::format("the key {} is defined twice, or is not a table", parts.back()));
    read_value(add(*at, parts.back(), TomlKind::value), depth + parts.size());
  }

  void read_value(TomlNode& node, std::size_t depth) {
    if (depth > most_depth) return fail_too_deep();
    if (text_.here() == '"' || text_.here() == '\'')
      node.text = text_.quoted();
    else if (text_.here() == '[')
      read_list(node, depth);
    else if (text_.here() == '{')
      read_braces(node, depth);
    else
      node.text = text_.plain_value();
  }

  void read_list(TomlNode& node, std::size_t depth) {
    node.kind = TomlKind::list;
    text_.take('[');
    for (;;) {
      text_.skip_blanks_and_lines();
      if (text_.take(']')) return;
      auto& item = node.items.emplace_back();
      item.line = text_.line();
      read_value(item, depth + 1);
      text_.skip_blanks_and_lines();
      if (text_.take(',')) continue;
      if (!text_.take(']')) text_.fail("a list does not end");
      return;
    }
  }

  void read_braces(TomlNode& node, std::size_t depth) {
    node.kind = TomlKind::table;
    text_.take('{');
    for (;;) {
      text_.skip_blanks_and_lines();
      if (text_.take('}')) break;
      assign(node, depth);
      text_.skip_blanks_and_lines();
      if (text_.take(',')) continue;
      if (!text_.take('}')) text_.fail("a table in braces does not end");
      break;
    }
    close(node);
  }

  static void close(TomlNode& node) {
    node.closed = true;
    for (auto& key : node.keys)
      if (key.second->kind == TomlKind::table && !key.second->closed) close(*key.second);
  }

  TomlText text_;
  TomlNode root_;
  std::size_t depth_ = 0;  ///< of the table whose keys are read
};

std::vector<TomlKey> keys_of(const TomlNode& table);

TomlKey key_of(const std::string& name, const TomlNode& node) {
  TomlKey key;
  key.name = name;
  key.line = node.line;
  key.list = node.kind == TomlKind::list || node.kind == TomlKind::tables;
  if (node.kind == TomlKind::table) key.keys = keys_of(node);
  if (node.kind == TomlKind::value) key.values.push_back(node.text);
  for (const auto& item : node.items)
    if (item.kind == TomlKind::table)
      key.tables.push_back(key_of(name, item));
    else
      key.values.push_back(item.text);
  return key;
}

std::vector<TomlKey> keys_of(const TomlNode& table) {
  std::vector<TomlKey> keys;
  keys.reserve(table.keys.size());
  for (const auto& [name, node] : table.keys) keys.push_back(key_of(name, *node));
  return keys;
}

/// The table at a dotted path; nullptr if there is none.
const TomlNode* table_at(const TomlNode& root, std::string_view path) {
  const auto* at = &root;
  for (const auto part : split(path, ".")) {
    const auto found = at->keys.find(part);
    if (found == at->keys.end() || found->second->kind != TomlKind::table) return nullptr;
    at = found->second.get();
  }
  return at;
}

}  // namespace

Result<std::vector<TomlKey>> read_toml(std::string_view text, std::string_view table) {
  if (has_too_many_values(text)) return Error{ErrorCode::limit, "more values than any such file has"};
  TomlReader reader(text);
  if (auto fault = reader.read()) return std::move(*fault);
  const auto* found = table.empty() ? &reader.root() : table_at(reader.root(), table);
  return found == nullptr ? std::vector<TomlKey>() : keys_of(*found);
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
