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

TEST_CASE("a document costs its bytes and what its values may take, before it is parsed") {
  const auto code = [](const std::string& text, std::uint64_t kept) {
    Budget budget(CostLimits{.kept = kept});
    const auto json = parse_json(text, budget);
    CHECK(budget.cost().read == 0);
    CHECK(budget.cost().steps == 0);
    if (json) CHECK(budget.cost().kept == kept);
    return json ? std::string("read") : json.error().message;
  };
  CHECK(code("[]", 2 * 64 + 2) == "read");
  CHECK(code("[]", 2 * 64 + 1) == "more than 129 bytes of names and entries would be kept for it");
  CHECK(code("[1, 2]", 3 * 64 + 6) == "read");
  CHECK(code("[1, 2]", 3 * 64 + 5) != "read");
  CHECK(code("[1, 2", 3 * 64 + 5) == "is not valid JSON");
}

}  // namespace
}  // namespace cudald
