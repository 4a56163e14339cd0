#include "base/pack.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cudald {
namespace {

enum class Colour { red, green = 300 };

struct Part {
  std::string name;
  Colour colour = Colour::red;
};
void fields(Is<Part> auto& part, auto&& take) {
  auto& [name, colour] = part;
  take(name, colour);
}

struct Whole {
  std::vector<Part> parts;
  std::optional<std::uint32_t> flags;
  std::optional<std::string> none;
  std::map<std::string, std::optional<std::string>> variables;
  std::set<std::string> names;
  std::int64_t below = 0;
  std::uint64_t most = 0;
  bool yes = false;
};
void fields(Is<Whole> auto& whole, auto&& take) {
  auto& [parts, flags, none, variables, names, below, most, yes] = whole;
  take(parts, flags, none, variables, names, below, most, yes);
}

std::string packed_example() {
  PackWriter writer;
  writer(Whole{{{"", Colour::green}, {std::string("a\0b", 3), Colour::red}},
               7,
               std::nullopt,
               {{"A", "1"}, {"B", std::nullopt}},
               {"x", "y"},
               -5,
               std::numeric_limits<std::uint64_t>::max(),
               true},
         std::string("behind it"));
  return writer.bytes();
}

TEST_CASE("values come back as they were written") {
  Whole whole;
  std::string behind;
  PackReader reader(std::string_view{});
  const auto bytes = packed_example();
  reader = PackReader(bytes);
  reader(whole);
  CHECK_FALSE(reader.at_end());
  reader(behind);
  CHECK(reader.at_end());
  REQUIRE(whole.parts.size() == 2);
  CHECK(whole.parts[0].name.empty());
  CHECK(whole.parts[0].colour == Colour::green);
  CHECK(whole.parts[1].name == std::string("a\0b", 3));
  CHECK(whole.parts[1].colour == Colour::red);
  CHECK(whole.flags == 7U);
  CHECK_FALSE(whole.none.has_value());
  CHECK(whole.variables == std::map<std::string, std::optional<std::string>>{{"A", "1"}, {"B", std::nullopt}});
  CHECK(whole.names == std::set<std::string>{"x", "y"});
  CHECK(whole.below == -5);
  CHECK(whole.most == std::numeric_limits<std::uint64_t>::max());
  CHECK(whole.yes);
  CHECK(behind == "behind it");
}

TEST_CASE("numbers take as many bytes as they have groups of seven bits") {
  for (const auto& [number, size] :
       std::map<std::uint64_t, std::size_t>{{0, 1}, {0x7f, 1}, {0x80, 2}, {0x3fff, 2}, {0x4000, 3}, {~0ULL, 10}}) {
    PackWriter writer;
    writer(number);
    CHECK(writer.bytes().size() == size);
    std::uint64_t again = 1;
    PackReader reader(writer.bytes());
    reader(again);
    CHECK(again == number);
    CHECK(reader.at_end());
  }
}

TEST_CASE("bytes that end early are noticed wherever they end") {
  const auto bytes = packed_example();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Whole whole;
    std::string behind;
    PackReader reader(std::string_view(bytes).substr(0, length));
    reader(whole, behind);
    CHECK_FALSE(reader.at_end());
  }
}

TEST_CASE("a count that is larger than all that follows makes nothing") {
  PackWriter writer;
  writer(std::uint64_t{1} << 60, std::string("few"));
  std::vector<std::string> many;
  PackReader reader(writer.bytes());
  reader(many);
  CHECK(many.empty());
  CHECK_FALSE(reader.at_end());
  std::string text = "before";
  PackReader other(writer.bytes());
  other(text);
  CHECK(text.empty());
}

TEST_CASE("a number without an end is none") {
  std::uint64_t number = 1;
  const std::string endless(20, '\x80');
  PackReader reader(endless);
  reader(number);
  CHECK(number == 0);
  CHECK_FALSE(reader.at_end());
}

TEST_CASE("within a list nothing is made any more behind what cannot be read") {
  const std::string bytes(
      "\x02\x05"
      "a"
      "b",
      4);  // two texts, of which the first would have five letters
  const auto count_of = [&](auto values) {
    PackReader reader(bytes);
    reader(values);
    CHECK_FALSE(reader.at_end());
    return values.size();
  };
  CHECK(count_of(std::vector<std::string>()) == 1);
  CHECK(count_of(std::set<std::string>()) == 1);
  const std::string enough(
      "\x02\x05"
      "ab",
      4);
  PackReader reader(enough);
  std::vector<std::string> values;
  reader(values);
  CHECK(values == std::vector<std::string>{""});
  std::set<std::string> names;
  PackReader into_set(enough);
  into_set(names);
  CHECK(names == std::set<std::string>{""});
  std::map<std::string, std::string> pairs;
  PackReader into_map(enough);
  into_map(pairs);
  CHECK(pairs == std::map<std::string, std::string>{{"", ""}});
}

TEST_CASE("a number has ten groups at most, and as many bytes as there are may be counted") {
  std::uint64_t number = 1;
  PackReader longest(std::string_view("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10));
  longest(number);
  CHECK(number == (std::uint64_t{1} << 63) + 1);
  CHECK(longest.at_end());
  PackReader longer(std::string_view("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11));
  longer(number);
  CHECK(number == 0);
  CHECK_FALSE(longer.at_end());
  std::string text;
  PackReader whole(
      std::string_view("\x02"
                       "ab",
                       3));
  whole(text);
  CHECK(text == "ab");
  CHECK(whole.at_end());
  PackReader cut(
      std::string_view("\x03"
                       "ab",
                       3));
  cut(text);
  CHECK(text == "");
  CHECK_FALSE(cut.at_end());
}

}  // namespace
}  // namespace cudald
