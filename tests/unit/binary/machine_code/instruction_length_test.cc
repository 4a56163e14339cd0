#include "binary/machine_code/instruction_length.h"

#include <string>

#include <doctest/doctest.h>

using namespace cudald;

namespace {

std::size_t length_of(const std::string& code) { return instruction_length(std::as_bytes(std::span(code))); }

/// Whether it has exactly these bytes, whatever stands behind them, and is none wherever the code ends within it.
bool is_whole(const std::string& instruction) {
  const auto longer = instruction + std::string(8, '\x90');
  if (length_of(longer) != instruction.size()) return false;
  const auto bytes = std::as_bytes(std::span(longer));
  for (std::size_t size = 0; size < instruction.size(); ++size)
    if (instruction_length(bytes.first(size)) != 0) return false;
  return true;
}

}  // namespace

TEST_CASE("operands of instructions: registers, memory with its displacement, numbers") {
  using namespace std::string_literals;
  CHECK(is_whole("\x55"s));                                          // push rbp
  CHECK(is_whole("\x48\x89\xc7"s));                                  // mov rdi, rax
  CHECK(is_whole("\x48\x8d\x05\x00\x00\x00\xe8"s));                  // lea rax, [rip+x]
  CHECK(is_whole("\x48\x89\x44\x24\x10"s));                          // mov [rsp+0x10], rax
  CHECK(is_whole("\xc7\x84\x24\x01\x02\x00\x00\x01\x00\x00\xe9"s));  // mov dword [rsp+0x201], n
  CHECK(is_whole("\x8b\x04\x25\x01\x02\x03\x04"s));                  // mov eax, [0x4030201]
  CHECK(is_whole("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08"s));      // movabs rax, n
  CHECK(is_whole("\xb8\x01\x02\x03\x04"s));
  CHECK(is_whole("\x66\xb8\x01\x02"s));
  CHECK(is_whole("\x48\xa1\x01\x02\x03\x04\x05\x06\x07\x08"s));
  CHECK(is_whole("\xc8\x10\x00\x00"s));
}

TEST_CASE("calls and jumps, with what may stand before them") {
  using namespace std::string_literals;
  CHECK(is_whole("\xe8\x01\x02\x03\x04"s));
  CHECK(is_whole("\x67\xe8\x01\x02\x03\x04"s));
  CHECK(is_whole("\x66\x48\xe8\x01\x02\x03\x04"s));
  CHECK(is_whole("\x0f\x84\x01\x02\x03\x04"s));
  CHECK(is_whole("\xf2\xff\x25\x01\x02\x03\x04"s));
  CHECK(is_whole("\xeb\x05"s));
  CHECK(is_whole("\xff\xd0"s));
}

TEST_CASE("a number follows in two groups only where they test") {
  using namespace std::string_literals;
  CHECK(is_whole("\xf6\xc1\x01"s));              // test cl, 1
  CHECK(is_whole("\xf6\xd1"s));                  // not cl
  CHECK(is_whole("\xf7\xc1\x01\x02\x03\x04"s));  // test ecx, n
  CHECK(is_whole("\x66\xf7\xc1\x01\x02"s));
  CHECK(is_whole("\xf7\xd9"s));  // neg ecx
}

TEST_CASE("vector instructions") {
  using namespace std::string_literals;
  CHECK(is_whole("\xc5\xf8\x77"s));                  // vzeroupper
  CHECK(is_whole("\xc5\xfd\x70\xc1\x4e"s));          // vpshufd ymm0, ymm1, n
  CHECK(is_whole("\xc4\xe2\x7d\x18\x40\x10"s));      // vbroadcastss ymm0, [rax+0x10]
  CHECK(is_whole("\xc4\xe3\x7d\x39\xc1\x01"s));      // vextracti128
  CHECK(is_whole("\x62\xf1\x7c\x48\x10\x40\x01"s));  // vmovups zmm0, [rax+0x40]
  CHECK(is_whole("\x66\x0f\x3a\x0f\xc1\x08"s));      // palignr
  CHECK(is_whole("\x66\x0f\x38\x00\xc1"s));          // pshufb
}

TEST_CASE("what is no instruction has no length") {
  CHECK(length_of("") == 0);
  CHECK(length_of(std::string(1, '\x06') + std::string(8, '\0')) == 0);  // of 32 bits
  CHECK(length_of(std::string(20, '\x66')) == 0);                        // longer than any
}

