#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <cudald/deployment.h>
#include <cudald/file_system.h>

#include "lock/choose.h"

namespace cudald {

/// For what a lock is judged, and where wheels may be at hand.
struct DeploymentWish {
  WheelEnvironment wheels;  ///< without a Python: the first that the lock allows and all its wheels fit
  std::set<std::string> extras, groups;
  std::vector<std::string> folders;  ///< of wheels
  /// The path at which a file that is not at hand can be read where its address says; none: nothing is read from
  /// servers. `reached` is called when all are named.
  std::function<std::string(const LockedFile&)> reach = {};
  std::function<void()> reached = {};
  /// The METADATA of a file that cannot be read, as an index has it beside the file. Several threads may
  /// call it.
  std::function<Result<std::string>(const LockedFile&)> metadata = {};
  std::string lock_folder;  ///< from which paths in the lock are relative
  std::size_t jobs = 0;     ///< threads; 0: as many as there are processors
};

/// What of a lock is installed, what of it is at hand, and which packages nobody requires. Wheels at hand are opened
/// for their directories and metadata alone. Errors: usage, as choose_packages() gives.
Result<Deployment> plan_deployment(const LockFile&, const DeploymentWish&, const FileSystem&,
                                   std::shared_ptr<const Knowledge>);

/// The questions: all top-level packages in one process, and each alone, if there are several. None if no wheel of a
/// top-level package is at hand. `like` has all else.
std::vector<Query> deployment_queries(const Deployment&, const Query& like);

/// What the tables know of a package of a plan and CUDA. That of NVIDIA's own packages is in their names and versions.
void know_cuda(DeployedPackage&, const Deployment&);

/// Whoever asked for a package by name wants it imported, and so does a package that none requires. Nobody imports a
/// part of CUDA. Where none is left, as in a ring, all count.
void find_top_level(Deployment&, const std::vector<bool>& requested);

}  // namespace cudald
