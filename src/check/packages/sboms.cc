#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "base/bounded_json.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"

namespace cudald {
namespace {

constexpr auto standard = "PEP 770, SBOM metadata in Python packages";
constexpr std::uint64_t most_sbom = 16 << 20;
constexpr std::size_t most_files = 20;

/// A component of an SBOM: its name and purl in lower case.
struct SbomComponent {
  std::string names, version;
};

std::string text_at(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Of CycloneDX the components, of SPDX the packages; false if it is neither.
bool add_components(const std::string& text, std::vector<SbomComponent>& components) {
  Budget budget(json_limits);
  const auto document = parse_json(text, budget);
  if (!document || !document->is_object()) return false;
  bool known = false;
  for (const auto& [list, version] : {std::pair{"components", "version"}, std::pair{"packages", "versionInfo"}}) {
    const auto found = document->find(list);
    if (found == document->end() || !found->is_array()) continue;
    known = true;
    for (const auto& entry : *found)
      components.push_back({folded(text_at(entry, "name") + " " + text_at(entry, "purl")), text_at(entry, version)});
  }
  return known || text_at(*document, "bomFormat") == "CycloneDX";
}

/// The words by which components name a library of CUDA.
std::vector<std::string> words_for(const CudaLibrary& library) {
  auto word = folded(to_string(library.kind));
  if (library.kind == CudaKind::cudart) return {word, "cuda-runtime", "cuda_runtime"};
  if (library.kind == CudaKind::cublas_lt) return {"cublas"};
  return {word};
}

/// Whether one version begins with the other, number by number: "12.8" and "12.8.90".
bool agree(const std::string& one, const std::string& other) {
  const auto &shorter = one.size() < other.size() ? one : other, &longer = one.size() < other.size() ? other : one;
  return longer.starts_with(shorter) && (longer.size() == shorter.size() || longer[shorter.size()] == '.');
}

class SbomCheck {
 public:
  explicit SbomCheck(const Case& given) : report_(given.report), store_(given.store) {}

  void run() {
    if (store_.packages.packages().empty()) return;
    const auto sboms = find_sboms();
    for (const auto& package : store_.packages.packages())
      if (const auto paths = sboms.find(&package); paths != sboms.end() && !package.archive.empty())
        hold(package, paths->second);
  }

 private:
  /// Where the SBOMs of each package lie.
  std::map<const Package*, std::vector<std::string>> find_sboms() const {
    const auto& tree = store_.packages;
    const std::string site(PackageTree::site_packages);
    std::map<const Package*, std::vector<std::string>> sboms;
    const auto names = tree.list(site);
    if (!names) return sboms;
    for (const auto& name : *names) {
      if (!name.ends_with(".dist-info")) continue;
      const auto folder = site + "/" + name + "/sboms";
      const auto files = tree.list(folder);
      if (!files || files->size() > most_files) continue;
      for (const auto& file : *files)
        if (file.ends_with(".json")) sboms[tree.package_of(folder + "/" + file)].push_back(folder + "/" + file);
    }
    return sboms;
  }

  /// What SBOMs name; nullopt if none of them can be read.
  std::optional<std::vector<SbomComponent>> read_sboms(const std::vector<std::string>& paths) const {
    std::vector<SbomComponent> components;
    bool any = false;
    for (const auto& path : paths)
      if (const auto text = read_file(store_.packages, path, most_sbom)) any = add_components(*text, components) || any;
    return any ? std::optional(std::move(components)) : std::nullopt;
  }

  void hold(const Package& package, const std::vector<std::string>& sboms) {
    std::optional<std::vector<SbomComponent>> components;
    std::vector<Evidence> lacking;
    std::vector<std::string> words;
    for (const auto& path : package.libraries) {
      const auto& opened = store_.images.open(path);
      if (opened.error || !is_named_like_cuda(*opened.image)) continue;
      const auto library = store_.cuda_library(path, false);
      if (!library || library->stub) continue;
      if (!components && !(components = read_sboms(sboms))) return;
      const auto what = fmt::format("{} {}", product_name(library->kind), library->version);
      const auto stated = stated_version(*library, *components);
      if (stated && (stated->empty() || library->version.empty() || agree(*stated, library->version))) continue;
      lacking.push_back({fmt::format("{} is {}{}", file_name(path), what,
                                     stated ? fmt::format(", and the SBOM has version {}", *stated) : ""),
                         path, Basis::proven, ""});
      if (std::find(words.begin(), words.end(), what) == words.end()) words.push_back(what);
    }
    if (lacking.empty()) return;
    auto finding = make_finding("CUD509");
    finding.subject = package.name;
    finding.message = fmt::format("the SBOM of {} does not name {}, which {} contains", package.name,
                                  fmt::join(words, ", "), package.name);
    finding.evidence = std::move(lacking);
    finding.evidence.push_back({"an SBOM names what a package contains of others", "", Basis::rule, standard});
    finding.consequence = "A search for a library with a known vulnerability does not find this copy.";
    finding.fixes.push_back({"name it, with its version, in the SBOM",
                             "cudald check -f cyclonedx " + shell_word(file_name(package.archive)), ""});
    report_.findings.push_back(std::move(finding));
  }

  /// The version of the component that is this library, the one that agrees if several are; nullopt if none is.
  static std::optional<std::string> stated_version(const CudaLibrary& library,
                                                   const std::vector<SbomComponent>& components) {
    std::optional<std::string> found;
    for (const auto& word : words_for(library))
      for (const auto& component : components) {
        if (component.names.find(word) == std::string::npos) continue;
        if (!found || agree(component.version, library.version)) found = component.version;
      }
    return found;
  }

  Report& report_;
  Store& store_;
};

}  // namespace

void check_sboms(const Case& given) { SbomCheck(given).run(); }

}  // namespace cudald
