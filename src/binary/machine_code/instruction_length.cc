#include "binary/machine_code/instruction_length.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cudald {
namespace {

// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, 2.1 to 2.3 and 2.7 (prefixes, ModRM,
// SIB, VEX, EVEX), appendix A.2 (opcode maps).

/// What follows the opcode. An operand of `full` size has four bytes, two behind the prefix 66; `number` has eight
/// where REX.W is set; `address` always eight.
enum Shape : char {
  none = '.',
  modrm = 'm',
  byte = 'b',
  full = 'f',
  number = 'n',
  relative = 'r',  ///< four bytes, whatever the prefixes
  address = 'a',
  two = 'w',
  three = 't',
  modrm_byte = 'B',
  modrm_full = 'F',
  group_byte = 'g',  ///< f6: a byte if the ModRM says TEST
  group_full = 'G',  ///< f7: likewise
  invalid = '-',
};

constexpr std::string_view one_byte_map =
    "mmmmbf--mmmmbf--mmmmbf--mmmmbf--"   // 00
    "mmmmbf--mmmmbf--mmmmbf--mmmmbf--"   // 20
    "----------------................"   // 40: REX is read before
    "---m----fFbB....bbbbbbbbbbbbbbbb"   // 60
    "BF-Bmmmmmmmmmmmm..........-....."   // 80
    "aaaa....bf......bbbbbbbbnnnnnnnn"   // a0
    "BBw.--BFt.w..b-.mmmm---.mmmmmmmm"   // c0
    "bbbbbbbbrr-b..........gG......mm";  // e0: prefixes are read before

constexpr std::string_view two_byte_map =
    "mmmm-.....-.-m.Bmmmmmmmmmmmmmmmm"   // 00
    "mmmm----mmmmmmmm......-.--------"   // 20: 38 and 3a are read before
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"   // 40
    "mmmmmmmmmmmmmmmmBBBBmmm.mmmmmmmm"   // 60
    "rrrrrrrrrrrrrrrrmmmmmmmmmmmmmmmm"   // 80
    "...mBm--...mBmmmmmmmmmmmmmBmmmmm"   // a0
    "mmBmBBBm........mmmmmmmmmmmmmmmm"   // c0
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";  // e0
static_assert(one_byte_map.size() == 256 && two_byte_map.size() == 256);

constexpr auto is_legacy_prefix = [] {
  std::array<bool, 256> prefixes{};
  for (const auto prefix : {0x26U, 0x2eU, 0x36U, 0x3eU, 0x64U, 0x65U, 0x66U, 0x67U, 0xf0U, 0xf2U, 0xf3U})
    prefixes.at(prefix) = true;
  return prefixes;
}();

bool has_modrm(char shape) {
  return shape == modrm || shape == modrm_byte || shape == modrm_full || shape == group_byte || shape == group_full;
}

class Instruction {
 public:
  explicit Instruction(std::span<const std::byte> code) : code_(code) {}

  std::size_t length() {
    read_prefixes();
    const auto shape = read_opcode();
    if (shape == invalid) return 0;
    read_operands(shape);
    if (at_ > std::min(code_.size(), longest)) return 0;
    return at_;
  }

 private:
  static constexpr std::size_t longest = 15;

  unsigned peek(std::size_t ahead = 0) const {
    return at_ + ahead < code_.size() ? std::to_integer<unsigned>(code_[at_ + ahead]) : 0;
  }

  void read_prefixes() {
    for (; at_ < longest && is_legacy_prefix[peek()]; ++at_) half_ = half_ || peek() == 0x66;
    if ((peek() & 0xf0U) == 0x40) wide_ = (peek() & 8U) != 0, ++at_;
  }

  char read_opcode() {
    const auto opcode = peek();
    ++at_;
    if (opcode == 0xc5) return of_vector(1, 1);
    if (opcode == 0xc4) return of_vector(peek() & 0x1fU, 2);
    if (opcode == 0x62) return of_vector(peek() & 7U, 3);
    if (opcode != 0x0f) return one_byte_map[opcode];
    const auto second = peek();
    ++at_;
    if (second == 0x38 || second == 0x3a) ++at_;
    return second == 0x38   ? static_cast<char>(modrm)
           : second == 0x3a ? static_cast<char>(modrm_byte)
                            : two_byte_map[second];
  }

  /// Behind the bytes of VEX or EVEX; `map` is what they say of the opcode.
  char of_vector(unsigned map, std::size_t bytes) {
    constexpr unsigned vzeroupper = 0x77;
    at_ += bytes;
    const auto opcode = peek();
    ++at_;
    if (map == 3) return modrm_byte;
    if (map == 1 && opcode == vzeroupper) return none;
    if (map == 1 && two_byte_map[opcode] == modrm_byte) return modrm_byte;
    return map == 1 || map == 2 || map == 5 || map == 6 ? modrm : invalid;
  }

  /// ModRM with what it says that follows.
  void read_modrm() {
    const auto mode = peek() >> 6, memory = peek() & 7U;
    reg_ = peek() >> 3 & 7U;
    ++at_;
    if (mode == 3) return;
    auto base = memory;
    if (memory == 4) base = peek() & 7U, ++at_;
    if (mode == 1) at_ += 1;
    if (mode == 2 || (mode == 0 && base == 5)) at_ += 4;
  }

  void read_operands(char shape) {
    if (has_modrm(shape)) read_modrm();
    const std::size_t size_of_full = half_ ? 2 : 4;
    switch (shape) {
      case byte:
      case modrm_byte: at_ += 1; break;
      case group_byte: at_ += reg_ < 2 ? 1 : 0; break;
      case full:
      case modrm_full: at_ += size_of_full; break;
      case group_full: at_ += reg_ < 2 ? size_of_full : 0; break;
      case number: at_ += wide_ ? 8 : size_of_full; break;
      case relative: at_ += 4; break;
      case address: at_ += 8; break;
      case two: at_ += 2; break;
      case three: at_ += 3; break;
      default: break;
    }
  }

  std::span<const std::byte> code_;
  std::size_t at_ = 0;
  unsigned reg_ = 0;
  bool half_ = false, wide_ = false;
};

}  // namespace

std::size_t instruction_length(std::span<const std::byte> code) { return Instruction(code).length(); }

}  // namespace cudald
