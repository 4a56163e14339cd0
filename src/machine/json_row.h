#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cudald {

/// An object of JSON of which nobody knows who wrote it: what is of another kind than asked for is as if it were not
/// there.
class JsonRow {
 public:
  explicit JsonRow(const nlohmann::json& json) : json_(json) {}

  /// null if there is none.
  const nlohmann::json& at(const char* key) const {
    static const nlohmann::json nothing;
    const auto found = json_.find(key);
    return found == json_.end() ? nothing : *found;
  }
  bool has(const char* key) const { return !at(key).is_null(); }

  static std::string text(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : ""; }
  template <typename Number>
  static Number number(const nlohmann::json& value, Number otherwise = {}) {
    if (!value.is_number_unsigned()) return otherwise;
    const auto whole = value.get<std::uint64_t>();
    return whole > std::numeric_limits<Number>::max() ? otherwise : static_cast<Number>(whole);
  }
  static std::vector<std::string> texts(const nlohmann::json& list) {
    std::vector<std::string> result;
    if (list.is_array())
      for (const auto& item : list)
        if (item.is_string()) result.push_back(item.get<std::string>());
    return result;
  }

  std::string text(const char* key) const { return text(at(key)); }
  std::vector<std::string> texts(const char* key) const { return texts(at(key)); }
  bool flag(const char* key) const { return at(key).is_boolean() && at(key).get<bool>(); }
  template <typename Number>
  Number number(const char* key, Number otherwise = {}) const {
    return number<Number>(at(key), otherwise);
  }

 private:
  const nlohmann::json& json_;
};

}  // namespace cudald
