#include "check/fixes/missing_library.h"

#include <set>

#include "base/path.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/other_abi.h"
#include "check/fixes/install_commands.h"

namespace cudald {
namespace {

/// "12" where all of NVIDIA's packages in a site-packages folder that name a CUDA are for that one: nvidia-cudnn-cu12.
std::string installed_cuda_major(const std::string& site, const FileSystem& files) {
  const auto names = files.list(site);
  std::set<std::string> majors;
  for (const auto& entry : names ? *names : std::vector<std::string>()) {
    const auto dash = entry.find('-'), mark = entry.rfind("_cu", dash);
    if (!entry.starts_with("nvidia_") || !entry.ends_with(".dist-info") || mark == std::string::npos) continue;
    majors.insert(entry.substr(mark + 3, dash - mark - 3));
  }
  return majors.size() == 1 ? *majors.begin() : "";
}

std::string find_cuda_major(const MissingLibrary& missing) {
  const auto& object = missing.requester;
  for (const auto& edge : object.edges)
    for (const std::string_view stem : {"libcudart.so.", "libcublas.so."})
      if (edge.name.starts_with(stem)) return edge.name.substr(stem.size(), 2);
  const auto cuda = object.cuda ? most_telling(object.path, missing.store) : nullptr;
  if (cuda && !cuda->built_for_cuda.empty()) return cuda->built_for_cuda.substr(0, cuda->built_for_cuda.find('.'));
  const auto& resolution = missing.report.resolution;
  std::set<int> majors;
  for (const auto id : all_runtimes(resolution)) majors.insert(resolution.objects[id].cuda->major);
  if (majors.size() == 1 && *majors.begin() != 0) return std::to_string(*majors.begin());
  return majors.empty() ? installed_cuda_major(missing.installer().site(), missing.images.files()) : "";
}

}  // namespace

MissingLibrary::MissingLibrary(Report& report_, Store& store_, const Edge& edge_,
                               const std::vector<Whereabouts>& found_, Finding& finding_, RequesterFixes& of_requester_)
    : report(report_),
      store(store_),
      images(store_.images),
      packages(store_.packages),
      requester(report_.resolution.objects[*finding_.object]),
      edge(edge_),
      found(found_),
      finding(finding_),
      of_requester(of_requester_),
      remedies(of_requester_.remedies) {}

const Installer& MissingLibrary::installer() const {
  if (!of_requester.installer) of_requester.installer.emplace(report, requester, images.files());
  return *of_requester.installer;
}

const std::string& MissingLibrary::cuda_major() const {
  if (!of_requester.cuda_major) of_requester.cuda_major = find_cuda_major(*this);
  return *of_requester.cuda_major;
}

std::string MissingLibrary::conda_prefix() const {
  std::vector<std::string> places{requester.path, report.resolution.objects.front().path};
  if (report.query.prefix) places.push_back(absolute_path(*report.query.prefix, report.query.environment.cwd) + "/lib");
  for (const auto& place : places)
    if (auto prefix = conda_prefix_around(place, images); !prefix.empty()) return prefix;
  return "";
}

std::string MissingLibrary::place_of(const Probe& probe) const {
  return normal_path(absolute_path(probe.path, report.query.environment.cwd));
}

bool MissingLibrary::is_searched(const std::string& folder) const {
  const auto end = "/" + folder + "/" + edge.name;
  return is_tried([&](const Probe& probe) { return place_of(probe).ends_with(end); });
}

bool is_of_python(const Object& object) {
  return object.package || object.path.find("-packages/") != std::string::npos ||
         object.path.find(".whl!") != std::string::npos;
}

}  // namespace cudald
