#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include <cudald/result.h>

#include "base/budget.h"

namespace cudald {

/// What one document of a package or an image may cost: some 400,000 values. None is known with a tenth of that.
constexpr CostLimits json_limits{.kept = std::uint64_t{32} << 20};

/// Parses JSON of which nobody knows who wrote it. What its values will take in memory is charged before they are made:
/// `[],[],` takes twenty times its bytes. Errors, without a path: malformed, limit.
Result<nlohmann::json> parse_json(std::string_view text, Budget& budget);

}  // namespace cudald
