#include "base/json.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST_CASE("JSON: a text that is none, or nests too deep, is discarded") {
  CHECK(parse_json(R"({"a": [1, "]"]})").at("a").size() == 2);
  CHECK(parse_json("{").is_discarded());
  CHECK(parse_json("").is_discarded());
  CHECK_FALSE(parse_json(nested(200)).is_discarded());
  CHECK(parse_json(nested(201)).is_discarded());
  CHECK(parse_json(nested(1'000'000)).is_discarded());
}

TEST_CASE("JSON: brackets between quotes do not nest") {
  CHECK(parse_json('"' + std::string(1000, '[') + '"').is_string());
  CHECK(parse_json(R"(["\"[[", "\\", "["])").size() == 3);
}

TEST_CASE("JSON: the text under a key, or nothing") {
  const auto object = parse_json(R"({"a": "b", "c": 1})");
  CHECK(text_at(object, "a") == "b");
  CHECK(text_at(object, "c").empty());
  CHECK(text_at(object, "d").empty());
  CHECK(text_at(parse_json("[1]"), "a").empty());
}

TEST_CASE("tables are read as tools/embed.py packs them") {
  const auto bytes = [](std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
  };
  const auto long_text = std::string(40, 'x'), longer_text = std::string(300, 'y');
  const auto table = bytes({0x83, 0xa1, 'a', 0x96, 7, 0xd3, 255, 255, 255, 255, 255, 255, 255, 254, 0xc0, 0xc2, 0xc3}) +
                     bytes({0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xa1, 'b', 0xd9, 40}) + long_text +
                     bytes({0xa1, 'c', 0x82, 0xa1, 'n', 0xcf, 0, 0, 0, 1, 0, 0, 0, 0, 0xa1, 'o', 0xda, 1, 44}) +
                     longer_text;
  const auto read = parse_table(table);
  CHECK(read == parse_json(R"({"a": [7, -2, null, false, true, 1.5], "b": ")" + long_text +
                           R"(", "c": {"n": 4294967296, "o": ")" + longer_text + "\"}}"));
  CHECK(parse_table(bytes({0xdc, 0, 2, 1, 2})) == parse_json("[1, 2]"));
  CHECK(parse_table(bytes({0xde, 0, 1, 0xa1, 'k', 0x80})) == parse_json(R"({"k": {}})"));
  const auto with_size_of_4 = [&](int head) { return bytes({head, 0, 0, 0, 2}); };
  CHECK(parse_table(with_size_of_4(0xdb) + "ab") == parse_json(R"("ab")"));
  CHECK(parse_table(with_size_of_4(0xdd) + bytes({1, 2})) == parse_json("[1, 2]"));
  CHECK(parse_table(with_size_of_4(0xdf) + bytes({0xa1, 'a', 1, 0xa1, 'b', 2})) == parse_json(R"({"a": 1, "b": 2})"));
  CHECK(parse_table(bytes({0x7f})) == parse_json("127"));
  CHECK(parse_table(bytes({0x80})) == parse_json("{}"));
  CHECK(parse_table(bytes({0x90})) == parse_json("[]"));
  CHECK(parse_table(bytes({0xa0})) == parse_json(R"("")"));
  CHECK(parse_table(bytes({0xbf}) + std::string(31, 'z')) == std::string(31, 'z'));
  CHECK(parse_table(bytes({0x9f}) + std::string(15, '\1')).size() == 15);
  CHECK(parse_table(bytes({0xcf, 1, 2, 3, 4, 5, 6, 7, 8})) == 0x0102030405060708ULL);
  // Numbers as other writers have them.
  CHECK(parse_table(bytes({0xcc, 200})) == 200);
  CHECK(parse_table(bytes({0xcd, 1, 2})) == 0x0102);
  CHECK(parse_table(bytes({0xce, 1, 2, 3, 4})) == 0x01020304);
  CHECK(parse_table(bytes({0xff})) == -1);
  CHECK(parse_table(bytes({0xe0})) == -32);
  CHECK(parse_table(bytes({0xd0, 0x80})) == -128);
  CHECK(parse_table(bytes({0xd1, 0xff, 0})) == -256);
  CHECK(parse_table(bytes({0xd2, 0x80, 0, 0, 0})) == -2147483648LL);
  CHECK(parse_table(bytes({0xca, 0x3f, 0xc0, 0, 0})) == 1.5);
  for (const int head : {0xc1, 0xc4, 0xc7, 0xd4, 0xd8}) CHECK_THROWS(parse_table(bytes({head, 0, 0})));
  // Not in the order of their names, as another writer might have them.
  CHECK(parse_table(bytes({0x82, 0xa1, 'b', 1, 0xa1, 'a', 2})) == parse_json(R"({"a": 2, "b": 1})"));
  for (const std::size_t size : {0, 1, 2, 5, 60, 100}) CHECK_THROWS(parse_table(table.substr(0, size)));
  CHECK_THROWS(parse_table(bytes({0xc1})));
}

