#include "base/lone_names.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {
namespace {

constexpr std::string_view of_names = "_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::vector<std::string_view> names_in(std::string_view bytes, std::size_t longest) {
  std::vector<std::string_view> names;
  for_each_lone_name(bytes, longest, [&](std::string_view name) { names.push_back(name); });
  return names;
}

/// The same, byte by byte.
std::vector<std::string_view> plainly_found(std::string_view bytes, std::size_t longest) {
  std::vector<std::string_view> names;
  for (std::size_t begin = 0, end = 0; (end = bytes.find('\0', begin)) != std::string_view::npos; begin = end + 1) {
    const auto text = bytes.substr(begin, end - begin);
    if (text.size() > 1 && text.size() <= longest && text.find_first_not_of(of_names) == std::string_view::npos)
      names.push_back(text);
  }
  return names;
}

TEST_CASE("names are texts that stand alone between zero bytes") {
  const std::string bytes("ab\0x\0\0a.b_C9\0a b\0@cd\0de", 23);
  CHECK(names_in(bytes, 100) == std::vector<std::string_view>{"ab", "a.b_C9"});
  CHECK(names_in(bytes, 5) == std::vector<std::string_view>{"ab"});
  CHECK(names_in("", 100).empty());
  CHECK(names_in("name", 100).empty());
}

TEST_CASE("names are found wherever they lie, as byte by byte") {
  std::mt19937 random(7);
  const std::string letters = std::string(of_names) + std::string("\0\0\0\0\0\0\0\0@`[{/:\x7f\xff\x80 ", 19);
  for (int round = 0; round < 400; ++round) {
    // The longer the rounds last, the fewer the bytes are that end a name.
    const std::size_t kinds = round % 2 == 0 ? letters.size() : of_names.size() + 1;
    std::string bytes(random() % 400, '\0');
    for (auto& c : bytes) c = letters[random() % kinds];
    for (const std::size_t longest : {1, 2, 63, 64, 65, 200})
      CHECK(names_in(bytes, longest) == plainly_found(bytes, longest));
  }
}

}  // namespace
}  // namespace cudald
