#include <array>
#include <vector>

#include <fmt/format.h>

#include <cudald/report.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "report/ci/markup.h"
#include "report/text/place.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {
namespace {

/// GitHub keeps no more annotations of one level in a step.
constexpr std::size_t most_of_a_level = 10;

std::string_view command_of(Level level) {
  switch (level) {
    case Level::error: return "error";
    case Level::warning: return "warning";
    case Level::note: break;
  }
  return "notice";
}

/// The whole fix: its title, and its command as it is to be pasted.
std::string fix_text(const Fix& fix) {
  std::string text = fmt::format("%0AFix: {}", workflow_text(fix.title));
  if (!fix.command.empty())
    for (const std::string_view line : split(fix.command, "\n")) text += fmt::format("%0A  {}", workflow_text(line));
  return text;
}

class GithubWriter final : public DocumentWriter {
 public:
  void add(const Report& report) override {
    ++verdict_counts_[static_cast<std::size_t>(report.verdict)];
    verdicts_.push_back(fmt::format("cudald: {}  {}", spoken(report.verdict), workflow_text(report.headline)));
    for (const auto& finding : report.findings) {
      auto& lines = lines_[static_cast<std::size_t>(finding.level)];
      ++counts_[static_cast<std::size_t>(finding.level)];
      if (lines.size() == most_of_a_level) continue;
      const auto place = place_of(report, finding);
      auto message = workflow_text(finding.message);
      if (!place.object.empty()) message += fmt::format("%0AFile: {}", workflow_text(place.object));
      if (!finding.consequence.empty()) message += fmt::format("%0AResult: {}", workflow_text(finding.consequence));
      if (!finding.fixes.empty()) message += fix_text(finding.fixes.front());
      lines.push_back(fmt::format("::{} file={},title={} {}::{}", command_of(finding.level),
                                  workflow_property(place.target), finding.code, finding.name, message));
    }
  }

  void finish(std::ostream& out) override {
    // Plain lines first: those with commands are taken out of the log.
    for (const auto& verdict : verdicts_) out << verdict << '\n';
    std::string counts;
    for (const auto level : {Level::error, Level::warning, Level::note}) {
      const auto i = static_cast<std::size_t>(level);
      for (const auto& line : lines_[i]) out << line << '\n';
      if (counts_[i] == 0) continue;
      counts += (counts.empty() ? "" : ", ") + counted(counts_[i], to_string(level));
      if (counts_[i] > most_of_a_level) counts += fmt::format(" ({} of them shown)", most_of_a_level);
    }
    out << fmt::format("cudald: {}; {}\n", verdicts_line(verdict_counts_), counts.empty() ? "no findings" : counts);
  }

 private:
  std::vector<std::string> verdicts_;
  std::array<std::vector<std::string>, 3> lines_;  ///< by level
  std::array<std::size_t, 3> counts_{};
  std::array<std::size_t, 5> verdict_counts_{};  ///< in the order of Verdict
};

}  // namespace

std::unique_ptr<DocumentWriter> make_github_writer() { return std::make_unique<GithubWriter>(); }

}  // namespace cudald
