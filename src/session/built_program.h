#pragma once

#include <optional>
#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// A program that PyInstaller has made, where a message is about the parts of which it was made.
struct BuiltProgram {
  std::string parts;    ///< the work directory that the message names: "/app/build/hello"
  std::string program;  ///< what was made of them: "/app/dist/hello/hello"
  bool windows = false;
};
std::optional<BuiltProgram> built_program(const std::string& text, const FileSystem&, const std::string& cwd);

}  // namespace cudald
