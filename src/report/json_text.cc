#include "report/json_text.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <streambuf>

#include <fmt/format.h>

namespace cudald {
namespace {

/// Writes UTF-8 on as ASCII, a block at a time: what is not ASCII becomes \uXXXX. In JSON that can only stand within a
/// string.
class AsciiBuffer final : public std::streambuf {
 public:
  explicit AsciiBuffer(std::ostream& out) : out_(out) { setp(block_.data(), block_.data() + block_.size()); }

 protected:
  int_type overflow(int_type c) override {
    sync();
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : sputc(traits_type::to_char_type(c));
  }

  int sync() override {
    const auto* plain = pbase();
    for (const auto* at = pbase(); at != pptr(); ++at) {
      const auto byte = static_cast<unsigned char>(*at);
      if (byte < 0x7f) continue;
      out_.write(plain, at - plain);
      take(byte);
      plain = at + 1;
    }
    out_.write(plain, pptr() - plain);
    setp(pbase(), epptr());
    return 0;
  }

 private:
  void take(unsigned char byte) {
    if (byte == 0x7f) {
      escape(byte);
    } else if (byte >= 0xc0) {
      left_ = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
      point_ = byte & (0x3f >> left_);
    } else if (left_ > 0) {
      point_ = (point_ << 6) | (byte & 0x3f);
      if (--left_ == 0) escape(point_);
    }
  }

  void escape(std::uint32_t point) {
    if (point < 0x10000) {
      out_ << fmt::format("\\u{:04x}", point);
    } else {
      out_ << fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((point - 0x10000) >> 10),
                          0xdc00 + ((point - 0x10000) & 0x3ff));
    }
  }

  std::ostream& out_;
  std::array<char, 1 << 14> block_;
  std::uint32_t point_ = 0;
  int left_ = 0;  ///< bytes of the character that are still to come
};

/// Takes from `room` what a text of this document may come to, keys and indentation not counted; false if it is more.
bool takes_room(const Json& document, std::size_t& room) {
  constexpr std::size_t value_size = 32;
  const auto* text = document.get_ptr<const std::string*>();
  const auto size = value_size + (text != nullptr ? text->size() : 0);
  if (size > room) return false;
  room -= size;
  if (const auto* values = document.get_ptr<const Json::array_t*>())
    return std::all_of(values->begin(), values->end(), [&](const Json& value) { return takes_room(value, room); });
  const auto* fields = document.get_ptr<const Json::object_t*>();
  return fields == nullptr ||
         std::all_of(fields->begin(), fields->end(), [&](const auto& field) { return takes_room(field.second, room); });
}

}  // namespace

void write_document(const Json& document, bool compact, std::ostream& out) {
  constexpr int indentation = 2;
  // As one text it is written in less time; of a large one that would take as much memory as the document.
  if (std::size_t room = std::size_t{2} << 20; takes_room(document, room)) {
    out << document.dump(compact ? -1 : indentation, ' ', true) << '\n';
    return;
  }
  AsciiBuffer buffer(out);
  std::ostream ascii(&buffer);
  if (!compact) ascii << std::setw(indentation);
  ascii << document << std::flush;
  out << '\n';
}

}  // namespace cudald
