#include "report/json_writer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf8.h"

namespace cudald {
namespace {

constexpr std::size_t most_waiting = std::size_t{12} << 10;

constexpr auto plain_characters = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool is_plain(char c) { return plain_characters[static_cast<unsigned char>(c)]; }

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_.push_back('"');
  add(name);
  add(compact_ ? "\":" : "\": ");
  has_key_ = true;
  return *this;
}

void JsonWriter::value(std::string_view text) {
  separate();
  text_.push_back('"');
  while (!text.empty()) {
    const auto* end = std::find_if_not(text.begin(), text.end(), is_plain);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    add(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto length = std::max<std::size_t>(first_character(text).length, 1);
    escape(text.substr(0, length));
    text.remove_prefix(length);
  }
  text_.push_back('"');
  if (text_.size() >= most_waiting) write_out();
}

void JsonWriter::escape(std::string_view character) {
  const auto [length, code] = first_character(character);
  if (length == 0) {
    fmt::format_to(fmt::appender(text_), "\\\\x{:02x}", static_cast<unsigned char>(character.front()));
    return;
  }
  switch (code) {
    case '"': add("\\\""); return;
    case '\\': add("\\\\"); return;
    case '\b': add("\\b"); return;
    case '\f': add("\\f"); return;
    case '\n': add("\\n"); return;
    case '\r': add("\\r"); return;
    case '\t': add("\\t"); return;
    default: break;
  }
  const auto number = static_cast<std::uint32_t>(code);
  if (number < 0x10000)
    fmt::format_to(fmt::appender(text_), "\\u{:04x}", number);
  else
    fmt::format_to(fmt::appender(text_), "\\u{:04x}\\u{:04x}", 0xd800 + ((number - 0x10000) >> 10),
                   0xdc00 + ((number - 0x10000) & 0x3ff));
}

void JsonWriter::value(const Json& document) {
  if (const auto* text = document.get_ptr<const std::string*>()) {
    value(*text);
  } else if (const auto* fields = document.get_ptr<const Json::object_t*>()) {
    begin_object();
    for (const auto& [name, of] : *fields) field(name, of);
    end_object();
  } else if (const auto* values = document.get_ptr<const Json::array_t*>()) {
    begin_array();
    for (const auto& of : *values) value(of);
    end_array();
  } else {
    word(document.is_null() ? "null" : document.dump());
  }
}

void JsonWriter::finish() {
  text_.push_back('\n');
  write_out();
}

void JsonWriter::begin(char bracket) {
  separate();
  text_.push_back(bracket);
  ++depth_;
  first_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!first_) break_line();
  text_.push_back(bracket);
  first_ = false;
}

void JsonWriter::word(std::string_view text) {
  separate();
  add(text);
}

void JsonWriter::write_number(std::uint64_t number) { word(fmt::format_int(number).c_str()); }

void JsonWriter::separate() {
  if (has_key_) {
    has_key_ = false;
    return;
  }
  if (!first_) text_.push_back(',');
  first_ = false;
  if (depth_ > 0) break_line();
}

void JsonWriter::break_line() {
  if (compact_) return;
  constexpr std::size_t indentation = 2;
  text_.push_back('\n');
  text_.resize(text_.size() + depth_ * indentation);
  std::fill_n(text_.end() - depth_ * indentation, depth_ * indentation, ' ');
}

void JsonWriter::write_out() {
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

}  // namespace cudald
