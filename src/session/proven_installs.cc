// No file of an environment says which release of a package helps. Where an index can be asked, each command that
// installs something is tried: the wheels that pip would take lie in the place of what is installed, and the import is
// followed again.

#include "session/proven_installs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/packages/lacked_names.h"
#include "package/dist_info.h"
#include "package/site_packages.h"
#include "package/version.h"
#include "package/wheel_texts.h"
#include "session/failed_import.h"
#include "session/kept_requirements.h"
#include "session/pip_commands.h"
#include "session/tried_installation.h"

namespace cudald {
namespace {

/// A trial costs as much as the question, and the wheels are read from a server.
constexpr std::size_t most_trials_of_installs = 12;

/// The environment of the first import that failed; nullopt if it is none of Linux that pip could change.
std::optional<InstallPlace> install_place(const Report& report) {
  const auto* failed = failed_import(report);
  if (failed == nullptr || failed->python_version.empty() || report.resolution.windows) return std::nullopt;
  InstallPlace place;
  place.site = site_of(*failed);
  if (place.site.empty() || place.site.starts_with(PackageTree::prefix)) return std::nullopt;
  const auto machine = machine_name(report.resolution.machine);
  place.wheels.python_version = failed->python_version;
  place.wheels.machine = machine;
  if (const auto& libc = report.resolution.libc; libc.kind == LibcKind::musl)
    place.wheels.musl = libc;
  else if (libc.major != 0)
    place.wheels.glibc = libc;
  place.markers = linux_marker_values(failed->python_version, machine);
  return place;
}

/// Asks an index once for each project: a trial asks for most of those of the one before.
class AskedOnce final : public WheelIndex {
 public:
  explicit AskedOnce(WheelIndex& index) : index_(index) {}

  Result<std::vector<LockedFile>> wheels_of(const std::string& project) override {
    const auto known = known_.find(project);
    return known != known_.end() ? known->second : known_.emplace(project, index_.wheels_of(project)).first->second;
  }
  std::string reach(const LockedFile& file) override { return index_.reach(file); }

 private:
  WheelIndex& index_;
  std::map<std::string, Result<std::vector<LockedFile>>> known_;
};

/// What came of one command.
struct InstallOutcome {
  bool installable = false;  ///< false: it is not known what would be installed
  bool known = false;        ///< false: nor what the import would do then
  bool works = false;
  bool same = false;  ///< the same error is left
  std::map<std::string, std::string> installed;
  std::string unmet;              ///< what another package requires and has no more: "a 1.0 requires b<2"; mostly empty
  std::vector<std::string> next;  ///< commands against the error that is left, where that is another one
};

/// What a package requires that is not met any more; pip installs it all the same.
std::string unmet_since(const FileSystem& before, const FileSystem& after, const std::string& site) {
  const auto text = [](const UnmetBy& each) { return fmt::format("{} requires {}", each.by, each.unmet.wanted); };
  std::set<std::string> known;
  for (const auto& each : all_unmet(before, site)) known.insert(text(each));
  for (const auto& each : all_unmet(after, site))
    if (!known.contains(text(each))) return text(each);
  return "";
}

class InstallTrials {
 public:
  InstallTrials(const Report& report, SessionState& state, ThreadLimit& threads, const AskAgain& ask,
                InstallPlace place)
      : report_(report), state_(state), threads_(threads), ask_(ask), place_(std::move(place)), index_(*state.index) {}

  InstallOutcome run(const std::string& command) {
    if (trials_ == most_trials_of_installs) return {};
    const auto outcome = run([&](TriedInstallation& installation, ChangedTree& tree) {
      const auto lines = split(command, "\n");
      return std::all_of(lines.begin(), lines.end(),
                         [&](std::string_view line) { return run_line(std::string(line), installation, tree); });
    });
    trials_ += outcome.installable;
    return outcome;
  }

  InstallOutcome run(const InstallRequest& request) {
    return run([&](TriedInstallation& installation, ChangedTree& tree) { return installation.install(request, tree); });
  }

  std::optional<Fix> with_requirers(const Fix& fix) const {
    return cudald::with_requirers(fix, state_.given, place_.site, place_.markers);
  }

  /// When a release was uploaded first; empty if the index does not say.
  std::string time_of(const PackageName& package) {
    const auto wheels = index_.wheels_of(normal_distribution_name(package.name));
    std::string time;
    for (const auto& wheel : wheels ? *wheels : std::vector<LockedFile>()) {
      const auto name = parse_wheel_file_name(wheel.name);
      if (name && name->version == package.version && (time.empty() || wheel.uploaded < time)) time = wheel.uploaded;
    }
    return time;
  }

 private:
  using Install = std::function<bool(TriedInstallation&, ChangedTree&)>;

