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

}  // namespace
}  // namespace cudald
