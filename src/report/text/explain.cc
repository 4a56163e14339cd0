#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cudald/image.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "report/text/finding_text.h"
#include "report/text/library_story.h"
#include "report/text/missing_libraries.h"
#include "report/text/probe_text.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {
namespace {

/// Findings with one code: the same cause, met at several places.
struct Cause {
  const Finding* first = nullptr;
  std::vector<const Finding*> others;
};

std::vector<Cause> causes_of(const Report& report) {
  std::vector<Cause> causes;
  for (const Finding& finding : report.findings) {
    if (is_unreadable_target(finding, report)) continue;  // the verdict has said so already
    const auto same = std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) {
      return cause.first->code == finding.code && cause.first->level == finding.level;
    });
    if (same == causes.end()) {
      causes.push_back({&finding, {}});
    } else {
      same->others.push_back(&finding);
    }
  }
  return causes;
}

/// Whether the evidence of a finding that may be harmless is shown in full: what two CUDA runtimes share and what they
/// do not is the answer, unless something else is wrong.
bool answers_question(const Finding& finding, const Report& report) {
  return traits_of(finding).told_in_full &&
         std::all_of(report.findings.begin(), report.findings.end(), [&](const Finding& other) {
           return other.level >= finding.level || traits_of(other).told_in_full || other.code == "CUD308";
         });
}

/// Targets that fail, where there are several: which of them the verdict is about.
void write_failing_targets(const Report& report, TextWriter& text) {
  const auto& targets = report.resolution.targets;
  const auto own = std::count_if(targets.begin(), targets.end(), [](const Target& target) { return !target.part_of; });
  if (own < 2) return;
  for (const Target& target : targets) {
    if (target.part_of || target.error.empty()) continue;
    const std::string_view label = target.kind == TargetKind::dlopen   ? "dlopen fails"
                                   : target.kind == TargetKind::import ? "import fails"
                                                                       : "start fails";
    text.labelled(label, escaped(target.given) + ": " + escaped(target.error));
  }
}

/// Of a package in the world of its tag: what it counts on beside its own files, by who brings it.
void write_contract(const Report& report, TextWriter& text) {
  std::set<std::string> promised, driver;
  std::map<std::string, std::set<std::string>> brought;
  for (const Object& object : report.resolution.objects) {
    if (!object.known_by_name || object.main_program || object.dynamic_loader) continue;
    const auto name = object.image->soname.value_or(std::string(file_name(object.path)));
    switch (object.image->source) {
      case ImageSource::promise: promised.insert(name); break;
      case ImageSource::driver: driver.insert(name); break;
      default: brought[object.package ? object.package->name : "a requirement"].insert(name);
    }
  }
  const auto line = [&text](const std::string& label, const std::set<std::string>& names) {
    if (!names.empty()) text.labelled(label, escaped(fmt::format("{}", fmt::join(names, " "))));
  };
  line("from system", promised);
  for (const auto& [distribution, names] : brought)
    text.labelled("from package", escaped(fmt::format("{}: {}", distribution, fmt::join(names, " "))));
  line("driver", driver);
}

/// Of a package: what it takes from the machine, so that a reader knows what another machine must have.
void write_machine_libraries(const Report& report, TextWriter& text) {
  if (report.resolution.world.kind == WorldKind::tag) {
    write_contract(report, text);
    return;
  }
  const auto& targets = report.resolution.targets;
  if (std::none_of(targets.begin(), targets.end(),
                   [](const Target& target) { return target.kind == TargetKind::package; }))
    return;
  std::set<std::string> names;
  for (const Object& object : report.resolution.objects)
    for (const Edge& edge : object.edges)
      if (edge.status == EdgeStatus::loaded &&
          (edge.rule == SearchRule::cache || edge.rule == SearchRule::default_folder))
        names.insert(edge.name);
  if (names.empty()) return;
  text.labelled("from system", escaped(fmt::format("{}", fmt::join(names, " "))));
}

class Story {
 public:
  Story(const Report& report, TextWriter& text) : report_(report), text_(text), findings_(report, text) {}