  InstallOutcome run(const Install& install) {
    InstallOutcome outcome;
    TriedInstallation installation(state_.given, index_, place_);
    ChangedTree tree(installation.wheels());
    outcome.installable = install(installation, tree);
    if (!outcome.installable) return outcome;
    auto query = report_.query;
    query.notes = query.keep_bindings = false;
    query.constants = ConstantScope::none;
    query.message.reset();
    SharedReadings readings(false);
    SessionState own(tree, threads_, state_.store.knowledge, readings);
    own.foresees = false;
    const auto after = ask_(std::move(query), own);
    outcome.known = after.verdict != Verdict::unknown;
    outcome.works = outcome.known && after.verdict != Verdict::fails;
    outcome.same = import_error(after) == import_error(report_);
    outcome.installed = installation.installed();
    if (!outcome.works && !outcome.same) outcome.next = installs_of(after);
    if (outcome.works) outcome.unmet = unmet_since(state_.given, tree, place_.site);
    return outcome;
  }

  static bool run_line(const std::string& line, TriedInstallation& installation, ChangedTree& tree) {
    const auto command = pip_command(line);
    const auto request = command ? install_request(command->words) : std::nullopt;
    if (!request) return false;
    if (command->install) return installation.install(*request, tree);
    return std::all_of(request->wanted.begin(), request->wanted.end(),
                       [&](const Requirement& each) { return installation.uninstall(each.name, tree); });
  }

