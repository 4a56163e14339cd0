#include "base/toml.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("keys keep their lines, their values as text, and whether they are lists") {
  const auto keys = read_toml("a = \"x\"\nb = [1, 2]\nc = true\nd = 2027-01-01\n[e]\nf = 1.5\n", "");
  REQUIRE(keys.has_value());
  REQUIRE(keys->size() == 5);
  CHECK((*keys)[0].values == std::vector<std::string>{"x"});
  CHECK((*keys)[1].values == std::vector<std::string>{"1", "2"});
  CHECK((*keys)[1].list);
  CHECK((*keys)[1].line == 2);
  CHECK((*keys)[2].values == std::vector<std::string>{"true"});
  CHECK((*keys)[3].values == std::vector<std::string>{"2027-01-01"});
  REQUIRE((*keys)[4].keys.size() == 1);
  CHECK((*keys)[4].keys[0].values == std::vector<std::string>{"1.5"});
}

TEST_CASE("a list may hold words and tables") {
  const auto keys = read_toml("ignore = [\"CUD1\", {code = \"CUD2\"}]\n", "");
  REQUIRE(keys.has_value());
  CHECK((*keys)[0].values == std::vector<std::string>{"CUD1"});
  REQUIRE((*keys)[0].tables.size() == 1);
  CHECK((*keys)[0].tables[0].keys[0].values == std::vector<std::string>{"CUD2"});
}

TEST_CASE("one table of a document; none if it is not there") {
  const auto text = "[tool.other]\nx = 1\n[tool.cudald]\ny = 2\n";
  const auto keys = read_toml(text, "tool.cudald");
  REQUIRE(keys.has_value());
  REQUIRE(keys->size() == 1);
  CHECK((*keys)[0].name == "y");
  CHECK(read_toml(text, "tool.none")->empty());
}

TEST_CASE("what is no TOML is an error with its line; what is deep is no danger") {
  const auto broken = read_toml("a = 1\nb = \n", "");
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().message.starts_with("line "));
  CHECK_FALSE(read_toml("a = " + std::string(100000, '['), "").has_value());
}

TEST_CASE("keys by name, and the one text of a key") {
  const auto keys = *read_toml("a = 'x'\nb = ['y']\nc = { d = 1 }\n", "");
  CHECK(text_at(keys, "a") == "x");
  CHECK(text_at(keys, "b") == "");
  CHECK(text_at(keys, "none") == "");
  REQUIRE(find_key(keys, "c") != nullptr);
  CHECK(text_at(find_key(keys, "c")->keys, "d") == "1");
}

TEST_CASE("more values than any file has are not read") {
  std::string text = "a = [";
  for (int i = 0; i < 600'000; ++i) text += "1,";
  const auto keys = read_toml(text + "]\n", "");
  REQUIRE_FALSE(keys.has_value());
  CHECK(keys.error().code == ErrorCode::limit);
}

}  // namespace
}  // namespace cudald
