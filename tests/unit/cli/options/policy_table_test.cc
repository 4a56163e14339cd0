#include "cli/options/policy_table.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

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
  CHECK(apply("max-glibc", {"2", "3"}) == "expected one version");
  CHECK(apply("abi3", {"false"}) == "");
  CHECK_FALSE(policy.check_abi3);
  CHECK(apply("abi3", {"no"}) == "expected true or false");
  CHECK(apply("required-gpus", {"sm_80", "9.0"}) == "");
  CHECK(policy.required_gpus == std::vector<GpuArchitecture>{{80, 0}, {90, 0}});
  CHECK(apply("required-gpus", {"fast"}) != "");
}

TEST_CASE("each rule enters its own field") {
  Policy policy;
  for (const auto& [name, values] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"max-glibc", {"2.1"}},
                                                                     {"max-glibcxx", {"3.4.2"}},
                                                                     {"allowed-libraries", {"liba.so", "libb.so"}},
                                                                     {"forbid-absolute-rpath", {"true"}},
                                                                     {"forbidden-rpath", {"/a", "/b"}},
                                                                     {"required-gpus", {"sm_80"}},
                                                                     {"forbidden-gpus", {"sm_35", "sm_90"}},
                                                                     {"max-driver", {"535"}}})
    CHECK_FALSE(find_policy(name)->apply(policy, values));
  CHECK(policy.max_glibc == "2.1");
  CHECK(policy.max_glibcxx == "3.4.2");
  CHECK(policy.allowed_libraries == std::vector<std::string>{"liba.so", "libb.so"});
  CHECK(policy.forbidden_rpath == std::vector<std::string>{"/a", "/b"});
  CHECK(policy.required_gpus == std::vector<GpuArchitecture>{{80, 0}});
  CHECK(policy.forbidden_gpus == std::vector<GpuArchitecture>{{35, 0}, {90, 0}});
  CHECK(policy.max_driver == "535");
  // A second word takes the place of the first.
  CHECK_FALSE(find_policy("required-gpus")->apply(policy, {"sm_100"}));
  CHECK(policy.required_gpus == std::vector<GpuArchitecture>{{100, 0}});
}

TEST_CASE("each switch of the policy is off until it is set, but for that of the stable ABI") {
  const std::vector<std::pair<std::string, bool Policy::*>> switches = {
      {"forbid-absolute-rpath", &Policy::forbid_absolute_rpath},
      {"forbid-bundled-cuda", &Policy::forbid_bundled_cuda},
      {"forbid-executable-stack", &Policy::forbid_executable_stack},
      {"forbid-text-relocations", &Policy::forbid_text_relocations},
      {"abi3", &Policy::check_abi3}};
  for (const auto& [name, field] : switches) {
    Policy policy;
    CHECK(policy.*field == (name == "abi3"));
    CHECK_FALSE(find_policy(name)->apply(policy, {"true"}));
    CHECK(policy.*field);
    CHECK_FALSE(find_policy(name)->apply(policy, {"false"}));
    CHECK_FALSE(policy.*field);
    CHECK(find_policy(name)->apply(policy, {"true", "true"}) == "expected true or false");
    CHECK(find_policy(name)->apply(policy, {}) == "expected true or false");
    for (const auto& [other, other_field] : switches)
      if (other != name) CHECK(policy.*other_field == (other == "abi3"));
  }
  Policy policy;
  CHECK(find_policy("max-driver")->apply(policy, {}) == "expected one version");
  CHECK(find_policy("max-driver")->apply(policy, {"5x"}) == "`5x` is not a version");
  CHECK(policy.max_driver.empty());
}

}  // namespace
}  // namespace cudald
