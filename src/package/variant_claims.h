#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudald/result.h>

namespace cudald {

/// A property that a variant wheel claims: "nvidia", "sm_arch", "90_real".
struct VariantClaim {
  std::string space, feature, value;
};

/// What `*.dist-info/variant.json` of a wheel claims. Source: the draft of PEP 817, "Variant metadata". Errors:
/// malformed, limit.
Result<std::vector<VariantClaim>> read_variant_claims(std::string_view json);

}  // namespace cudald
