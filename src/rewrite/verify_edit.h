#pragma once

#include <memory>
#include <optional>
#include <string>

#include "rewrite/edit_elf.h"

namespace cudald {

/// Reads the new file as a loader would, and compares it with the old one: only what was to be changed may differ.
/// What is wrong; nullopt if nothing is.
std::optional<std::string> fault_of_edit(const std::shared_ptr<const File>& old, const ElfEdits&, const EditedElf&);

}  // namespace cudald
