#include "check/findings/other_abi.h"

#include <elf.h>

#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "base/path.h"
#include "binary/elf/symbol_table.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"

namespace cudald {
namespace {

/// How many of the functions that are wanted a file defines.
struct Comparison {
  std::size_t wanted = 0, named = 0, versioned = 0;
  std::string version;  ///< that is wanted
};

Comparison compare(const SymbolTable& requester, const std::string& library, const SymbolTable& other) {
  Comparison result;
  std::set<std::string_view> counted;
  for (const auto& reference : requester.references()) {
    const auto& version = requester.version(reference.version);
    if (version.hash == 0 || version.file != library || !counted.insert(reference.name).second) continue;
    ++result.wanted;
    result.version = version.name;
    bool named = false, versioned = false;
    other.visit(HashedName(reference.name), [&](const SymbolTable::Candidate& candidate) {
      if (candidate.symbol.section == SHN_UNDEF) return false;
      named = true;
      versioned |= other.has_versions() && other.version(candidate.version_index).name == version.name;
      return false;
    });
    result.named += named ? 1 : 0;
    result.versioned += versioned ? 1 : 0;
  }
  return result;
}

}  // namespace

std::shared_ptr<const CudaLibrary> most_telling(const std::string& path, Store& state) {
  auto cuda = state.cuda_library(path, false);
  if (!cuda || cuda->kind != CudaKind::cudnn || cuda->version.find('.') != std::string::npos) return cuda;
  for (const auto* part : {"libcudnn_graph.so.9", "libcudnn_ops_infer.so.8"}) {
    const auto beside = std::string(parent_path(path)) + "/" + part;
    if (state.images.open(beside).error) continue;
    if (auto found = state.cuda_library(beside, false); found && found->major == cuda->major) return found;
  }
  return cuda;
}

void compare_with_other_abi(const Report& report, const std::vector<ObjectId>& requesters, const std::string& wanted,
                            const std::string& path, Store& state, Finding& finding) {
  const auto& opened = state.images.open(path);
  if (opened.error) return;
  if (const auto cuda = most_telling(path, state)) {
    std::string text = fmt::format("{} is {} {}", file_name(path), product_name(cuda->kind), cuda->version);
    if (!cuda->built_for_cuda.empty()) text += ", built for CUDA " + cuda->built_for_cuda;
    finding.evidence.push_back({std::move(text), path, Basis::proven, ""});
  }
  Object other;
  other.path = path;
  other.image = opened.image;
  // A library that is described without its symbols says nothing of them.
  if (opened.image->source != ImageSource::file && state.symbols.get(other)->empty()) return;
  for (const auto requester : requesters) {
    const auto tables =
        compare(*state.symbols.get(report.resolution.objects[requester]), wanted, *state.symbols.get(other));
    if (tables.wanted == 0) continue;
    finding.evidence.push_back(
        {fmt::format("of the {} functions needed from {}{}, {} has {} by name, and {} in version {}", tables.wanted,
                     wanted,
                     requester == requesters.front() ? "" : " by " + short_name(report.resolution.objects[requester]),
                     file_name(path), tables.named, tables.versioned, tables.version),
         path, Basis::proven, ""});
    return;
  }
}

void add_what_name_serves(const std::string& library, const Report& report, Finding& finding) {
  const auto& knowledge = knowledge_of(report);
  for (const auto& release : knowledge.releases_of(library)) {
    const auto range = release.last.empty()            ? fmt::format("CUDA {} on", release.first)
                       : release.first == release.last ? "CUDA " + release.first
                                                       : fmt::format("CUDA {} to {}", release.first, release.last);
    std::string text = fmt::format("{} is the name in {}", library, range);
    const auto platform = platform_of(report);
    auto need = knowledge.driver_floor(std::atoi(release.first.c_str()), platform);
    if (release.first == release.last || !need) need = knowledge.least_driver(release.first, platform);
    if (need && release.kind == CudaKind::cudart)
      text += fmt::format(", which needs driver {} or newer", need->version);
    finding.evidence.push_back({std::move(text), "", Basis::table, release.source()});
  }
}

}  // namespace cudald
