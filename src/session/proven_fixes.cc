#include "session/proven_fixes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "base/windows_path.h"
#include "check/findings/checks.h"
#include "check/fixes/windows_fixes.h"
#include "knowledge/windows_names.h"
#include "machine/windows_tree.h"
#include "session/changed_tree.h"

namespace cudald {
namespace {

/// What a command leaves behind, as far as it is known.
class Trial {
 public:
  Trial(const Report& report, SessionState& state) : tree(state.given), query(report.query), state_(state) {
    query.fixes = query.notes = query.keep_bindings = false;
    query.constants = ConstantScope::none;
    drop_named_library(report);
    query.message.reset();
  }

  /// False where it is not known what the command does.
  bool run(const std::string& command) {
    if (command.empty()) return false;
    std::size_t begin = 0;
    while (begin <= command.size()) {
      const auto end = std::min(command.find('\n', begin), command.size());
      if (!run_line(command.substr(begin, end - begin))) return false;
      begin = end + 1;
    }
    return true;
  }

  ChangedTree tree;
  Query query;

 private:
  /// Of a library that only the pasted message names, and that the program has loaded by itself before, no later
  /// process opens the same file: another search may lead elsewhere.
  void drop_named_library(const Report& report) {
    if (!query.message) return;
    std::erase_if(query.dlopens, [&](const DlopenRequest& call) {
      const auto& objects = report.resolution.objects;
      return query.message->text.find(call.name) != std::string::npos &&
             std::any_of(objects.begin(), objects.end(), [&](const Object& object) {
               return object.target == 0 && (object.load_name == call.name || object.path == call.name);
             });
    });
  }

  bool run_line(std::string line) {
    if (state_.windows) return run_windows_line(line);
    constexpr std::string_view as_root = "sudo ", exported = "export ";
    if (line.starts_with(as_root)) line.erase(0, as_root.size());
    if (line.starts_with(exported)) return run_export(line.substr(exported.size()));
    const auto words = plain_words(line, false);
    if (!words) return false;
    if (words->size() == 2 && words->front() == "unset") {
      if (is_of_toolkit((*words)[1])) return false;
      query.environment.variables.erase((*words)[1]);
      // The description would set it again; an empty one of a loader is as good as none.
      if (query.linux_host) query.environment.stated[(*words)[1]] = "";
      return true;
    }
    // Of a library alone it is known what a load makes of it.
    if (words->size() == 3 && words->front() == "mv" && (*words)[1].find(".so") != std::string::npos &&
        !(*words)[2].ends_with('/')) {
      const bool done = put((*words)[2], in_folder((*words)[1]));
      tree.take_away(in_folder((*words)[1]));
      return done;
    }
    if (words->size() == 3 && words->front() == "cp") return put((*words)[2], in_folder((*words)[1]));
    if (words->size() == 4 && words->front() == "ln" && (*words)[1].starts_with("-s")) {
      const auto& target = (*words)[2];
      return put((*words)[3], target.starts_with('/') ? target : std::string(parent_path((*words)[3])) + "/" + target);
    }
    return false;
  }

  /// Whether only code of GTK, Qt or GStreamer reads a variable, to open modules that nothing else names.
  static bool is_of_toolkit(std::string_view variable) {
    constexpr std::string_view beginnings[] = {"GTK_", "GIO_", "GDK_", "QT_", "GST_"};
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view beginning) { return variable.starts_with(beginning); });
  }

  std::string in_folder(const std::string& path) const {
    return normal_path(absolute_path(path, query.environment.cwd));
  }

  bool put(const std::string& path, const std::string& source) {
    tree.put(in_folder(path), in_folder(source));
    return true;
  }

