#include "image/instruction_length.h"

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
