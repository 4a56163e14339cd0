#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace cudald {

using Json = nlohmann::ordered_json;

/// Builds an object whose fields keep their order. The keys are known to differ, so none is looked
/// up.
class JsonObject {
 public:
  explicit JsonObject(std::size_t fields) { fields_.reserve(fields); }

  JsonObject&& add(const char* key, Json value) && {
    fields_.emplace_back(key, std::move(value));
    return std::move(*this);
  }

  void add(const char* key, Json value) & { fields_.emplace_back(key, std::move(value)); }

  Json take() && { return Json(std::move(fields_)); }

 private:
  Json::object_t fields_;
};

inline Json json_text(std::string_view text) { return Json(valid_utf8(text)); }

inline Json json_optional(const std::optional<std::string>& text) { return text ? json_text(*text) : Json(nullptr); }

/// null for an empty text.
inline Json json_text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : json_text(text); }

/// An array of what `convert` makes of each item.
template <typename Items, typename Convert>
Json json_array(const Items& items, Convert convert) {
  Json::array_t array;
  array.reserve(items.size());
  for (const auto& item : items) array.push_back(convert(item));
  return Json(std::move(array));
}

inline Json json_texts(const std::vector<std::string>& texts) {
  return json_array(texts, [](const std::string& text) { return json_text(text); });
}

/// Writes a document and a newline. Everything outside ASCII is escaped, so that no name from a
/// file can reach a terminal as a control or bidirectional character.
void write_document(const Json& document, bool compact, std::ostream& out);

}  // namespace cudald
