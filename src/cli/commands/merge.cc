#include "cli/commands/merge.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "archive/compressing_stream.h"
#include "base/path.h"
#include "base/usage_error.h"
#include "cli/options/exit_status.h"
#include "cli/options/ignored_by.h"
#include "cli/settings/today.h"
#include "report/text/check_summary.h"
#include "report/text/summary.h"
#include "scan/merge.h"
#include "scan/page.h"
#include "scan/read_report.h"
#include "scan/sarif_runs.h"
#include "scan/state.h"
#include "scan/totals.h"

namespace cudald {
namespace {

/// "a/cudald.sarif", 2 -> "a/cudald.2.sarif"
std::string numbered(const std::string& path, std::size_t number) {
  if (number == 1) return path;
  const auto name = file_name(path);
  const auto dot = name.rfind('.');
  const auto stem = path.size() - name.size() + (dot == std::string_view::npos || dot == 0 ? name.size() : dot);
  return fmt::format("{}.{}{}", path.substr(0, stem), number, path.substr(stem));
}

/// One form in which all records are written.
class MergedDocument {
 public:
  MergedDocument(OutputFormat format, std::string path, Output* main)
      : format_(format), path_(std::move(path)), main_(main) {}

  std::optional<Error> open() {
    if (auto fault = open_file(1)) return fault;
    if (format_ == OutputFormat::sarif)
      sarif_.emplace([this]() -> std::ostream& { return next_stream(); });
    else if (format_ == OutputFormat::ndjson && (path_.ends_with(".zst") || path_.ends_with(".gz")))
      compressing_ =
          std::make_unique<CompressingBuffer>(path_.ends_with(".gz") ? Compression::gzip : Compression::zstd, stream());
    if (compressing_) compressed_ = std::make_unique<std::ostream>(compressing_.get());
    return std::nullopt;
  }

  void add(const std::string& line, const std::optional<Report>& report) {
    if (format_ == OutputFormat::ndjson) (compressed_ ? *compressed_ : stream()) << line;
    if (!sarif_) return;
    if (report)
      sarif_->add(*report);
    else
      sarif_->add_gap();
  }

  /// Findings about the scan as a whole.
  void add_of_all(const Report& report) {
    if (sarif_) sarif_->add(report);
  }

  void end(const Totals& totals, const std::vector<std::string>& missing) {
    if (sarif_ && !missing.empty()) sarif_->add_gap();
    if (sarif_) sarif_->finish();
    if (format_ == OutputFormat::html) write_totals_page(totals, missing, stream());
  }

  std::optional<Error> finish() {
    std::optional<Error> fault = fault_;
    if (compressing_)
      if (auto error = compressing_->finish(); error && !fault) fault = std::move(error);
    for (auto& file : files_)
      if (auto error = file->finish(); error && !fault) fault = std::move(error);
    return fault;
  }

  void discard() {
    for (auto& file : files_) file->discard();
  }

 private:
  std::ostream& stream() { return files_.empty() ? main_->stream() : files_.back()->stream(); }

  std::optional<Error> open_file(std::size_t number) {
    if (main_ != nullptr) return std::nullopt;
    auto file = Output::open(numbered(path_, number));
    if (!file) return file.error();
    files_.push_back(std::move(*file));
    return std::nullopt;
  }

  std::ostream& next_stream() {
    // The first file is there already.
    if (++streams_ > 1)
      if (auto error = open_file(streams_); error && !fault_) fault_ = std::move(error);
    return stream();
  }

  OutputFormat format_;
  std::string path_;
  Output* main_;  ///< instead of a file of its own
  std::vector<std::unique_ptr<Output>> files_;
  std::unique_ptr<CompressingBuffer> compressing_;
  std::unique_ptr<std::ostream> compressed_;
  std::optional<SarifFiles> sarif_;
  std::size_t streams_ = 0;
  std::optional<Error> fault_;
};

class Merge {
 public:
  Merge(const Options& options, const TextStyle& style, const Host& host, Output& output)
      : options_(options), style_(style), host_(host), output_(output) {}

  Result<int> run() {
    const auto state = normal_path(absolute_path(options_.arguments.front(), host_.environment.cwd));
    const auto list = read_list(state);
    if (!list)
      return usage_error(fmt::format("{}: no scan was begun here: {}", escaped(options_.arguments.front()),
                                     escaped(list.error().message)));
    if (list->version != CUDALD_VERSION)
      return usage_error(fmt::format("{} holds a scan of cudald {}; merge it with that one",
                                     escaped(options_.arguments.front()), escaped(list->version)));
    if (auto fault = open_documents()) return std::move(*fault);
    const auto result = merge_records(state, *list, [this](const std::string& line) { take(line); });
    if (!result || !damaged_.empty()) {
      for (auto& document : documents_) document.discard();
      const auto what = result ? damaged_ : result.error().path;
      return usage_error(fmt::format("{} is damaged; run the same scan again to repair it", escaped(what)));
    }
    // Of what was not judged nobody knows which suppressions would have been of use.
    if (result->missing.empty() && totals_.not_judged.empty())
      tell_of_suppressions(unused_suppressions(list->question, used_, today_of(host_.environment)));
    return finish(*result);
  }

