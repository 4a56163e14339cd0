#include "report/json/json_writer.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "base/utf8.h"

namespace cudald {
namespace {

// A number sign is escaped, as ##[ and ##vso[ in a log are commands to services that run builds.
constexpr auto plain_characters = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\' && c != '#';
  return plain;
}();

/// How much of it needs no escape.
std::size_t plain_begin(std::string_view text) {
  std::size_t at = 0;
#ifdef __SSE2__
  for (; at + sizeof(__m128i) <= text.size(); at += sizeof(__m128i)) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    // As signed numbers, what is no ASCII is below the blank, too.
    auto escaped = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
    for (const char c : {'"', '\\', '#', '\x7f'})
      escaped = _mm_or_si128(escaped, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
    if (const auto which = static_cast<std::uint32_t>(_mm_movemask_epi8(escaped)); which != 0)
      return at + static_cast<std::size_t>(std::countr_zero(which));
  }
#endif
  while (at < text.size() && plain_characters[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  add('"');
  add(name);
  add(compact_ ? "\":" : "\": ");
  has_key_ = true;
  return *this;
}

void JsonWriter::value(std::string_view text) {
  separate();
  add('"');
  while (!text.empty()) {
    const auto plain = plain_begin(text);
    add(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto length = std::max<std::size_t>(first_character(text).length, 1);
    escape(text.substr(0, length));
    text.remove_prefix(length);
  }
  add('"');
}

void JsonWriter::escape(std::string_view character) {
  const auto [length, code] = first_character(character);
  if (length == 0) {
    return add(fmt::format("\\\\x{:02x}", static_cast<unsigned char>(character.front())));
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
    add(fmt::format("\\u{:04x}", number));
  else
    add(fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((number - 0x10000) >> 10), 0xdc00 + ((number - 0x10000) & 0x3ff)));
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
  add('\n');
  write_out();
}

void JsonWriter::begin(char bracket) {
  separate();
  add(bracket);
  ++depth_;
  first_ = true;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (!first_ && !compact_) break_line();
  add(bracket);
  first_ = false;
}

void JsonWriter::word(std::string_view text) {
  separate();
  add(text);
}

void JsonWriter::write_number(std::uint64_t number) { word(fmt::format_int(number).c_str()); }

void JsonWriter::break_line() {
  constexpr std::string_view blanks = "                                ";
  add('\n');
  for (auto left = 2 * depth_; left > 0; left -= std::min(left, blanks.size())) add(blanks.substr(0, left));
}

void JsonWriter::add_long(std::string_view text) {
  write_out();
  if (text.size() <= waiting_.size()) return add(text);
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void JsonWriter::write_out() {
  out_.write(waiting_.data(), static_cast<std::streamsize>(used_));
  used_ = 0;
}

}  // namespace cudald
