#pragma once

#include <optional>
#include <string>

#include <cudald/message.h>

#include "knowledge/known_packages.h"

namespace cudald {

/// The release that removed or added the name which a message says a module lacks, or the submodule that it does not
/// find; nullopt if none is known.
std::optional<ChangedName> changed_name_of(const MessageReading&);

/// What that release is and who has it, in words: "transformers removed torch_required in 4.24".
std::string told_of_change(const ChangedName&, const MessageReading&);

/// The source that Python names behind an error of a name, "/x/numpy/__init__.py" of "... (/x/numpy/__init__.py)";
/// empty if the message has none.
std::string source_in_message(const MessageReading&);

/// What is known of such a message without any file: which release has the name; and of a module that is not complete
/// yet, by the place of its source, which file hides the package. False if it is neither.
bool complete_by_names(MessageReading&);

}  // namespace cudald
