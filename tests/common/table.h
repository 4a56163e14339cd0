#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cudald {

/// What a JSON text says, in the form of a table that is compiled into the program (base/json.h, TableValue).
inline std::string table_of(std::string_view json) {
  std::string bytes;
  nlohmann::json::to_msgpack(nlohmann::json::parse(json), bytes);
  return bytes;
}

}  // namespace cudald
