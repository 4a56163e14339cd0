#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace cudald {

/// The JSON Schema of a document that cudald writes, by its name: "report"; none if there is no such document.
std::optional<std::string_view> schema_of(std::string_view name);
std::vector<std::string_view> schema_names();

}  // namespace cudald