  const Report& report_;
  SessionState& state_;
  ThreadLimit& threads_;
  const AskAgain& ask_;
  const InstallPlace place_;
  AskedOnce index_;
  std::size_t trials_ = 0;
};

/// "numpy<1.26" in place of "numpy<2" where numpy 1.26.4 was tried: the series before. nullopt if the command asks for
/// anything else, or there is none.
std::optional<std::string> before_tried(const std::string& command, const InstallOutcome& outcome) {
  const auto pip = pip_command(command);
  const auto request = pip && pip->install ? install_request(pip->words) : std::nullopt;
  if (!request || request->upgrade) return std::nullopt;
  const auto pins = [](const Requirement& each) { return !each.specifiers.empty(); };
  if (std::count_if(request->wanted.begin(), request->wanted.end(), pins) != 1) return std::nullopt;
  const auto& wanted = *std::find_if(request->wanted.begin(), request->wanted.end(), pins);
  const auto tried = outcome.installed.find(wanted.name);
  if (!wanted.specifiers.starts_with('<') || wanted.specifiers.find(',') != std::string::npos ||
      tried == outcome.installed.end())
    return std::nullopt;
  const auto& version = tried->second;
  const auto second = version.find('.', version.find('.') + 1);
  const auto bound = "<" + without_local(version.substr(0, second));
  const auto at = command.rfind(wanted.specifiers);
  if (bound == wanted.specifiers || at == std::string::npos) return std::nullopt;
  auto earlier = command;
  return earlier.replace(at, wanted.specifiers.size(), bound);
}

std::string tried_text(const InstallOutcome& outcome) {
  std::vector<std::string> packages;
  for (const auto& [name, version] : outcome.installed) packages.push_back(name + " " + version);
  return fmt::format("with {} the import works", fmt::join(packages, ", "));
}

/// Says of a fix that it helps; a condition under which it does, "if there is a newer one", is met then.
void tell_that_it_works(const InstallOutcome& outcome, Fix& fix, Finding& finding) {
  const auto tried = tried_text(outcome);
  constexpr std::string_view condition = "if ";
  if (const auto comma = fix.title.find(", "); fix.title.starts_with(condition) && comma != std::string::npos)
    fix.title.erase(0, comma + 2);
  if (fix.side_effect.starts_with(condition)) fix.side_effect.clear();
  if (!outcome.unmet.empty())
    fix.side_effect += fmt::format("{}{}, which is not met then", fix.side_effect.empty() ? "" : "; ", outcome.unmet);
  fix.title += ": " + tried;
  finding.evidence.push_back({tried + ": tried with the wheels of the index", "", Basis::proven, ""});
}

/// Tries a command; where the error stays, with an earlier series of the same package, and where another one comes,
/// with each of the commands against that behind it. The command is what works then, else as it was.
InstallOutcome try_on(std::string& command, InstallTrials& trials, int steps) {
  const auto outcome = trials.run(command);
  if (!outcome.known || outcome.works || steps == 0) return outcome;
  std::vector<std::string> others;
  if (const auto earlier = outcome.same ? before_tried(command, outcome) : std::nullopt)
    others.push_back(*earlier);
  else
    for (const auto& next : outcome.next)
      if (command.find(next) == std::string::npos)
        others.push_back(joined_installs(command, next).value_or(command + "\n" + next));
  for (auto& other : others)
    if (auto better = try_on(other, trials, steps - 1); better.works) {
      command = other;
      return better;
    }
  return outcome;
}

/// Tries a fix together with what else it would break; if that is not known to work, by itself.
InstallOutcome try_fix(Fix& fix, InstallTrials& trials, int steps) {
  if (auto kept = trials.with_requirers(fix))
    if (auto outcome = try_on(kept->command, trials, steps); outcome.works) {
      fix = *std::move(kept);
      return outcome;
    }
  return try_on(fix.command, trials, steps);
}

/// Tries what one finding offers; a command that helps comes first. False if none does.
bool prove_installs_of(Finding& finding, InstallTrials& trials) {
  constexpr int most_steps = 4;
  std::vector<Fix> proven, left;
  for (auto& fix : finding.fixes) {
    const auto outcome = fix.command.empty() || !proven.empty() ? InstallOutcome() : try_fix(fix, trials, most_steps);
    if (outcome.works && !outcome.installed.empty()) {
      tell_that_it_works(outcome, fix, finding);
      proven.push_back(std::move(fix));
    } else if (!outcome.known || !outcome.same) {
      left.push_back(std::move(fix));
    }
  }
  const bool helps = !proven.empty();
  finding.fixes = std::move(proven);
  finding.fixes.insert(finding.fixes.end(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  return helps;
}

/// The package whose code asks for what it does not get, or that was built for what is not there; else the one that is
/// imported.
const PackageName* asking_package(const Import& import, Store& store) {
  std::vector<std::string> files;
  if (import.lacked) files.push_back(file_of(import.lacked->asked_at));
  for (const auto& missing : import.missing)
    if (missing.required) files.push_back(file_of(missing.asked_at));
  if (import.refused) files.push_back(import.refused->path);
  files.push_back(file_of(import.raised_at));
  for (const auto& package : import.packages)
    if (package.name == top_of(import.module) && !package.folder.empty())
      files.push_back(package.folder + "__init__.py");
  for (const auto& file : files)
    if (const auto* package = file.empty() ? nullptr : store.installed.package_of(file)) return package;
  return nullptr;
}

/// Of an old package in a new environment more may be broken than one command helps against. What it was made for are
/// the releases of its own time.
void prove_releases_of_time(const Report& report, SessionState& state, InstallTrials& trials, Finding& finding) {
  const auto& import = *failed_import(report);
  const auto* asking = asking_package(import, state.store);
  if (asking == nullptr) return;
  InstallRequest request;
  request.time = trials.time_of(*asking);
  if (request.time.empty()) return;
  for (const auto& fix : finding.fixes)
    if (const auto pip = pip_command(fix.command); pip && pip->install && request.wanted.empty())
      for (const auto& word : pip->words)
        if (auto wanted = word.starts_with('-') ? std::nullopt : parse_requirement(word)) {
          wanted->specifiers.clear();
          request.wanted.push_back(*std::move(wanted));
        }
  const auto name = normal_distribution_name(asking->name);
  std::erase_if(request.wanted, [&](const Requirement& each) { return each.name == name; });
  auto outcome = request.wanted.empty() ? InstallOutcome() : trials.run(request);
  if (!outcome.works) {
    request.upgrade = true;
    request.wanted.push_back({.name = name, .specifiers = "==" + asking->version});
    outcome = trials.run(request);
  }
  if (!outcome.works || outcome.installed.empty()) return;
  const auto installer = installer_for(report, import, import.module, "", state.given);
  Fix fix;
  fix.title = fmt::format("use the releases of the time of {} {}, {}", asking->name, asking->version,
                          request.time.substr(0, request.time.find('T')));
  for (const auto& [distribution, version] : outcome.installed)
    fix.command += " " + shell_word(distribution + "==" + version);
  fix.command = installer.install() + fix.command.substr(1);
  tell_that_it_works(outcome, fix, finding);
  finding.fixes.insert(finding.fixes.begin(), std::move(fix));
}

}  // namespace

void prove_installs(Report& report, SessionState& state, ThreadLimit& threads, const AskAgain& ask) {
  if (!report.query.fixes || report.verdict != Verdict::fails) return;
  auto place = install_place(report);
  if (!place) return;
  if (state.index == nullptr) {
    // Of other trees and of packages that are only named here no index is asked.
    const bool has_python = std::any_of(report.resolution.imports.begin(), report.resolution.imports.end(),
                                        [](const Import& each) { return each.failed && !each.python.empty(); });
    if (has_python && report.query.sysroot == "/" && report.query.packages.empty())
      report.releases = TriedReleases::not_yet;
    return;
  }
  report.releases = TriedReleases::tried;
  InstallTrials trials(report, state, threads, ask, *std::move(place));
  Finding* first = nullptr;
  bool helps = false;
  for (auto& finding : report.findings) {
    if (finding.level != Level::error) continue;
    if (first == nullptr) first = &finding;
    helps = prove_installs_of(finding, trials) || helps;
  }
  if (!helps && first != nullptr) prove_releases_of_time(report, state, trials, *first);
}

}  // namespace cudald
