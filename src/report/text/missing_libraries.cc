// The first screen about libraries that are missing: what a person needs to go on. Evidence, full search tables and
// other fixes are for -v.

#include "report/text/missing_libraries.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/writers.h>

#include "base/listed.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/windows_path.h"
#include "report/text/finding_text.h"
#include "report/text/repair_hint.h"
#include "report/text/search_table.h"

namespace cudald {
namespace {

constexpr std::size_t name_indent = 2, cause_indent = 6, most_listed = 6;

const Object& requester_of(const Report& report, const Finding& finding) {
  return report.resolution.objects[*finding.object];
}

const Edge& edge_of(const Report& report, const Finding& finding) {
  return requester_of(report, finding).edges[*finding.edge];
}

bool is_missing_library(const Finding& finding) {
  return traits_of(finding).lacks_library && finding.object && finding.edge && !finding.subject.empty();
}

/// "needed by libfoo.so.1", or the line of Python that opens it.
std::string needed_by(const Report& report, const Finding& finding) {
  const Edge& edge = edge_of(report, finding);
  if (!edge.asked_at.empty()) {
    // Below site-packages, and below the wheel, a path is short and still clear.
    std::size_t begin = 0;
    for (const std::string_view folder : {"-packages/", "-packages\\", ".whl!/"})
      if (const auto place = edge.asked_at.rfind(folder); place != std::string::npos)
        begin = std::max(begin, place + folder.size());
    return "opened by " + edge.asked_at.substr(begin);
  }
  const Object& object = requester_of(report, finding);
  const auto name = object.known_by_name ? windows_file_name(object.path) : file_name(object.path);
  return fmt::format("{} {}", edge.kind == EdgeKind::dlopen ? "opened by" : "needed by", name);
}

/// The sentence of a finding after the name of its library: "not found in any directory the loader searches".
std::string cause_of(const Finding& finding) {
  for (const std::string& beginning : {finding.subject + " is not found in any directory the loader searches; ",
                                       finding.subject + " is ", finding.subject + " "})
    if (finding.message.starts_with(beginning)) {
      const std::string rest = finding.message.substr(beginning.size());
      return rest == "not found in any directory the loader searches" ? "not found" : rest;
    }
  return finding.message;
}

const Fix* common_fix(const std::vector<const Finding*>& findings) {
  for (const Finding* finding : findings)
    for (const Fix& fix : finding->fixes)
      if (!fix.serves.empty()) return &fix;
  return nullptr;
}

bool serves(const Fix* fix, const Finding& finding) {
  return fix != nullptr && std::find(fix->serves.begin(), fix->serves.end(), finding.subject) != fix->serves.end();
}

/// The first fix for this library alone, rather one that can be pasted.
const Fix* own_fix(const Finding& finding) {
  const Fix* in_words = nullptr;
  for (const Fix& fix : finding.fixes) {
    if (!fix.serves.empty()) continue;
    if (!fix.command.empty()) return &fix;
    if (in_words == nullptr) in_words = &fix;
  }
  return in_words;
}

/// Another build of what needs the library, which comes before all that brings what it lacks.
const Fix* other_build(const Finding& finding) {
  return !finding.fixes.empty() && finding.fixes.front().other_build ? &finding.fixes.front() : nullptr;
}

/// What all findings say of their libraries, without the reason that the headline states once.
std::string without_reason(std::string cause, const Finding& finding) {
  const Fix* build = other_build(finding);
  if (build == nullptr || build->reason.empty()) return cause;
  if (cause == build->reason) return "not found";
  if (const auto at = cause.find("; " + build->reason); at != std::string::npos) cause.erase(at);
  return cause;
}

/// What the author of a package has to change: whoever asks about a package alone may be its author.
const Fix* authors_fix(const Report& report, const Finding& finding) {
  if (report.resolution.world.kind != WorldKind::tag) return nullptr;
  for (const Fix& fix : finding.fixes)
    if (fix.title.starts_with("maintainer fix: ") && !fix.command.empty()) return &fix;
  return nullptr;
}

/// What all findings say of their libraries, "not part of win_amd64 and ..."; empty if they differ.
std::string common_cause(const std::vector<const Finding*>& findings) {
  const std::string first = cause_of(*findings.front());
  const bool same = std::all_of(findings.begin(), findings.end(), [&](const Finding* finding) {
    return finding->message != first && cause_of(*finding) == first;
  });
  return same ? first : "";
}

void write_library(const Report& report, const Finding& finding, std::size_t name_width, bool headline_has_cause,
                   bool several, TextWriter& text) {
  std::string words = needed_by(report, finding);
  if (!headline_has_cause) words += ": " + (several ? without_reason(cause_of(finding), finding) : cause_of(finding));
  const std::string name = escaped(finding.subject);
  const std::size_t column = name_indent + std::max(name_width, display_width(name)) + 2;
  const std::size_t room = std::max(text.width(), column + 20) - column;
  std::string left = std::string(name_indent, ' ') + text.painted(Tone::strong, name) +
                     std::string(column - name_indent - display_width(name), ' ');
  // The first line stands beside the name, the others below it, where there is more room.
  const auto first = wrapped(escaped(words), room).front();
  text.line(left + first);
  if (const auto rest = escaped(words).substr(std::min(first.size() + 1, escaped(words).size())); !rest.empty())
    text.paragraph(rest, cause_indent);
}

}  // namespace

std::vector<const Finding*> decisive_missing_libraries(const Report& report) {
  std::vector<const Finding*> found;
  if (report.verdict == Verdict::loads || report.findings.empty() || !is_missing_library(report.findings.front()))
    return found;
  for (const Finding& finding : report.findings)
    if (finding.level == report.findings.front().level && is_missing_library(finding)) found.push_back(&finding);
  return found;
}

std::string headline_of_missing(const Report& report, const std::vector<const Finding*>& findings) {
  const std::string& message = findings.front()->message;
  const auto place = report.headline.find(message);
  if (findings.size() < 2 || place == std::string::npos) return report.headline;
  const bool of_package =
      std::any_of(findings.begin(), findings.end(), [](const Finding* finding) { return finding->code == "CUD501"; });
  const std::string cause = of_package ? common_cause(findings) : "";
  const Fix* build = other_build(*findings.front());
  const std::string reason = build == nullptr ? "" : build->reason;
  if (of_package && (cause.empty() || !message.starts_with(findings.front()->subject + " is "))) return report.headline;
  std::string headline = report.headline;
  return headline.replace(
      place, message.size(),
      fmt::format("{} libraries {}", findings.size(),
                  of_package ? "are " + cause : "not found" + (reason.empty() ? "" : ": " + reason)));
}

void write_missing_libraries(const Report& report, const std::vector<const Finding*>& findings, TextWriter& text) {
  const std::size_t shown = std::min(findings.size(), most_listed);
  std::size_t name_width = 0;
  for (std::size_t i = 0; i < shown; ++i)
    name_width = std::max(name_width, std::min<std::size_t>(display_width(escaped(findings[i]->subject)), 30));
  const Fix* common = common_fix(findings);
  const bool alone = findings.size() == 1;
  const Fix* build = alone ? nullptr : other_build(*findings.front());
  const std::string headline = headline_of_missing(report, findings);
  // A cause that the headline states is not repeated.
  const auto in_headline = [&](const Finding& finding) {
    return alone ? headline.find(finding.message) != std::string::npos
                 : headline.find("libraries are " + cause_of(finding)) != std::string::npos;
  };
  const auto by_repair = repair_command(report);
  auto authors_label =
      by_repair.empty() ? std::string("maintainer fix:") : "maintainer fix, or " + escaped(by_repair) + ":";
  for (std::size_t i = 0; i < shown; ++i) {
    const Finding& finding = *findings[i];
    write_library(report, finding, name_width, in_headline(finding), !alone, text);
    const Fix* own =
        serves(common, finding) || (build != nullptr && other_build(finding) != nullptr) ? nullptr : own_fix(finding);
    if (own != nullptr) write_fix(own->only_searches ? "find its package:" : "fix:", *own, cause_indent, text);
    if (const Fix* fix = authors_fix(report, finding); fix != nullptr && fix != own)
      write_fix(std::exchange(authors_label, "maintainer fix:"), *fix, cause_indent, text);
  }
  if (shown < findings.size()) text.line(fmt::format("  and {} more: -v shows all", findings.size() - shown));
  if (build != nullptr && build != common) write_fix("fix:", *build, name_indent, text);
  if (common != nullptr) {
    const bool all =
        std::all_of(findings.begin(), findings.end(), [&](const Finding* finding) { return serves(common, *finding); });
    const std::string label = (build == nullptr || build == common ? "" : "or, ") +
                              (all ? fmt::format("fix for all {}:", findings.size())
                                   : "fix for " + escaped(listed(common->serves, 3)) + " only:");
    write_fix(label, *common, name_indent, text);
  }
  const Finding& first = *findings.front();
  const std::string searched = searched_words(report.resolution, *first.object, edge_of(report, first));
  if (searched.empty()) return;
  text.paragraph(fmt::format("Searched{}: {}", alone ? "" : " for " + escaped(first.subject), searched));
}

}  // namespace cudald
