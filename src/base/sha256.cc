#include "base/sha256.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace cudald {
namespace {

constexpr std::uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::turn(const std::byte* block) {
  std::uint32_t words[64];
  for (int i = 0; i < 16; ++i) {
    words[i] = 0;
    for (int k = 0; k < 4; ++k) words[i] = words[i] << 8 | std::to_integer<std::uint32_t>(block[4 * i + k]);
  }
  for (int i = 16; i < 64; ++i) {
    const auto before = words[i - 15], last = words[i - 2];
    const auto s0 = std::rotr(before, 7) ^ std::rotr(before, 18) ^ before >> 3;
    const auto s1 = std::rotr(last, 17) ^ std::rotr(last, 19) ^ last >> 10;
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    const auto s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const auto first = h + s1 + ((e & f) ^ (~e & g)) + constants[i] + words[i];
    const auto s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const auto second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const std::uint32_t added[] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[static_cast<std::size_t>(i)] += added[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
  length_ += bytes.size();
  while (!bytes.empty()) {
    if (filled_ == 0 && bytes.size() >= block_.size()) {
      turn(bytes.data());
      bytes = bytes.subspan(block_.size());
      continue;
    }
    const auto count = std::min(bytes.size(), block_.size() - filled_);
    std::copy_n(bytes.begin(), count, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += count;
    bytes = bytes.subspan(count);
    if (filled_ < block_.size()) continue;
    turn(block_.data());
    filled_ = 0;
  }
}

std::string Sha256::finish() {
  const auto bits = length_ * 8;
  constexpr std::byte one{0x80}, zero{0};
  add(std::span(&one, 1));
  while (filled_ != block_.size() - 8) add(std::span(&zero, 1));
  std::array<std::byte, 8> size;
  for (int i = 0; i < 8; ++i) size[static_cast<std::size_t>(i)] = static_cast<std::byte>(bits >> (56 - 8 * i));
  add(size);
  std::string text;
  for (const auto word : state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.finish();
}

}  // namespace cudald