 private:
  std::optional<Error> open_documents() {
    if (options_.output.format != OutputFormat::text)
      documents_.emplace_back(options_.output.format, options_.output.path, &output_);
    for (const auto& wish : options_.output.documents) documents_.emplace_back(wish.format, wish.path, nullptr);
    for (auto& document : documents_) {
      const auto fault = document.open();
      if (!fault) continue;
      for (auto& each : documents_) each.discard();
      return usage_error(fmt::format("cannot write {}: {}", escaped(fault->path), escaped(fault->message)));
    }
    return std::nullopt;
  }

  void take(const std::string& line) {
    const auto head = head_of(line);
    const auto text = report_in(line);
    const auto report = text.empty() ? std::nullopt : read_report(text);
    if (!head || (!text.empty() && !report)) {
      damaged_ = head ? "the record of " + head->item.target : "a record";
      return;
    }
    used_.insert(head->ignored_by.begin(), head->ignored_by.end());
    totals_.add(*head, report, message_in(line));
    if (report) summary_.add(*report, 0, head->item.bytes);
    for (auto& document : documents_) document.add(line, report);
  }

  void tell_of_suppressions(std::vector<Finding> unused) {
    if (unused.empty()) return;
    for (const auto& finding : unused) totals_.add(finding);
    unused_.verdict = Verdict::loads;
    unused_.findings = std::move(unused);
    for (auto& document : documents_) document.add_of_all(unused_);
  }

  int finish(const MergeResult& result) {
    int status = exit_fine;
    for (auto& document : documents_) {
      document.end(totals_, result.missing);
      if (const auto fault = document.finish()) {
        host_.complaints << fmt::format("cudald: cannot write {}: {}\n", escaped(fault->path), escaped(fault->message));
        status = exit_incomplete;
      }
    }
    if (options_.output.format == OutputFormat::text) write_text();
    const auto tell = [this](const std::vector<std::string>& targets, std::string_view what) {
      for (const auto& target : targets) host_.complaints << fmt::format("cudald: {}: {}\n", what, escaped(target));
    };
    tell(result.missing, "no record of");
    tell(result.contradictory, "two reports that differ of");
    return result.missing.empty() && result.contradictory.empty() ? status : exit_incomplete;
  }

  void write_text() {
    auto& out = output_.stream();
    summary_.write(style_, out);
    for (const auto& finding : unused_.findings)
      out << fmt::format("{}[{}]: {}\n", to_string(finding.level), finding.code, escaped(finding.message));
    if (options_.output.verbosity >= 0) write_packages(out);
    if (totals_.not_judged.empty() || options_.output.verbosity < 0) return;
    out << fmt::format("{} not judged:\n", totals_.not_judged.size());
    constexpr std::size_t most_named = 20;
    for (std::size_t i = 0; i < std::min(most_named, totals_.not_judged.size()); ++i) {
      const auto& each = totals_.not_judged[i];
      out << fmt::format("  {}: {}{}\n", escaped(each.target), to_string(each.outcome),
                         each.message.empty() ? "" : ": " + escaped(each.message));
    }
    if (totals_.not_judged.size() > most_named)
      out << fmt::format("  and {} more\n", totals_.not_judged.size() - most_named);
  }

  /// The packages that do not all load, the worst first.
  void write_packages(std::ostream& out) const {
    constexpr std::size_t most_named = 20;
    std::vector<std::pair<Verdict, std::string_view>> packages;
    for (const auto& [name, package] : totals_.packages) {
      const auto worst = worst_of(package.verdicts);
      const bool was_judged = worst != Verdict::unknown || !package.codes.empty();  // the others are listed below
      if (worst != Verdict::loads && was_judged) packages.emplace_back(worst, name);
    }
    std::stable_sort(packages.begin(), packages.end(),
                     [](const auto& a, const auto& b) { return rank_of(a.first) < rank_of(b.first); });
    for (std::size_t i = 0; i < std::min(most_named, packages.size()); ++i)
      out << fmt::format("{:<10}{}\n", spoken(packages[i].first), escaped(packages[i].second));
    if (packages.size() > most_named) out << fmt::format("  and {} more\n", packages.size() - most_named);
  }

  const Options& options_;
  const TextStyle& style_;
  const Host& host_;
  Output& output_;
  std::vector<MergedDocument> documents_;
  Totals totals_;
  CheckSummary summary_;
  std::set<std::string> used_;  ///< suppressions
  Report unused_;               ///< with a finding for each of the others
  std::string damaged_;
};

}  // namespace

Result<int> merge(const Options& options, const TextStyle& style, const Host& host, Output& output) {
  return Merge(options, style, host, output).run();
}

}  // namespace cudald
