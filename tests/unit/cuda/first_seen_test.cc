#include "cuda/first_seen.h"

#include <doctest/doctest.h>

#include <set>

#include "base/json.h"
#include "base/version_order.h"
#include "common/built_in.h"
#include "embedded.h"

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

}  // namespace
}  // namespace cudald
