#include <algorithm>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/cuda_stack.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "base/version_order.h"
#include "knowledge/knowledge.h"
#include "report/json/image_facts.h"
#include "report/json/json_text.h"
#include "report/text/text.h"

namespace cudald {
namespace {

std::string_view words_of(StackPlace place) {
  switch (place) {
    case StackPlace::ld_library_path: return "LD_LIBRARY_PATH";
    case StackPlace::path: return "PATH";
    case StackPlace::cache: return "ld.so.cache";
    case StackPlace::system_folder: return "system directory";
    case StackPlace::toolkit: return "toolkit";
    case StackPlace::prefix: return "prefix";
  }
  return "";
}

/// "12.8 and 13.0": the versions of a kind, each once.
std::string versions_of(const CudaStack& stack, CudaKind kind) {
  std::vector<std::string> versions;
  for (const auto& copy : stack.copies)
    if (copy.library.kind == kind && copy.library.version.find('.') != std::string::npos)
      versions.push_back(copy.library.version);
  std::sort(versions.begin(), versions.end(), version_less);
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  std::string text;
  for (std::size_t i = 0; i < versions.size(); ++i)
    text += (i == 0 ? "" : i + 1 == versions.size() ? " and " : ", ") + versions[i];
  return text;
}

/// The copies in one folder, of one package.
struct StackGroup {
  std::string folder, from;
  std::vector<const CudaCopy*> copies;

  /// Without the prefix, which stands above.
  std::string_view shown_folder(std::string_view prefix) const {
    const bool inside = !prefix.empty() && folder.starts_with(std::string(prefix) + "/");
    return inside ? std::string_view(folder).substr(prefix.size() + 1) : std::string_view(folder);
  }

  /// "CUDA runtime 13.0, cuDNN 9.19.0 (graph, ops), built for CUDA 13.1"; cuDNN's parts go together.
  std::string words() const {
    std::vector<std::string> all;
    CudaLibrary cudnn;
    std::string parts;
    for (const auto* copy : copies) {
      const auto& library = copy->library;
      if (library.kind != CudaKind::cudnn) {
        const auto text = cuda_words(library);
        if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
        continue;
      }
      cudnn.kind = CudaKind::cudnn;
      if (library.version.size() > cudnn.version.size()) cudnn.version = library.version;
      if (!library.built_for_cuda.empty()) cudnn.built_for_cuda = library.built_for_cuda;
      if (!library.part.empty()) parts += (parts.empty() ? "" : ", ") + library.part;
    }
    if (cudnn.kind == CudaKind::cudnn) all.push_back(cuda_words(cudnn) + (parts.empty() ? "" : " (" + parts + ")"));
    std::string text;
    for (const auto& each : all) text += (text.empty() ? "" : "; ") + each;
    return text;
  }
};

std::vector<StackGroup> groups_of(const CudaStack& stack) {
  std::vector<StackGroup> groups;
  for (const auto& copy : stack.copies) {
    const std::string folder(parent_path(copy.path));
    const auto from =
        copy.package ? copy.package->name + " " + copy.package->version : std::string(words_of(copy.place));
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const StackGroup& each) { return each.folder == folder && each.from == from; });
    if (group == groups.end()) group = groups.insert(groups.end(), StackGroup{folder, from, {}});
    group->copies.push_back(&copy);
  }
  return groups;
}

std::string driver_words(const DriverFound& driver, const Knowledge& knowledge) {
  const auto& version = driver.version.empty() ? driver.module_version : driver.version;
  if (version.empty()) return "no NVIDIA driver";
  const auto own = knowledge.cuda_of_driver(version, CudaPlatform::linux);
  const auto newest = knowledge.newest_cuda_on(version, CudaPlatform::linux);
  auto cuda = own.empty() ? "" : fmt::format(" (CUDA {} and older", own);
  if (!cuda.empty()) cuda += own == newest ? ")" : fmt::format("; by minor-version compatibility up to {})", newest);
  const auto lacking = driver.version.empty() ? ", without its libcuda.so.1" : "";
  return fmt::format("driver {}{}{}", version, cuda, lacking);
}

std::string headline(const CudaStack& stack) {
  std::string line = driver_words(stack.driver, *stack.knowledge);
  const auto add = [&line](const std::string& words) { line += "; " + words; };
  if (const auto runtimes = versions_of(stack, CudaKind::cudart); !runtimes.empty()) add("CUDA runtime " + runtimes);
  if (const auto cudnn = versions_of(stack, CudaKind::cudnn); !cudnn.empty()) add("cuDNN " + cudnn);
  for (const auto& framework : stack.frameworks)
    if (!framework.cuda.empty())
      add(fmt::format("{} {} for CUDA {}", framework.package.name, framework.package.version, framework.cuda));
  if (stack.copies.empty() && stack.frameworks.empty()) add("no CUDA library");
  return line;
}

