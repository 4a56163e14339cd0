#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/thread_limit.h>

#include "check/findings/checks.h"
#include "common/memory_file_system.h"
#include "unit/check/findings/finding_text.h"

namespace cudald {

/// A file of the process about which nothing is known.
inline Object made_object(const std::string& path) {
  Object object;
  object.path = object.load_name = path;
  object.image = std::make_shared<Image>();
  return object;
}

/// The same with what its image says.
inline Object made_object(const std::string& path, const Image& image) {
  auto object = made_object(path);
  object.image = std::make_shared<Image>(image);
  return object;
}

/// A library of CUDA of a major release.
inline Object made_cuda(const std::string& path, CudaKind kind, const std::string& version, int major,
                        const std::string& built_for = "") {
  auto object = made_object(path);
  CudaLibrary library;
  library.kind = kind;
  library.version = version;
  library.major = major;
  library.built_for_cuda = built_for;
  object.cuda = std::make_shared<CudaLibrary>(library);
  return object;
}

/// A request of an object.
inline Edge made_edge(const std::string& name, EdgeStatus status, std::optional<ObjectId> object = {}) {
  Edge edge;
  edge.name = name;
  edge.status = status;
  edge.object = object;
  return edge;
}

/// A report on a program that starts, with these files in its process.
inline Report made_report(std::vector<Object> objects) {
  Report report;
  report.resolution.objects = std::move(objects);
  Target target;
  target.given = report.resolution.objects.empty() ? "" : report.resolution.objects[0].path;
  target.object = 0;
  report.resolution.targets = {target};
  return report;
}

/// What one check adds to a report that was made by hand, in full.
inline std::string made_findings(void (*check)(const Case&), Report& report,
                                 const MemoryFileSystem& files = MemoryFileSystem(), const CostLimits& costs = {},
                                 bool spent = false) {
  ThreadLimit threads(1);
  Store store(files, threads, built_in_knowledge());
  store.begin_question(costs);
  if (spent) REQUIRE_FALSE(store.budget.step(costs.steps + 1));
  check({report, store});
  return in_full(report);
}

}  // namespace cudald
