#include "package/variant_claims.h"

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("the properties of a variant, one by one") {
  const auto claims = read_variant_claims(R"({"default-priorities": {"namespace": ["nvidia"]}, "variants": {"cu128":
    {"nvidia": {"cuda_version_lower_bound": ["12.8"], "sm_arch": ["90_real", 1, "120_virtual"],
      "other": "x", "number": 5},
     "x86_64": {"level": ["v3"]}}}})");
  REQUIRE(claims);
  std::string text;
  for (const auto& claim : *claims) text += claim.space + " " + claim.feature + " " + claim.value + "\n";
  CHECK(text ==
        "nvidia cuda_version_lower_bound 12.8\nnvidia other x\nnvidia sm_arch 90_real\nnvidia sm_arch 120_virtual\n"
        "x86_64 level v3\n");
}

TEST_CASE("another document is a fault") {
  for (const auto* text :
       {"", "[]", "{}", R"({"variants": []})", R"({"variants": {"a": 1}})", R"({"variants": {"a": {"nvidia": []}}})"}) {
    CAPTURE(text);
    const auto claims = read_variant_claims(text);
    REQUIRE_FALSE(claims);
    CHECK(claims.error().code == ErrorCode::malformed);
    CHECK(claims.error().message == (*text == '\0' ? "is not valid JSON" : "it is not a variant.json"));
  }
  CHECK(read_variant_claims(R"({"variants": {}})")->empty());
}

}  // namespace
}  // namespace cudald
