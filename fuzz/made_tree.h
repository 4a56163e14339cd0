#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/memory_file_system.h"

namespace cudald {

/// A tree of files that one input of a fuzz target describes, and what stands before them.
///
/// The parts of an input are divided by lines "%%". The first is for the target itself. The first line of each other
/// one is the absolute path of a file, whose bytes follow; "/lib64 -> usr/lib64" is a symbolic link. All files may be
/// executed, as a loader asks for that right of programs alone.
struct MadeTree {
  std::string question;
  std::unique_ptr<MemoryFileSystem> files = std::make_unique<MemoryFileSystem>();
};

/// Parts without an absolute path are left out, and so are all behind the 200th.
MadeTree make_tree(std::string_view bytes);

/// The lines of a text.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace cudald
