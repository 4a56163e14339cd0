#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/writers.h>

#include "base/shell_word.h"
#include "base/windows_path.h"
#include "knowledge/conda_packages.h"
#include "knowledge/gpu_use.h"
#include "knowledge/knowledge.h"
#include "knowledge/providers.h"
#include "knowledge/windows_names.h"
#include "report/json/json_text.h"
#include "report/text/text.h"

namespace cudald {
namespace {

bool is_dll(std::string_view library) { return folded(library).ends_with(".dll"); }

CudaPlatform platform_of(std::string_view library) {
  return is_dll(library) ? CudaPlatform::windows : CudaPlatform::linux;
}

std::string span(const std::string& first, const std::string& last) {
  if (last.empty()) return first + " and newer";
  return first == last ? first : first + " to " + last;
}

/// What the tables of Windows say of a DLL; empty if nothing.
std::string where_on_windows(const std::string& library) {
  const auto name = folded(library);
  if (!is_dll(name)) return "";
  if (const auto later = added_later(name))
    return (later->likely ? "likely " : "") + later->title + (later->command.empty() ? "" : ": " + later->command);
  return is_in_system32(name) ? "part of Windows 11, in System32" : "";
}

/// What one name is, and who carries it.
struct Answer {
  Answer(const std::string& library, const ProvidesQuestion& question) : Answer(library, *question.knowledge) {
    for (const auto& package : question.packages) take(package);
  }

  Answer(const std::string& library, const Knowledge& knowledge)
      : name(library),
        table(knowledge),
        releases(knowledge.releases_of(library)),
        pip(providers_of(library, knowledge)),
        conda(conda_packages_of(library, knowledge)),
        system(system_packages_of(library, knowledge)),
        others(other_versions_of(library, knowledge)),
        windows(where_on_windows(library)) {
    if (!is_known()) similar = similar_library(library, knowledge);
    if (!pip.empty()) source = pip.front().source;
  }

  /// What a package has in which it was looked for; the tables know of more releases, but not of all packages.
  void take(const ProvidedPackage& package) {
    for (const auto& each : package.libraries) {
      const bool same = is_dll(name) ? folded(each.name) == folded(name) : each.name == name;
      if (!same || package.file.empty()) continue;
      const auto wheel = fmt::format("{} on the index", package.file);
      if (!is_known()) source = wheel;
      pip.push_back({package.name, package.version, each.folder, package.name + "==" + package.version, package.version,
                     wheel, false});
    }
  }

  bool is_known() const {
    return !pip.empty() || !conda.empty() || !system.empty() || !windows.empty() || is_driver_library(name);
  }
  /// Of the oldest release: any newer driver serves as well.
  std::optional<Proven<DriverNeed>> driver() const {
    if (releases.empty()) return std::nullopt;
    return table.driver_of(releases.front().first, platform_of(name));
  }
  std::optional<Proven<DriverNeed>> floor_of(int cuda_major) const {
    return table.driver_floor(cuda_major, platform_of(name));
  }
  std::optional<Proven<DriverNeed>> floor() const {
    if (releases.empty()) return std::nullopt;
    const auto& first = releases.front().first;
    return floor_of(std::atoi(first.c_str()));
  }

  std::string name;
  const Knowledge& table;
  std::vector<Proven<NamedRelease>> releases;
  std::vector<Provider> pip;
  std::vector<CondaProvider> conda;
  std::vector<SystemPackage> system;
  std::vector<std::string> others;
  std::string source = providers_source(table);
  std::string windows;  ///< where a Windows has it from; empty if that is not known
  std::string similar;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

class AnswerText {
 public:
  AnswerText(const Answer& answer, TextWriter& text) : answer_(answer), text_(text) {}

  void tell() {
    std::string head = text_.painted(Tone::strong, escaped(answer_.name));
    std::string what;
    for (const auto& release : answer_.releases)
      what += fmt::format("{} CUDA {}", what.empty() ? "" : ",", span(release.first, release.last));
    if (!answer_.releases.empty()) head += fmt::format("  {} of{}", product_name(answer_.releases.front().kind), what);
    text_.line(head);
    if (!answer_.is_known()) {
      text_.labelled("unknown",
                     "no package in the table provides a file of exactly this name" +
                         (answer_.similar.empty() ? "" : fmt::format("; did you mean {}?", answer_.similar)),
                     2);
    }
    tell_pip();
    tell_conda();
    tell_system();
    tell_elsewhere();
    tell_toolkit();
    tell_driver();
    if (!answer_.others.empty())
      text_.labelled("others", joined(answer_.others) + ": other versions (not interchangeable)", 2);
    if (answer_.is_known()) text_.labelled("known by", escaped(answer_.source), 2);
  }

