#include "knowledge/first_seen.h"

#include <doctest/doctest.h>

#include <set>

#include "base/json.h"
#include "base/version_order.h"
#include "common/built_in.h"
#include "embedded.h"
#include "knowledge/knowledge.h"

namespace cudald {
namespace {

TEST_CASE("each function is first seen once, after the oldest release that was read") {
  const auto table = parse_table(embedded_first_seen());
  CHECK(table.at("schema") == "cudald/first-seen");
  for (const auto& row : table.at("rows")) {
    CAPTURE(row.at("library").get<std::string>());
    std::set<std::string> seen;
    for (const auto& [release, names] : row.at("first").items()) {
      CHECK(version_less(row.at("oldest").get<std::string>(), release));
      for (const auto& name : names) CHECK(seen.insert(name.get<std::string>()).second);
    }
    for (const auto& [release, names] : row.at("last").items())
      CHECK(version_less(release, row.at("newest").get<std::string>()));
  }
}

TEST_CASE("in which release a function came, and after which it went") {
  const auto added = history_of("libcudnn.so.8", "cudnnGetMaxDeviceVersion", built_in());
  REQUIRE(added);
  CHECK(added->first == "8.6.0");
  CHECK(added->last.empty());
  const auto gone = history_of("libcudnn.so.9", "cudnnBackendCreateCudaGraph", built_in());
  REQUIRE(gone);
  CHECK(gone->first == "9.2.0");
  CHECK(gone->last == "9.2.1");
  CHECK_FALSE(history_of("libcudnn.so.8", "cudnnCreate", built_in()));
  CHECK_FALSE(history_of("libcudart.so.12", "cudnnGetMaxDeviceVersion", built_in()));
  CHECK_FALSE(history_of("libfoo.so.1", "f", built_in()));
}

TEST_CASE("the history of a function is that of the first row of its library that has it") {
  const auto known = lay_over(*built_in_knowledge(), R"({"schema": "cudald/first-seen", "checked": "2030-01-02",
    "source": "notes", "proof": "a test", "rows": [
      {"library": "libp.so.1", "oldest": "1.0", "newest": "1.9", "releases": 2,
       "first": {"1.1": ["a"], "1.2": ["b", "c"]},
       "last": {"1.3": ["b"], "1.4": ["d"]}, "source": "own", "checked": "2029-01-02"}]})");
  REQUIRE(known.has_value());
  const auto told = [&](const std::string& function) {
    const auto history = history_of("libp.so.1", function, **known);
    return history ? history->first + " to " + history->last + ", " + history->source : "-";
  };
  CHECK(told("a") == "1.1 to , own, 2029-01-02");
  CHECK(told("b") == "1.2 to 1.3, own, 2029-01-02");
  CHECK(told("c") == "1.2 to , own, 2029-01-02");
  CHECK(told("d") == " to 1.4, own, 2029-01-02");
  CHECK(told("e") == "-");
  const auto built = history_of("libcudnn.so.9", "cudnnBackendCreateCudaGraph", built_in());
  REQUIRE(built.has_value());
  CHECK(built->source.starts_with("the libraries in NVIDIA's wheels on the Python package index"));
  CHECK(built->source.find(", 20") != std::string::npos);
}

}  // namespace
}  // namespace cudald
