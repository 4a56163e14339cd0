#include <map>
#include <set>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/report.h>
#include <cudald/writers.h>

#include "package/wheel_texts.h"
#include "report/ci/markup.h"
#include "report/json/json_text.h"

namespace cudald {
namespace {

/// A purl (package URL specification): names of PyPI are normal.
std::string purl_of(const PackageName& package) {
  auto purl = "pkg:pypi/" + uri_of_path(normal_distribution_name(package.name));
  if (!package.version.empty()) purl += "@" + uri_of_path(package.version);
  return purl;
}

/// What NVIDIA calls its own package of a library, between "nvidia-" and what names the release of CUDA.
std::string_view package_word(CudaKind kind) {
  switch (kind) {
    case CudaKind::cudart: return "cuda-runtime";
    case CudaKind::cudnn: return "cudnn";
    case CudaKind::cublas:
    case CudaKind::cublas_lt: return "cublas";
    case CudaKind::cufft: return "cufft";
    case CudaKind::curand: return "curand";
    case CudaKind::cusolver: return "cusolver";
    case CudaKind::cusparse: return "cusparse";
    case CudaKind::nvrtc:
    case CudaKind::nvrtc_builtins: return "cuda-nvrtc";
    case CudaKind::nvjitlink: return "nvjitlink";
    case CudaKind::nccl: return "nccl";
    case CudaKind::tensorrt:
    case CudaKind::driver: break;
  }
  return "";
}

/// Whether a library is out of NVIDIA's own package for it, whose version begins with what the bytes tell.
bool is_of_own_package(const Object& object) {
  const auto& cuda = *object.cuda;
  const auto word = package_word(cuda.kind);
  if (!object.package || word.empty() || cuda.is_static || cuda.stub || cuda.version.empty()) return false;
  const auto name = normal_distribution_name(object.package->name);
  const auto own = fmt::format("nvidia-{}", word);
  const auto& version = object.package->version;
  return (name == own || name.starts_with(own + "-cu")) && (version + ".").starts_with(cuda.version + ".");
}

class CyclonedxWriter final : public DocumentWriter {
 public:
  void add(const Report& report) override {
    for (const auto& object : report.resolution.objects) {
      // What a tag promises is no file of anybody.
      if (object.known_by_name || object.path.starts_with('(')) continue;
      std::string owner;
      if (object.package) {
        owner = purl_of(*object.package);
        packages_.try_emplace(owner, *object.package);
      }
      if (object.cuda) add_library(object, owner);
    }
  }

  void finish(std::ostream& out) override {
    Json::array_t components, dependencies;
    for (const auto& [purl, package] : packages_) {
      JsonObject fields(5);
      fields.add("type", "library");
      fields.add("bom-ref", purl);
      fields.add("name", json_text(package.name));
      if (!package.version.empty()) fields.add("version", json_text(package.version));
      fields.add("purl", purl);
      components.push_back(std::move(fields).take());
    }
    for (const auto& [key, library] : libraries_) components.push_back(component(key, library));
    for (const auto& [purl, package] : packages_) {
      Json::array_t parts;
      for (const auto& [key, library] : libraries_)
        if (library.owners.contains(purl)) parts.push_back(json_text(key));
      dependencies.push_back(JsonObject(2).add("ref", purl).add("dependsOn", std::move(parts)).take());
    }
    JsonObject tool(3);
    tool.add("type", "application");
    tool.add("name", "cudald");
    tool.add("version", CUDALD_VERSION);
    JsonObject document(7);
    document.add("$schema", "http://cyclonedx.org/schema/bom-1.6.schema.json");
    document.add("bomFormat", "CycloneDX");
    document.add("specVersion", "1.6");
    document.add("version", 1);
    document.add("metadata",
                 JsonObject(1)
                     .add("tools", JsonObject(1).add("components", Json::array({std::move(tool).take()})).take())
                     .take());
    document.add("components", std::move(components));
    document.add("dependencies", std::move(dependencies));
    write_document(std::move(document).take(), false, out);
  }

 private:
  struct Library {
    std::string name, version, description;
    std::set<std::string> places, owners;
    std::vector<std::string> evidence;
  };

  void add_library(const Object& object, const std::string& owner) {
    const auto& cuda = *object.cuda;
    // The release of its package says more than the version that the code tells.
    const bool has_release = !cuda.release.empty() && cuda.release.find(' ') == std::string::npos;
    const bool by_package = !has_release && is_of_own_package(object);
    const auto& version = has_release ? cuda.release : by_package ? object.package->version : cuda.version;
    const auto name = fmt::format("{}{}{}", to_string(cuda.kind), cuda.part.empty() ? "" : "_" + cuda.part,
                                  cuda.is_static ? "_static" : "");
    auto& library = libraries_[fmt::format("cuda:{}@{}", name, version.empty() ? "unknown" : version)];
    library.name = name;
    library.version = version;
    library.description = fmt::format("{}{}", product_name(cuda.kind), cuda.is_static ? ", linked into the file" : "");
    library.evidence = cuda.evidence;
    if (by_package)
      library.evidence.push_back(fmt::format("it is out of {} {}, and its bytes do not contradict that",
                                             object.package->name, object.package->version));
    library.places.insert(object.path);
    if (!owner.empty()) library.owners.insert(owner);
  }

  static Json component(const std::string& key, const Library& library) {
    JsonObject fields(9);
    fields.add("type", "library");
    fields.add("bom-ref", json_text(key));
    fields.add("publisher", "NVIDIA Corporation");
    fields.add("name", json_text(library.name));
    if (!library.version.empty()) fields.add("version", json_text(library.version));
    fields.add("description", json_text(library.description));
    if (!library.version.empty())
      fields.add("purl",
                 fmt::format("pkg:generic/nvidia/{}@{}", uri_of_path(library.name), uri_of_path(library.version)));
    const auto place = [](const std::string& path) { return JsonObject(1).add("location", json_text(path)).take(); };
    JsonObject evidence(1);
    evidence.add("occurrences", json_array(library.places, place));
    fields.add("evidence", std::move(evidence).take());
    if (!library.evidence.empty())
      fields.add("properties", json_array(library.evidence, [](const std::string& text) {
                   return JsonObject(2).add("name", "cudald:evidence").add("value", json_text(text)).take();
                 }));
    return std::move(fields).take();
  }

  std::map<std::string, PackageName> packages_;
  std::map<std::string, Library> libraries_;
};

}  // namespace

std::unique_ptr<DocumentWriter> make_cyclonedx_writer() { return std::make_unique<CyclonedxWriter>(); }

}  // namespace cudald
