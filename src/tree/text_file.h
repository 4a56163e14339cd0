#pragma once

#include <memory>
#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// A file that lies on no disk and holds this text.
std::unique_ptr<File> make_text_file(const FileStatus&, std::string text, const MountFlags& = {});

}  // namespace cudald
