#include "scan/page.h"

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/size_words.h"
#include "report/ci/markup.h"
#include "report/html/page.h"
#include "report/text/summary.h"
#include "report/text/text.h"

namespace cudald {
namespace {

/// A browser shows no more rows with ease.
constexpr std::size_t most_rows = 5000;

std::string verdict_html(Verdict verdict) {
  return fmt::format("<span class=\"verdict {}\">{}</span>", to_string(verdict), spoken(verdict));
}

void write_left_out(std::size_t all, std::ostream& out) {
  if (all > most_rows) out << fmt::format("<p class=\"faint\">{} more are left out.</p>\n", all - most_rows);
}

void write_verdicts(const Totals& totals, std::size_t missing, std::ostream& out) {
  out << "<p>";
  for (const auto verdict : {Verdict::fails, Verdict::unknown, Verdict::risk, Verdict::cpu_only, Verdict::loads})
    if (const auto found = totals.verdicts.find(verdict); found != totals.verdicts.end())
      out << fmt::format("{} {}, ", found->second, verdict_html(verdict));
  out << fmt::format("{} not judged, {} without a record; {}.</p>\n", totals.not_judged.size(), missing,
                     size_words(totals.bytes));
}

void write_kinds(const Totals& totals, std::ostream& out) {
  using Entry = std::pair<std::string_view, const Totals::Kind*>;
  std::vector<Entry> kinds;
  for (const auto& [code, kind] : totals.kinds) kinds.emplace_back(code, &kind);
  std::stable_sort(kinds.begin(), kinds.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.second->level, b.second->targets) < std::pair(b.second->level, a.second->targets);
  });
  out << "<h2>By finding</h2>\n";
  for (const auto& [code, kind] : kinds) {
    out << fmt::format(
        "<details data-row><summary><span class=\"level {0}\">{0}</span> {1} {2}: {3}{4}</summary>\n<ul>\n",
        to_string(kind->level), code, kind->name, kind->findings,
        kind->targets == 0
            ? ""
            : fmt::format(" in {} of {}", counted(kind->targets, "target"), counted(kind->packages.size(), "package")));
    for (const auto& example : kind->examples) out << fmt::format("<li>{}</li>\n", xml_text(example));
    out << "</ul>\n</details>\n";
  }
}

void write_packages(const Totals& totals, std::ostream& out) {
  using Entry = std::pair<const std::string*, const Totals::Package*>;
  std::vector<Entry> packages;
  for (const auto& [name, package] : totals.packages) packages.emplace_back(&name, &package);
  const auto rank = [](const Entry& entry) { return rank_of(worst_of(entry.second->verdicts)); };
  std::stable_sort(packages.begin(), packages.end(),
                   [&rank](const Entry& a, const Entry& b) { return rank(a) < rank(b); });
  out << "<h2>By package</h2>\n<table><thead><tr><th>worst</th><th>package</th><th>targets</th><th>size</th>"
         "<th>findings</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(packages.size(), most_rows); ++i) {
    const auto& [name, package] = packages[i];
    out << fmt::format(
        "<tr data-row><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td>{}</td></tr>\n",
        verdict_html(worst_of(package->verdicts)), xml_text(*name), package->targets, size_words(package->bytes),
        fmt::join(package->codes, " "));
  }
  out << "</tbody></table>\n";
  write_left_out(packages.size(), out);
}

void write_gaps(const Totals& totals, const std::vector<std::string>& missing, std::ostream& out) {
  if (totals.not_judged.empty() && missing.empty()) return;
  out << "<h2>Not judged</h2>\n<table><thead><tr><th>target</th><th>why</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(totals.not_judged.size(), most_rows); ++i) {
    const auto& each = totals.not_judged[i];
    out << fmt::format("<tr data-row><td><code>{}</code></td><td>{}{}</td></tr>\n", xml_text(each.target),
                       to_string(each.outcome), each.message.empty() ? "" : ": " + xml_text(each.message));
  }
  for (std::size_t i = 0; i < std::min(missing.size(), most_rows); ++i)
    out << fmt::format("<tr data-row><td><code>{}</code></td><td>no record</td></tr>\n", xml_text(missing[i]));
  out << "</tbody></table>\n";
  write_left_out(std::max(totals.not_judged.size(), missing.size()), out);
}

}  // namespace

void write_totals_page(const Totals& totals, const std::vector<std::string>& missing, std::ostream& out) {
  std::array<std::size_t, 5> counts{};
  std::size_t judged = 0;
  for (const auto& [verdict, count] : totals.verdicts) judged += counts[static_cast<std::size_t>(verdict)] = count;
  const auto all = totals.targets + missing.size();
  write_page_start(verdicts_line(counts) + (judged < all ? fmt::format(", {} not judged", all - judged) : ""), out);
  write_verdicts(totals, missing.size(), out);
  write_kinds(totals, out);
  write_packages(totals, out);
  write_gaps(totals, missing, out);
  write_page_end(out);
}

}  // namespace cudald
