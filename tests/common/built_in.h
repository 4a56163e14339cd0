#pragma once

#include <cudald/knowledge.h>

namespace cudald {

/// The tables as they were built, for what asks them.
inline const Knowledge& built_in() { return *built_in_knowledge(); }

}  // namespace cudald
