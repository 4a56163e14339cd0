#include "package/variant_claims.h"

#include "base/bounded_json.h"

namespace cudald {
namespace {

using nlohmann::json;

Error fault() { return {ErrorCode::malformed, "it is not a variant.json"}; }

void add_values(const std::string& space, const std::string& feature, const json& values,
                std::vector<VariantClaim>& claims) {
  if (values.is_string()) claims.push_back({space, feature, values.get<std::string>()});
  if (!values.is_array()) return;
  for (const auto& value : values)
    if (value.is_string()) claims.push_back({space, feature, value.get<std::string>()});
}

}  // namespace

Result<std::vector<VariantClaim>> read_variant_claims(std::string_view text) {
  Budget budget(json_limits);
  const auto document = parse_json(text, budget);
  if (!document) return document.error();
  const auto variants = document->is_object() ? document->find("variants") : document->end();
  if (!document->is_object() || variants == document->end() || !variants->is_object()) return fault();
  std::vector<VariantClaim> claims;
  for (const auto& [label, spaces] : variants->items()) {
    if (!spaces.is_object()) return fault();
    for (const auto& [space, features] : spaces.items()) {
      if (!features.is_object()) return fault();
      for (const auto& [feature, values] : features.items()) add_values(space, feature, values, claims);
    }
  }
  return claims;
}

}  // namespace cudald
