#include "os/memory.h"

#include <new>
#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a part is found where it first begins") {
  CHECK(find_in_memory("abcabd", "abd") == 3);
  CHECK(find_in_memory("aaaaab", "aab") == 3);
  CHECK(find_in_memory("abc", "abcd") == std::string_view::npos);
  CHECK(find_in_memory(std::string_view("a\0b", 3), std::string_view("\0b", 2)) == 1);
}

TEST_CASE("zeros are zeros, and more than there can be is no memory") {
  constexpr std::size_t size = 1 << 20;
  auto* const zeros = take_zeros(size);
  CHECK(std::string_view(zeros, size).find_first_not_of('\0') == std::string_view::npos);
  zeros[size - 1] = 1;
  release_zeros(zeros, size);
  CHECK_THROWS_AS(take_zeros(SIZE_MAX / 2), std::bad_alloc);
}

}  // namespace
}  // namespace cudald
