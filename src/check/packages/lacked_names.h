#pragma once

#include <string>

#include <cudald/report.h>

#include "check/fixes/installer.h"
#include "knowledge/known_packages.h"
#include "store/store.h"

namespace cudald {

/// What installs where the code lies that asks for a module; of one that was asked for by name, where its package lies.
Installer installer_for(const Report&, const Import&, const std::string& module, const std::string& asked_at,
                        const FileSystem&);
/// The file of "FILE:LINE".
std::string file_of(const std::string& asked_at);
/// "a" of "a.b.c".
std::string top_of(const std::string& module);

/// A release of a package for the Python that runs it: one before the installed one, or a later one, which installing
/// `newer` brings.
Fix release_for_python(const PackageName&, const std::string& python, bool before, const std::string& newer,
                       const Installer&);

/// The release of a distribution that still has a name, or has it by now: the first fix, or the last where Python is
/// too new for that release.
void add_release_with_name(const ChangedName&, const std::string& distribution, const std::string& python,
                           const Installer&, Finding&);

/// Tells who asks for a name that a module lacks, whose the module is, and which releases may fit.
void tell_lacked_name(const Report&, const Import&, Store&, Finding&);

/// The same of a submodule that a package lacks which is installed. False if the package is not, or has none of its
/// own releases.
bool tell_lacked_submodule(const Report&, const Import&, const Import::MissingModule&, Store&, Finding&);

}  // namespace cudald