  /// NAME=VALUE, before what the variable has where it ends in ${NAME:+:$NAME}.
  bool run_export(std::string line) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) return false;
    const auto name = line.substr(0, equals);
    const auto rest = fmt::format("${{{0}:+:${0}}}", name);
    const bool before = line.ends_with(rest);
    if (before) line.erase(line.size() - rest.size());
    const auto words = plain_words(line.substr(equals + 1), false);
    if (!words || words->size() != 1) return false;
    auto& value = query.environment.variables[name];
    value = before && !value.empty() ? words->front() + ":" + value : words->front();
    if (query.linux_host) query.environment.stated[name] = value;  // before what the description has
    return true;
  }

  /// "import a, b" in one process.
  bool run_import(const std::string& code) {
    constexpr std::string_view verb = "import ";
    if (!code.starts_with(verb)) return false;
    query.targets.clear();
    for (const auto module : split(std::string_view(code).substr(verb.size()), ", "))
      query.targets.push_back("py:" + std::string(module));
    return true;
  }

  bool run_windows_line(const std::string& line) {
    const auto words = plain_words(line, true);
    if (!words) return false;
    constexpr std::string_view path = "PATH=", rest = ";%PATH%";
    if (words->size() == 2 && words->front() == "set" && (*words)[1].starts_with(path) && (*words)[1].ends_with(rest)) {
      auto folders = (*words)[1].substr(path.size(), (*words)[1].size() - path.size() - rest.size());
      if (folders.find('%') != std::string::npos) return false;
      auto& places = query.environment.dll_path;
      std::ptrdiff_t at = 0;
      for (const auto folder : split(folders, ";")) places.insert(places.begin() + at++, std::string(folder));
      return true;
    }
    if (words->size() == 3 && (*words)[1] == "-c") return run_import((*words)[2]);
    if (words->size() != 3) return false;
    WindowsTree names(state_.store.images, *state_.windows);
    const auto first = names.find((*words)[1]);
    if (!first) return false;
    if (words->front() == "ren") {
      tree.take_away(*first);
      tree.put(std::string(parent_path(*first)) + "/" + (*words)[2], *first);
      return true;
    }
    const auto folder = words->front() == "copy" ? names.find((*words)[2]) : std::nullopt;
    if (!folder || !state_.store.images.folder_exists(*folder)) return false;
    tree.put(*folder + "/" + std::string(file_name(*first)), *first);
    return true;
  }

  SessionState& state_;
};

/// What is wrong, whatever the number of the object.
using Fault = std::tuple<std::string_view, std::string, std::string>;

Fault fault_of(const Report& report, const Finding& finding) {
  return {finding.code, finding.subject,
          finding.object ? report.resolution.objects[*finding.object].path : std::string()};
}

std::set<Fault> faults_of(const Report& report) {
  std::set<Fault> faults;
  for (const auto& finding : report.findings)
    if (finding.level == Level::error) faults.insert(fault_of(report, finding));
  return faults;
}

enum class Outcome { unknown, helps, useless, breaks };

/// `useless`: what is offered against is still there; `breaks`: a file that was served lacks something now.
Outcome outcome_of(const Report& before, const Finding& finding, const Report& after, std::string& broken) {
  if (after.verdict == Verdict::unknown) return Outcome::unknown;
  const auto old_faults = faults_of(before), new_faults = faults_of(after);
  if (new_faults.contains(fault_of(before, finding))) return Outcome::useless;
  // What failed before may fail for another reason now: that is one step further, unless it is a library that was
  // found.
  std::set<std::string> worked;
  std::set<std::pair<std::string, std::string>> served;
  for (const auto& object : before.resolution.objects) {
    worked.insert(object.path);
    for (const auto& edge : object.edges)
      if (edge.object) served.emplace(object.path, edge.name);
  }
  for (const auto& fault : old_faults) worked.erase(std::get<2>(fault));
  for (const auto& each : after.findings) {
    if (each.level != Level::error || !each.object || old_faults.contains(fault_of(after, each))) continue;
    const auto& path = after.resolution.objects[*each.object].path;
    if (!worked.contains(path) && !served.contains({path, each.subject})) continue;
    broken = each.message;
    return Outcome::breaks;
  }
  return Outcome::helps;
}

