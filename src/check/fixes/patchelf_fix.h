#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudald/finding.h>

#include <cudald/report.h>

#include "binary/image_store.h"
#include "package/package_tree.h"

namespace cudald {

class SystemPackages;  // check/findings/system_packages.h

/// Whether a file is in a directory of the system: its packages replace it, so it is not edited.
bool is_system_path(const std::string& path);
/// Whether a package of the system has a file: there, or below /opt.
bool is_of_package(const std::string& path, const SystemPackages&);

/// Whether a RECORD lists the file with its hash: that of an installed wheel, or of one that is given.
bool has_record(const Object& file, const PackageTree&);

/// The command of patchelf that makes a change; `is_rpath`: the file has a DT_RPATH and no DT_RUNPATH.
std::string patchelf_command(const FileEdit&, bool is_rpath = false);

/// Commands that make changes of one file, a line for each: patchelf 0.14 mixes up several options of one command. Of a
/// file in a package they name the member: its author runs them where the package is unpacked.
std::string patchelf_commands(const std::vector<FileEdit>&, const Object& file, const PackageTree&);

/// Changes of one file by patchelf, and what they break.
Fix patchelf_fix(std::string title, std::vector<FileEdit> edits, const Object& file, const PackageTree&);

/// In a container that lacks patchelf, what installs it stands before the commands that use it.
void add_patchelf_itself(Report&, ImageStore&);

/// Adds a directory to the search path of a file, relative to the file.
FileEdit added_directory(const Object& file, const std::string& folder);

}  // namespace cudald
