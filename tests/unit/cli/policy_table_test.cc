#include "cli/policy_table.h"

#include <doctest/doctest.h>

#include "base/toml.h"

namespace cudald {
namespace {

TEST_CASE("the example of each rule is one that it takes") {
  for (const auto& row : policy_table()) {
    CAPTURE(row.name);
    const auto keys = read_toml("x = " + std::string(row.example), "");
    REQUIRE(keys.has_value());
    Policy policy;
    CHECK_FALSE(row.apply(policy, keys->front().values).has_value());
    CHECK(find_policy(row.name) == &row);
  }
  CHECK(find_policy("none") == nullptr);
}

TEST_CASE("values enter the policy, and what does not fit is told") {
  Policy policy;
  const auto apply = [&](const char* name, const std::vector<std::string>& values) {
    return find_policy(name)->apply(policy, values).value_or("");
  };
  CHECK(apply("max-glibc", {"2.28"}) == "");
  CHECK(policy.max_glibc == "2.28");
  for (const auto* odd : {"", "GLIBC_2.28", "2..28", ".2", "2."}) CHECK(apply("max-glibc", {odd}) != "");
  CHECK(apply("max-glibc", {"2", "3"}) == "one version is wanted");
  CHECK(apply("abi3", {"false"}) == "");
  CHECK_FALSE(policy.check_abi3);
  CHECK(apply("abi3", {"no"}) == "true or false is wanted");
  CHECK(apply("required-gpus", {"sm_80", "9.0"}) == "");
  CHECK(policy.required_gpus == std::vector<GpuArchitecture>{{80, 0}, {90, 0}});
  CHECK(apply("required-gpus", {"fast"}) != "");
}

}  // namespace
}  // namespace cudald
