#include "pyimport/values/name_table.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

using namespace cudald::python;

namespace {

std::string name_of(unsigned number) { return "name" + std::string(number % 20, '_') + std::to_string(number); }

}  // namespace

TEST_CASE("what a name is bound to is found among few names and among many") {
  NameTable<unsigned> table;
  for (unsigned i = 0; i < 3000; ++i) {
    CHECK(!table.contains(name_of(i)));
    CHECK(table.emplace(name_of(i), i).second);
    CHECK(table.find(name_of(i / 2))->second == i / 2);
  }
  CHECK(table.size() == 3000);
  CHECK(table.find("another") == table.end());
  unsigned place = 0;
  for (const auto& [name, number] : table) CHECK(number == place++);
}

TEST_CASE("a name that is bound already keeps its value, or gets another one") {
  NameTable<int> table;
  table.emplace("a", 1);
  CHECK(!table.emplace("a", 2).second);
  CHECK(table.find("a")->second == 1);
  table.insert_or_assign("a", 3);
  table.insert_or_assign("", 4);
  table["b"] = 5;
  table["a"] += 1;
  CHECK(table["a"] == 4);
  CHECK(table[""] == 4);
  CHECK(table["b"] == 5);
  CHECK(table.size() == 3);
}

TEST_CASE("erased names are gone, and all others are found, whatever came before") {
  NameTable<unsigned> table;
  std::map<std::string, unsigned> expected;
  unsigned random = 1;
  for (unsigned i = 0; i < 20'000; ++i) {
    random = random * 1664525 + 1013904223;
    const auto name = name_of((random >> 8) % 200);
    if ((random >> 20) % 2 == 0) {
      table.insert_or_assign(name, i);
      expected.insert_or_assign(name, i);
    } else {
      table.erase(name);
      expected.erase(name);
    }
    if (i % 100 != 0) continue;
    CHECK(std::map<std::string, unsigned>(table.begin(), table.end()) == expected);
    for (unsigned n = 0; n < 200; ++n) CHECK(table.contains(name_of(n)) == expected.contains(name_of(n)));
  }
}

TEST_CASE("a copy has names of its own") {
  NameTable<int> table;
  for (int i = 0; i < 50; ++i) table.emplace(std::to_string(i), i);
  auto copy = table;
  table.erase("7");
  copy.insert_or_assign("8", 0);
  CHECK(copy.find("7")->second == 7);
  CHECK(table.find("8")->second == 8);
}

TEST_CASE("a key is equal to others of its text alone") {
  const std::string text = "a name of more than sixteen bytes";
  CHECK(NameKey(text).hash() == NameKey(std::string(text)).hash());
  CHECK(NameKey("abcdefgh").hash() != NameKey("abcdefgi").hash());
  CHECK(NameKey("a").hash() != NameKey(std::string("a\0", 2)).hash());
}
