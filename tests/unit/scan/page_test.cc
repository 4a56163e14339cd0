#include "scan/page.h"

#include <doctest/doctest.h>

#include "common/example_report.h"

namespace cudald {
namespace {

TEST_CASE("the page tells of findings, packages and gaps, and names are text") {
  Totals totals;
  totals.add({{"a-1-py3-none-any.whl", 10, ""}, Outcome::judged}, failing_report(), "");
  totals.add({{"<b>.whl", 10, ""}, Outcome::timed_out}, std::nullopt, "longer than <1> s");
  const auto page = written([&](auto& out) { write_totals_page(totals, {"<missing>"}, out); });
  CHECK(page.find("CUD101 library-not-found: 1 in 1 target of 1 package<") != std::string::npos);
  CHECK(page.find("<td>a</td>") != std::string::npos);
  CHECK(page.find("timed-out: longer than &lt;1&gt; s") != std::string::npos);
  CHECK(page.find("<code>&lt;missing&gt;</code>") != std::string::npos);
  CHECK(page.find("<b>") == std::string::npos);
  CHECK(page.find("1 not judged, 1 without a record") != std::string::npos);
}

TEST_CASE("where all is well nothing is said of gaps") {
  const auto page = written([&](auto& out) { write_totals_page({}, {}, out); });
  CHECK(page.find("<h2>Not judged") == std::string::npos);
}

TEST_CASE("the worst comes first: kinds by their level and how many targets have them, packages by their verdict") {
  Totals totals;
  const auto judged = [&](const std::string& target, Verdict verdict,
                          const std::vector<std::pair<std::string_view, Level>>& found) {
    auto report = healthy_report();
    report.verdict = verdict;
    for (const auto& [code, level] : found) {
      Finding finding;
      finding.code = code;
      finding.name = "kind";
      finding.level = level;
      finding.message = "<" + std::string(code) + ">";
      report.findings.push_back(finding);
    }
    totals.add({{target + "-1-py3-none-any.whl", 1000, ""}, Outcome::judged}, report, "");
  };
  judged("a", Verdict::loads, {{"CUD104", Level::note}});
  judged("b", Verdict::risk, {{"CUD109", Level::warning}});
  judged("c", Verdict::cpu_only, {{"CUD310", Level::warning}, {"CUD310", Level::warning}});
  judged("d", Verdict::fails, {{"CUD101", Level::error}, {"CUD310", Level::warning}});
  judged("e", Verdict::unknown, {});
  judged("f", Verdict::unknown, {});
  const auto page = written([&](auto& out) { write_totals_page(totals, {}, out); });
  CHECK(page.find("<p>1 <span class=\"verdict fails\">FAILS</span>, 2 <span class=\"verdict unknown\">UNKNOWN</span>, "
                  "1 <span class=\"verdict risk\">RISK</span>, 1 <span class=\"verdict cpu-only\">CPU ONLY</span>, "
                  "1 <span class=\"verdict loads\">LOADS</span>, 0 not judged, 0 without a record; 6 kB.</p>") !=
        std::string::npos);
  const auto order = [&](const std::vector<std::string>& texts) {
    std::size_t at = 0;
    for (const auto& text : texts) {
      CAPTURE(text);
      const auto next = page.find(text, at);
      REQUIRE(next != std::string::npos);
      at = next;
    }
  };
  order({"<h2>By finding</h2>", "CUD101 kind: 1 in 1 target of 1 package<",
         "CUD310 kind: 3 in 2 targets of 2 packages<", "<ul>\n<li>c-1-py3-none-any.whl: &lt;CUD310&gt;</li>\n<li>d-1-",
         "CUD109 kind: 1 in", "CUD104 kind: 1 in"});
  order({"<h2>By package</h2>", "<td>d</td>", "<td>e</td>", "<td>f</td>", "<td>b</td>", "<td>c</td>", "<td>a</td>"});
  CHECK(page.find("<td>d</td><td class=\"number\">1</td><td class=\"number\">1 kB</td><td>CUD101 CUD310</td>") !=
        std::string::npos);
}

TEST_CASE("of very many packages and gaps the page shows some, and counts the others") {
  Totals totals;
  for (int i = 0; i < 5001; ++i) totals.packages["p" + std::to_string(i)].targets = 1;
  std::vector<std::string> missing(5002, "gone.whl");
  const auto page = written([&](auto& out) { write_totals_page(totals, missing, out); });
  CHECK(page.find("<p class=\"faint\">1 more are left out.</p>\n<h2>Not judged</h2>") != std::string::npos);
  CHECK(page.find("<p class=\"faint\">2 more are left out.</p>") != std::string::npos);
  totals.packages.erase("p0");
  missing.resize(5000);
  CHECK(written([&](auto& out) { write_totals_page(totals, missing, out); }).find("left out") == std::string::npos);
}

TEST_CASE("findings about the whole scan are of no target, and a gap without a reason has no colon") {
  Totals totals;
  Finding finding;
  finding.code = "CUD903";
  finding.name = "suppression-unused";
  finding.level = Level::note;
  finding.message = "of <no> use";
  totals.add(finding);
  totals.add({{"a.whl", 10, ""}, Outcome::crashed}, std::nullopt, "");
  const auto page = written([&](auto& out) { write_totals_page(totals, {}, out); });
  CHECK(page.find("</span> CUD903 suppression-unused: 1</summary>\n<ul>\n<li>of &lt;no&gt; use</li>\n</ul>") !=
        std::string::npos);
  CHECK(page.find("<tr data-row><td><code>a.whl</code></td><td>crashed</td></tr>\n") != std::string::npos);
}

}  // namespace
}  // namespace cudald
