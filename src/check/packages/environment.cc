// What pip records of an environment, held against what is there: files that RECORD lists and that are missing, and
// requirements that the installed releases do not meet. Both explain imports that fail for no other visible reason.
// Source: PEP 376, PEP 427 (RECORD); the core metadata specifications, Requires-Dist.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/installer.h"
#include "knowledge/framework_builds.h"
#include "knowledge/frameworks.h"
#include "package/dist_info.h"
#include "package/package_tree.h"
#include "package/requirement.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

constexpr std::size_t most_files_named = 4;

class EnvironmentCheck {
 public:
  explicit EnvironmentCheck(const Case& given) : report_(given.report), store_(given.store) {}

  void run() {
    for (const auto& import : report_.resolution.imports) {
      const auto site = site_of(import);
      if (site.empty()) continue;
      const auto names = distributions_of(import);
      tell_missing_files(import, site, names);
      if (import.failed) {
        tell_unmet(import, site, names);
        continue;
      }
      tell_unmet_in_step(import, site);
      tell_other_kind(import, site, names);
      tell_unmet_of_compiled(import, site, names);
      tell_unmet_of_sources(import, site, names);
    }
  }

 private:
  /// The directory of site-packages from which the first package is imported.
  static std::string site_of(const Import& import) {
    for (const auto& package : import.packages)
      for (const std::string_view mark : {"/site-packages/", "/dist-packages/"})
        if (const auto at = package.folder.find(mark); at != std::string::npos && !is_virtual(package.folder))
          return package.folder.substr(0, at + mark.size() - 1);
    return "";
  }

  static bool is_virtual(const std::string& folder) { return folder.starts_with(PackageTree::prefix); }

  /// The normal names of what is imported, and of the packages whose libraries are loaded.
  std::set<std::string> distributions_of(const Import& import) const {
    std::set<std::string> names;
    for (const auto& package : import.packages) names.insert(normal_distribution_name(package.name));
    for (const auto& object : report_.resolution.objects)
      if (object.package) names.insert(normal_distribution_name(object.package->name));
    return names;
  }

  Installer installer_at(const std::string& site) {
    requester_.path = site + "/x";
    return {report_, requester_, store_.images.files()};
  }

  /// A library that is loaded by another way, or that a finding names, is told there.
  void tell_missing_files(const Import& import, const std::string& site, const std::set<std::string>& names) {
    for (const auto& damaged : store_.installed.packages_without_libraries(site, names)) {
      if (!told_.insert(damaged.name).second) continue;
      std::vector<std::string> files;
      for (const auto& path : damaged.gone) files.push_back(path.substr(site.size() + 1));
      auto finding = make_finding("CUD516");
      finding.subject = damaged.name;
      finding.message = fmt::format("{} {} is not complete: {} {} missing", damaged.name, damaged.version,
                                    listed(files, most_files_named), files.size() == 1 ? "is" : "are");
      finding.consequence = "What loads or imports it fails there.";
      for (const auto& path : damaged.gone)
        if (finding.evidence.size() < most_files_named)
          finding.evidence.push_back({"listed in RECORD, and not found", path, Basis::proven, ""});
      finding.fixes.push_back(installer_at(site).reinstall(damaged.name, damaged.version));
      if (import.failed && names_a_file_of(damaged)) explain(finding);
      report_.findings.push_back(std::move(finding));
    }
  }

