#pragma once

#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// An add-on of Node whose compiled file is in a package of its own for each platform, "@swc/core-linux-x64-gnu".
struct NativeBinding {
  std::string package, version;  ///< that needs it: "@swc/core"; the version may be empty
  std::string platform;          ///< "linux-x64-gnu", "win32-x64-msvc"
  std::string wanted;            ///< "@swc/core-linux-x64-gnu"; empty where the package has none for this platform
  std::string installed;         ///< one for another platform, which is there instead; may be empty
  std::string file;              ///< the compiled file, if the package is there; empty: it is not
  std::string command;           ///< what installs all again, for this platform
};

/// What a message of a generated loader is about, whose text names files of the package: "at Object.<anonymous>
/// (/app/node_modules/@swc/core/binding.js:333:11)". Without a package where no such directory is.
NativeBinding native_binding(const std::string& text, const FileSystem&, const std::string& cwd);

}  // namespace cudald
