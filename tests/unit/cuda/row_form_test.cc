#include "cuda/row_form.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace cudald {
namespace {

using nlohmann::json;

constexpr auto form = "name:t since:v|number:N kind:K platform:P list:L truth:B any:O";

TEST_CASE("a row is checked against its form") {
  const auto good = json::parse(R"({"name": "x", "since": "12.8", "number": 3, "kind": "cudnn", "platform": "linux",
                                    "list": ["a"], "truth": false, "any": {}, "source": "s"})");
  CHECK(fault_of_row(form, good).empty());
  CHECK(fault_of_row(form, json::parse(R"({"name": "x", "since": "12.8", "number": null})")).empty());
  CHECK(fault_of_row(form, json::array()) == "is no object");
  CHECK(fault_of_row(form, json::parse(R"({"name": "x"})")) == "lacks `since`");
  const auto with = [&](const char* key, json value) {
    auto row = good;
    row[key] = std::move(value);
    return fault_of_row(form, row);
  };
  CHECK(with("name", "") == "`name` must be a text");
  CHECK(with("since", "new") == "`since` must be a version");
  CHECK(with("number", -1) == "`number` must be a number or null");
  CHECK(with("kind", "cuda") == "`kind` must be a kind of library that cudald knows or null");
  CHECK(with("platform", "mac") == "`platform` must be \"linux\" or \"windows\" or null");
  CHECK(with("list", json::array({1})) == "`list` must be a list of texts or null");
  CHECK(with("truth", "yes") == "`truth` must be true or false or null");
  CHECK(with("any", 1) == "`any` must be a list or an object or null");
  CHECK(with("more", 1) == "`more` is not known");
}

TEST_CASE("rows are the same by the keys before the bar") {
  const auto row = [](const char* name, const char* since, int number) {
    return json{{"name", name}, {"since", since}, {"number", number}};
  };
  CHECK(is_same_row(form, row("x", "1", 1), row("x", "1", 2)));
  CHECK_FALSE(is_same_row(form, row("x", "1", 1), row("x", "2", 1)));
  CHECK(is_same_row("a:t b:T|c:t", json{{"a", "x"}}, json{{"a", "x"}, {"b", nullptr}}));
}

}  // namespace
}  // namespace cudald
