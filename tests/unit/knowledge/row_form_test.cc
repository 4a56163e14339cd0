#include "knowledge/row_form.h"

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
  CHECK(fault_of_row(form, json::array()) == "is not an object");
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

TEST_CASE("a value is of its kind, and of each kind there is what only looks like it") {
  struct Row {
    std::string kind;
    json good, bad;
    std::string wanted;
  };
  const std::string message = "a text, or texts with names in braces between them";
  const Row rows[] = {
      {"v", "12.8.post1", "", "a version"},
      {"v", "1", 1, "a version"},
      {"v", "0.9", "1-2", "a version"},
      {"n", 0U, -1, "a number"},
      {"n", 7U, 1.5, "a number"},
      {"n", 7U, "7", "a number"},
      {"k", "cublasLt", 5, "a kind of library that cudald knows"},
      {"k", "driver", "Driver", "a kind of library that cudald knows"},
      {"p", "linux", "Linux", "\"linux\" or \"windows\""},
      {"p", "windows", 1, "\"linux\" or \"windows\""},
      {"b", true, 1, "true or false"},
      {"b", false, nullptr, "true or false"},
      {"l", json::array(), "a", "a list of texts"},
      {"l", json::array({"a", "b"}), json::array({"a", 1}), "a list of texts"},
      {"l", json::array({""}), json::object({{"a", "b"}}), "a list of texts"},
      {"o", json::array(), "a", "a list or an object"},
      {"o", json::object(), 1, "a list or an object"},
      {"t", "x", "", "a text"},
      {"t", " ", 5, "a text"},
      {"1", "x", nullptr, "a text"},
      {"m", "plain", "a {b", message},
      {"m", "a {b}", "{a}", message},
      {"m", "{a} b", "a {b}{c} d", message},
      {"m", "{a} and {b}", "a {b {c}} d", message},
      {"m", "a {b} c", "a } b", message},
      {"m", "{a}-{b}", "a {b}} c", message},
      {"m", "{a}x", "", message},
      {"m", "x", 5, message},
  };
  for (const Row& row : rows) {
    CAPTURE(row.kind);
    CAPTURE(row.bad.dump());
    CHECK(fault_of_row("key:" + row.kind, json{{"key", row.good}}) == "");
    CHECK(fault_of_row("key:" + row.kind, json{{"key", row.bad}}) == "`key` must be " + row.wanted);
    CHECK(fault_of_row("key:" + row.kind, json::object()) == "lacks `key`");
    if (row.kind == "1") continue;
    const std::string nullable(1, static_cast<char>(row.kind[0] - 'a' + 'A'));
    CHECK(fault_of_row("key:" + nullable, json{{"key", nullptr}}) == "");
    CHECK(fault_of_row("key:" + nullable, json::object()) == "");
    if (!row.bad.is_null())
      CHECK(fault_of_row("key:" + nullable, json{{"key", row.bad}}) == "`key` must be " + row.wanted + " or null");
  }
}

TEST_CASE("each row may say where it is from, as texts; a proof may be a list") {
  const auto with = [](const char* key, json value) { return fault_of_row("a:t", json{{"a", "x"}, {key, value}}); };
  CHECK(with("source", "s") == "");
  CHECK(with("source", 5) == "`source` must be a text");
  CHECK(with("source", nullptr) == "`source` must be a text");
  CHECK(with("checked", "d") == "");
  CHECK(with("checked", json::array()) == "`checked` must be a text");
  CHECK(with("proof", nullptr) == "");
  CHECK(with("proof", "p") == "");
  CHECK(with("proof", json::array({"p"})) == "");
  CHECK(with("proof", 5) == "`proof` must be a text or null");
  CHECK(with("proof", json::object()) == "`proof` must be a text or null");
}

TEST_CASE("each kind of library has its word") {
  std::string words;
  for (int kind = 0; kind <= static_cast<int>(CudaKind::driver); ++kind) {
    const auto word = to_string(static_cast<CudaKind>(kind));
    CHECK(kind_named(word) == static_cast<CudaKind>(kind));
    (words += word) += ' ';
  }
  CHECK(words ==
        "cudart cudnn cublas cublasLt cufft curand cusolver cusparse nvrtc nvrtc-builtins nvJitLink nccl tensorrt "
        "driver ");
  CHECK_FALSE(kind_named("").has_value());
  CHECK_FALSE(kind_named("CUDART").has_value());
}

TEST_CASE("rows that are known by several keys differ in any of them, and a null is as good as nothing") {
  constexpr auto several = "a:t b:n|c:t";
  CHECK(is_same_row(several, json{{"a", "x"}, {"b", 1}, {"c", "y"}}, json{{"a", "x"}, {"b", 1}, {"c", "z"}}));
  CHECK_FALSE(is_same_row(several, json{{"a", "x"}, {"b", 1}}, json{{"a", "x"}, {"b", 2}}));
  CHECK_FALSE(is_same_row(several, json{{"a", "x"}, {"b", 1}}, json{{"a", "y"}, {"b", 1}}));
  CHECK_FALSE(is_same_row(several, json{{"a", "x"}, {"b", 1}}, json{{"a", "x"}}));
}

}  // namespace
}  // namespace cudald
