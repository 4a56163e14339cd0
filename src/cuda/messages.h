#pragma once

#include <optional>
#include <string_view>

#include <cudald/knowledge.h>
#include <cudald/message.h>

namespace cudald {

/// The same as read_message(pasted), with the rows that were laid over the table.
std::optional<MessageReading> read_message(std::string_view pasted, const Knowledge&);

}  // namespace cudald
