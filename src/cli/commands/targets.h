#pragma once

#include <string>
#include <vector>

#include <cudald/query.h>
#include <cudald/result.h>

#include "cli/options/options.h"
#include "cli/output/host.h"
#include "session/target.h"

namespace cudald {

/// The targets that were typed, `-` replaced by the lines of standard input, with what they mean on this machine; with
/// --sysroot, each is a file until classify_in() has looked into the tree. Error{usage} if there are none.
Result<std::vector<Typed>> read_targets(const Options&, const Host&);
/// The same targets with what they mean in a tree, from the directory `cwd` on.
std::vector<Typed> classify_in(const FileSystem&, const std::string& cwd, std::vector<Typed>);

/// What check and explain judge as a whole: a lock, or an environment that stands alone. Nullptr if the targets are
/// others. Error{usage} if a lock stands beside other targets, or in front of another tree.
Result<const Typed*> whole_target(const std::vector<Typed>&, const Options&, const Host&);

/// The names of targets, where directories stand for what lies in them.
struct OpenedTargets {
  std::vector<std::string> names;     ///< all, in order
  std::vector<std::string> together;  ///< those of one process, where all are asked about in one
  std::vector<std::string> programs;  ///< the others: programs of directories, with a process each
};
OpenedTargets open_directories(const std::vector<Typed>&, const FileSystem&);

/// The questions about them, as the options want: one for each, or one for all that share a process.
std::vector<Query> questions_about(const OpenedTargets&, const Options&, const Environment& host);

}  // namespace cudald
