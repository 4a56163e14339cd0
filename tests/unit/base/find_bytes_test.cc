#include "base/find_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("bytes are found as string_view::find finds them") {
  const std::string text("ab\0abc", 6);
  for (const std::string part : {"a", "ab", "abc", "b", "x", "", "abcd"})
    for (std::size_t begin = 0; begin <= text.size() + 1; ++begin) {
      CAPTURE(part);
      CAPTURE(begin);
      CHECK(find_bytes(text, part, begin) == text.find(part, begin));
    }
  CHECK(find_bytes(text, std::string_view("\0a", 2)) == 2);
  std::string many;
  for (int i = 0; i < 3000; ++i) many += i % 7 == 0 ? "aab" : "aac";
  for (const std::string part : {"aab", "caab", "baaca", "aacaab", "bb", "aad", "aacaacaacaacaacaacaab"})
    for (const std::size_t begin : {0, 1, 17, 5000, 8990, 8999})
      CHECK(find_bytes(many, part, begin) == many.find(part, begin));
  // Nearly equal everywhere: to be told soon all the same.
  const std::string alike(1 << 20, 'a'), nearly = std::string(500, 'a') + "b" + std::string(500, 'a');
  CHECK(find_bytes(alike, nearly) == std::string::npos);
  CHECK(find_bytes("", "") == 0);
  CHECK(holds_bytes(text, "abc"));
  CHECK_FALSE(holds_bytes(text, "bb"));
}

TEST_CASE("a line is one from its begin to its end") {
  CHECK(has_line("/opt/a\n/opt/ab\n", "/opt/ab"));
  CHECK(has_line("/opt/ab\n/opt/a", "/opt/a"));
  CHECK(has_line("/opt/a", "/opt/a"));
  CHECK_FALSE(has_line("/opt/ab\n/x/opt/a\n", "/opt/a"));
  CHECK_FALSE(has_line("", "/opt/a"));
}

TEST_CASE("the first of several parts is found, wherever it stands in a block") {
  const std::vector<std::string_view> parts{"setattr", "__dict__", "exec", "x"};
  const auto wanted = [&](std::string_view text, std::size_t begin) {
    std::optional<FoundPart> first;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (const auto at = text.find(parts[i], begin); at != std::string::npos && (!first || at < first->at))
        first = FoundPart{at, i};
    return first;
  };
  for (std::size_t before = 0; before < 40; ++before)
    for (const auto* end : {"setattr", "__dict__ exec", "exe", "x", "", "__dictexec", "settar setattrx"}) {
      const auto text = std::string(before, 's') + end + std::string(before % 3, ' ');
      for (const std::size_t begin : {std::size_t{0}, before, before + 1, text.size(), text.size() + 1}) {
        CAPTURE(text);
        CAPTURE(begin);
        const auto found = find_any_bytes(text, parts, begin), right = wanted(text, begin);
        REQUIRE(found.has_value() == right.has_value());
        if (!right) continue;
        CHECK(found->at == right->at);
        CHECK(found->part == right->part);
      }
    }
  CHECK_FALSE(find_any_bytes("text", {}));
}

/// Memory behind which nothing may be read.
class GuardedText {
 public:
  GuardedText() : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    void* memory = ::mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    begin_ = static_cast<char*>(memory);
    REQUIRE(::mprotect(begin_ + page_, page_, PROT_NONE) == 0);
  }
  ~GuardedText() { ::munmap(begin_, 2 * page_); }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;

  /// The text, which ends where the memory does.
  std::string_view with(const std::string& text) {
    char* at = begin_ + page_ - text.size();
    std::copy(text.begin(), text.end(), at);
    return {at, text.size()};
  }

 private:
  std::size_t page_;
  char* begin_ = nullptr;
};

TEST_CASE("nothing is read behind the end, whatever is looked for") {
  GuardedText memory;
  for (std::size_t size = 0; size < 100; ++size)
    for (const std::string part : {"x", "ax", "a long part of more than one block"}) {
      CAPTURE(size);
      const std::string text(size, part.front());
      CHECK(find_bytes(memory.with(text), part, 0) == text.find(part));
      const std::vector<std::string_view> parts{part, "another", "xy"};
      CHECK(find_any_bytes(memory.with(text), parts).has_value() == (text.find(part) != std::string::npos));
    }
}

TEST_CASE("any number of parts may be looked for") {
  std::vector<std::string> words;
  for (char letter = 'A'; letter <= 'T'; ++letter) words.push_back(std::string(3, letter));
  for (const std::size_t count : {15U, 16U, 17U, 20U}) {
    const std::vector<std::string_view> parts(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const auto text = std::string(50, '-') + words[i] + std::string(30, '-') + words[0];
      const auto found = find_any_bytes(text, parts);
      REQUIRE(found.has_value());
      CHECK(found->at == 50);
      CHECK(found->part == i);
    }
    CHECK_FALSE(find_any_bytes(std::string(100, '-'), parts).has_value());
  }
  const std::vector<std::string_view> alike{"ab", "abc", "a"};
  CHECK(find_any_bytes(std::string(40, '-') + "abc", alike)->part == 0);
  CHECK(find_any_bytes(std::string(40, '-') + "ac", alike)->part == 2);
}

}  // namespace
}  // namespace cudald
