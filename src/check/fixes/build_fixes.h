#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/finding.h>
#include <cudald/gpu_architecture.h>
#include <cudald/report.h>

#include "check/fixes/installer.h"

namespace cudald {

/// What a build of a framework must fit.
struct BuildNeeds {
  std::vector<GpuArchitecture> gpus;  ///< for each of which it must have code
  std::string newest_cuda;            ///< the newest that the driver runs, "11.8"; empty: any
};

/// A framework of the process of which an index of its own has builds.
struct FrameworkHere {
  std::string name, version;
  const Object* object = nullptr;  ///< a file of it
  std::string cuda;                ///< what its build is for, "12.1"; empty: it does not say
};

std::optional<FrameworkHere> framework_with_builds(const Report&);

/// The command for another build of a framework that is installed, for the newest CUDA that fits: of its own release,
/// else of a later or an earlier one; what is released in step with it comes along. nullopt if no build is known to fit
/// but the one that is installed.
std::optional<Fix> other_build(const std::string& distribution, const std::string& version, const BuildNeeds&,
                               const Installer&, const FileSystem&);

/// The same where nothing is known of what is installed: the newest release that fits, for the newest CUDA of those,
/// in its place.
std::optional<Fix> newest_build(const std::string& distribution, const BuildNeeds&);

/// A package that has the build of another kind than the framework that it is released in step with: the one that
/// belongs to it, "torchaudio==0.12.0+cu116" beside torch 1.12.0+cu116. nullopt if nothing is known of the two.
std::optional<Fix> build_in_step(const std::string& companion, const std::string& version,
                                 const std::string& framework_version, const Installer&);

/// The other way round, where there is no release of the package for that framework: the framework that it is made for,
/// with the others that are released in step with it. nullopt as before.
std::optional<Fix> framework_in_step(const std::string& companion, const std::string& version,
                                     const std::string& framework_version, const Installer&, const FileSystem&);

/// A package anew, as it was made for the framework that is installed: from an index of that release, or else compiled
/// from its source against it. `cuda`: what that is built for, where its version does not say it.
Fix made_for_framework(const PackageName& package, const std::string& framework, const std::string& version,
                       const std::string& cuda, const Installer&);

/// What a version says of its build: "cu116" of 1.12.0+cu116; empty if it says nothing.
std::string build_label(const std::string& version);

}  // namespace cudald
