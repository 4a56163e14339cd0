#include "report/json_text.h"

#include <array>
#include <iomanip>
#include <streambuf>

#include <fmt/format.h>

namespace cudald {
namespace {

/// Writes UTF-8 on as ASCII: what is not ASCII becomes \uXXXX. In JSON that can only stand within a string.
class AsciiBuffer final : public std::streambuf {
 public:
  explicit AsciiBuffer(std::ostream& out) : out_(out) {}

 protected:
  int_type overflow(int_type c) override {
    if (!traits_type::eq_int_type(c, traits_type::eof())) take(static_cast<unsigned char>(c));
    return traits_type::not_eof(c);
  }

  std::streamsize xsputn(const char* text, std::streamsize count) override {
    std::streamsize plain = 0;
    for (std::streamsize i = 0; i < count; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < 0x7f) continue;
      out_.write(text + plain, i - plain);
      take(byte);
      plain = i + 1;
    }
    out_.write(text + plain, count - plain);
    return count;
  }

 private:
  void take(unsigned char byte) {
    if (byte < 0x7f) {
      out_.put(static_cast<char>(byte));
    } else if (byte == 0x7f) {
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
  std::uint32_t point_ = 0;
  int left_ = 0;  ///< bytes of the character that are still to come
};

}  // namespace

void write_document(const Json& document, bool compact, std::ostream& out) {
  AsciiBuffer buffer(out);
  std::ostream ascii(&buffer);
  if (!compact) ascii << std::setw(2);
  ascii << document;
  out << '\n';
}

}  // namespace cudald
