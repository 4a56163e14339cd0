#pragma once

#include <cudald/report.h>

#include "check/fixes/installer.h"

namespace cudald {

/// A missing module that was installed for development (`pip install -e`), and whose sources are no longer where that
/// installation says. True if it is certainly that one; of others that lead nowhere the finding says so.
bool tell_lost_sources(const Import&, const Import::MissingModule&, const Installer&, const FileSystem&, Finding&);

/// A name that a directory without code lacks: which directory it is, and the editable installation of a package that
/// is called so, which Python asks only after the directories of sys.path. True if there is one, and what helps is
/// told.
bool tell_hidden_sources(const Report&, const Import&, const std::string& module, const Installer&, const FileSystem&,
                         Finding&);

}  // namespace cudald
