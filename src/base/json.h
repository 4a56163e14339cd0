#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace cudald {

/// What a text says as JSON; a discarded value (`is_discarded()`) if it is none, or nests its values deeper than 200.
/// In one place, as compiling the parser takes seconds.
nlohmann::json parse_json(std::string_view text);

}  // namespace cudald