TEST_CASE("every shape of an operand, with the prefixes that change its size") {
  using namespace std::string_literals;
  const auto n = "\x01\x02\x03\x04"s;
  for (const auto& instruction : {
           "\x05"s + n,              // add eax, n
           "\x66\x05\x01\x02"s,      // add ax, n
           "\x68"s + n,              // push n
           "\x66\x68\x01\x02"s,      //
           "\x6a\x01"s,              //
           "\x69\xc0"s + n,          // imul eax, eax, n
           "\x66\x69\xc0\x01\x02"s,  //
           "\x6b\xc0\x01"s,          //
           "\x81\xc1"s + n,          // add ecx, n
           "\x66\x81\xc1\x01\x02"s,  //
           "\x80\xc1\x01"s,          // add cl, n
           "\x40\xb8"s + n,          // REX without W
           "\x4f\xb8"s + n + n,      // every bit of REX
           "\x66\x48\xb8"s + n + n,  //
           "\x66\xe8"s + n,          // a distance has four bytes
           "\x66\x0f\x80"s + n,      //
           "\x66\xa0"s + n + n,      // mov al, [n]
           "\xc2\x01\x02"s,          // ret n
           "\xca\x01\x02"s,          //
           "\x66\xc2\x01\x02"s,      //
           "\x66\xc8\x01\x02\x03"s,  // enter n, n
           "\xf6\xc8\x01"s,          // test al, n: the other of two codes
           "\xf7\xc8"s + n,          //
           "\xf6\x14\x24"s,          // not byte [rsp]
           "\xf7\x14\x24"s,          //
           "\xf6\x04\x24\x01"s,      // test byte [rsp], n
           "\xcd\x80"s,              // int n
           "\xc3"s,                  //
           "\x0f\x05"s,              // syscall
           "\x0f\xa4\xc0\x01"s,      // shld
           "\x0f\xba\xe0\x01"s,      // bt
           "\x0f\xaf\xc0"s,          // imul eax, eax
           "\x0f\x0b"s,              // ud2
           "\x0f\x38\xf0\x00"s,      // movbe eax, [rax]
           "\x0f\x3a\xcc\xc1\x01"s,  // sha1rnds4
       })
    CHECK(is_whole(instruction));
}

TEST_CASE("memory operands: each mode, with and without an index") {
  using namespace std::string_literals;
  const auto n = "\x01\x02\x03\x04"s;
  for (const auto& instruction : {
           "\x8b\x00"s,          // [rax]
           "\x8b\x05"s + n,      // [rip+n]
           "\x8b\x45\x10"s,      // [rbp+n]
           "\x8b\x85"s + n,      //
           "\x8b\x40\x10"s,      // [rax+n]
           "\x8b\x80"s + n,      //
           "\x8b\x04\x24"s,      // [rsp]
           "\x8b\x04\x25"s + n,  // [n]
           "\x8b\x44\x24\x10"s,  // [rsp+n]
           "\x8b\x84\x24"s + n,  //
           "\x8b\x44\x25\x10"s,  // [rbp+n]
           "\x8b\x84\x25"s + n,  //
           "\x8b\xc4"s,          // registers with these numbers
           "\x8b\xc5"s,          //
       })
    CHECK(is_whole(instruction));
}

TEST_CASE("each prefix may stand before an instruction, which has 15 bytes at most") {
  using namespace std::string_literals;
  for (const char prefix : "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3"s) CHECK(is_whole(prefix + "\x89\xc7"s));
  CHECK(length_of(std::string(14, '\x66') + '\x90') == 15);
  CHECK(length_of(std::string(15, '\x66') + '\x90') == 0);
  CHECK(length_of(std::string(12, '\x66') + "\xb8\x01\x02") == 15);
  CHECK(length_of(std::string(13, '\x66') + "\xb8\x01\x02") == 0);
}

TEST_CASE("what maps of opcodes vectors have, and which they have not") {
  using namespace std::string_literals;
  const auto evex = [](unsigned map) { return "\x62"s + static_cast<char>(0xf0 | map) + "\x7c\x48\x58\xc1"; };
  for (const unsigned map : {1U, 2U, 5U, 6U}) CHECK(is_whole(evex(map)));
  CHECK(is_whole(evex(3) + "\x01"));
  for (const unsigned map : {0U, 4U, 7U}) CHECK(length_of(evex(map) + "\x01\x01") == 0);
  const auto vex = [](unsigned map, char opcode) {
    return "\xc4"s + static_cast<char>(0xe0 | map) + "\x7d" + opcode + "\xc1";
  };
  for (const unsigned map : {1U, 2U, 5U, 6U}) CHECK(is_whole(vex(map, '\x58')));
  for (const unsigned map : {0U, 4U, 7U, 8U, 17U, 18U}) CHECK(length_of(vex(map, '\x58') + "\x01\x01") == 0);
  CHECK(is_whole(vex(1, '\xc6') + "\x01"));  // vshufps
  CHECK(is_whole(vex(2, '\xc6')));
  CHECK(is_whole("\xc4\xe1\x7c\x77"s));  // vzeroupper
  CHECK(is_whole(vex(2, '\x77')));
  CHECK(is_whole(vex(3, '\x77') + "\x01"));
}

TEST_CASE("opcodes that are none in 64 bits") {
  using namespace std::string_literals;
  for (const auto& code : {"\x07"s, "\x17"s, "\x27"s, "\x60"s, "\x82"s, "\x9a"s, "\xce"s, "\xd6"s, "\xea"s, "\x0f\x04"s,
                           "\x0f\x0a"s, "\x0f\x24"s, "\x0f\x36"s, "\x0f\xa6"s})
    CHECK(length_of(code + std::string(12, '\0')) == 0);
}
