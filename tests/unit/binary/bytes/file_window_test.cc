#include "binary/bytes/file_window.h"

#include <doctest/doctest.h>

#include "unit/tree/faulty_file.h"

namespace cudald {
namespace {

constexpr std::size_t window_block = 8192;
constexpr std::uint64_t steps_of_a_block = 32 + window_block / 64;

TEST_CASE("numbers are read in the file's order, if they lie wholly inside") {
  const FaultyFile file(std::string("\1\2\3\4\5\6\7\10\11\12", 10));
  FileWindow little(file, ByteOrder::little), big(file, ByteOrder::big);
  CHECK(little.number<std::uint32_t>(6) == 0x0a090807);
  CHECK(big.number<std::uint32_t>(6) == 0x0708090a);
  CHECK(little.number<std::uint32_t>(7) == std::nullopt);
  CHECK(little.number<std::uint8_t>(9) == std::uint8_t{10});
  CHECK(little.number<std::uint8_t>(10) == std::nullopt);
  CHECK(little.number<std::uint8_t>(UINT64_MAX) == std::nullopt);
  CHECK(little.bytes(8, 9).size() == 2);
  CHECK(little.bytes(10, 1).empty());
  CHECK(little.bytes(2, 3) == std::vector<std::byte>{std::byte{3}, std::byte{4}, std::byte{5}});
  CHECK(little.budget() == nullptr);
  CHECK(little.file_size() == 10);
}

TEST_CASE("a string must end before its table does, and have no more bytes than it may") {
  const FaultyFile file(std::string("\0abc\0defg", 9));
  FileWindow window(file, ByteOrder::little);
  CHECK(window.string(1, 9, 3) == "abc");
  CHECK(window.string(1, 9, 2) == std::nullopt);
  CHECK(window.string(1, 5, 3) == "abc");
  CHECK(window.string(1, 4, 3) == std::nullopt);
  CHECK(window.string(1, 1, 3) == std::nullopt);
  CHECK(window.string(0, 9, 0) == "");
  CHECK(window.string(5, 9, 100) == std::nullopt);
  CHECK(window.string(5, 100, 100) == std::nullopt);
  CHECK(window.string(9, 100, 100) == std::nullopt);
}

TEST_CASE("strings go on over the ends of blocks") {
  std::string bytes = std::string(100, '\0') + std::string(3 * window_block, 'x') + '\0';
  const FaultyFile file(bytes);
  FileWindow window(file, ByteOrder::little);
  CHECK(window.string(100, bytes.size(), 3 * window_block) == std::string(3 * window_block, 'x'));
  CHECK(window.string(100, bytes.size(), 3 * window_block - 1) == std::nullopt);
}

TEST_CASE("one block at a time is read, which begins a little before the place that was asked for") {
  const FaultyFile file(std::string(100'000, 'x'));
  Budget budget;
  FileWindow window(file, ByteOrder::little, &budget);
  const auto reads = [&](std::uint64_t at) {
    const auto before = budget.cost();
    CHECK(window.number<std::uint8_t>(at));
    const auto cost = budget.cost() - before;
    if (cost == Cost{}) return false;
    CHECK(cost == Cost{window_block, 0, steps_of_a_block});
    return true;
  };
  CHECK(reads(50'000));
  CHECK_FALSE(reads(50'000 - window_block / 8));
  CHECK_FALSE(reads(50'000 - window_block / 8 + window_block - 1));
  CHECK(reads(50'000 - window_block / 8 + window_block));
  CHECK(reads(50'000 - window_block / 8));
  CHECK(reads(window_block / 8));
  CHECK_FALSE(reads(0));
  CHECK_FALSE(reads(window_block - 1));
  CHECK(reads(window_block));
  CHECK(reads(99'999));
}

TEST_CASE("each read and each string has its price, and nothing is there when that is spent") {
  const FaultyFile file(std::string(64, 'x') + std::string(1000, '\0'));
  Budget budget;
  FileWindow window(file, ByteOrder::little, &budget);
  CHECK(window.bytes(0, 640).size() == 640);
  CHECK(budget.cost() == Cost{640, 0, 32 + 10});
  CHECK(window.string(0, 1000, 100));
  CHECK(budget.cost() == Cost{640 + window_block, 0, 32 + 10 + steps_of_a_block + 1 + 4});
  CHECK(window.string(32, 1000, 100));
  CHECK(budget.cost().steps == 32 + 10 + steps_of_a_block + 5 + 3);
  CHECK(window.string(64, 1000, 100) == "");
  CHECK(budget.cost().steps == 32 + 10 + steps_of_a_block + 5 + 3 + 1);

  for (const bool enough : {false, true}) {
    Budget steps({.steps = steps_of_a_block + (enough ? 5 : 4)}), bytes({.read = window_block - (enough ? 0U : 1U)});
    FileWindow by_steps(file, ByteOrder::little, &steps), by_bytes(file, ByteOrder::little, &bytes);
    CHECK(by_steps.string(0, 1000, 100).has_value() == enough);
    CHECK(by_bytes.number<std::uint8_t>(0).has_value() == enough);
    Budget some({.read = enough ? 640U : 639U});
    FileWindow by_some(file, ByteOrder::little, &some);
    CHECK(by_some.bytes(0, 640).size() == (enough ? 640 : 0));
  }
}

TEST_CASE("of a file that cannot be read, or became shorter, nothing or less is there") {
  const std::string text = std::string(100, 'x') + '\0';
  const FaultyFile broken(text, 50, true), cut(text, 50, false);
  FileWindow failing(broken, ByteOrder::little), shorter(cut, ByteOrder::little);
  CHECK(failing.bytes(0, 51).empty());
  CHECK(failing.bytes(0, 50).size() == 50);
  CHECK(failing.number<std::uint8_t>(0) == std::nullopt);
  CHECK(shorter.bytes(0, 51).size() == 50);
  CHECK(shorter.number<std::uint8_t>(49) == std::uint8_t{'x'});
  CHECK(shorter.number<std::uint16_t>(49) == std::nullopt);
  CHECK(shorter.number<std::uint8_t>(50) == std::nullopt);
  CHECK(shorter.string(0, 101, 100) == std::nullopt);
}

}  // namespace
}  // namespace cudald
