#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace cudald {

// The tables of data/ besides cuda.json and what the program itself follows, as files of --knowledge lay rows over
// them. A table is known by its file's name: "providers".

/// The name in a document's `schema`, "cudald/providers"; empty if it is that of no such table.
std::string table_named(const nlohmann::json& document);
/// What is wrong with newer rows of it, and where; empty if nothing is.
std::string fault_of_table(const std::string& name, const nlohmann::json& newer);
nlohmann::json built_in_table(const std::string& name);
/// The table with the newer rows, which stand before the others and take the place of those known by the same.
nlohmann::json laid_over(const std::string& name, nlohmann::json table, const nlohmann::json& newer);

}  // namespace cudald