 private:
  void tell_pip() {
    for (const auto& each : answer_.pip) {
      text_.labelled("pip",
                     fmt::format("{}pip install {}  in site-packages/{}", each.likely ? "likely: " : "",
                                 shell_word(each.requirement), each.folder),
                     2, span(each.oldest, each.version));
    }
    if (answer_.pip.empty()) return;
    text_.labelled("",
                   is_dll(answer_.name)
                       ? "Not on the default search path; needs PATH, os.add_dll_directory or code of the package."
                       : "Not on the default search path; needs DT_RUNPATH, DT_RPATH or "
                         "LD_LIBRARY_PATH.",
                   2);
  }

  void tell_conda() {
    for (const auto& each : answer_.conda)
      text_.labelled("conda", (each.likely ? "likely: " : "") + conda_install(each) + "  in $CONDA_PREFIX/lib", 2,
                     each.newest.empty()
                         ? "by its recipe"
                         : "by its recipe, " + (each.oldest.empty() ? each.newest : span(each.oldest, each.newest)));
    if (!answer_.conda.empty())
      text_.labelled("",
                     "On the search path of programs and libraries from conda, by their DT_RPATH; a library from "
                     "pip uses it if a Python of that "
                     "environment loads it, and it has no DT_RUNPATH.",
                     2);
  }

  void tell_system() {
    for (const auto& each : answer_.system)
      text_.labelled(each.command.substr(0, each.command.find(' ')),
                     fmt::format("{}{}  in {}", each.likely ? "likely: " : "", each.command, each.folder), 2,
                     each.system + (each.version.empty() ? "" : ", " + each.version));
    if (!answer_.system.empty())
      text_.labelled("",
                     "Searched if it is a system directory or known to ldconfig; others need "
                     "LD_LIBRARY_PATH or a DT_RUNPATH.",
                     2);
  }

  void tell_elsewhere() {
    if (is_driver_library(answer_.name))
      text_.labelled("driver", "Only NVIDIA's Linux driver provides it; in a container it is the host's.", 2);
    if (!answer_.windows.empty()) text_.labelled("Windows", answer_.windows, 2);
  }

  void tell_toolkit() {
    if (answer_.releases.empty()) return;
    std::string releases;
    for (const auto& release : answer_.releases)
      releases += (releases.empty() ? "" : ", ") + span(release.first, release.last);
    text_.labelled("toolkit",
                   fmt::format("NVIDIA's CUDA Toolkit {}, in {}", releases,
                               is_dll(answer_.name) ? "its directory bin" : "/usr/local/cuda-*/lib64"),
                   2);
  }

  void tell_driver() {
    std::string line;
    for (const auto& release : answer_.releases) {
      const int major = std::atoi(release.first.c_str());
      if (const auto floor = answer_.floor_of(major))
        line += fmt::format("{}{} or newer for CUDA {}.x", line.empty() ? "" : ", ", floor->version, major);
    }
    if (line.empty()) return;
    text_.labelled("driver", line + "; newer if it must JIT newer PTX", 2);
  }

