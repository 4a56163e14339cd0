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

TEST_CASE("values of each kind have a text") {
  const auto keys = read_toml(
      "a = 1979-05-27T07:32:00Z\nb = false\nc = -7\nd = 0.25\ne = []\nf = [[1], 2]\ng = {}\nh = ''\ni = 1979-05-27\n"
      "j = 1979-05-28 07:32:00\n",
      "");
  REQUIRE(keys.has_value());
  std::string text;
  for (const auto& key : *keys) {
    text += key.name + std::to_string(key.line) + (key.list ? "list" : "");
    for (const auto& value : key.values) text += " " + value;
    text += "\n";
  }
  CHECK(text == "a1 1979-05-27\nb2 false\nc3 -7\nd4 0.25\ne5list\nf6list  2\ng7\nh8 \ni9 1979-05-27\nj10 1979-05-28\n");
  CHECK(text_at(*keys, "a") == "1979-05-27");
  CHECK(text_at(*keys, "e") == "");
  CHECK(text_at(*keys, "f") == "");
  CHECK(text_at(*keys, "g") == "");
  CHECK(text_at(read_toml("a = ['x', 'y']\n[b]\n", "").operator*(), "a") == "");
}

TEST_CASE("tables within tables, and lists of them, keep their keys") {
  const auto keys = read_toml("[a.b]\nc = 1\n[[d]]\ne = 2\n[[d]]\ne = 3\n", "");
  REQUIRE(keys.has_value());
  REQUIRE(keys->size() == 2);
  CHECK(text_at((*keys)[0].keys.at(0).keys, "c") == "1");
  CHECK_FALSE((*keys)[0].list);
  CHECK((*keys)[1].list);
  REQUIRE((*keys)[1].tables.size() == 2);
  CHECK((*keys)[1].tables[1].name == "d");
  CHECK(text_at((*keys)[1].tables[0].keys, "e") == "2");
  CHECK(text_at((*keys)[1].tables[1].keys, "e") == "3");
  CHECK(read_toml("[a.b]\nc = 1\n", "a.b")->at(0).name == "c");
  CHECK(read_toml("a = 1\n", "a")->empty());
  CHECK(find_key(*keys, "d") == &keys->at(1));
  CHECK(find_key(*keys, "e") == nullptr);
}

TEST_CASE("errors of TOML have their kind and their words") {
  const auto broken = read_toml("a = 1\nb = \n", "");
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().code == ErrorCode::malformed);
  CHECK(broken.error().message.starts_with("line 2: "));
  // Half a million marks of values are read, one more is not.
  const auto code = [](char mark, int count) {
    const auto keys = read_toml("#" + std::string(static_cast<std::size_t>(count), mark) + "\na = 1\n", "");
    return keys ? std::string("read") : keys.error().message;
  };
  CHECK(code('x', 500'000) == "read");
  for (const char mark : {',', '=', '[', '{', '.'}) {
    CAPTURE(mark);
    CHECK(code(mark, 499'999) == "read");
    CHECK(code(mark, 500'000) == "more values than any such file has");
  }
}

}  // namespace
}  // namespace cudald
