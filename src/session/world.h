#pragma once

#include "machine/survey/machine_gpus.h"
#include "session/platform.h"

namespace cudald {

/// The world in which a question is asked if it does not say: that of a tag if nothing but packages is asked about, and
/// nothing is said of the machine.
WorldKind world_of(const Query&);

/// The question with what counts in its world: in that of a tag neither this machine's variables nor its processor and
/// folder do.
/// On a described machine its own count instead. "{site}" in variables and in folders of --dll-path is the
/// site-packages folder of the simulated Python: that in which packages are installed virtually, else that of the
/// prefix.
Query in_its_world(const Query&, const FileSystem&, const std::vector<MachineGpu>& = {});

/// Builds the world of the packages that are installed for the run, if it is that of a tag: what the tag promises and
/// what the packages require lies in the tree from now on, and nothing of this machine.
void enter_world_of_tag(RunState&, bool windows);

/// Whether all targets are packages, or files in them.
bool is_about_packages(const Query&);

/// In another world: lets what a lock pins, or else what the packages require, lie beside them as far as it is known
/// and was not given, as an installer would put it there.
void add_absent_packages(RunState&, bool windows);

}  // namespace cudald
