#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/listed.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/windows_names.h"
#include "machine/windows_host.h"

namespace cudald {
namespace {

/// What one installer brings, and how much hangs on it.
struct LaterInstaller {
  LaterPackage package;
  std::vector<ObjectId> dlls;
  Level level = Level::note;
};

class AddedLaterCheck {
 public:
  explicit AddedLaterCheck(const Case& given)
      : report_(given.report), host_(given.windows), fresh_(given.fresh_windows) {}

  /// By title.
  std::map<std::string, LaterInstaller> installers() const {
    std::map<std::string, LaterInstaller> found;
    // A description says what is there.
    if (host_ == nullptr || host_->described || host_->fresh) return found;
    std::set<std::string> names;
    for (ObjectId id = 0; id < objects().size(); ++id) {
      const auto& object = objects()[id];
      const auto name = folded(windows_file_name(object.load_name));
      if (!object.known_by_name || folded(windows_folder(object.load_name)) != folded(host_->system())) continue;
      const auto later = added_later(name);
      const auto level = later ? level_of(id, name) : std::nullopt;
      if (!level) continue;
      auto& installer = found[later->title];
      installer.package = *later;
      if (names.insert(name).second) installer.dlls.push_back(id);
      installer.level = std::min(installer.level, is_taken_to_be_there(*later) ? Level::note : *level);
    }
    return found;
  }

  void run() {
    for (const auto& [title, installer] : installers()) tell(installer);
  }

 private:
  const std::vector<Object>& objects() const { return report_.resolution.objects; }

  /// How bad it is if the DLL is not there: of all requests that it is a part of, the worst counts. Nullopt if all of
  /// them are made on use only.
  std::optional<Level> level_of(ObjectId id, const std::string& name) const {
    std::optional<Level> worst;
    for (const auto& target : report_.resolution.targets) {
      const auto& list = target.search_list;
      if (is_later(target) || std::find(list.begin(), list.end(), id) == list.end()) continue;
      const auto level = std::max(Level::warning, level_of_failure(report_, target));
      worst = std::min(worst.value_or(level), level);
    }
    return worst && fresh_ != nullptr && matters_on_fresh(name) ? std::min(*worst, Level::warning) : worst;
  }

  /// Whether on the fresh machine something fails for want of the DLL that must not.
  bool matters_on_fresh(const std::string& name) const {
    const auto& resolution = fresh_->resolution;
    bool missing = false;
    for (const auto& object : resolution.objects)
      for (const auto& edge : object.edges) {
        if (!edge.hard || edge.object || folded(windows_file_name(edge.name)) != name) continue;
        missing = true;
        if (level_of_failure(*fresh_, resolution.targets[object.target]) < Level::note) return true;
      }
    // An error that was caught may be raised again.
    for (std::size_t i = 0; missing && i < resolution.targets.size(); ++i) {
      const auto& target = resolution.targets[i];
      if (!target.part_of && !target.error.empty()) return true;
    }
    return false;
  }

  /// The driver, where the question is about a machine that has one.
  bool is_taken_to_be_there(const LaterPackage& package) const {
    const auto& environment = report_.query.environment;
    return package.command.empty() && (environment.any_driver || !environment.driver.empty());
  }

  /// "MSVCP140.dll is asked for by a.dll and b.dll".
  Evidence askers_of(ObjectId dll) const {
    constexpr std::size_t most = 3;
    std::vector<std::string> names;
    std::string path;
    for (const auto& object : objects())
      for (const auto& edge : object.edges) {
        auto name = edge.asked_at.empty() ? short_name(object) : edge.asked_at;
        if (edge.object != dll || std::find(names.begin(), names.end(), name) != names.end()) continue;
        if (names.empty()) path = object.path;
        names.push_back(std::move(name));
      }
    return {short_name(objects()[dll]) + " is needed by " + listed(names, most), path, Basis::proven, ""};
  }

  void tell(const LaterInstaller& installer) {
    auto finding = make_finding("CUD115");
    finding.level = installer.level;
    finding.object = installer.dlls.front();
    finding.subject = short_name(objects()[installer.dlls.front()]);
    std::vector<std::string> names;
    for (const auto id : installer.dlls) names.push_back(short_name(objects()[id]));
    const bool one = names.size() == 1;
    finding.message = fmt::format("{}{}{} {} with {}, which is not part of Windows",
                                  fmt::join(names.begin(), names.end() - (one ? 0 : 1), ", "), one ? "" : " and ",
                                  one ? "" : names.back(), one ? "comes" : "come", installer.package.title);
    finding.consequence = "On a machine without it the load fails with error 126. It is assumed to be installed.";
    for (const auto id : installer.dlls) finding.evidence.push_back(askers_of(id));
    finding.evidence.push_back({"not among the DLLs of a fresh Windows", "", Basis::table, windows_names_source()});
    for (const auto id : installer.dlls)
      if (const auto later = added_later(folded(windows_file_name(objects()[id].load_name))); later && later->likely)
        finding.evidence.push_back(
            {fmt::format("that {} comes with {} is likely", short_name(objects()[id]), installer.package.title), "",
             Basis::table, later->source});
    finding.fixes.push_back({"if it is not installed",
                             command_for_machine(installer.package.command, machine_name(report_.resolution.machine)),
                             ""});
    if (report_.resolution.world.kind == WorldKind::tag && !installer.package.command.empty())
      finding.fixes.push_back(
          {one ? "maintainer fix: put it into the wheel" : "maintainer fix: put them into the wheel",
           "delvewheel repair WHEEL", ""});
    report_.findings.push_back(std::move(finding));
  }

  Report& report_;
  const WindowsHost* host_;
  const Report* fresh_;
};

}  // namespace

bool asks_for_fresh_windows(const Case& given) {
  const auto installers = AddedLaterCheck(given).installers();
  return std::any_of(installers.begin(), installers.end(), [](const auto& row) {
    return row.second.level == Level::note && !row.second.package.command.empty();
  });
}

void check_added_later(const Case& given) { AddedLaterCheck(given).run(); }

}  // namespace cudald