/// What is missing once a fix has helped, in the files that are then found: "MSVCP120.dll and MSVCR120.dll are". Empty
/// if nothing is, or if a finding named it before.
std::string missing_next(const Report& before, const Report& after) {
  constexpr std::size_t most_named = 4;
  const auto old_faults = faults_of(before);
  std::vector<std::string> names;
  for (const auto& each : after.findings) {
    const bool missing = each.code == "CUD101" || each.code == "CUD102" || each.code == "CUD111";
    if (each.level == Level::error && missing && !old_faults.contains(fault_of(after, each)) &&
        std::find(names.begin(), names.end(), each.subject) == names.end())
      names.push_back(each.subject);
  }
  if (names.empty()) return "";
  if (names.size() > most_named) return fmt::format("{} libraries are", names.size());
  return fmt::format("{} {}", fmt::join(names, " and "), names.size() == 1 ? "is" : "are");
}

/// What installs the DLLs of Windows that are missing then, a line for each; empty unless that is known of all of them.
std::string installs_next(const Report& before, const Report& after) {
  if (!after.resolution.windows) return "";
  const auto old_faults = faults_of(before);
  const auto machine = machine_name(after.resolution.machine);
  std::vector<std::string> lines;
  for (const auto& each : after.findings) {
    if (each.level != Level::error || old_faults.contains(fault_of(after, each))) continue;
    const auto name = folded(windows_file_name(each.subject));
    const auto installer = installer_of(name);
    const auto later = added_later(name);
    const auto command = installer && !installer->ways.empty() ? installer->ways.front().command
                         : later                               ? later->command
                                                               : std::string();
    if (command.find(" install ") == std::string::npos || command.find('{') != std::string::npos) return "";
    auto line = command_for_machine(command, machine);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

/// The first fix is one step, and not the last: the finding says so, and the headline where it has the same words.
void tell_next_step(const std::string& missing, Report& report, Finding& finding) {
  const auto text = fmt::format("; once it is found, {} missing", missing);
  if (const auto at = report.headline.find(finding.message); at != std::string::npos)
    report.headline.insert(at + finding.message.size(), text);
  finding.message += text;
}

}  // namespace

void prove_fixes(Report& report, SessionState& state, ThreadLimit& threads, const AskAgain& ask) {
  // A question costs as much as the first one: imports are followed again.
  constexpr std::size_t most_trials = 4;
  const auto world = report.resolution.world.kind;
  if (!report.query.fixes || report.verdict != Verdict::fails ||
      (world != WorldKind::here && world != WorldKind::described))
    return;
  // Of a described machine there are names of files, of which none can be copied or linked.
  const bool described = report.query.linux_host || report.query.windows_host;
  std::size_t trials = 0;
  std::string last_step;
  for (auto& finding : report.findings) {
    if (finding.level != Level::error) continue;
    std::vector<Fix> kept, last;
    for (auto& fix : finding.fixes) {
      Trial trial(report, state);
      std::string broken;
      auto outcome = Outcome::unknown;
      if (trials < most_trials && fix.serves.empty() && trial.run(fix.command) &&
          !(described && trial.tree.is_changed())) {
        ++trials;
        SharedReadings readings(false);
        SessionState own(trial.tree, threads, state.store.knowledge, readings);
        own.foresees = false;
        const auto after = ask(trial.query, own);
        outcome = outcome_of(report, finding, after, broken);
        const auto next = outcome == Outcome::helps && kept.empty() ? missing_next(report, after) : "";
        if (!next.empty()) tell_next_step(next, report, finding);
        if (auto installs = next.empty() ? std::string() : installs_next(report, after); !installs.empty()) {
          fix.command += "\n" + installs;
          last_step = std::move(installs);
        }
      }
      if (outcome == Outcome::breaks) fix.side_effect = "but then: " + broken;
      if (outcome == Outcome::breaks)
        last.push_back(std::move(fix));
      else if (outcome != Outcome::useless)
        kept.push_back(std::move(fix));
    }
    finding.fixes = std::move(kept.empty() ? last : kept);
  }
  if (last_step.empty()) return;
  for (auto& finding : report.findings)
    for (auto& fix : finding.fixes)
      if (!fix.serves.empty() && !fix.command.empty()) fix.command += "\n" + last_step;
}

}  // namespace cudald
