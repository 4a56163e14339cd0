#pragma once

#include <optional>
#include <string>

#include <cudald/finding.h>
#include <cudald/report.h>

#include "store/store.h"

namespace cudald {

/// What compiles a file again on the system where it is, if its place tells who compiled it there: an R package, an
/// add-on of Node, also a ready-made one whose package has its source, a gem of Ruby, a module of Perl, a distribution
/// of Python that was not installed from a ready-made wheel, a language that a tool such as rbenv compiled. nullopt for
/// any other file, as for those of a package of conda.
std::optional<Fix> build_again(const std::string& path, Store&);

/// What compiles an add-on of Node again that node-gyp has compiled where it is,
/// node_modules/NAME/build/Release/X.node, on Linux or Windows; of a program made with Electron for that, as its place
/// or `program`, the one that opens it, says. `machine`: of the process, "i386", where the add-on is for another one;
/// else empty.
std::optional<Fix> add_on_again(const std::string& path, const std::string& machine = "",
                                const std::string& program = "");

}  // namespace cudald
