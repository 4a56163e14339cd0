#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/installer.h"
#include "knowledge/knowledge.h"
#include "knowledge/providers.h"
#include "package/version.h"

namespace cudald {
namespace {

/// "9.10.2" of "9.10.2"; empty if the bytes tell the major alone.
std::string release_of(const CudaLibrary& library) {
  return library.version.find('.') == std::string::npos ? "" : library.version;
}

/// The words for pip that bring cuDNN of a major, for a major of CUDA.
std::string requirement_of(const Report& report, int cudnn_major, int cuda_major) {
  const auto providers =
      providers_of(fmt::format("libcudnn.so.{}", cudnn_major), std::to_string(cuda_major), knowledge_of(report));
  return providers.empty() ? fmt::format("nvidia-cudnn-cu{}", cuda_major) : newest_usual(providers).requirement;
}

/// What puts one whole cuDNN before the parts of two.
void add_fix_of_parts(const Report& report, const std::vector<ObjectId>& parts, const FileSystem& files,
                      Finding& finding) {
  const auto& objects = report.resolution.objects;
  const auto folder_of = [&](ObjectId id) { return std::string(parent_path(objects[id].path)); };
  for (const auto id : parts) {
    const auto folder = folder_of(id);
    const bool whole = std::all_of(parts.begin(), parts.end(), [&](ObjectId other) {
      return is_file(files, folder + "/" + std::string(file_name(objects[other].path)));
    });
    if (!whole) continue;
    finding.fixes.push_back(
        {fmt::format("{} has all of them: let it come first", folder), export_search_path({shell_folder(folder)}),
         "for this shell; every program started from it then prefers the libraries in that directory"});
    return;
  }
  const auto runtimes = cuda_objects(report.resolution, CudaKind::cudart, true);
  const auto& library = *objects[parts.back()].cuda;
  const int cuda = !library.built_for_cuda.empty() ? std::atoi(library.built_for_cuda.c_str())
                   : runtimes.empty()              ? 0
                                                   : objects[runtimes.front()].cuda->major;
  finding.fixes.push_back(
      {"none of these directories has all parts: install one release as a whole, and let it come first",
       fmt::format("{}--force-reinstall {}\n{}", Installer(report, objects[parts.back()], files).install(),
                   shell_word(requirement_of(report, library.major, cuda)),
                   export_search_path({"$site/nvidia/cudnn/lib"})),
       "for this shell; every program started from it then prefers these libraries"});
}

/// CUD306: all parts of cuDNN in a process have to be of one release.
void check_parts(Report& report, const std::vector<ObjectId>& parts, const FileSystem& files) {
  const auto& objects = report.resolution.objects;
  std::map<int, std::map<std::string, std::vector<ObjectId>>>
      majors;  // two majors are two libraries, each with its own parts
  for (const auto id : parts)
    if (const auto release = release_of(*objects[id].cuda); !release.empty())
      majors[objects[id].cuda->major][release].push_back(id);
  for (const auto& [major, releases] : majors) {
    if (releases.size() < 2) continue;
    auto finding = make_finding("CUD306");
    if (report.query.require_gpu) finding.level = Level::error;
    finding.object = releases.rbegin()->second.front();
    finding.subject = "cuDNN";
    std::vector<std::string> sources;
    std::vector<ObjectId> all;
    for (const auto id : parts)
      if (objects[id].cuda->major == major) all.push_back(id);
    for (const auto& [release, ids] : releases) {
      const auto folder = std::string(parent_path(objects[ids.front()].path));
      sources.push_back(fmt::format("{} from {}", release, folder));
      finding.evidence.push_back(
          {fmt::format("cuDNN {}: {}", release, listed_names(report, ids)), folder, Basis::proven, ""});
    }
    finding.message = fmt::format("parts of two cuDNN releases in one process: {}", fmt::join(sources, " and "));
    finding.consequence =
        "Each part compares its release with that of the others when it is first used; cuDNN's calls then fail with "
        "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH (cuDNN 9) or CUDNN_STATUS_VERSION_MISMATCH (cuDNN 8).";
    add_fix_of_parts(report, all, files, finding);
    finding.does_not_help.push_back(
        "installing cuDNN again in a directory searched later: the loader takes the first part it finds");
    report.findings.push_back(std::move(finding));
  }
}

/// CUD305: cuDNN built for another major of CUDA than the libraries beside it.
void check_cuda_of(Report& report, const std::vector<ObjectId>& parts, const FileSystem& files) {
  const auto& objects = report.resolution.objects;
  for (const auto id : parts) {
    const auto& library = *objects[id].cuda;
    if (library.built_for_cuda.empty()) continue;
    const int built_for = std::atoi(library.built_for_cuda.c_str());
    std::vector<ObjectId> others;
    bool fits = false;
    for (const auto kind : {CudaKind::cudart, CudaKind::cublas})
      for (const auto other : cuda_objects(report.resolution, kind, true)) {
        if (objects[other].cuda->major == 0) continue;  // its bytes do not tell
        fits |= objects[other].cuda->major == built_for;
        others.push_back(other);
      }
    if (fits || others.empty()) continue;
    auto finding = make_finding("CUD305");
    finding.object = id;
    finding.subject = "cuDNN";
    finding.message = fmt::format("cuDNN {} is built for CUDA {}, and this process has CUDA {}", library.version,
                                  library.built_for_cuda, objects[others.front()].cuda->major);
    for (const auto& text : library.evidence)
      finding.evidence.push_back(
          {fmt::format("{}: {}", short_name(objects[id]), text), objects[id].path, Basis::proven, ""});
    finding.evidence.push_back({described(objects[others.front()]), objects[others.front()].path, Basis::proven, ""});
    finding.consequence =
        "cuDNN contains the CUDA runtime it was built with, but needs cuBLAS and NVRTC of that "
        "CUDA when it needs them; without those, its calls fail.";
    finding.fixes.push_back({"the cuDNN for this CUDA",
                             Installer(report, objects[id], files).install() +
                                 shell_word(requirement_of(report, library.major, objects[others.front()].cuda->major)),
                             ""});
    report.findings.push_back(std::move(finding));
    return;
  }
}

/// What needs a cuDNN that is no older than some release.
struct BuiltWith {
  std::string who;    ///< "torch 2.9.1"
  std::string cudnn;  ///< "9.10.2"
  int cuda{};         ///< the major of CUDA that it is for; 0: not known
  Basis basis{};
  std::string source;
};

std::vector<BuiltWith> needs_of_cudnn(const Report& report) {
  std::vector<BuiltWith> needs;
  std::vector<std::string> asked;
  for (const auto& object : report.resolution.objects) {
    if (!object.package || object.unmapped ||
        std::find(asked.begin(), asked.end(), object.package->name) != asked.end())
      continue;
    asked.push_back(object.package->name);
    const auto who = object.package->name + " " + object.package->version;
    const auto build = knowledge_of(report).framework(object.package->name, without_local(object.package->version),
                                                      platform_of(report));
    if (!build || build->cudnn.empty()) continue;
    const int cuda = std::atoi(build->cuda.c_str());
    if (build->cudnn.find('.') != std::string::npos)
      needs.push_back({who, build->cudnn, cuda, Basis::table, build->source()});
    else if (report.message && !report.message->built_with.empty())
      needs.push_back({who, report.message->built_with, cuda, Basis::proven, ""});
  }
  if (needs.empty() && report.message && !report.message->built_with.empty())
    needs.push_back({"what printed the message", report.message->built_with, 0, Basis::proven, ""});
  return needs;
}

/// Of a part that LD_LIBRARY_PATH leads to, the one that loads without it and is new enough; empty if there is none.
std::string newer_behind(const Case& given, ObjectId part, const std::string& least) {
  const auto& objects = given.report.resolution.objects;
  for (ObjectId id = 0; given.loader != nullptr && id < objects.size(); ++id)
    for (const auto& edge : objects[id].edges) {
      if (edge.object != part || edge.rule != SearchRule::ld_library_path) continue;
      const auto other = next_in_search(given, id, edge);
      const auto library = other.empty() ? nullptr : given.store.cuda_library(other, false);
      if (library != nullptr && !release_of(*library).empty() && !version_less(release_of(*library), least))
        return other;
    }
  return "";
}

void tell_age(const Case& given, ObjectId part, const BuiltWith& need) {
  auto& report = given.report;
  const auto& library = *report.resolution.objects[part].cuda;
  const auto& path = report.resolution.objects[part].path;
  auto finding = make_finding("CUD304");
  finding.object = part;
  finding.subject = "cuDNN";
  finding.message =
      fmt::format("cuDNN {} is older than {}, which {} was built with", library.version, need.cudnn, need.who);
  for (const auto& text : library.evidence) finding.evidence.push_back({text, path, Basis::proven, ""});
  finding.evidence.push_back({need.basis == Basis::table
                                  ? fmt::format("{} is built with cuDNN {}", need.who, need.cudnn)
                                  : fmt::format("the message says that it was compiled with cuDNN {}", need.cudnn),
                              "", need.basis, need.source});
  finding.consequence =
      "A program built with a newer cuDNN may call functions and operations that the older one lacks. PyTorch "
      "compares the two at the first use and raises \"cuDNN version incompatibility\", TensorFlow says \"Loaded "
      "runtime CuDNN library\".";
  const int cuda = need.cuda != 0 ? need.cuda : std::atoi(library.built_for_cuda.c_str());
  if (const auto other = newer_behind(given, part, need.cudnn); !other.empty()) {
    finding.evidence.push_back({"it comes from LD_LIBRARY_PATH", path, Basis::proven, ""});
    finding.evidence.push_back(
        {fmt::format("cuDNN {} comes later in the search", release_of(*given.store.cuda_library(other, false))), other,
         Basis::proven, ""});
    finding.fixes.push_back({"without LD_LIBRARY_PATH the newer one is found", "unset LD_LIBRARY_PATH",
                             "for all libraries and programs of this shell"});
    report.findings.push_back(std::move(finding));
    return;
  }
  finding.fixes.push_back(
      {"the cuDNN that it was built with, or a newer one of the same major",
       cuda == 0 ? ""
                 : fmt::format("{}'nvidia-cudnn-cu{}>={},<{}'",
                               Installer(report, report.resolution.objects[part], given.store.images.files()).install(),
                               cuda, need.cudnn, library.major + 1),
       ""});
  report.findings.push_back(std::move(finding));
}

/// CUD304: cuDNN older than what a framework was built with.
void check_age(const Case& given, const std::vector<ObjectId>& parts) {
  const auto& report = given.report;
  if (parts.empty()) return;  // to ask the table of frameworks takes longer than all else here
  const auto& objects = report.resolution.objects;
  for (const auto& need : needs_of_cudnn(report))
    for (const auto part : parts) {
      const auto found = release_of(*objects[part].cuda);
      if (found.empty() || objects[part].cuda->major != std::atoi(need.cudnn.c_str()) ||
          !version_less(found, need.cudnn))
        continue;
      return tell_age(given, part, need);
    }
}

}  // namespace

void check_cudnn(const Case& given) {
  auto& report = given.report;
  auto& images = given.store.images;
  const auto parts = cuda_objects(report.resolution, CudaKind::cudnn, true);
  check_parts(report, parts, images.files());
  check_cuda_of(report, parts, given.store.images.files());
  check_age(given, parts);
}

}  // namespace cudald