  bool names_a_file_of(const DamagedPackage& damaged) const {
    return std::any_of(damaged.gone.begin(), damaged.gone.end(), [&](const std::string& path) {
      return std::any_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
        return finding.level == Level::error && finding.message.find(file_name(path)) != std::string::npos;
      });
    });
  }

  /// The first error, of the failing import, gets the cause as its evidence, and its fix as the first one.
  void explain(const Finding& cause) {
    for (auto& finding : report_.findings) {
      if (finding.level != Level::error) continue;
      finding.evidence.push_back({cause.message, "", Basis::proven, ""});
      return put_first(cause.fixes, finding);
    }
  }

  static void put_first(const std::vector<Fix>& fixes, Finding& finding) {
    for (auto fix = fixes.rbegin(); fix != fixes.rend(); ++fix)
      if (std::none_of(finding.fixes.begin(), finding.fixes.end(),
                       [&](const Fix& one) { return one.command == fix->command; }))
        finding.fixes.insert(finding.fixes.begin(), *fix);
  }

  static std::string cause_of(const std::string& name, const std::string& version, const UnmetRequirement& unmet) {
    return fmt::format("{} {} requires {}, and {} {} is installed", name, version, unmet.wanted, unmet.name,
                       unmet.version);
  }

  /// Of an import that works.
  static Finding unmet_finding(const std::string& name, const std::string& version, const UnmetRequirement& unmet,
                               const Installer& installer) {
    auto finding = make_finding("CUD515");
    finding.subject = name;
    finding.message = cause_of(name, version, unmet);
    finding.consequence = "It was made for other releases: what it does with this one is not known.";
    finding.fixes.push_back(installer.required_by(name + " " + version, unmet));
    return finding;
  }

  /// Compiled code is made for a range of releases of other compiled code, and may fail in any way with others. Sources
  /// mostly work all the same.
  void tell_unmet_of_compiled(const Import& import, const std::string& site, const std::set<std::string>& names) {
    const auto values = linux_marker_values(import.python_version, "x86_64");
    const auto installer = installer_at(site);
    for (const auto& object : report_.resolution.objects) {
      if (!object.package || object.unmapped || !told_.insert(object.package->name + " (compiled)").second) continue;
      const auto& [name, version] = *object.package;
      for (const auto& unmet : unmet_requirements(store_.images.files(), site, name, values)) {
        const auto cause = cause_of(name, version, unmet);
        if (!names.contains(normal_distribution_name(unmet.name)) || !has_compiled_code(unmet.name) ||
            is_evidence(cause))
          continue;
        auto finding = unmet_finding(name, version, unmet, installer);
        finding.evidence.push_back(
            {fmt::format("{} is compiled code of it", short_name(object)), object.path, Basis::proven, ""});
        report_.findings.push_back(std::move(finding));
      }
    }
  }

  /// Of all else that is imported: one release alone is a risk, as what asks for it was made beside it; a range is
  /// worth a note.
  void tell_unmet_of_sources(const Import& import, const std::string& site, const std::set<std::string>& names) {
    const auto values = linux_marker_values(import.python_version, "x86_64");
    const auto installer = installer_at(site);
    for (const auto& name : names) {
      if (!told_.insert(name + " requires").second) continue;
      const auto own = installed_metadata(store_.images.files(), site, name);
      if (!own) continue;
      for (const auto& unmet : unmet_requirements(store_.images.files(), site, name, values)) {
        const auto cause = cause_of(own->name, own->version, unmet);
        if (!names.contains(normal_distribution_name(unmet.name)) || is_told(cause)) continue;
        auto finding = unmet_finding(own->name, own->version, unmet, installer);
        if (!names_one_release(unmet.wanted)) finding.level = Level::note;
        report_.findings.push_back(std::move(finding));
      }
    }
  }

  /// What is imported by none of its own code yet: a plug-in that it looks for when it is first used.
  void tell_unmet_in_step(const Import& import, const std::string& site) {
    const auto installer = installer_at(site);
    for (const auto& package : import.packages) {
      const auto own = installed_metadata(store_.images.files(), site, package.name);
      if (!own || !told_.insert(own->name + " in step").second) continue;
      for (const auto& unmet : unmet_in_step(store_.images.files(), site, own->name)) {
        auto finding = unmet_finding(own->name, own->version, unmet, installer);
        finding.consequence =
            "They are released together: what it takes from the other one is refused, or is not there.";
        report_.findings.push_back(std::move(finding));
      }
    }
  }

  /// Packages that are released in step, in builds of two kinds: operators of the one do not run on the other's GPU.
  void tell_other_kind(const Import& import, const std::string& site, const std::set<std::string>& names) {
    const auto installer = installer_at(site);
    for (const auto& name : names) {
      const auto companion = companion_of(name);
      const auto own = companion ? installed_metadata(store_.images.files(), site, name) : std::nullopt;
      const auto other = own ? installed_metadata(store_.images.files(), site, companion->framework) : std::nullopt;
      const auto own_kind = other ? kind_of(own->version) : "";
      const auto kind = other ? kind_of_framework(other->version, companion->framework, site) : "";
      if (own_kind.empty() || kind.empty() || own_kind == kind || !told_.insert(name + " kind").second) continue;
      const auto build = build_in_step(name, own->version, other->version, installer);
      if (!build || import.failed || lacks_library_of(name)) continue;
      auto finding = make_finding("CUD515");
      finding.subject = own->name;
      finding.message = fmt::format("{} {} is a build for {}, and {} {} one for {}", own->name, own->version, own_kind,
                                    other->name, other->version, kind);
      finding.consequence = fmt::format("What {} has compiled does not run where {} does.", own->name, other->name);
      finding.evidence.push_back({"the local versions, which name the builds", "", Basis::proven, ""});
      finding.fixes.push_back(*build);
      report_.findings.push_back(std::move(finding));
    }
  }

  /// "CUDA" of 2.1.2+cu121; empty if the version does not say it.
  static std::string kind_of(const std::string& version) {
    const auto label = build_label(version);
    return label == "cpu"              ? "the CPU"
           : label.starts_with("cu")   ? "CUDA"
           : label.starts_with("rocm") ? "ROCm"
           : label.starts_with("xpu")  ? "XPU"
                                       : "";
  }

  /// Of a framework whose version does not say it, its libraries do.
  std::string kind_of_framework(const std::string& version, const std::string& name, const std::string& site) const {
    if (auto kind = kind_of(version); !kind.empty() || !build_label(version).empty()) return kind;
    const auto* framework = framework_of_distribution(name);
    if (framework == nullptr) return "";
    const auto names = store_.images.files().list(site + "/" + framework->folder);
    const auto is_for_cuda = [&](const std::string& file) {
      const auto parts = builds_with_library(name, file);
      return parts && parts->labels == "cu*";
    };
    return names && std::any_of(names->begin(), names->end(), is_for_cuda) ? "CUDA" : "";
  }

  /// Whether a finding tells that already, of a library that its build has not.
  bool lacks_library_of(const std::string& name) const {
    return std::any_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
      const auto* object = finding.object ? &report_.resolution.objects[*finding.object] : nullptr;
      return finding.level != Level::note && object != nullptr && object->package &&
             normal_distribution_name(object->package->name) == name;
    });
  }

  static bool names_one_release(const std::string& requirement) {
    return requirement.find("==") != std::string::npos && requirement.find('*') == std::string::npos;
  }

  bool is_told(const std::string& cause) const {
    return is_evidence(cause) || std::any_of(report_.findings.begin(), report_.findings.end(),
                                             [&](const Finding& one) { return one.message == cause; });
  }

  /// Whether the process has mapped a file of this distribution.
  bool has_compiled_code(const std::string& distribution) const {
    const auto& objects = report_.resolution.objects;
    return std::any_of(objects.begin(), objects.end(), [&](const Object& object) {
      return object.package && !object.unmapped &&
             normal_distribution_name(object.package->name) == normal_distribution_name(distribution);
    });
  }

  bool is_evidence(const std::string& cause) const {
    return std::any_of(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
      return std::any_of(finding.evidence.begin(), finding.evidence.end(),
                         [&](const Evidence& one) { return one.text == cause; });
    });
  }

  /// The distribution whose code raises the error; empty if that is not known.
  std::string raised_by(const Import& import) const {
    const auto& at = import.raised_at;
    const auto* owner = at.empty() ? nullptr : store_.installed.package_of(at.substr(0, at.rfind(':')));
    return owner == nullptr ? "" : normal_distribution_name(owner->name);
  }

  /// Only what the error or the import itself has to do with: many environments work with others unmet.
  void tell_unmet(const Import& import, const std::string& site, const std::set<std::string>& names) {
    const auto& target = report_.resolution.targets[import.target];
    const auto values = linux_marker_values(import.python_version, "x86_64");
    const auto installer = installer_at(site);
    const auto raiser = raised_by(import);
    for (const auto& name : names) {
      const auto own = installed_metadata(store_.images.files(), site, name);
      if (!own) continue;
      auto all = unmet_requirements(store_.images.files(), site, name, values);
      // What raises an error itself may have left out what it finds too old.
      if (name == raiser)
        for (auto& by_extra : unmet_by_extra(store_.images.files(), site, name)) all.push_back(std::move(by_extra));
      for (const auto& unmet : all) {
        const auto other = normal_distribution_name(unmet.name);
        const bool named = folded(target.error).find(folded(unmet.name)) != std::string::npos;
        if (!names.contains(other) && !named) continue;
        if (!raiser.empty() && raiser != name && raiser != other && !named) continue;
        const auto cause = cause_of(own->name, own->version, unmet);
        for (auto& finding : report_.findings) {
          if (finding.level != Level::error || finding.message.find(cause) != std::string::npos) continue;
          finding.message += "; " + cause;
          finding.evidence.push_back({cause, "", Basis::proven, ""});
          put_first({installer.required_by(own->name + " " + own->version, unmet)}, finding);
          return;
        }
      }
    }
  }

  Report& report_;
  Store& store_;
  Object requester_;
  std::set<std::string> told_;
};

}  // namespace

void check_environment(const Case& given) { EnvironmentCheck(given).run(); }

}  // namespace cudald