Json copy_json(const CudaCopy& copy) {
  return JsonObject(5)
      .add("path", json_text(copy.path))
      .add("name", json_text(copy.name))
      .add("place", to_string(copy.place))
      .add("package", copy.package ? JsonObject(2)
                                         .add("name", json_text(copy.package->name))
                                         .add("version", json_text(copy.package->version))
                                         .take()
                                   : Json(nullptr))
      .add("cuda", cuda_json(&copy.library))
      .take();
}

Json framework_json(const GpuFramework& framework) {
  return JsonObject(5)
      .add("name", json_text(framework.package.name))
      .add("version", json_text(framework.package.version))
      .add("cuda", json_text_or_null(framework.cuda))
      .add("cudnn", json_text_or_null(framework.cudnn))
      .add("known_by", json_text_or_null(framework.known_by))
      .take();
}

Json toolkit_json(const CudaToolkit& toolkit) {
  return JsonObject(3)
      .add("path", json_text(toolkit.path))
      .add("version", json_text_or_null(toolkit.version))
      .add("known_by", json_text_or_null(toolkit.known_by))
      .take();
}

Json gpus_json(const CudaStack& stack) {
  return json_array(stack.gpus, [](GpuArchitecture gpu) { return Json(to_string(gpu)); });
}

Json variables_json(const CudaStack& stack) {
  JsonObject fields(stack.variables.size());
  for (const auto& [name, value] : stack.variables) fields.add(name.c_str(), json_text(value));
  return std::move(fields).take();
}

Json isa_json(const CudaStack& stack) {
  return stack.x86_64_level == 0 ? Json(nullptr) : Json(fmt::format("x86-64-v{}", stack.x86_64_level));
}

}  // namespace

void write_env(const CudaStack& stack, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  text.paragraph(escaped(headline(stack)), 0, Tone::strong);
  if (style.verbosity < 0) return;
  text.line();
  std::string system = stack.platform + (stack.libc.empty() ? "" : ", " + stack.libc);
  if (system.empty()) system = "no loader of glibc is here";
  text.labelled("system", escaped(system), 2);
  if (!stack.driver.version.empty()) text.labelled("driver", stack.driver.version, 2, escaped(stack.driver.known_by));
  if (!stack.driver.module_version.empty())
    text.labelled("kernel", stack.driver.module_version, 2, escaped(stack.driver.module_known_by));
  for (const auto& model : stack.gpu_models) text.labelled("GPU", escaped(model), 2);
  for (const auto gpu : stack.gpus) text.labelled("GPU", to_string(gpu), 2);
  for (const auto& toolkit : stack.toolkits)
    text.labelled("toolkit", escaped(toolkit.path), 2,
                  toolkit.version.empty() ? "version unknown" : escaped("CUDA " + toolkit.version));
  if (!stack.prefix.empty()) text.labelled("prefix", escaped(stack.prefix), 2);
  for (const auto& framework : stack.frameworks) {
    std::string built;
    if (!framework.cuda.empty()) built = "for CUDA " + framework.cuda;
    if (!framework.cudnn.empty()) built += (built.empty() ? "for cuDNN " : ", cuDNN ") + framework.cudnn;
    text.labelled("framework", escaped(framework.package.name + " " + framework.package.version), 2, escaped(built));
  }
  for (const auto& group : groups_of(stack)) {
    text.labelled("libraries", escaped(group.shown_folder(stack.prefix)), 2, escaped(group.from));
    text.labelled("", escaped(group.words()), 2);
  }
  for (const auto& [name, value] : stack.variables) text.labelled("variable", escaped(name + "=" + value), 2);
  for (const auto& remark : stack.remarks) text.labelled("remark", escaped(remark), 2);
}

void write_env_json(const CudaStack& stack, bool compact, std::ostream& out) {
  const auto& driver = stack.driver;
  const Json document = JsonObject(16)
                            .add("schema", "cudald/env")
                            .add("schema_version", "1.0")
                            .add("headline", json_text(headline(stack)))
                            .add("sysroot", json_text(stack.sysroot))
                            .add("prefix", json_text_or_null(stack.prefix))
                            .add("platform", json_text_or_null(stack.platform))
                            .add("libc", json_text_or_null(stack.libc))
                            .add("isa", isa_json(stack))
                            .add("driver", JsonObject(4)
                                               .add("version", json_text_or_null(driver.version))
                                               .add("known_by", json_text_or_null(driver.known_by))
                                               .add("module_version", json_text_or_null(driver.module_version))
                                               .add("module_known_by", json_text_or_null(driver.module_known_by))
                                               .take())
                            .add("gpus", gpus_json(stack))
                            .add("gpu_models", json_texts(stack.gpu_models))
                            .add("toolkits", json_array(stack.toolkits, toolkit_json))
                            .add("frameworks", json_array(stack.frameworks, framework_json))
                            .add("libraries", json_array(stack.copies, copy_json))
                            .add("variables", variables_json(stack))
                            .add("remarks", json_texts(stack.remarks))
                            .take();
  write_document(document, compact, out);
}

}  // namespace cudald
