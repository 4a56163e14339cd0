#pragma once

#include <string>
#include <vector>

#include <cudald/file_system.h>

namespace cudald {

/// Where a library of this name lies in a prefix, a virtual environment or one of conda: in its lib or Library/bin,
/// beside modules, and where packages have libraries that nothing searches, as nvidia/cudnn/bin. Empty if it is nowhere
/// there.
std::string library_in_prefix(const std::string& name, const std::string& prefix, const FileSystem&);

/// Where a plug-in lies, "platforms/qxcb": in a directory of plug-ins of the prefix, of its packages, around a program,
/// beside the directories `searched` of the PATH of Windows, or of the system, as libqxcb.so, qxcb.so or qxcb.dll; in
/// the first of these places. `prefix` and `program` may be empty. Empty if it is nowhere there, or if the system has
/// it of two releases of Qt.
std::string plugin_in_prefix(const std::string& plugin, const std::string& prefix, const std::string& program,
                             const FileSystem&, const std::vector<std::string>& searched = {});

}  // namespace cudald
