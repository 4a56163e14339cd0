#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// A Python package that brings or uses CUDA as a framework (data/frameworks.json, which says what each field means).
struct FrameworkPackage {
  /// The file below site-packages that says what the build is for, and the names in it; empty if there is none.
  struct BuiltFor {
    std::string file, cuda, cudnn;
  };

  std::string module;                      ///< "torch"
  std::vector<std::string> distributions;  ///< normal names, "*" for any ending
  std::vector<std::string> libraries;      ///< "libtorch": how the names of its own libraries begin
  std::string folder;                      ///< "torch/lib", below site-packages; empty if it brings no libraries
  bool maps = false;                       ///< its import maps these libraries
  bool speaks = false;                     ///< it opens libraries of CUDA itself
  BuiltFor built_for;
  std::vector<std::string> marks;  ///< before its release in local versions of extensions
};

const std::vector<FrameworkPackage>& framework_packages();

/// The one that a distribution belongs to, by its name in any spelling; nullptr if it is none.
const FrameworkPackage* framework_of_distribution(std::string_view name);

/// The one whose import maps the library at this path of a site-packages, so that others find it by its soname; nullptr
/// if none does.
const FrameworkPackage* framework_that_maps(std::string_view path);

/// The one whose import maps a library of this name, wherever it is; nullptr if none does.
const FrameworkPackage* framework_with_library(std::string_view name);

enum class ReleaseOf { cuda, toolkit, cudnn };

/// Whether the version of a distribution, by its normal name, is the release of CUDA or of cuDNN that a process gets
/// with it: "nvidia-cuda-runtime-cu12" of pip, "cuda-cudart" of conda. `toolkit`: it only requires the parts of one
/// release.
bool states_release(ReleaseOf, std::string_view distribution, bool conda);

/// Whether extensions link against a library of this name: "libtorch_cpu.so".
bool is_framework_library(std::string_view name);

}  // namespace cudald
