#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/gpu_architecture.h>

namespace cudald {

/// What a packager wants of the files of a package or of the targets, beside that they load. Each rule that is broken
/// is a finding (CUD7nn, 502, 510); none of them changes the verdict, which is about loading.
struct Policy {
  std::string max_glibc;    ///< "2.28": the newest version node of glibc that files may need; empty: any
  std::string max_glibcxx;  ///< "3.4.25", of libstdc++
  std::optional<std::vector<std::string>> allowed_libraries;  ///< patterns of names that may come from outside; none:
                                                              ///< all
  bool forbid_absolute_rpath = false;        ///< a DT_RPATH or DT_RUNPATH names no folder by an absolute path
  std::vector<std::string> forbidden_rpath;  ///< patterns of elements that it may not have
  std::vector<GpuArchitecture> required_gpus, forbidden_gpus;  ///< of the GPU code that libraries carry
  std::string max_driver;                                      ///< "525.60.13": no newer driver may be needed
  bool forbid_bundled_cuda = false;
  bool forbid_executable_stack = false;
  bool forbid_text_relocations = false;
  bool check_abi3 = true;  ///< what claims the stable ABI of CPython uses nothing else

  bool reads_gpu_code() const { return !required_gpus.empty() || !forbidden_gpus.empty(); }
};

}  // namespace cudald
