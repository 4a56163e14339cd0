#include "base/bounded_json.h"

#include <doctest/doctest.h>

#include <string>

namespace cudald {
namespace {

TEST_CASE("JSON is parsed as far as its values fit") {
  Budget budget(json_limits);
  const auto json = parse_json(R"({"a": [1, "b\", [,"], "c": {}})", budget);
  REQUIRE(json);
  CHECK((*json)["a"].size() == 2);
  CHECK(parse_json("{", budget).error().code == ErrorCode::malformed);
  std::string lists = "[[]";
  for (int i = 0; i < 300'000; ++i) lists += ",[]";
  const auto many = parse_json(lists + "]", budget);
  REQUIRE_FALSE(many);
  CHECK(many.error().code == ErrorCode::limit);
  Budget own(json_limits);  // a comma in a text is no value
  CHECK(parse_json("[\"" + std::string(1'000'000, ',') + "\"]", own));
}

}  // namespace
}  // namespace cudald
