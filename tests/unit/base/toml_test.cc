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

TEST_CASE("what other parsers end the process on is an error with its line") {
  for (const std::string text : {"[/",
                                 "a=[}",
                                 "a=1979-05-27T=7:3",
                                 "[",
                                 "[[",
                                 "[a",
                                 "a.",
                                 "a.b",
                                 "a = \"\\",
                                 "a = '''",
                                 "[a]]",
                                 "]",
                                 "a = {",
                                 "a = 1_",
                                 "a = 0x",
                                 "a = +-1",
                                 "a = 1979-13-01",
                                 "\xc9\x8d = 1",
                                 "a\xc9\x8d",
                                 "[{% if x %}]",
                                 "a = \"\\ud800\"",
                                 "a = \"\x01\"",
                                 "a = \"\xff\"",
                                 "a = 1\nb = 2 c"}) {
    CAPTURE(text);
    const auto keys = read_toml(text, "");
    REQUIRE_FALSE(keys.has_value());
    CHECK(keys.error().message.starts_with(text.find('\n') == std::string::npos ? "line 1: " : "line 2: "));
  }
}

TEST_CASE("tables and lists nest a hundred deep, however they are written") {
  const auto times = [](int count, const std::string& part) {
    std::string text;
    for (int i = 0; i < count; ++i) text += part;
    return text;
  };
  const auto is_read = [](const std::string& text) {
    const auto keys = read_toml(text, "");
    if (!keys) CHECK(keys.error().code == ErrorCode::limit);
    return keys.has_value();
  };
  CHECK(is_read("[" + times(98, "a.") + "a]\nb = 1\n"));
  CHECK_FALSE(is_read("[" + times(40'000, "a.") + "a]\n"));
  CHECK_FALSE(is_read(times(40'000, "a.") + "a = 1\n"));
  CHECK_FALSE(is_read("[" + times(60, "a.") + "a]\n" + times(60, "b.") + "b = 1\n"));
  CHECK_FALSE(is_read("a = " + times(200, "[") + times(200, "]")));
  CHECK_FALSE(is_read("a = " + times(200, "{b = ") + "1" + times(200, "}")));
}

TEST_CASE("a table is defined once, and what is in braces is whole") {
  for (const std::string text : {"a = 1\na = 2", "[a]\n[a]", "a = 1\n[a]", "[a]\nb.c = 1\n[a.b]", "a = {b = 1}\n[a.c]",
                                 "a = {b = 1}\na.c = 1", "a = [1]\n[[a]]", "[[a]]\n[a]", "[a.b]\nc = 1\n[a]\nb.d = 1"})
    CHECK_FALSE(read_toml(text, "").has_value());
  for (const std::string text :
       {"[a.b]\nc = 1\n[a]\nd = 1", "[a]\nb.c = 1\n[a.b.d]\ne = 1", "[[a]]\n[a.b]\n[[a]]\n[a.b]", "a.b = 1\na.c = 2",
        "a = {b.c = 1, b.d = 2}", "a = {\n b = 1,\n}"})
    CHECK(read_toml(text, "").has_value());
}

TEST_CASE("texts and numbers are read as they are meant") {
  const auto keys = *read_toml(
      "a = \"\\t\\u00e9\\\\\"\nb = '\\t'\nc = \"\"\"\nx\\\n   y\"\"\"\"\nd = '''\r\nz''''\n'q r' = 1\n"
      "e = 0xff\nf = 1_000\ng = -0.50\nh = +inf\n",
      "");
  CHECK(text_at(keys, "a") == "\t\u00e9\\");
  CHECK(text_at(keys, "b") == "\\t");
  CHECK(text_at(keys, "c") == "xy\"");
  CHECK(text_at(keys, "d") == "z'");
  CHECK(text_at(keys, "q r") == "1");
  CHECK(text_at(keys, "e") == "255");
  CHECK(text_at(keys, "f") == "1000");
  CHECK(text_at(keys, "g") == "-0.5");
  CHECK(text_at(keys, "h") == "inf");
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
