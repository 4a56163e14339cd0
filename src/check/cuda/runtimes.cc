#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/version_order.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "knowledge/frameworks.h"
#include "knowledge/knowledge.h"
#include "knowledge/runtime_function.h"

namespace cudald {
namespace {

/// One CUDA runtime of the process, who uses it, and where the references of these users end. One that was linked into
/// an object is used by that alone, and its references end in the file.
struct Runtime {
  ObjectId object = 0;
  std::vector<ObjectId> users;
  std::vector<ObjectId> unversioned;  ///< users whose references name no version
  std::size_t own = 0;                ///< references of the users that it answers
  std::size_t astray = 0;             ///< those that another runtime answers
  std::string example;                ///< one of these: "cudaMalloc of libx.so"
  std::vector<ObjectId> answered_by;  ///< the runtimes that do
};

class RuntimeCheck {
 public:
  explicit RuntimeCheck(Report& report) : report_(report) {}

  void run() {
    for (const auto id : cuda_objects(report_.resolution, CudaKind::cudart)) runtimes_.push_back(runtime(id));
    add_linked_runtimes();
    if (runtimes_.size() < 2 || are_one_release_of_one_vendor()) return;
    count_bindings();
    tell();
    find_extensions_for_other_cuda();
  }

 private:
  const Object& object(ObjectId id) const { return report_.resolution.objects[id]; }

  Runtime runtime(ObjectId id) const {
    Runtime result;
    result.object = id;
    result.users = users_of(report_, id);
    return result;
  }

  /// Of several of one release in one package its maker knows; another runtime beside them is news.
  void add_linked_runtimes() {
    const auto linked = objects_with_linked_runtime(report_.resolution);
    const auto has_other = [&](ObjectId id) {
      const auto& version = object(id).cuda->version;
      const auto is_foreign = [&](ObjectId other) { return other != id && !same_vendor(id, other); };
      return std::any_of(linked.begin(), linked.end(),
                         [&](ObjectId other) { return is_foreign(other) || object(other).cuda->version != version; }) ||
             std::any_of(runtimes_.begin(), runtimes_.end(), [&](const Runtime& one) {
               return object(one.object).cuda->version != version ||
                      std::any_of(one.users.begin(), one.users.end(), is_foreign);
             });
    };
    std::vector<Runtime> added;
    for (const auto id : linked)
      if (has_other(id)) added.push_back({id, {id}, {}, 0, 0, ""});
    runtimes_.insert(runtimes_.end(), added.begin(), added.end());
  }

  /// Which runtime answers each reference to one, by the loader's own look-up.
  void count_bindings() {
    if (report_.resolution.windows || !report_.symbols) return;
    std::map<ObjectId, std::size_t> place;
    for (std::size_t i = 0; i < runtimes_.size(); ++i) place[runtimes_[i].object] = i;
    for (const auto& binding : report_.symbols->bindings) {
      const auto answers = place.find(binding.definer);
      if (answers == place.end() || binding.object == binding.definer || !is_runtime_function(binding.name)) continue;
      for (auto& runtime : runtimes_) {
        if (!uses(runtime, binding.object)) continue;
        if (binding.version.empty() && (runtime.unversioned.empty() || runtime.unversioned.back() != binding.object))
          runtime.unversioned.push_back(binding.object);
        if (runtime.object == binding.definer) {
          ++runtime.own;
        } else if (!uses(runtimes_[answers->second], binding.object)) {
          if (runtime.astray++ == 0)
            runtime.example = fmt::format("{} of {}", binding.name, short_name(object(binding.object)));
          auto& by = runtime.answered_by;
          if (std::find(by.begin(), by.end(), binding.definer) == by.end()) by.push_back(binding.definer);
        }
      }
    }
    counted_ = true;
  }

  static bool uses(const Runtime& runtime, ObjectId user) {
    return std::find(runtime.users.begin(), runtime.users.end(), user) != runtime.users.end();
  }

  /// Whether its users are served by another one in everything, which is of the same major and not older.
  bool is_idle(const Runtime& one) const {
    if (one.astray == 0 || one.own > 0 || one.answered_by.size() != 1) return false;
    const auto &its = *object(one.object).cuda, &other = *object(one.answered_by.front()).cuda;
    return its.major == other.major && !its.version.empty() && !version_less(other.version, its.version);
  }

