#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cudald/probe.h>
#include <cudald/request.h>

namespace cudald {

struct Report;      // cudald/report.h
struct Resolution;  // cudald/resolution.h

/// A library of CUDA that was loaded, and what can be asked of it.
struct ProbedLibrary {
  std::string role;  ///< "runtime", "cublas", "cudnn": a word of the child's command line
  std::string path;
};

/// What is to be loaded for real, as far as this machine can do it.
struct ProbePlan {
  ProbeWay way = ProbeWay::open;
  std::vector<DlopenRequest> opened;  ///< for `open`: in order, with absolute paths
  std::string program;                ///< for `list`: the program; for `import`: its Python
  std::string interpreter;            ///< for `list`: the dynamic loader
  std::vector<std::string> modules;   ///< for `import`
  std::vector<std::string> left_out;  ///< what is not loaded, and why; one sentence each
};

/// Why nothing of the question can be loaded on this machine; nullopt if it can.
std::optional<std::string> reason_not_to_run(const Report&);

ProbePlan make_plan(const Report&);

/// In the order in which they are mapped.
std::vector<ProbedLibrary> cuda_libraries(const Resolution&);

}  // namespace cudald
