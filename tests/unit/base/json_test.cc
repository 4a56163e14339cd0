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
  for (const int head : {0xc1, 0xc4, 0xca, 0xcc, 0xd0, 0xd2, 0xe0, 0xff})
    CHECK_THROWS(parse_table(bytes({head, 0, 0})));
  // Not in the order of their names, as another writer might have them.
  CHECK(parse_table(bytes({0x82, 0xa1, 'b', 1, 0xa1, 'a', 2})) == parse_json(R"({"a": 2, "b": 1})"));
  for (const std::size_t size : {0, 1, 2, 5, 60, 100}) CHECK_THROWS(parse_table(table.substr(0, size)));
  CHECK_THROWS(parse_table(bytes({0xc1})));
}

}  // namespace
}  // namespace cudald