  void tell() {
    const auto& first = object(runtimes_[0].object);
    const auto& second = object(runtimes_[1].object);
    const bool astray = std::any_of(runtimes_.begin(), runtimes_.end(),
                                    [&](const Runtime& one) { return one.astray > 0 && !is_idle(one); });
    auto finding = make_finding("CUD303");
    if (astray) finding.level = Level::warning;
    finding.object = runtimes_[1].object;
    finding.subject = soname_of(*second.image).value_or(short_name(second));
    const auto more = runtimes_.size() > 2 ? fmt::format(" and {} more", runtimes_.size() - 2) : "";
    finding.message = fmt::format("{} CUDA runtimes in one process, {}{} {}{}{}",
                                  more.empty() ? "two" : std::to_string(runtimes_.size()), described(first),
                                  more.empty() ? " and" : ",", described(second), more,
                                  astray ? ": calls meant for one reach the other" : ", kept apart");
    for (const auto& runtime : runtimes_) add_runtime(runtime, finding);
    add_symbols(astray, finding);
    finding.evidence.push_back(
        {"shared: the driver and the primary context of each GPU, so memory and streams of one can be used by the "
         "other",
         "", Basis::rule, "CUDA Driver API, Primary Context Management"});
    finding.evidence.push_back(
        {"not shared: kernels, textures and managed variables belong to the runtime that registered them; each has its "
         "own last error",
         "", Basis::rule, "CUDA C++ Programming Guide, Interoperability between Runtime and Driver APIs"});
    add_driver(finding);
    finding.consequence =
        astray
            ? fmt::format(
                  "{} is answered by the other runtime: what one registers or allocates a handle for, the other does "
                  "not know. Kernels fail with \"invalid device function\", or results are wrong.",
                  std::find_if(runtimes_.begin(), runtimes_.end(),
                               [&](const Runtime& one) { return one.astray > 0 && !is_idle(one); })
                      ->example)
            : "Both work side by side, as long as each library launches its own kernels. cudaGetLastError of one does "
              "not report the errors of the other.";
    finding.fixes.push_back(
        {"use builds for one CUDA, so that only one runtime is loaded: an extension built for the CUDA of its "
         "framework, "
         "or newer builds of both",
         "", ""});
    finding.does_not_help.push_back(
        "installing both toolkits, or changing LD_LIBRARY_PATH: neither changes what the code was built for");
    report_.findings.push_back(std::move(finding));
  }

  void add_runtime(const Runtime& runtime, Finding& finding) const {
    const auto& library = object(runtime.object);
    if (library.cuda->is_static) {
      finding.evidence.push_back(
          {described(library) + ": linked into it, and used by it alone", library.path, Basis::proven, ""});
      return;
    }
    std::string text =
        described(library) +
        fmt::format(": used by {}", runtime.users.empty() ? "nothing else" : listed_names(report_, runtime.users));
    if (counted_ && runtime.own > 0)
      text += fmt::format("; {} {} in it", counted(runtime.own, "reference"), runtime.own == 1 ? "ends" : "end");
    finding.evidence.push_back({std::move(text), library.path, Basis::proven, ""});
  }

  void add_symbols(bool astray, Finding& finding) const {
    std::vector<ObjectId> unversioned;
    for (const auto& runtime : runtimes_)
      unversioned.insert(unversioned.end(), runtime.unversioned.begin(), runtime.unversioned.end());
    bool idle = false;
    for (const auto& runtime : runtimes_)
      if (is_idle(runtime)) {
        idle = true;
        finding.evidence.push_back(
            {fmt::format("{} is loaded and not used: all {} of its users {} answered by {}, which is not older",
                         short_name(object(runtime.object)), counted(runtime.astray, "reference"),
                         runtime.astray == 1 ? "is" : "are", short_name(object(runtime.answered_by.front()))),
             "", Basis::proven, ""});
      }
    if (astray) {
      for (const auto& runtime : runtimes_)
        if (runtime.astray > 0 && !is_idle(runtime))
          finding.evidence.push_back(
              {fmt::format("symbols cross: {} of the users of {} {} answered by another runtime, first {}",
                           counted(runtime.astray, "reference"), short_name(object(runtime.object)),
                           runtime.astray == 1 ? "is" : "are", runtime.example),
               "", Basis::proven, ""});
    } else if (!counted_ || idle) {
      return;
    } else if (unversioned.empty()) {
      const auto linked = std::count_if(runtimes_.begin(), runtimes_.end(),
                                        [&](const Runtime& one) { return object(one.object).cuda->is_static; });
      if (static_cast<std::size_t>(linked) + 1 < runtimes_.size())
        finding.evidence.push_back(
            {"symbols cannot cross: every reference names its symbol version, and each runtime defines another one", "",
             Basis::proven, ""});
      if (linked > 0)
        finding.evidence.push_back({"symbols cannot cross: calls to a runtime that is linked in stay within that file",
                                    "", Basis::proven, ""});
    } else {
      finding.evidence.push_back(
          {fmt::format("symbols do not cross here, but could: the references of {} name no version",
                       listed_names(report_, unversioned)),
           "", Basis::proven, ""});
    }
  }

