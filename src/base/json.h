#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cudald {

/// What parsing a text as JSON may come to, by its brackets and commas outside of quotes. Where quotes do not match,
/// the text is no JSON anyway.
struct JsonShape {
  int depth = 0;             ///< how deep values lie within values
  std::uint64_t values = 1;  ///< at most so many
};
JsonShape shape_of_json(std::string_view text);

/// What a text says as JSON; a discarded value (`is_discarded()`) if it is none, or nests its values deeper than 200.
/// In one place, as compiling the parser takes seconds.
nlohmann::json parse_json(std::string_view text);

/// The text that an object holds under a key; empty if it holds none there, or is no object.
std::string text_at(const nlohmann::json& object, const char* key);

/// A table of data/ that was compiled into the program (embedded.h). tools/embed.py writes it as MessagePack, which is
/// read in a fraction of the time that JSON takes.
nlohmann::json parse_table(std::string_view bytes);

}  // namespace cudald
