#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/findings/cuda_objects.h"
#include "check/fixes/installer.h"
#include "knowledge/gpu_use.h"

namespace cudald {
namespace {

/// What the objects of one package ask for of CUDA.
struct Component {
  std::string name;                     ///< of the module
  std::string called;                   ///< with the version, if it is known
  std::size_t modules{};                ///< objects
  std::vector<std::string> hard, soft;  ///< names of CUDA libraries
  std::vector<std::string> absent;      ///< of the hard ones, those for want of which its modules do not load
  std::string opens;                    ///< the file that asks for the soft ones

  bool asks() const { return !hard.empty() || !soft.empty(); }
};

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string first_and_more(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

/// The extra of an installed distribution that brings a module along, the newest of those that name a CUDA; empty if
/// none.
std::string extra_for(const std::string& prefix, const std::vector<std::string>& extras) {
  std::string best;
  for (const auto& extra : extras)
    if (extra.starts_with(prefix) && extra.ends_with("x") &&
        std::pair(extra.size(), extra) > std::pair(best.size(), best))
      best = extra;
  return best.empty() && std::find(extras.begin(), extras.end(), prefix) != extras.end() ? prefix : best;
}

class ComponentCheck {
 public:
  ComponentCheck(Report& report, Store& state) : report_(report), files_(state.packages) {}

  void check(const Import& import) {
    if (import.packages.empty()) return;
    const auto top = import.module.substr(0, import.module.find('.'));
    std::vector<Component> components;
    for (const auto& package : import.packages) components.push_back(component(package));
    const auto own =
        std::find_if(components.begin(), components.end(), [&](const auto& one) { return one.name == top; });
    if (own == components.end() || own->asks()) return;
    const auto is_imported = [&](const std::string& through) {
      return std::any_of(components.begin(), components.end(), [&](const auto& one) { return one.name == through; });
    };
    const auto use = gpu_use_of(top, is_imported, knowledge_of(report_));
    Loss loss{*own, use ? &*use : nullptr, lost_names()};
    loss.through_is_missing = use && is_missing(import, use->through);
    for (const auto& one : components)
      if (use && one.name == use->through && !one.absent.empty() && loss.failing == nullptr) loss.failing = &one;
    if (loss.names.empty() && !loss.through_is_missing && loss.failing == nullptr) return;
    if (use && is_lost_by(use->through)) return;  // its own way to the GPU: told of each library
    tell(import, components, loss);
  }

 private:
  /// What a package without CUDA of its own loses, and through whom.
  struct Loss {
    const Component& own;
    const GpuUse* use;                   ///< through what it uses the GPU; nullptr if that is not known
    std::vector<std::string> names;      ///< of CUDA libraries
    bool through_is_missing = false;     ///< what it uses the GPU through is not installed
    const Component* failing = nullptr;  ///< or is, and does not load
  };

  void tell(const Import& import, const std::vector<Component>& components, const Loss& loss) {
    const auto& name = loss.own.name;
    auto finding = make_finding("CUD403");
    finding.subject = name;
    finding.message = message_of(components, loss);
    if (report_.query.require_gpu)
      finding.level = Level::error;
    else if (loss.failing == nullptr && loss.names.empty())
      finding.level = Level::note;
    finding.evidence.push_back({fmt::format("CUDA libraries of {}: none (extension modules and libraries read: {})",
                                            loss.own.called, loss.own.modules),
                                "", Basis::proven, ""});
    for (const auto& one : components)
      if (one.asks() || (one.name != name && imports_one_that_asks(import, one, components)))
        add_component(import, one, finding);
    if (loss.through_is_missing) add_missing(import, loss.use->through, finding);
    finding.consequence = consequence_of(components, loss);
    if (loss.through_is_missing) add_fixes(import, *loss.use, finding);
    if (loss.failing != nullptr) add_fixes_of(*loss.failing, *loss.use, finding);
    if (loss.through_is_missing && !loss.names.empty())
      finding.does_not_help.push_back(
          fmt::format("installing the CUDA libraries alone: {} stops complaining, {} still has no {}",
                      asking(components), name, loss.use->through));
    report_.findings.insert(report_.findings.begin(), std::move(finding));
  }

  std::string message_of(const std::vector<Component>& components, const Loss& loss) const {
    const auto none = loss.own.called + " uses no CUDA library; ";
    if (loss.failing != nullptr)
      return none + fmt::format("{}, through which it would use the GPU, does not load without {}",
                                loss.failing->called, first_and_more(loss.failing->absent));
    if (loss.names.empty())
      return none + fmt::format("it would use the GPU through {}, which is not installed", loss.use->through);
    const bool one = loss.names.size() == 1;
    auto message = none + fmt::format("the missing {}, {}, {} needed by {}", one ? "library" : "libraries",
                                      first_and_more(loss.names), one ? "is" : "are", asking(components));
    if (const auto folder = common_folder(loss.names); !folder.empty())
      message += fmt::format(", and {} installed in directories that the loader does not search, {} first",
                             one ? "is" : "are", folder);
    if (loss.through_is_missing)
      message +=
          fmt::format(". {} would use the GPU through {}, which is not installed", loss.own.name, loss.use->through);
    return message;
  }

  /// Where the first of these libraries lies, if all of them are on this machine, outside of the search.
  std::string common_folder(const std::vector<std::string>& names) const {
    std::string first;
    for (const auto& name : names) {
      constexpr std::string_view mark = " is on this machine (";
      const auto told = std::find_if(report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
        return finding.subject == name && finding.message.find(mark) != std::string::npos;
      });
      if (told == report_.findings.end()) return "";
      const auto begin = told->message.find(mark) + mark.size();
      if (first.empty()) first = told->message.substr(begin, told->message.find(')', begin) - begin);
    }
    return first;
  }

  static std::string consequence_of(const std::vector<Component>& components, const Loss& loss) {
    auto text =
        loss.use != nullptr ? loss.use->lost : fmt::format("{} itself needs none of these libraries.", loss.own.name);
    if (loss.failing != nullptr)
      text += fmt::format(
          " For {0} alone it is an error: `import {0}` raises ImportError; what imports it here catches that.",
          loss.use->through);
    for (const auto& one : components)
      if (!loss.names.empty() && !one.opens.empty())
        text += fmt::format(" The warning is printed by {} of {}, not by {}.", one.opens, one.name, loss.own.name);
    return text;
  }

  Component component(const Import::Package& package) const {
    Component result{package.name, package.name, 0, {}, {}};
    for (const auto& object : report_.resolution.objects) {
      if (package.folder.empty()) continue;
      const bool own = is_of(package, object.path);
      if (own && object.package) result.called = fmt::format("{} {}", package.name, object.package->version);
      result.modules += own ? 1 : 0;
      for (const auto& edge : object.edges) {
        // What its Python code opens is asked of the interpreter's files.
        if (!is_cuda_library_name(edge.name) || !(own || edge.asked_at.starts_with(package.folder))) continue;
        add_name(edge.hard ? result.hard : result.soft, edge.name);
        if (edge.hard && !edge.object) add_name(result.absent, edge.name);
        if (!edge.hard && result.opens.empty()) result.opens = short_name(object);
      }
    }
    return result;
  }

  /// In its folder, or among the libraries that auditwheel has put beside it.
  static bool is_of(const Import::Package& package, const std::string& path) {
    const auto& folder = package.folder;
    return path.starts_with(folder) || path.starts_with(folder.substr(0, folder.size() - 1) + std::string(".libs/"));
  }

  /// The CUDA libraries for want of which some package does not use the GPU.
  std::vector<std::string> lost_names() const {
    std::vector<std::string> names;
    for (const auto& target : report_.resolution.targets)
      if (target.traits.gpu && !target.error.empty() && is_cuda_library_name(target.given))
        add_name(names, target.given);
    return names;
  }

  /// Whether a file of that module asks for what is lost.
  bool is_lost_by(const std::string& module) const {
    return std::any_of(report_.resolution.targets.begin(), report_.resolution.targets.end(), [&](const Target& target) {
      return target.traits.gpu && !target.error.empty() && target.caller &&
             report_.resolution.objects[*target.caller].path.find("/" + module + "/") != std::string::npos;
    });
  }

  static bool is_missing(const Import& import, const std::string& module) {
    return std::any_of(import.missing.begin(), import.missing.end(),
                       [&](const auto& one) { return one.name == module; });
  }

  std::string asking(const std::vector<Component>& components) const {
    std::vector<std::string> names;
    for (const auto& one : components)
      if (one.asks()) names.push_back(one.name);
    return names.empty() ? "others" : fmt::format("{}", fmt::join(names, ", "));
  }

  /// Whether a file of the component is what imports a package that asks for CUDA.
  static bool imports_one_that_asks(const Import& import, const Component& one,
                                    const std::vector<Component>& components) {
    const auto& package = package_of(import, one.name);
    return !package.folder.empty() && std::any_of(components.begin(), components.end(), [&](const Component& other) {
      return other.asks() && package_of(import, other.name).asked_at.starts_with(package.folder);
    });
  }

  static const Import::Package& package_of(const Import& import, const std::string& name) {
    return *std::find_if(import.packages.begin(), import.packages.end(),
                         [&](const auto& each) { return each.name == name; });
  }

  static void add_component(const Import& import, const Component& one, Finding& finding) {
    std::string text = fmt::format("CUDA libraries of {}: ", one.called);
    if (!one.hard.empty()) text += first_and_more(one.hard) + " (hard)";
    if (!one.soft.empty())
      text += fmt::format("{}{}, opened at run time by {} (soft)", one.hard.empty() ? "" : "; ",
                          first_and_more(one.soft), one.opens);
    if (!one.asks()) text += "none";
    if (const auto& package = package_of(import, one.name); !package.asked_at.empty())
      text += "; imported by " + package.asked_at;
    finding.evidence.push_back({std::move(text), "", Basis::proven, ""});
  }

  static void add_missing(const Import& import, const std::string& module, Finding& finding) {
    for (const auto& missing : import.missing) {
      if (missing.name != module) continue;
      finding.evidence.push_back(
          {fmt::format("{}: not installed; {} tries to import it and continues without it", module, missing.asked_at),
           "", Basis::proven, ""});
      return;
    }
  }

  void add_fixes(const Import& import, const GpuUse& use, Finding& finding) const {
    const auto extra = extra_for(use.extra, extras_of(package_of(import, finding.subject)));
    Object place;
    place.path = place_in_packages(import);
    finding.fixes.push_back(
        {fmt::format("to use the GPU, install {}", use.through),
         Installer(report_, place, files_).install() +
             (extra.empty() ? use.through : shell_word(fmt::format("{}[{}]", finding.subject, extra))),
         fmt::format("and call {} before {}: it makes a silent fall-back an error", use.require, use.before)});
    finding.evidence.push_back(
        {fmt::format("{} uses the GPU through {}", finding.subject, use.through), "", Basis::table, use.source});
  }

  /// What helps against the libraries that a component misses helps here.
  void add_fixes_of(const Component& failing, const GpuUse& use, Finding& finding) const {
    for (const auto& other : report_.findings) {
      if (other.subject != failing.absent.front() || other.fixes.empty()) continue;
      finding.fixes = other.fixes;
      break;
    }
    finding.fixes.push_back(
        {fmt::format("make the silent fall-back an error: {} before {}", use.require, use.before), "", ""});
  }

  /// The extras that the METADATA of a package's distribution declares.
  std::vector<std::string> extras_of(const Import::Package& package) const {
    std::vector<std::string> extras;
    const std::string site(parent_path(package.folder.substr(0, package.folder.size() - 1)));
    const auto entries = files_.list(site);
    if (package.folder.empty() || !entries) return extras;
    for (const auto& entry : *entries) {
      if (!entry.starts_with(package.name + "-") || !entry.ends_with(".dist-info")) continue;
      constexpr std::uint64_t most_text = 1 << 20;
      const auto text = read_file(files_, site + "/" + entry + "/METADATA", most_text);
      constexpr std::string_view key = "Provides-Extra: ";
      if (text)
        for (const auto line : split(*text, "\n"))
          if (line.starts_with(key)) extras.emplace_back(line.substr(key.size()));
    }
    return extras;
  }

  Report& report_;
  const FileSystem& files_;
};

}  // namespace

void check_components(const Case& given) {
  auto& report = given.report;
  auto& state = given.store;
  for (const auto& import : report.resolution.imports) ComponentCheck(report, state).check(import);
}

}  // namespace cudald