  void add_driver(Finding& finding) const {
    std::optional<Proven<DriverNeed>> most;
    for (const auto& runtime : runtimes_) {
      const auto need = knowledge_of(report_).least_driver(object(runtime.object).cuda->version, platform_of(report_));
      if (need && (!most || version_less(most->version, need->version))) most = need;
    }
    if (most)
      finding.evidence.push_back(
          {fmt::format("driver {} or newer serves {}", most->version, runtimes_.size() > 2 ? "all" : "both"), "",
           Basis::table, most->source()});
  }

  /// The runtime that an object uses itself; nullptr if it uses none or several.
  const Runtime* runtime_of(ObjectId id) const {
    const Runtime* found = nullptr;
    for (const auto& runtime : runtimes_)
      if (uses(runtime, id)) {
        if (found != nullptr) return nullptr;
        found = &runtime;
      }
    return found;
  }

  /// CUD308: an object that links a framework's CUDA library, with another runtime than that.
  void find_extensions_for_other_cuda() {
    std::vector<std::string> told;
    for (ObjectId id = 0; id < report_.resolution.objects.size(); ++id) {
      const auto* own = runtime_of(id);
      if (own == nullptr || object(id).unmapped) continue;
      for (const auto& edge : object(id).edges) {
        if (!edge.object || !edge.hard || !is_of_framework(*edge.object)) continue;
        const auto* theirs = runtime_of(*edge.object);
        if (theirs == nullptr || theirs == own || same_package(id, *edge.object) ||
            !are_different(built_for(id, *own), built_for(*edge.object, *theirs)))
          continue;
        const auto folder = std::string(parent_path(object(id).path));
        if (std::find(told.begin(), told.end(), folder) == told.end()) tell_extension(id, *own, *edge.object, *theirs);
        told.push_back(folder);
        break;
      }
    }
  }

  /// "11.8", or "11" where its file proves no more, of what an object was built for: a runtime that is linked in or
  /// bundled is that of its build, and any other one serves all builds that ask for its name.
  std::string built_for(ObjectId id, const Runtime& runtime) const {
    const auto& cuda = *object(runtime.object).cuda;
    if (cuda.is_static || same_package(id, runtime.object)) return cuda.version;
    if (const auto& package = object(id).package) {
      const auto build = knowledge_of(report_).framework(package->name, package->version, platform_of(report_));
      if (build && !build->cuda.empty()) return build->cuda;
    }
    // Without minor-version compatibility each release has a name of its own.
    const bool minor_in_name = cuda.major != 0 && !knowledge_of(report_).driver_floor(cuda.major, platform_of(report_));
    return minor_in_name ? cuda.version : cuda.major == 0 ? "" : std::to_string(cuda.major);
  }

  static bool are_different(const std::string& one, const std::string& other) {
    const bool minors = one.find('.') != std::string::npos && other.find('.') != std::string::npos;
    return !one.empty() && !other.empty() &&
           (minors ? one != other : one.substr(0, one.find('.')) != other.substr(0, other.find('.')));
  }

  /// What others link against to extend it; NVIDIA's own libraries are no frameworks.
  bool is_of_framework(ObjectId id) const { return is_framework_library(short_name(object(id))); }

  bool are_one_release_of_one_vendor() const {
    return std::all_of(runtimes_.begin(), runtimes_.end(), [&](const Runtime& one) {
      const auto &first = *object(runtimes_.front().object).cuda, &own = *object(one.object).cuda;
      return !own.version.empty() && own.version == first.version && same_vendor(runtimes_.front().object, one.object);
    });
  }

  /// Packages whose names begin alike, as jaxlib and jax-cuda12-plugin, are made together.
  bool same_vendor(ObjectId a, ObjectId b) const {
    if (!object(a).package || !object(b).package) return same_package(a, b);
    const auto first_word = [](const std::string& name) { return name.substr(0, name.find_first_of("-_")); };
    const auto one = first_word(object(a).package->name), other = first_word(object(b).package->name);
    return one.starts_with(other) || other.starts_with(one);
  }

