#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <cudald/cuda_library.h>

namespace cudald {

// How rows of tables are checked that come from a file. The form of a row is a text: its keys, of which those before
// `|` are what a row is known by, and how each is written: v a version, t a text, n a number, b a truth value, k a kind
// of library, p a platform, l a list of texts, m a text with names in braces, o any list or object; a capital: or null,
// or not there.

/// What is wrong with a row; empty if nothing is. `source`, `checked` and `proof` may stand in every row.
std::string fault_of_row(std::string_view form, const nlohmann::json& row);
/// Whether two rows, both without fault, are known by the same.
bool is_same_row(std::string_view form, const nlohmann::json& one, const nlohmann::json& other);

std::optional<CudaKind> kind_named(std::string_view word);

}  // namespace cudald