  /// False if the verdict has told all.
  bool tell() {
    const std::vector<Cause> causes = causes_of(report_);
    const Level worst = causes.empty() ? Level::note : causes.front().first->level;
    const bool everything = text_.style().verbosity > 0;
    bool brief_block = false;
    for (const Cause& cause : causes) {
      const bool grave = cause.first->level == worst && report_.verdict != Verdict::loads;
      // The first cause is the answer; of the others the fix is enough, -v shows the rest.
      const bool in_full =
          everything || answers_question(*cause.first, report_) || (grave && &cause == &causes.front());
      if (in_full || !brief_block) text_.line();
      brief_block = !in_full;
      if (in_full) {
        findings_.tell(*cause.first);
        tell_others(cause.others, everything);
      } else {
        tell_briefly(cause);
        constexpr std::size_t below_finding = 2;
        if (grave && !cause.first->fixes.empty()) write_fix("fix:", cause.first->fixes.front(), below_finding, text_);
      }
    }
    return !causes.empty();
  }

  std::size_t folded() const { return folded_; }

 private:
  void tell_others(const std::vector<const Finding*>& others, bool in_full) {
    if (in_full) {
      for (const Finding* finding : others) {
        text_.line();
        findings_.tell(*finding);
      }
      return;
    }
    if (others.empty()) return;
    constexpr std::size_t most_listed = 12;
    text_.line();
    for (std::size_t i = 0; i < std::min(others.size(), most_listed); ++i) text_.line(findings_.brief(*others[i]));
    if (others.size() > most_listed) text_.line(fmt::format("... and {} more of them", others.size() - most_listed));
    folded_ += others.size();
  }

  void tell_briefly(const Cause& cause) {
    std::string line = findings_.brief(*cause.first);
    if (!cause.others.empty()) line += fmt::format("  (and {} more of them)", cause.others.size());
    text_.line(line);
    folded_ += 1 + cause.others.size();
  }

  const Report& report_;
  TextWriter& text_;
  FindingText findings_;
  std::size_t folded_ = 0;
};

void write_message_lines(const MessageReading& message, TextWriter& text) {
  text.labelled("the message", escaped(message.text));
  text.labelled("who says it", escaped(message.who), 0,
                text.style().verbosity > 0 ? "table: " + escaped(message.source) : "");
  text.labelled("it means", escaped(message.means));
  if (message.effect == MessageEffect::nothing) text.labelled("harmless", "nothing has to be done about it");
}

void write_message_fix(const MessageReading& message, TextWriter& text) {
  if (message.fix.empty()) return;
  text.labelled("fix", escaped(message.fix));
  if (message.command.empty()) return;
  for (const std::string_view command : split(message.command, "\n"))
    text.line(std::string(TextWriter::body_column + 5, ' ') + text.painted(Tone::strong, escaped(command)));
}

void add_import_notes(const Import& import, bool all, std::vector<std::string>& notes) {
  constexpr std::size_t most_shown = 3;
  const auto shown = all ? import.notes.size() : std::min(most_shown, import.notes.size());
  notes.insert(notes.end(), import.notes.begin(), import.notes.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < import.notes.size())
    notes.push_back(counted(import.notes.size() - shown, "more note") + " on what was not followed: -v");
}

/// What else is wrong, a line for each kind; notes are only counted.
void write_other_findings(const Report& report, const std::vector<const Finding*>& told, TextWriter& text) {
  FindingText findings(report, text);
  constexpr std::size_t most_lines = 3;
  std::size_t lines = 0;
  for (const Cause& cause : causes_of(report)) {
    const bool is_told = std::any_of(told.begin(), told.end(), [&cause](const Finding* finding) {
      return finding->code == cause.first->code && finding->level == cause.first->level;
    });
    if (is_told || cause.first->level == Level::note || ++lines > most_lines) continue;
    std::string line = findings.brief(*cause.first);
    if (!cause.others.empty()) line += fmt::format("  (and {} more of them)", cause.others.size());
    text.line(line);
  }
}

/// What happens, without the loader's message, which a request that may fail shows to nobody.
std::string brief_consequence(const Finding& finding) {
  return finding.consequence.substr(0, finding.consequence.find(" dlerror() says: "));
}

