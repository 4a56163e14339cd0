#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/budget.h"

namespace cudald {

/// Constant or not: for functions that name the fields of a structure, to whoever writes or reads them.
template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

/// Writes values as bytes that PackReader reads. Of a structure, `fields(value, take)` in its own namespace hands all
/// fields to `take`. For what the same program reads again: the bytes do not say what they are.
class PackWriter {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(const std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  template <typename T>
    requires std::integral<T> || std::is_enum_v<T>
  void put(T value) {
    number(static_cast<std::uint64_t>(value));
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    number(values.size());
    for (const auto& value : values) put(value);
  }
  template <typename T, typename Less>
  void put(const std::set<T, Less>& values) {
    number(values.size());
    for (const auto& value : values) put(value);
  }
  template <typename Key, typename T, typename Less>
  void put(const std::map<Key, T, Less>& values) {
    number(values.size());
    for (const auto& [key, value] : values) (*this)(key, value);
  }
  template <typename T>
    requires std::is_class_v<T>
  void put(const T& value) {
    fields(value, *this);
  }

  /// Seven bits a byte, the lowest first.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// Reads what PackWriter wrote. Bytes that it did not write give values that mean nothing, and no more of them than
/// there are bytes.
class PackReader {
 public:
  explicit PackReader(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  /// All bytes were of the values that were asked for.
  bool at_end() const { return good_ && rest_.empty(); }

 private:
  void take(std::string& text) {
    const auto length = count();
    text = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }
  template <typename T>
    requires std::integral<T> || std::is_enum_v<T>
  void take(T& value) {
    value = static_cast<T>(number());
  }
  template <typename T>
  void take(std::optional<T>& value) {
    value.reset();
    if (number() != 0) take(value.emplace());
  }
  template <typename T>
  void take(std::vector<T>& values) {
    values.clear();
    for (auto left = count(); left > 0 && good_; --left) take(values.emplace_back());
  }

  template <typename T, typename Less>
  void take(std::set<T, Less>& values) {
    values.clear();
    for (auto left = count(); left > 0 && good_; --left) {
      T value;
      take(value);
      values.insert(std::move(value));
    }
  }
  template <typename Key, typename T>
  void take(std::map<Key, T>& values) {
    values.clear();
    for (auto left = count(); left > 0 && good_; --left) {
      Key key;
      take(key);
      take(values[key]);
    }
  }

  /// Of what takes a byte each at least.
  std::size_t count() {
    const auto value = number();
    good_ = good_ && value <= rest_.size();
    return good_ ? static_cast<std::size_t>(value) : 0;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; good_; shift += 7) {
      if (rest_.empty() || shift > 63) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  template <typename T>
    requires std::is_class_v<T>
  void take(T& value) {
    fields(value, *this);
  }

  std::string_view rest_;
  bool good_ = true;
};

void fields(Is<Cost> auto& cost, auto&& take) {
  auto& [read, kept, steps] = cost;
  take(read, kept, steps);
}

}  // namespace cudald
