#pragma once

namespace cudald {

/// Whether run_child starts processes (os/child_process.h): in the build for Windows it does not yet.
bool starts_children();

}  // namespace cudald