/// The answer about libraries that are missing, in one screen.
void write_missing_screen(const Report& report, const std::vector<const Finding*>& missing, TextWriter& text) {
  text.line(text.painted(tone_of(report.verdict), spoken(report.verdict)) + "  " +
            escaped(headline_of_missing(report, missing)));
  if (report.message) write_message_lines(*report.message, text);
  write_missing_libraries(report, missing, text);
  write_python(report, text);
  // A program prints its error by itself; what Python raises, or what is lost, is not as plain.
  const bool is_plain = report.verdict == Verdict::fails && report.resolution.imports.empty();
  if (const auto result = brief_consequence(*missing.front()); !is_plain && !result.empty())
    text.paragraph("Result: " + escaped(result));
  if (report.probe) write_probe(*report.probe, text);
  write_failing_targets(report, text);
  write_other_findings(report, missing, text);
  write_closing_line(report, report.findings.size(), text);
}

/// Whether the cause of a pasted message is a finding about something else than the library that the message names: the
/// library is there, and what is said of it alone hides the cause.
bool has_other_cause(const Report& report, const std::string& library) {
  if (!report.message || report.message->library != library || report.findings.empty()) return false;
  const Finding& first = report.findings.front();
  if (first.level == Level::note || first.subject == library) return false;
  return !first.object || !first.edge || report.resolution.objects[*first.object].edges[*first.edge].name != library;
}

/// Whether a pasted message is about one of the libraries that are missing: then the answer is the short one.
bool is_of_message(const Report& report, const std::string& library, const std::vector<const Finding*>& missing) {
  return report.message && report.message->library == library &&
         std::any_of(missing.begin(), missing.end(), [&](const Finding* one) { return one->subject == library; });
}

TextStyle about_all(TextStyle style) {
  style.library.clear();
  return style;
}

}  // namespace

void write_message(const MessageReading& message, const TextStyle& style, std::ostream& out) {
  TextWriter text(style, out);
  write_message_lines(message, text);
  write_message_fix(message, text);
  const auto provides = message.library.empty() ? "" : ", or cudald provides " + shell_word(message.library);
  const auto target = message.speakers.empty() ? "PROGRAM" : message.speakers.front();
  text.line("Next: cudald explain --error TEXT " + target + provides);
}

void write_explanation(const Report& report, const TextStyle& given, std::ostream& out) {
  const auto missing = decisive_missing_libraries(report);
  const bool about_one = !has_other_cause(report, given.library) && !is_of_message(report, given.library, missing);
  const TextStyle style = about_one ? given : about_all(given);
  TextWriter text(style, out);
  if (!missing.empty() && style.verbosity == 0 && style.library.empty()) {
    write_missing_screen(report, missing, text);
    return;
  }
  write_verdict(report, text);
  if (style.verbosity < 0) return;
  if (style.library.empty()) write_short_answer(report, text);
  if (report.message) {
    text.line();
    write_message_lines(*report.message, text);
  }
  const bool nothing_loaded = report.resolution.objects.empty();
  if (nothing_loaded && report.findings.empty()) return;
  if (!nothing_loaded && !style.library.empty()) {
    write_library_story(report, text);
    return;
  }

  if (!nothing_loaded && (report.findings.empty() || report.verdict == Verdict::loads))
    text.paragraph_before(origins_line(report), next_command(report, "tree") + " shows them.");
  write_machine_libraries(report, text);
  if (report.probe) write_probe(*report.probe, text);
  write_failing_targets(report, text);
  Story story(report, text);
  const bool told = story.tell();
  auto notes = report.resolution.notes;
  // What an import was not followed into matters when something is wrong, or to who wants to know all.
  if (report.verdict != Verdict::loads || style.verbosity > 0)
    for (const Import& import : report.resolution.imports) add_import_notes(import, style.verbosity > 0, notes);
  if (const auto left_out = report.resolution.constants_left_out; left_out > 0 && style.verbosity > 0)
    notes.push_back(fmt::format(
        "{} file{} in archives: constants that name libraries were not looked for there (--constants all does)",
        left_out, left_out == 1 ? "" : "s"));
  if (style.verbosity > 0)
    for (const Import& import : report.resolution.imports)
      for (const auto& one : import.unfollowed)
        notes.push_back(one.certain ? fmt::format("{}:{} asks for {}: {}", one.file, one.line, one.what, one.code)
                                    : fmt::format("{}: {}: {}", one.file, one.what, one.code));
  if (!notes.empty()) text.line();
  for (const std::string& note : notes) text.paragraph("note: " + escaped(note), 0, Tone::faint);
  if (!told) return;
  text.line();
  write_closing_line(report, story.folded(), text);
}

}  // namespace cudald