TEST_CASE("of the values of a table only true is a flag") {
  std::string bytes;
  nlohmann::json::to_msgpack(parse_json(R"([true, false, null, 1, "true", [true]])"), bytes);
  std::string flags;
  for (const auto& value : TableValue(bytes).values()) flags += value.flag() ? '1' : '0';
  CHECK(flags == "100000");
  CHECK_FALSE(TableValue().flag());
}

TEST_CASE("of a table what is asked for is read where it lies") {
  std::string bytes;
  nlohmann::json::to_msgpack(
      parse_json(R"({"deep": {"list": [{"a": "x"}, [1, [2]], -5, 1.5, null, true, "last"], "n": 70000, "null": null},
                     "z": "end"})"),
      bytes);
  const TableValue table(bytes);
  const auto values = table.at("deep").at("list").values();
  REQUIRE(values.size() == 7);
  CHECK(values[0].at("a").text() == "x");
  CHECK(values[1].values()[1].values()[0].number() == 2);
  CHECK(values[6].text() == "last");
  CHECK(values[1].json() == parse_json("[1, [2]]"));
  CHECK(TableValue().json().is_null());
  CHECK(table.at("deep").at("n").number() == 70000);
  CHECK(table.at("z").text() == "end");
  // What is not there is not there; null is.
  CHECK(!table.at("y").is_there());
  CHECK(!table.at("y").at("x").is_there());
  CHECK(table.at("deep").at("null").is_there());
  CHECK(table.at("deep").at("null").text().empty());
  // Of another kind than asked for.
  CHECK(table.at("z").values().empty());
  CHECK(!table.at("z").at("a").is_there());
  CHECK(table.at("z").number() == 0);
  CHECK(table.text().empty());
  CHECK(TableValue().number() == 0);
  const auto entries = table.at("deep").entries();
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].first == "list");
  CHECK(entries[1].first == "n");
  CHECK(entries[1].second.number() == 70000);
  CHECK(entries[2].first == "null");
  CHECK(table.at("z").entries().empty());
  CHECK(TableValue().entries().empty());
  for (std::size_t size = 1; size < bytes.size(); ++size)
    CHECK_THROWS(TableValue(std::string_view(bytes).substr(0, size)).at("zz"));
}

TEST_CASE("JSON: its shape is told by brackets and commas outside of quotes") {
  struct Row {
    std::string text;
    int depth;
    std::uint64_t values;
  };
  const Row rows[] = {
      {"", 0, 1},
      {"5", 0, 1},
      {"[]", 1, 2},
      {"{}", 1, 2},
      {"[1, 2, 3]", 1, 4},
      {R"({"a": [1], "b": {"c": []}})", 3, 6},
      {"[][]", 1, 3},
      {"[[]]", 2, 3},
      {R"("[,{")", 0, 1},
      {R"(["\"[,", 1])", 1, 3},
      {R"(["\\", [1]])", 2, 4},
      {R"("a\)", 0, 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(shape_of_json(row.text).depth == row.depth);
    CHECK(shape_of_json(row.text).values == row.values);
  }
}

TEST_CASE("no table has no values, no text and no keys") {
  CHECK(TableValue().values().empty());
  CHECK(TableValue().text() == "");
  CHECK_FALSE(TableValue().is_there());
  CHECK_FALSE(TableValue().at("a").is_there());
  std::string bytes;
  nlohmann::json::to_msgpack(parse_json(R"([-5, 5, true, ["x"], {"k": [[], {}, "t"], "l": 1.5, "m": "end"}])"), bytes);
  const auto values = TableValue(bytes).values();
  REQUIRE(values.size() == 5);
  CHECK(values[0].number() == 0);
  CHECK(values[1].number() == 5);
  CHECK(values[2].number() == 0);
  CHECK(values[3].values().at(0).text() == "x");
  CHECK(values[4].at("m").text() == "end");
  CHECK(values[4].at("k").values().size() == 3);
  CHECK(values[4].json() == parse_json(R"({"k": [[], {}, "t"], "l": 1.5, "m": "end"})"));
  CHECK_FALSE(values[4].at("end").is_there());  // it is a value, and no key
}

}  // namespace
}  // namespace cudald
