#pragma once

#include <functional>
#include <string_view>

namespace cudald {

/// Whether a text reads like the name of a module: "json", "os.path".
bool reads_as_module(std::string_view text);

/// Visits, in order, each text of two to `longest` letters, digits, '_' and '.' that begins `bytes` or stands behind a
/// zero byte, and has one behind it.
void for_each_lone_name(std::string_view bytes, std::size_t longest,
                        const std::function<void(std::string_view)>& visit);

}  // namespace cudald