  const Answer& answer_;
  TextWriter& text_;
};

Json pip_json(const Provider& provider) {
  return JsonObject(6)
      .add("distribution", json_text(provider.distribution))
      .add("likely", provider.likely)
      .add("requirement", json_text(provider.requirement))
      .add("oldest", json_text(provider.oldest))
      .add("newest", json_text(provider.version))
      .add("folder", json_text("site-packages/" + provider.folder))
      .take();
}

Json system_json(const SystemPackage& package) {
  return JsonObject(7)
      .add("package", json_text(package.command.substr(package.command.rfind(' ') + 1)))
      .add("command", json_text(package.command))
      .add("version", json_text_or_null(package.version))
      .add("likely", package.likely)
      .add("source", json_text(package.source))
      .add("system", json_text(package.system))
      .add("folder", json_text(package.folder))
      .take();
}

Json conda_json(const CondaProvider& package) {
  return JsonObject(8)
      .add("package", json_text(package.package))
      .add("likely", package.likely)
      .add("channel", json_text(package.channel))
      .add("requirement", json_text(package.requirement))
      .add("oldest", json_text_or_null(package.oldest))
      .add("newest", json_text_or_null(package.newest))
      .add("folder", "lib")
      .add("source", json_text(package.source))
      .take();
}

Json release_json(const Proven<NamedRelease>& release) {
  return JsonObject(4)
      .add("kind", to_string(release.kind))
      .add("first", json_text(release.first))
      .add("last", json_text_or_null(release.last))
      .add("source", json_text(release.source()))
      .take();
}

Json driver_json(const std::optional<Proven<DriverNeed>>& need) {
  if (!need) return nullptr;
  return JsonObject(2).add("version", json_text(need->version)).add("source", json_text(need->source())).take();
}

Json answer_json(const Answer& answer) {
  return JsonObject(11)
      .add("name", json_text(answer.name))
      .add("cuda", json_array(answer.releases, release_json))
      .add("pip", json_array(answer.pip, pip_json))
      .add("conda", json_array(answer.conda, conda_json))
      .add("apt", json_array(answer.system, system_json))
      .add("driver", driver_json(answer.driver()))
      .add("driver_floor", driver_json(answer.floor()))
      .add("windows", json_text_or_null(answer.windows))
      .add("other_versions", json_texts(answer.others))
      .add("did_you_mean", json_text_or_null(answer.similar))
      .add("source", json_text(answer.source))
      .take();
}

Json placed_json(const PlacedLibrary& library) {
  return JsonObject(2)
      .add("name", json_text(library.name))
      .add("folder", json_text("site-packages/" + library.folder))
      .take();
}

Json provided_package_json(const ProvidedPackage& package) {
  return JsonObject(7)
      .add("name", json_text(package.name))
      .add("version", json_text_or_null(package.version))
      .add("file", json_text_or_null(package.file))
      .add("libraries", json_array(package.libraries, placed_json))
      .add("requires", json_texts(package.requires_dist))
      .add("source", json_text_or_null(package.source))
      .add("error", json_text_or_null(package.error))
      .take();
}

/// Libraries by folder, and what it requires.
void tell_package(const ProvidedPackage& package, TextWriter& text) {
  text.line(text.painted(Tone::strong, escaped(package.name)) + "  " +
            (package.file.empty() ? "package" : escaped(package.file)));
  if (!package.error.empty()) text.labelled("unknown", escaped(package.error), 2);
  std::map<std::string, std::vector<std::string>> by_folder;
  for (const auto& library : package.libraries) by_folder[library.folder].push_back(escaped(library.name));
  for (const auto& [folder, names] : by_folder)
    text.labelled("carries", fmt::format("{}  in site-packages/{}", joined(names), escaped(folder)), 2);
  if (by_folder.empty() && package.error.empty()) text.labelled("carries", "no library", 2);
  for (const auto& line : package.requires_dist) text.labelled("requires", escaped(line), 2);
  if (!package.source.empty()) text.labelled("known by", escaped(package.source), 2);
}

bool are_known(const std::vector<ProvidedPackage>& packages) {
  return std::all_of(packages.begin(), packages.end(), [](const auto& package) { return package.error.empty(); });
}

}  // namespace

bool write_provides(const ProvidesQuestion& question, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  bool all_known = are_known(question.packages);
  for (const auto& name : question.names) {
    const Answer answer(name, question);
    all_known = all_known && answer.is_known();
    if (&name != &question.names.front()) text.line();
    AnswerText(answer, text).tell();
  }
  for (const auto& package : question.packages) {
    if (!question.names.empty() || &package != &question.packages.front()) text.line();
    tell_package(package, text);
  }
  return all_known;
}

bool write_provides_json(const ProvidesQuestion& question, bool compact, std::ostream& out) {
  bool all_known = are_known(question.packages);
  Json::array_t libraries;
  for (const auto& name : question.names) {
    const Answer answer(name, question);
    all_known = all_known && answer.is_known();
    libraries.push_back(answer_json(answer));
  }
  write_document(JsonObject(4)
                     .add("schema", "cudald/provides")
                     .add("schema_version", "1.1")
                     .add("libraries", std::move(libraries))
                     .add("packages", json_array(question.packages, provided_package_json))
                     .take(),
                 compact, out);
  return all_known;
}

}  // namespace cudald
