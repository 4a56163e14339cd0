// Of an old package in a new environment more than one thing is broken, and Python tells the first alone. What the code
// does behind it is followed as if that were fixed: the module or name is there, and nothing is known of it.

#include "session/next_failures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "package/requirement.h"
#include "session/failed_import.h"
#include "session/pip_commands.h"

namespace cudald {
namespace {

/// A question costs as much as the first one.
constexpr std::size_t most_steps = 6;

/// What the first step would bring; nullopt if the import fails by anything else, or if the step is a newer release of
/// a package, whose code may be another one.
std::optional<AssumedNames> assumed_after(const Import& import, const std::string& error, const PipCommand& command) {
  const bool is_newer = std::any_of(command.words.begin(), command.words.end(),
                                    [](const std::string& word) { return word.starts_with('-'); });
  if (!command.install || is_newer) return std::nullopt;
  AssumedNames assumed;
  if (import.lacked) {
    assumed.names.insert(import.lacked->module + "." + import.lacked->name);
    return assumed;
  }
  for (const auto& missing : import.missing)
    if (missing.required && missing.name.find('.') == std::string::npos &&
        error.ends_with("No module named '" + missing.name + "'"))
      assumed.modules.insert(missing.name);
  for (const auto& word : command.words)
    if (const auto wanted = parse_requirement(word); wanted && wanted->specifiers.empty())
      assumed.distributions.insert(wanted->name);
  return assumed.modules.empty() ? std::nullopt : std::optional(assumed);
}

std::string distribution_in(const std::string& word) {
  const auto requirement = parse_requirement(word);
  return requirement ? requirement->name : "";
}

/// Whether two commands install releases of the same package: the second was found with what the first replaces. What
/// is not installed, and comes in its newest release, is none that the first replaces.
bool concern_the_same(const PipCommand& one, const PipCommand& other) {
  return std::any_of(one.words.begin(), one.words.end(), [&](const std::string& word) {
    const auto requirement = parse_requirement(word);
    return requirement && !requirement->specifiers.empty() &&
           std::any_of(other.words.begin(), other.words.end(),
                       [&](const std::string& another) { return distribution_in(another) == requirement->name; });
  });
}

/// The fix that installs something first of all, and the finding that offers it.
std::pair<Finding*, Fix*> first_install(Report& report) {
  for (auto& finding : report.findings)
    if (finding.level == Level::error && finding.code == "CUD114" && !finding.fixes.empty())
      return {&finding, &finding.fixes.front()};
  return {nullptr, nullptr};
}

}  // namespace

void foresee_next_failures(Report& report, SessionState& state, ThreadLimit& threads, const AskAgain& ask) {
  const auto* import = failed_import(report);
  if (!report.query.fixes || !state.foresees || state.index != nullptr || import == nullptr ||
      state.assumed.size() >= most_steps)
    return;
  const auto error = import_error(report);
  const auto [finding, fix] = first_install(report);
  const auto command = fix == nullptr ? std::nullopt : pip_command(fix->command);
  const auto assumed = command ? assumed_after(*import, error, *command) : std::nullopt;
  // Of several imports the fix may be another one's.
  if (!assumed || (finding->subject != import->module && !assumed->modules.contains(finding->subject))) return;
  SharedReadings readings(false);
  SessionState own(state.given, threads, state.store.knowledge, readings);
  own.assumed = state.assumed;
  own.assumed.modules.insert(assumed->modules.begin(), assumed->modules.end());
  own.assumed.names.insert(assumed->names.begin(), assumed->names.end());
  own.assumed.distributions.insert(assumed->distributions.begin(), assumed->distributions.end());
  if (own.assumed.size() == state.assumed.size()) return;
  auto query = report.query;
  query.notes = query.keep_bindings = false;
  query.constants = ConstantScope::none;
  query.message.reset();
  auto after = ask(std::move(query), own);
  const auto next = import_error(after);
  if (next.empty() || next == error) return;
  report.next_errors = std::move(after.next_errors);
  report.next_errors.insert(report.next_errors.begin(), next);
  finding->evidence.push_back(
      {fmt::format("once that is fixed, the next error is {}", fmt::join(report.next_errors, ", then ")), "",
       Basis::proven, ""});
  const auto [unused, next_fix] = first_install(after);
  const auto next_command = next_fix == nullptr ? std::nullopt : pip_command(next_fix->command);
  if (!next_command || !next_command->install || concern_the_same(*command, *next_command)) return;
  fix->command = joined_installs(fix->command, next_fix->command).value_or(fix->command + "\n" + next_fix->command);
}

}  // namespace cudald
