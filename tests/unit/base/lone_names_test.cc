#include "base/lone_names.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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

TEST_CASE("no byte behind the last is looked at, and names may lie across blocks") {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* const end = static_cast<char*>(memory) + page;
  REQUIRE(::mprotect(end, page, PROT_NONE) == 0);
  for (std::size_t size = 4; size < 200; ++size) {
    const auto text = std::string(size - 4, '@') + std::string("\0ab\0", 4);
    std::copy(text.begin(), text.end(), end - size);
    CHECK(names_in({end - size, size}, 100) == std::vector<std::string_view>{"ab"});
  }
  ::munmap(memory, 2 * page);
  for (const std::size_t before : {0U, 1U, 62U, 63U, 64U, 126U, 127U, 128U})
    for (const std::size_t length : {2U, 63U, 64U, 65U, 128U, 192U}) {
      const auto bytes = std::string(before, '@') + '\0' + std::string(length, 'n') + '\0' + "m";
      const std::string name(length, 'n');
      CHECK(names_in(bytes, length) == std::vector<std::string_view>{name});
      CHECK(names_in(bytes, length - 1).empty());
    }
}

TEST_CASE("what reads like the name of a module") {
  for (const auto* name : {"json", "os.path", "_a.b1"}) CHECK(reads_as_module(name));
  for (const auto* name : {"", ".", "a.", ".a", "a..b", "1a", "a b", "a-b"}) CHECK_FALSE(reads_as_module(name));
}

}  // namespace
}  // namespace cudald
