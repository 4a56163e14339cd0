#include <algorithm>
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

/// GitHub takes comments of 65,536 characters; what would go beyond is counted.
constexpr std::size_t most_text = 60000;

std::string_view mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::loads: return "✅";
    case Verdict::cpu_only:
    case Verdict::risk: return "⚠️";
    case Verdict::fails: return "❌";
    case Verdict::unknown: break;
  }
  return "❔";
}

/// Lines of a command as a block: HTML, as a fence of backticks could be closed from inside.
std::string command_block(const std::string& command) {
  std::string text;
  for (const auto line : split(command, "\n")) text += (text.empty() ? "" : "\n") + markdown_text(line);
  return fmt::format("\n<pre>{}</pre>\n", text);
}

std::string told(const Report& report, const Finding& finding) {
  const auto place = place_of(report, finding);
  auto text = fmt::format("**{}** `{}` {}: {}\n", to_string(finding.level), finding.code, finding.name,
                          markdown_text(finding.message));
  if (!place.object.empty()) text += fmt::format("<br>File: <code>{}</code>\n", markdown_text(place.object));
  if (!finding.consequence.empty()) text += fmt::format("<br>Result: {}\n", markdown_text(finding.consequence));
  if (!finding.fixes.empty()) {
    const auto& fix = finding.fixes.front();
    text += fmt::format("<br>Fix: {}\n", markdown_text(fix.title));
    if (!fix.command.empty()) text += command_block(fix.command);
  }
  return text + "\n";
}

class MarkdownWriter final : public DocumentWriter {
 public:
  void add(const Report& report) override {
    const auto count = [&](Level level) {
      return std::count_if(report.findings.begin(), report.findings.end(),
                           [level](const Finding& finding) { return finding.level == level; });
    };
    const auto errors = count(Level::error);
    const auto name = markdown_text(name_of_question(report));
    const auto row =
        fmt::format("| {} {} | <code>{}</code> | {} | {} | {} |\n", mark_of(report.verdict), spoken(report.verdict),
                    name, markdown_text(report.headline), errors, count(Level::warning));
    ++verdict_counts_[static_cast<std::size_t>(report.verdict)];
    if (size_ + row.size() > most_text) {
      ++rows_left_out_;
      return;
    }
    // The row comes first: of a target with very many findings it is what must not be missing.
    size_ += row.size();
    rows_ += row;
    std::string details;
    for (const auto& finding : report.findings) {
      auto text = told(report, finding);
      if (size_ + details.size() + text.size() > most_text)
        ++left_out_;
      else
        details += std::move(text);
    }
    if (details.empty()) return;
    details = fmt::format("<details{}><summary><code>{}</code>: {}</summary>\n\n{}\n</details>\n\n",
                          errors == 0 ? "" : " open", name, counted(report.findings.size(), "finding"), details);
    size_ += details.size();
    details_ += details;
  }

  void finish(std::ostream& out) override {
    out << fmt::format("### cudald: {}\n\n", verdicts_line(verdict_counts_))
        << "| verdict | target | | errors | warnings |\n| --- | --- | --- | ---: | ---: |\n"
        << rows_ << '\n'
        << details_;
    if (rows_left_out_ != 0) out << fmt::format("{} left out.\n", counted(rows_left_out_, "more target"));
    if (left_out_ != 0) out << fmt::format("{} left out.\n", counted(left_out_, "more finding"));
  }

 private:
  std::string rows_, details_;
  std::size_t size_ = 0, left_out_ = 0, rows_left_out_ = 0;
  std::array<std::size_t, 5> verdict_counts_{};  ///< in the order of Verdict
};

}  // namespace

std::unique_ptr<DocumentWriter> make_markdown_writer() { return std::make_unique<MarkdownWriter>(); }

}  // namespace cudald
