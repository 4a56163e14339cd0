#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/gpu_architecture.h>

namespace cudald {

/// Builds of a framework for one release of CUDA, which an index of its own has (data/frameworks.json, `builds`).
struct IndexBuild {
  std::string label;        ///< "cu126", their local version
  std::string cuda;         ///< "12.6"
  std::string first, last;  ///< minor releases, "2.6"; last empty: no end is known
  GpuArchitecture oldest_gpu, newest_gpu;
  std::string source;

  /// Whether they have code that runs on a GPU.
  bool serves(GpuArchitecture) const;
};

/// Those of a distribution, by its normal name, in the order of their CUDA; empty if none is known.
std::vector<IndexBuild> index_builds_of(std::string_view distribution);

/// Whether one of them is of a release, "2.8.0".
bool is_of_release(const IndexBuild&, std::string_view version);

/// Builds which alone have a library, by a pattern of their labels.
struct BuildsWithLibrary {
  std::string labels;  ///< "rocm*" of libtorch_hip.so
  std::string called;  ///< "ROCm"
};

/// nullopt if all builds of a distribution have a library of that name.
std::optional<BuildsWithLibrary> builds_with_library(std::string_view distribution, std::string_view library);

/// What makes pip find the build of a distribution for a build of a framework, "--find-links https://..." for
/// torch-scatter and torch 1.13.1 with the label "cu117"; empty if no such index is known.
std::string index_for_release(std::string_view distribution, std::string_view framework, std::string_view version,
                              std::string_view label);

/// A distribution that is released in step with a framework.
struct Companion {
  std::string framework;  ///< "torch"
  std::string source;
};

/// nullopt if a distribution, by its normal name, is none.
std::optional<Companion> companion_of(std::string_view distribution);

/// The minor release of a companion that is made for a release of its framework: "0.13" of torchaudio for torch 1.13.1;
/// empty if it is not known, or if none was made for it.
std::string companion_release(std::string_view companion, std::string_view framework_version);

/// The minor release of the framework that a companion is made for: "2.1" of torchaudio 2.1.2; empty if it is not
/// known.
std::string framework_release(std::string_view companion, std::string_view version);

/// The distributions that are released in step with a framework.
std::vector<std::string> companions_of(std::string_view framework);

/// What the environment needs so that a distribution, by its normal name, is compiled from its source, and no wheel of
/// its release is downloaded in place of that: "FLASH_ATTENTION_FORCE_BUILD=TRUE"; empty if nothing is needed.
std::string setting_that_compiles(std::string_view distribution);
/// What pip compiles, "git+https://...", where the index has no source of a distribution; empty if it may have one.
std::string sources_elsewhere(std::string_view distribution);

/// The framework of which each release of a distribution, by its normal name, requires one release alone: "torch" of
/// vllm; empty if none is known.
std::string exact_framework_of(std::string_view distribution);

/// The distribution that puts a compiled module of that name beside its package: flash-attn of "flash_attn_2_cuda";
/// empty if none is known to.
std::string distribution_compiled_as(std::string_view module);

}  // namespace cudald
