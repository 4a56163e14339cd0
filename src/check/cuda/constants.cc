#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/whereabouts.h"
#include "knowledge/gpu_use.h"
#include "knowledge/providers.h"

namespace cudald {
namespace {

bool is_found(const Edge& edge) { return edge.object || edge.status == EdgeStatus::not_loaded; }

/// "libcuda" for "libcuda.so.1" and "libcuda.so", which code tries one after the other.
std::string stem_of_library(std::string_view name) {
  const auto base = file_name(name);
  return folded(base.substr(0, std::min(base.rfind(".so"), base.size())));
}

/// Whether an object has the library already, under this name or another.
bool has_another(const Object& object, const std::string& stem) {
  if (soname_of(*object.image) && stem_of_library(*soname_of(*object.image)) == stem) return true;
  for (const auto* edges : {&object.edges, &object.may_open})
    for (const auto& edge : *edges)
      if (is_found(edge) && stem_of_library(edge.name) == stem) return true;
  return false;
}

/// Names of one kind that are missing, and who may open them.
struct Missing {
  std::vector<std::string> names, askers;
  ObjectId object = 0;  ///< the first of them
  const Edge* edge = nullptr;

  void add(ObjectId id, const Object& asker, const Edge& miss) {
    if (edge == nullptr) object = id, edge = &miss;
    const auto note = [](std::vector<std::string>& list, std::string name) {
      if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(std::move(name));
    };
    note(names, miss.name);
    note(askers, short_name(asker));
  }
};

void tell(const Missing& missing, bool of_driver, Report& report) {
  const auto& asker = report.resolution.objects[missing.object];
  const bool several = missing.names.size() > 1;
  auto finding = make_finding("CUD401");
  finding.object = missing.object;
  finding.subject = missing.names.front();
  finding.message = fmt::format("{} may open {} later, and would not find {}", listed(missing.askers, 4),
                                listed(missing.names, 4), several ? "them" : "it");
  finding.evidence.push_back(
      {fmt::format("the text \"{}\" is at offset {:#x} of {}, which calls {}: it likely opens that library, which is "
                   "not proven",
                   missing.edge->name, missing.edge->known.text_at, short_name(asker), missing.edge->known.function),
       asker.path, Basis::proven, ""});
  if (of_driver) {
    finding.evidence.push_back({"the NVIDIA driver provides it; --driver VERSION states that there is one", "",
                                Basis::rule, "CUDA Installation Guide for Linux"});
    finding.consequence = "Everything loads; without the driver no GPU is used.";
  } else {
    for (const auto& name : missing.names)
      for (const auto& provider : providers_of(name, knowledge_of(report)))
        finding.evidence.push_back(
            {fmt::format("{} {} {} {}", provider.distribution, provider.version, carries(provider), name), "",
             Basis::table, provider.source});
    finding.consequence = "Everything loads. If the code uses this library, that use fails.";
  }
  report.findings.push_back(std::move(finding));
}

/// A name for linking, "libvulkan.so", that only a development package has, where the library itself is there.
void tell_linker_names(const Case& given) {
  auto& report = given.report;
  if (!report.query.notes) return;
  constexpr std::size_t most_looked_for = 50;
  std::size_t looked_for = 0;
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto& edge : objects[id].may_open) {
      if (is_found(edge) || !edge.name.ends_with(".so") || edge.name.find('/') != std::string::npos ||
          is_system_path(objects[id].path) || has_another(objects[id], stem_of_library(edge.name)) ||
          looked_for++ >= most_looked_for)
        continue;
      const auto found = find_whereabouts(edge.name, id, edge, report, given.store.images);
      const auto* target = linker_target(edge, found);
      if (target == nullptr) continue;
      auto finding = make_finding("CUD401");
      finding.object = id;
      finding.subject = edge.name;
      finding.message =
          fmt::format("{} may open {} later, a link that only the development package has; {} is installed",
                      short_name(objects[id]), edge.name, file_name(target->path));
      finding.evidence.push_back({fmt::format("the text \"{}\" is at offset {:#x} of {}, which calls {}", edge.name,
                                              edge.known.text_at, short_name(objects[id]), edge.known.function),
                                  objects[id].path, Basis::proven, ""});
      finding.consequence = "Everything loads. If the code opens it, that call fails.";
      finding.fixes.push_back({"give the library the name it is opened by",
                               fmt::format("ln -s {} {}/{}", shell_word(std::string(file_name(target->path))),
                                           shell_word(std::string(parent_path(target->path))), shell_word(edge.name)),
                               ""});
      report.findings.push_back(std::move(finding));
    }
}

}  // namespace

void check_constants(const Case& given) {
  tell_linker_names(given);
  auto& report = given.report;
  // One note on the driver, and one for each file that misses something else of CUDA: of other libraries code tries
  // many that it does not need.
  Missing driver;
  std::map<ObjectId, Missing> others;
  const auto& objects = report.resolution.objects;
  for (ObjectId id = 0; id < objects.size(); ++id)
    for (const auto& edge : objects[id].may_open) {
      if (is_found(edge) || has_another(objects[id], stem_of_library(edge.name))) continue;
      if (is_driver_library(edge.name))
        driver.add(id, objects[id], edge);
      else if (is_cuda_library_name(edge.name) && !providers_of(edge.name, knowledge_of(report)).empty())
        others[id].add(id, objects[id], edge);
    }
  const bool told = std::any_of(report.findings.begin(), report.findings.end(),
                                [](const Finding& finding) { return traits_of(finding).lacks_driver; });
  if (driver.edge != nullptr && !told) tell(driver, true, report);
  for (const auto& [id, missing] : others) tell(missing, false, report);
}

}  // namespace cudald
