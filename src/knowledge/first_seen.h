#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <cudald/knowledge.h>

namespace cudald {

/// In which releases of a library a function was seen.
struct FunctionHistory {
  std::string first;   ///< "8.6.0"; empty: as early as anything is known
  std::string last;    ///< empty: the newest release has it
  std::string source;  ///< with the day on which it was checked
};

/// What is known of a function that not all releases of a library have (data/first-seen.json). nullopt: nothing is; it
/// may be in all of them, or in none.
std::optional<FunctionHistory> history_of(std::string_view library, std::string_view function, const Knowledge&);

}  // namespace cudald