  bool same_package(ObjectId a, ObjectId b) const {
    if (object(a).package && object(b).package) return object(a).package->name == object(b).package->name;
    return parent_path(object(a).path) == parent_path(object(b).path);
  }

  void tell_extension(ObjectId id, const Runtime& own, ObjectId framework, const Runtime& theirs) {
    const auto called = [&](ObjectId each) {
      return object(each).package ? fmt::format("{} {}", object(each).package->name, object(each).package->version)
                                  : short_name(object(each));
    };
    auto finding = make_finding("CUD308");
    finding.object = id;
    finding.subject = short_name(object(id));
    const auto cuda = built_for(id, own), other = built_for(framework, theirs);
    finding.message = fmt::format("{} is built for CUDA {}, and {}, which it extends, for CUDA {}", called(id), cuda,
                                  called(framework), other);
    const auto has_runtime = [&](ObjectId each, const Runtime& runtime) {
      return each == runtime.object ? "has a CUDA runtime linked in" : "needs " + short_name(object(runtime.object));
    };
    finding.evidence.push_back(
        {fmt::format("{} needs {} and {}", short_name(object(id)), short_name(object(framework)), has_runtime(id, own)),
         object(id).path, Basis::proven, ""});
    finding.evidence.push_back({fmt::format("{} {}", short_name(object(framework)), has_runtime(framework, theirs)),
                                object(framework).path, Basis::proven, ""});
    finding.consequence =
        "Both load. Extensions that compare the two CUDA versions, as torchvision and torch_sparse do where there is a "
        "GPU, raise RuntimeError at import. Others register their kernels with their own runtime, and pass streams and "
        "memory of one runtime to the other.";
    finding.fixes.push_back({fmt::format("install a build of {} for CUDA {}, or one of {} for CUDA {}", called(id),
                                         other, called(framework), cuda),
                             "", ""});
    finding.does_not_help.push_back("another toolkit or LD_LIBRARY_PATH: neither changes what the code was built for");
    report_.findings.push_back(std::move(finding));
  }

  Report& report_;
  std::vector<Runtime> runtimes_;
  bool counted_ = false;
};

/// CUD302: a library that several majors of CUDA have under one name is found in another one than the rest.
void check_majors(Report& report) {
  const auto& objects = report.resolution.objects;
  // The table of names is large, and most processes have nothing of CUDA.
  if (std::none_of(objects.begin(), objects.end(), [](const Object& object) { return object.cuda != nullptr; })) return;
  std::vector<ObjectId> told;
  for (ObjectId id = 0; id < objects.size(); ++id) {
    if (objects[id].unmapped || (objects[id].cuda && !objects[id].cuda->is_static)) continue;
    std::vector<int> wanted;  // what all names together stand for
    bool first = true;
    for (const auto& edge : objects[id].edges) {
      const auto majors = cuda_majors_of(edge.name, knowledge_of(report));
      if (majors.empty()) continue;
      if (std::exchange(first, false)) {
        wanted = majors;
      } else {
        std::erase_if(wanted,
                      [&](int major) { return std::find(majors.begin(), majors.end(), major) == majors.end(); });
      }
    }
    if (wanted.size() != 1) continue;
    for (std::size_t index = 0; index < objects[id].edges.size(); ++index) {
      const auto& edge = objects[id].edges[index];
      if (!edge.object || cuda_majors_of(edge.name, knowledge_of(report)).size() < 2 ||
          std::find(told.begin(), told.end(), *edge.object) != told.end())
        continue;
      const auto& library = objects[*edge.object];
      const auto major =
          library.cuda ? knowledge_of(report).major_of(library.cuda->kind, library.cuda->version) : std::nullopt;
      if (!major || *major == wanted.front()) continue;
      told.push_back(*edge.object);
      auto finding = make_finding("CUD302");
      finding.object = id;
      finding.edge = index;
      finding.subject = edge.name;
      finding.message = fmt::format("{} comes from CUDA {}, and the other libraries that {} needs are of CUDA {}",
                                    edge.name, *major, short_name(objects[id]), wanted.front());
      finding.evidence.push_back({described(library), library.path, Basis::proven, ""});
      finding.consequence =
          "It loads, as several majors of CUDA give it the same name; it has been made and tested with another "
          "runtime.";
      report.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace

void check_runtimes(const Case& given) {
  RuntimeCheck(given.report).run();
  check_majors(given.report);
}

}  // namespace cudald
