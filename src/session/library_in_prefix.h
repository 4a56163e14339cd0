#pragma once

#include <string>

#include <cudald/file_system.h>

namespace cudald {

/// Where a library of this name lies in a prefix, a virtual environment or one of conda: in its lib or Library/bin,
/// beside modules, and where packages have libraries that nothing searches, as nvidia/cudnn/bin. Empty if it is nowhere
/// there.
std::string library_in_prefix(const std::string& name, const std::string& prefix, const FileSystem&);

/// Where a plug-in lies, "platforms/qxcb": in a directory of plug-ins of the prefix, of its packages, around a program,
/// or of the system, as libqxcb.so or qxcb.so; in the first of these places. `prefix` and `program` may be empty. Empty
/// if it is nowhere there. Plug-ins of Windows are passed over: what they need is loaded before, and not beside them.
std::string plugin_in_prefix(const std::string& plugin, const std::string& prefix, const std::string& program,
                             const FileSystem&);

}  // namespace cudald
