#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <cudald/message.h>

namespace cudald {

/// The variable of the environment that a traceback shows to be not set: "CUDA_PATH" of `KeyError: 'CUDA_PATH'`, or of
/// an error of None behind a line with os.environ.get("CUDA_PATH"). Empty if it shows none.
std::string unset_variable(std::string_view traceback);

/// A traceback that no row of data/messages.json knows, if a variable that is not set explains it; what to set it to is
/// said by the row of its KeyError, where there is one.
std::optional<MessageReading> read_unset_variable(std::string_view traceback, const Knowledge&);

}  // namespace cudald
