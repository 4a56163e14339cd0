#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report/json/json_text.h"

namespace cudald {

/// Writes a document of JSON as it comes, in the form of Json::dump(). Everything outside ASCII is escaped, so that no
/// name from a file can reach a terminal as a control or bidirectional character; a byte that is no valid UTF-8 becomes
/// the text \xNN, as in valid_utf8().
class JsonWriter {
 public:
  JsonWriter(std::ostream& out, bool compact) : out_(out), compact_(compact) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }

  /// The key of the value that comes next, plain ASCII; nobody asks whether it was there before.
  JsonWriter& key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(std::nullptr_t) { word("null"); }
  template <std::unsigned_integral Number>
  void value(Number number) {
    if constexpr (std::same_as<Number, bool>)
      word(number ? "true" : "false");
    else
      write_number(number);
  }
  void value(const Json&);
  template <typename Value>
  void value(const std::optional<Value>& optional) {
    optional ? value(*optional) : value(nullptr);
  }

  template <typename Value>
  JsonWriter& field(std::string_view name, const Value& of) {
    key(name).value(of);
    return *this;
  }
  /// null for an empty text.
  JsonWriter& text_or_null(std::string_view name, std::string_view text) {
    return text.empty() ? field(name, nullptr) : field(name, text);
  }
  /// An array of what `write` makes of each item.
  template <typename Items, typename Write>
  JsonWriter& array(std::string_view name, const Items& items, Write write) {
    key(name).begin_array();
    for (const auto& item : items) write(*this, item);
    end_array();
    return *this;
  }
  JsonWriter& texts(std::string_view name, const std::vector<std::string>& texts) {
    return array(name, texts, [](JsonWriter& out, const std::string& text) { out.value(text); });
  }

  /// The end of the document: a newline.
  void finish();

 private:
  void begin(char bracket);
  void end(char bracket);
  void word(std::string_view text);
  void write_number(std::uint64_t);
  void add(char c) {
    if (used_ == waiting_.size()) write_out();
    waiting_[used_++] = c;
  }
  void add(std::string_view text) {
    if (text.size() > waiting_.size() - used_) return add_long(text);
    std::copy_n(text.data(), text.size(), waiting_.data() + used_);
    used_ += text.size();
  }
  void add_long(std::string_view text);
  /// Whatever has to stand before a key, or before a value that has none.
  void separate() {
    if (has_key_) {
      has_key_ = false;
      return;
    }
    if (!first_) add(',');
    first_ = false;
    if (depth_ > 0 && !compact_) break_line();
  }
  void break_line();
  void escape(std::string_view character);
  void write_out();

  std::ostream& out_;
  const bool compact_;
  std::array<char, std::size_t{1} << 14> waiting_;  ///< text that is still to be written
  std::size_t used_ = 0;                            ///< bytes of it
  std::size_t depth_ = 0;
  bool first_ = true;  ///< of its object or array
  bool has_key_ = false;
};

}  // namespace cudald
