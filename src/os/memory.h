#pragma once

namespace cudald {

/// Hands what was freed back to the system, as far as the C library can: worth its while after much was freed, where
/// large blocks are asked for next.
void give_memory_back();

}  // namespace cudald
